#include "lab/executor/emulated.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace dodona::calibrate {

void EmulatedOperators::run(std::size_t number, std::int64_t threads) {
    using Clock = std::chrono::steady_clock;
    constexpr double kSlice = 1e-3;  // s, after which others may have begun or ended
    const threads::OperatorWork& work = works_[graph_.operators[number].kind];
    ++active_;
    double done = 0;
    for (Clock::time_point before = Clock::now(); done < 1;) {
        const double whole = slower_ * threads::operator_time(work, costs_, threads, active_).in(unit::second);
        std::this_thread::sleep_for(std::chrono::duration<double>(std::min(kSlice, (1 - done) * whole)));
        const Clock::time_point now = Clock::now();
        done += std::chrono::duration<double>(now - before).count() / whole;
        before = now;
    }
    --active_;
}

}  // namespace dodona::calibrate
