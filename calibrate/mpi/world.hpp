// The job: which rank sits on which host, and communicators that end when they go out of scope.
#pragma once

#include <string>
#include <vector>

#include <mpi.h>

namespace dodona::calibrate {

/// A communicator of its own; none on ranks that are not in it.
class Communicator {
public:
    explicit Communicator(MPI_Comm owned) : comm_(owned) {}
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    Communicator(Communicator&& other) noexcept : comm_(other.comm_) { other.comm_ = MPI_COMM_NULL; }
    Communicator& operator=(Communicator&&) = delete;
    ~Communicator();

    [[nodiscard]] MPI_Comm get() const { return comm_; }
    [[nodiscard]] bool member() const { return comm_ != MPI_COMM_NULL; }
    [[nodiscard]] int rank() const;
    [[nodiscard]] int size() const;

private:
    MPI_Comm comm_;
};

struct Host {
    std::string name;
    std::vector<int> ranks;  ///< of the job, ascending
};

/// Initialises MPI and ends it.
class Mpi {
public:
    Mpi(int& argc, char**& argv);
    Mpi(const Mpi&) = delete;
    Mpi& operator=(const Mpi&) = delete;
    ~Mpi();
};

/// Made by all ranks at once, while there is an Mpi.
class World {
public:
    World();

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    /// Ranks that share memory are on one host; hosts by their first rank. The same on all ranks.
    [[nodiscard]] const std::vector<Host>& hosts() const { return hosts_; }
    /// Ranks of one colour, in the order of `key`; all ranks call it. MPI_UNDEFINED: in none.
    [[nodiscard]] Communicator split(int colour, int key) const;

private:
    int rank_ = 0;
    int size_ = 1;
    std::vector<Host> hosts_;
};

}  // namespace dodona::calibrate
