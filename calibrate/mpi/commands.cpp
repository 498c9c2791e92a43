#include "calibrate/mpi/commands.hpp"

#include <chrono>
#include <thread>

#include <mpi.h>

namespace dodona::calibrate {

namespace {

constexpr auto kNap = std::chrono::milliseconds(1);
constexpr int kEnd = -1;

void broadcast(void* what, int bytes, bool sleeping) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(what, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    for (int done = 0; done == 0;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done == 0 && sleeping) {
            std::this_thread::sleep_for(kNap);
        }
    }
}

}  // namespace

void send_command(const std::string& line) {
    int length = static_cast<int>(line.size());
    std::string text = line;
    broadcast(&length, sizeof length, false);
    broadcast(text.data(), length, false);
}

void send_end() {
    int length = kEnd;
    broadcast(&length, sizeof length, false);
}

std::optional<std::string> next_command() {
    int length = kEnd;
    broadcast(&length, sizeof length, true);
    if (length == kEnd) {
        return std::nullopt;
    }
    std::string line(static_cast<std::size_t>(length), ' ');
    broadcast(line.data(), length, true);
    return line;
}

}  // namespace dodona::calibrate
