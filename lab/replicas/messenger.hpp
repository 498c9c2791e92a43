// Messages between ranks, as spans of anything that is copied byte by byte. All of them are sent by the thread that made
// the Messenger.
//
// Whoever waits sleeps between looks at the network: ranks, emulated hosts and their switch share few cores.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include <mpi.h>

namespace dodona::calibrate {

using Clock = std::chrono::steady_clock;

/// Where a wait looks again.
void nap();

class Messenger {
public:
    explicit Messenger(MPI_Comm comm);

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] MPI_Comm comm() const { return comm_; }

    /// Ends with the next wait(); until then the elements stay as they are.
    template <class T>
    void send(std::span<const T> elements, int to, int tag = 0) {
        start_send(std::as_bytes(elements), to, tag);
    }
    template <class T>
    void receive(std::span<T> elements, int from, int tag = 0) {
        start_receive(std::as_writable_bytes(elements), from, tag);
    }
    /// Until all that was started has ended.
    void wait();
    /// Sends to one rank and receives from another at once, and waits.
    template <class T>
    void swap(std::span<const T> out, int to, std::span<T> in, int from) {
        receive(in, from);
        send(out, to);
        wait();
    }

private:
    void start_send(std::span<const std::byte> bytes, int to, int tag);
    void start_receive(std::span<std::byte> bytes, int from, int tag);

    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 1;
    std::vector<MPI_Request> open_;
};

/// The ranks that exchange, in their order, and this rank's place among them.
struct Ring {
    std::vector<int> ranks;
    std::size_t place = 0;

    [[nodiscard]] std::size_t size() const { return ranks.size(); }
    /// The rank `ahead` places after this one's.
    [[nodiscard]] int after(std::size_t ahead) const { return ranks[(place + ahead) % size()]; }
    [[nodiscard]] int before(std::size_t back) const { return ranks[(place + size() - back % size()) % size()]; }
};

/// The part of `whole` that is a place's; parts differ by one element at most.
struct Part {
    std::size_t first = 0;
    std::size_t count = 0;
};
Part part_of(std::size_t whole, std::size_t place, std::size_t places);

}  // namespace dodona::calibrate
