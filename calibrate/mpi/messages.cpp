#include "calibrate/mpi/messages.hpp"

#include <array>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "calibrate/mpi/group_benchmark.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {

namespace {

void wait_for(double seconds) {
    for (const Stopwatch watch; watch.elapsed() < seconds * 1_s;) {
    }
}

/// Rank 0 sends, rank 1 answers; only rank 0's time counts.
class Messages : public GroupBenchmark {
public:
    Messages(const Case& asked, MPI_Comm pair) : pair_(pair), pattern_(asked.word("pattern")) {
        const double bytes = asked.number("bytes", -1);
        if (!(bytes >= 0) || bytes > std::numeric_limits<int>::max()) {
            throw CannotMeasure(fmt::format("MPI does not send messages of {} bytes", bytes));
        }
        if (pattern_ != "ping-pong" && pattern_ != "window" && pattern_ != "overhead" && pattern_ != "gap") {
            throw CannotMeasure(
                fmt::format("unknown pattern \"{}\"; known: ping-pong, window, overhead, gap", pattern_));
        }
        bytes_ = static_cast<int>(bytes);
        MPI_Comm_rank(pair, &rank_);
        // A message of a window has its own place, as none may be written to twice at once.
        buffer_.resize(static_cast<std::size_t>(bytes_) * (pattern_ == "window" && rank_ == 1 ? kWindow : 1), 'd');
    }

    Seconds run(const SampleRequest& request) override {
        const Stopwatch watch;
        if (pattern_ == "window") {
            stream();
            return rank_ == 0 ? watch.elapsed() / kWindow : Seconds{};
        }
        round_trip(request.kind == 0 ? 1 : kTrain, request.delay);
        const double trips = pattern_ == "ping-pong" ? 2 : 1;
        return rank_ == 0 ? watch.elapsed() / trips : Seconds{};
    }

private:
    void send() { MPI_Send(buffer_.data(), bytes_, MPI_BYTE, 1 - rank_, 0, pair_); }
    void receive() { MPI_Recv(buffer_.data(), bytes_, MPI_BYTE, 1 - rank_, 0, pair_, MPI_STATUS_IGNORE); }

    void round_trip(int messages, double delay) {
        for (int i = 0; i < messages; ++i) {
            if (rank_ == 1) {
                receive();
                continue;
            }
            if (i > 0 && delay > 0) {
                wait_for(delay);
            }
            send();
        }
        if (rank_ == 1) {
            send();
        } else {
            receive();
        }
    }

    void stream() {
        std::array<MPI_Request, kWindow> requests{};
        for (int i = 0; i < kWindow; ++i) {
            MPI_Request& request = requests[static_cast<std::size_t>(i)];
            if (rank_ == 0) {
                MPI_Isend(buffer_.data(), bytes_, MPI_BYTE, 1, 0, pair_, &request);
            } else {
                char* place = buffer_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(bytes_);
                MPI_Irecv(place, bytes_, MPI_BYTE, 0, 0, pair_, &request);
            }
        }
        MPI_Waitall(kWindow, requests.data(), MPI_STATUSES_IGNORE);
        if (rank_ == 1) {
            MPI_Send(nullptr, 0, MPI_BYTE, 0, 1, pair_);
        } else {
            MPI_Recv(nullptr, 0, MPI_BYTE, 1, 1, pair_, MPI_STATUS_IGNORE);
        }
    }

    MPI_Comm pair_;
    std::string pattern_;
    int rank_ = 0;
    int bytes_ = 0;
    std::vector<char> buffer_;
};

}  // namespace

std::unique_ptr<GroupBenchmark> make_messages(const Case& asked, MPI_Comm pair) {
    return std::make_unique<Messages>(asked, pair);
}

}  // namespace dodona::calibrate
