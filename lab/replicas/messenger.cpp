#include "lab/replicas/messenger.hpp"

#include <thread>

#include "base/check.hpp"

namespace dodona::calibrate {

namespace {

constexpr auto kNap = std::chrono::microseconds(50);
constexpr std::size_t kMaxMessage = 0x7fffffff;

}  // namespace

void nap() { std::this_thread::sleep_for(kNap); }

Messenger::Messenger(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
}

void Messenger::start_send(std::span<const std::byte> bytes, int to, int tag) {
    check(bytes.size() <= kMaxMessage, "messages are of at most 2 GiB");
    MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, tag, comm_, &open_.emplace_back());
}

void Messenger::start_receive(std::span<std::byte> bytes, int from, int tag) {
    check(bytes.size() <= kMaxMessage, "messages are of at most 2 GiB");
    MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, from, tag, comm_, &open_.emplace_back());
}

void Messenger::wait() {
    int ended = 0;
    while (true) {
        MPI_Testall(static_cast<int>(open_.size()), open_.data(), &ended, MPI_STATUSES_IGNORE);
        if (ended != 0) {
            break;
        }
        nap();
    }
    open_.clear();
}

Part part_of(std::size_t whole, std::size_t place, std::size_t places) {
    const std::size_t first = whole * place / places;
    return {first, whole * (place + 1) / places - first};
}

}  // namespace dodona::calibrate
