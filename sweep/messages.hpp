// What the ranks of a sweep send each other. Rank 0 hands out points; the others compute them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <mpi.h>

namespace dodona::sweep {

/// Initialises MPI and ends it.
class Mpi {
public:
    Mpi(int& argc, char**& argv) { MPI_Init(&argc, &argv); }
    Mpi(const Mpi&) = delete;
    Mpi& operator=(const Mpi&) = delete;
    ~Mpi() { MPI_Finalize(); }
};

int rank();
int ranks();

/// From rank 0 to all; others return what it sent.
std::string told_to_all(const std::string& text);

/// What a rank that computes sends to rank 0: nothing at first, then each point that it was given.
struct Reply {
    int rank = 0;
    std::int64_t number = -1;  ///< of the point; negative: asks for the first one
    std::string text;          ///< the point; empty where it failed
    std::string fault;         ///< what failed
};

/// To rank 0.
void send(const Reply& reply);
/// On rank 0, at once: what has arrived, if anything.
std::optional<Reply> received();

/// From rank 0: the next point of a rank; negative: there is none left.
void give(int rank, std::int64_t number);
/// Waits for it.
std::int64_t given();

}  // namespace dodona::sweep
