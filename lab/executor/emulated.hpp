// Operators that sleep as long as they are predicted to take together with those that sleep at the same time, `slower`
// times as long: workers and threads of a CPU with more cores than this machine. This measures the scheduling of operators
// alone, and nothing of how long kernels take.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "threads/operator_graph.hpp"
#include "threads/operator_time.hpp"

namespace dodona::calibrate {

class EmulatedOperators {
public:
    EmulatedOperators(const threads::OperatorGraph& graph, const std::vector<threads::OperatorWork>& works,
                      const threads::ThreadCosts& costs, double slower)
        : graph_(graph), works_(works), costs_(costs), slower_(slower) {}

    /// On so many threads.
    void run(std::size_t number, std::int64_t threads);

private:
    const threads::OperatorGraph& graph_;
    const std::vector<threads::OperatorWork>& works_;  ///< of each kind
    const threads::ThreadCosts& costs_;
    double slower_;
    std::atomic<std::int64_t> active_{0};
};

}  // namespace dodona::calibrate
