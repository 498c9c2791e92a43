// How far each strategy scales a network on a machine: the most devices that it can use and what limits them, the
// fewest on which it fits memory, and the most that are worthwhile.
//
// Weak scaling: every device has its own samples and the batch grows. Strong scaling: the batch is fixed. ParaDL
// (Kahira et al., HPDC'21) uses weak scaling for data parallelism and hybrids, strong scaling for filter and channel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plan/axis_limit.hpp"
#include "search/search.hpp"

namespace dodona::search {

/// Efficiency below which more devices are not worthwhile.
inline constexpr double kWorthwhile = 0.5;

/// How the batch grows with the devices.
struct Growth {
    std::optional<std::int64_t> batch;    ///< strong scaling: samples of a step
    std::int64_t samples_per_device = 1;  ///< weak scaling, where `batch` is not given
    std::int64_t machine = 1;             ///< devices of the machine
    std::optional<std::int64_t> asked;    ///< a number that must be evaluated; no larger one is

    [[nodiscard]] std::int64_t batch_on(std::int64_t devices) const {
        return batch.value_or(devices * samples_per_device);
    }
};

/// The plan that a search recommends on a number of devices.
struct ScalingPoint {
    std::int64_t devices = 1;
    std::int64_t batch = 1;
    std::optional<step::Prediction> best;  ///< none: nothing fits
    std::vector<std::string> unusual;      ///< why nobody runs it (Answer::unusual)
    std::optional<Infeasible>
        why_not;            ///< where nothing fits: a cause of memory if there is one, else the most frequent
    double efficiency = 0;  ///< samples per second and device, over those on the fewest devices that fit
};

/// Where more devices are no longer worthwhile.
struct DiminishingReturns {
    std::int64_t devices = 1;  ///< the most of those evaluated that are worthwhile
    std::int64_t beyond = 1;   ///< the next number, which is not
    /// The part of a step whose device time per sample has grown most since the fewest devices that fit.
    step::TimePart part = step::TimePart::forward;
    double growth = 0;  ///< share of this part in the lost device time
};

/// Whether a strategy can use the number of devices asked for.
struct Verdict {
    std::int64_t devices = 1;
    bool fits = false;
    std::variant<std::monostate, plan::Limit, Infeasible> why_not;
    std::optional<std::int64_t> below;  ///< the nearest numbers that the strategy can use
    std::optional<std::int64_t> above;
};

/// "out of memory: at least 96.0 GiB of ..."; empty where the plan fits.
std::string why_not_text(const ScalingPoint& point);
std::string why_not_text(const Verdict& verdict);

/// What sets the most devices of a strategy: the machine, ...
struct MachineSize {
    std::int64_t devices = 1;
    bool all_used = true;  ///< false: the strategy cannot use all of them
};
/// ... that it has no axes, ...
struct OneDevice {};
/// ... or the limits of its axes.
using MostSetBy = std::variant<MachineSize, OneDevice, std::vector<plan::Limit>>;

struct StrategyLimits {
    std::string strategy;
    std::vector<plan::AxisLimit> axes;
    plan::Reach reach;
    std::int64_t most = 1;                  ///< devices of this machine that it can use
    MostSetBy set_by;                       ///< what sets `most`
    std::vector<ScalingPoint> points;       ///< at powers of two, `most` and the number asked for
    std::optional<std::int64_t> fits_from;  ///< of those
    std::optional<std::int64_t> fits_to;
    std::optional<std::int64_t> fastest;                    ///< of those, with most samples per second
    std::optional<DiminishingReturns> diminishing_returns;  ///< none: the most that fit are worthwhile
    std::optional<Verdict> verdict;                         ///< on the number asked for
};

/// "the machine has 24", "filter <= 8: layer conv1 (conv) cannot be split further".
std::string set_by_text(const StrategyLimits& limits);

/// Question and answer, for the reports. `growth` replaces the batch of the question.
struct LimitsAnswer {
    Question question;
    Growth growth;
    std::vector<StrategyLimits> strategies;
};

/// For each strategy in `space`, whose devices and batch are not used; `workers`: points at once. `progress`: points done,
/// all points; also called during searches. A stop leaves out the larger numbers of every strategy.
std::vector<StrategyLimits> limits(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                                   const Growth& growth, const Progress& progress = {});

}  // namespace dodona::search
