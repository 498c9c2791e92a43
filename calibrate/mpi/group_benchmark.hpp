// What each rank of a group does in one sample of a case.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include <mpi.h>

#include "base/quantity.hpp"
#include "calibrate/record/benchmark_case.hpp"

namespace dodona::calibrate {

/// One sample of several kinds that a case may need: `kind` counts from 0, what it means is the benchmark's.
struct SampleRequest {
    int kind = 0;
    double delay = 0;  ///< s, between messages (messages.hpp)
};

class GroupBenchmark {
public:
    GroupBenchmark() = default;
    GroupBenchmark(const GroupBenchmark&) = delete;
    GroupBenchmark& operator=(const GroupBenchmark&) = delete;
    virtual ~GroupBenchmark() = default;

    /// Once. This rank's own seconds; zero where it only answers.
    virtual Seconds run(const SampleRequest& request) = 0;
    /// Whether results are those of the library; all ranks of the group ask at once.
    virtual bool right() { return true; }
    /// Figures of this rank; the same names on all ranks, which are averaged.
    [[nodiscard]] virtual std::map<std::string, double> values() const { return {}; }
};

class Stopwatch {
public:
    [[nodiscard]] Seconds elapsed() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count() * 1_s;
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Of `collective`, `send`, `tables` and `interference`. Throws CannotMeasure where the case makes no sense; std::bad_alloc.
std::unique_ptr<GroupBenchmark> make_group_benchmark(const Case& asked, MPI_Comm group);

std::unique_ptr<GroupBenchmark> make_collective(const Case& asked, MPI_Comm group);
std::unique_ptr<GroupBenchmark> make_messages(const Case& asked, MPI_Comm group);
std::unique_ptr<GroupBenchmark> make_tables(const Case& asked, MPI_Comm group);
std::unique_ptr<GroupBenchmark> make_interference(const Case& asked, MPI_Comm group);

}  // namespace dodona::calibrate
