#include "calibrate/mpi/interference.hpp"

#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "calibrate/mpi/group_benchmark.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {

namespace {

constexpr std::size_t kSide = 64;
constexpr auto kAlone = std::chrono::milliseconds(20);

void multiply(const std::vector<float>& a, const std::vector<float>& b, std::vector<float>& c) {
    for (std::size_t i = 0; i < kSide; ++i) {
        for (std::size_t k = 0; k < kSide; ++k) {
            const float factor = a[i * kSide + k];
            for (std::size_t j = 0; j < kSide; ++j) {
                c[i * kSide + j] += factor * b[k * kSide + j];
            }
        }
    }
}

/// Products and the time that they took.
struct Rate {
    double products = 0;
    Seconds time;

    [[nodiscard]] double per_second() const { return time > Seconds{} ? products / time.in(1_s) : 0; }
};

class Interference : public GroupBenchmark {
public:
    Interference(const Case& asked, MPI_Comm group) {
        if (asked.word("kernel") != "collective" || asked.word("load") != "compute") {
            throw CannotMeasure(
                fmt::format("MPI measures the kernel collective beside the load compute, not {} beside {}",
                            asked.word("kernel"), asked.word("load")));
        }
        collective_ = make_collective(asked, group);
    }

    Seconds run(const SampleRequest& request) override {
        if (request.kind == 0) {
            load_.reset();
            return collective_->run({});
        }
        if (!load_) {
            load_ = std::make_unique<ComputeLoad>();
        }
        const std::int64_t before = load_->products();
        const Stopwatch watch;
        Seconds time;
        if (request.kind == 1) {
            time = collective_->run({});
        } else {
            std::this_thread::sleep_for(kAlone);
        }
        Rate& rate = request.kind == 1 ? beside_ : alone_;
        rate.products += static_cast<double>(load_->products() - before);
        rate.time += watch.elapsed();
        return request.kind == 1 ? time : watch.elapsed();
    }

    bool right() override { return collective_->right(); }
    [[nodiscard]] std::map<std::string, double> values() const override {
        return {{"load_alone", alone_.per_second()}, {"load_beside", beside_.per_second()}};
    }

private:
    std::unique_ptr<GroupBenchmark> collective_;
    std::unique_ptr<ComputeLoad> load_;
    Rate alone_;
    Rate beside_;
};

}  // namespace

ComputeLoad::ComputeLoad()
    : thread_([this](const std::stop_token& stop) {
          const std::vector<float> a(kSide * kSide, 1e-3F);
          const std::vector<float> b(kSide * kSide, 1e-3F);
          std::vector<float> c(kSide * kSide);
          while (!stop.stop_requested()) {
              multiply(a, b, c);
              products_.fetch_add(1, std::memory_order_relaxed);
          }
      }) {}

std::unique_ptr<GroupBenchmark> make_interference(const Case& asked, MPI_Comm group) {
    return std::make_unique<Interference>(asked, group);
}

}  // namespace dodona::calibrate
