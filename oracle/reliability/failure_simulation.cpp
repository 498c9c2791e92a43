#include "reliability/failure_simulation.hpp"

#include <algorithm>
#include <cmath>

#include "simulate/noise.hpp"
#include "simulate/random_bits.hpp"

namespace dodona::reliability {

namespace {

/// When failures come, and which take a node.
class FailureTimes {
public:
    FailureTimes(std::span<const Component> components, const JobSize& job) {
        for (const Component& component : components) {
            rate_ += failures_per_second(component, job);
            loses_node_ += component.loses_node ? failures_per_second(component, job) : 0;
        }
        loses_node_ /= rate_;
    }
    [[nodiscard]] Seconds next(simulate::Draws& draws) const {
        return simulate::draw(simulate::Exponential{1 / rate_}, 0, draws) * unit::second;
    }
    [[nodiscard]] bool takes_node(simulate::Draws& draws) const { return draws.uniform() < loses_node_; }

private:
    double rate_ = 0;
    double loses_node_ = 0;  ///< share of all failures
};

/// One run.
class Run {
public:
    Run(const FailureTimes& failures, const RunConditions& conditions, Seconds interval,
        const FailureSimulation& settings, std::uint64_t number)
        : failures_(failures),
          conditions_(conditions),
          interval_(interval),
          settings_(settings),
          draws_(simulate::random_bits(settings.seed, number)) {}

    RunTime played() {
        while (true) {
            const Seconds until_failure = failures_.next(draws_);
            if (until_failure >= time_to_finish()) {
                finish();
                return time_;
            }
            train(until_failure);
            restart();
        }
    }

private:
    [[nodiscard]] Seconds remaining() const { return settings_.training - time_.training; }
    [[nodiscard]] double checkpoints_left() const { return std::ceil(remaining() / interval_); }
    [[nodiscard]] Seconds time_to_finish() const {
        return remaining() + checkpoints_left() * conditions_.pause + conditions_.background;
    }

    void finish() {
        time_.checkpoints += checkpoints_left() * conditions_.pause + conditions_.background;
        time_.training = settings_.training;
    }

    /// Up to a failure after `span`: whole intervals that are safe by then are kept.
    void train(Seconds span) {
        const Seconds period = interval_ + conditions_.pause;
        const double safe = std::max(0.0, std::floor((span - conditions_.background) / period));
        const double kept = std::min(safe, checkpoints_left() - 1);
        time_.training += kept * interval_;
        time_.checkpoints += kept * conditions_.pause;
        time_.lost += span - kept * period;
        fail(span);
    }

    void fail(Seconds after) {
        time_.failures += 1;
        now_ += after;
        if (!settings_.spares || !failures_.takes_node(draws_)) {
            return;
        }
        std::erase_if(back_at_, [&](Seconds back) { return back <= now_; });
        back_at_.push_back(now_ + settings_.spares->repair);  // in order: all repairs take as long
        const auto missing = static_cast<std::int64_t>(back_at_.size()) - settings_.spares->nodes;
        if (missing > 0) {
            const Seconds back = back_at_[static_cast<std::size_t>(missing) - 1];
            time_.waiting += back - now_;
            now_ = back;
        }
    }

    void restart() {
        while (true) {
            const Seconds until_failure = failures_.next(draws_);
            if (until_failure >= conditions_.restart) {
                time_.restarts += conditions_.restart;
                now_ += conditions_.restart;
                return;
            }
            time_.restarts += until_failure;
            fail(until_failure);
        }
    }

    const FailureTimes& failures_;
    const RunConditions& conditions_;
    Seconds interval_;
    const FailureSimulation& settings_;
    simulate::Draws draws_;
    RunTime time_;
    Seconds now_;
    std::vector<Seconds> back_at_;  ///< nodes in repair
};

}  // namespace

SimulatedRuns simulate_failures(std::span<const Component> components, const JobSize& job, const RunConditions& run,
                                Seconds interval, const FailureSimulation& settings) {
    const FailureTimes failures(components, job);
    const double runs = settings.runs;
    RunTime sum;
    double squares = 0;
    for (int i = 0; i < settings.runs; ++i) {
        const RunTime one = Run(failures, run, interval, settings, static_cast<std::uint64_t>(i)).played();
        sum.training += one.training;
        sum.checkpoints += one.checkpoints;
        sum.lost += one.lost;
        sum.restarts += one.restarts;
        sum.waiting += one.waiting;
        sum.failures += one.failures;
        const double ratio = one.total() / settings.training;
        squares += ratio * ratio;
    }
    SimulatedRuns simulated{.mean = {.training = sum.training / runs,
                                     .checkpoints = sum.checkpoints / runs,
                                     .lost = sum.lost / runs,
                                     .restarts = sum.restarts / runs,
                                     .waiting = sum.waiting / runs,
                                     .failures = sum.failures / runs}};
    const double mean = simulated.mean.total() / settings.training;
    const double error = 1.96 * std::sqrt(std::max(0.0, squares / runs - mean * mean) / (runs - 1));
    simulated.goodput = 1 / mean;
    simulated.low = 1 / (mean + error);
    simulated.high = 1 / std::max(1.0, mean - error);
    return simulated;
}

Seconds best_simulated(std::span<const Component> components, const JobSize& job, const RunConditions& run,
                       std::span<const Seconds> intervals, const FailureSimulation& settings) {
    Seconds best;
    double goodput = -1;
    for (const Seconds interval : intervals) {
        const double reached = simulate_failures(components, job, run, interval, settings).goodput;
        if (reached > goodput) {
            goodput = reached;
            best = interval;
        }
    }
    return best;
}

std::int64_t spares_needed(std::span<const Component> components, const JobSize& job, Seconds repair, double share) {
    double rate = 0;
    for (const Component& component : components) {
        rate += component.loses_node ? failures_per_second(component, job) : 0;
    }
    const double mean = rate * repair.in(unit::second);
    // The sum of e^-mean mean^k / k! from the top, in logarithms: means may be large.
    double within = 0;
    double logarithm = -mean;
    for (std::int64_t spares = 0;; ++spares) {
        within += std::exp(logarithm);
        if (1 - within <= share || spares > 10'000'000) {
            return spares;
        }
        logarithm += std::log(mean / static_cast<double>(spares + 1));
    }
}

}  // namespace dodona::reliability
