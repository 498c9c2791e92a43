// How far each strategy takes a network on a machine: the most devices that it can be laid on and what sets that, from
// how many on it fits memory, and up to how many more devices pay.
//
// Two questions that must not be mixed. Weak scaling: every device brings its own samples and the batch grows. Strong
// scaling: the batch is fixed and shared. ParaDL (Kahira et al., HPDC'21) asks the first of data and hybrids, the
// second of filter and channel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plan/axis_limit.hpp"
#include "search/search.hpp"

namespace dodona::search {

/// A device that does less than this share of what one did on the fewest that fit is not worth having.
inline constexpr double kWorthwhile = 0.5;

struct Growth {
    std::optional<std::int64_t> batch;    ///< strong scaling: samples of a step, however many devices share them
    std::int64_t samples_per_device = 1;  ///< weak scaling, where `batch` is not given
    std::int64_t machine = 1;             ///< devices that there are
    std::optional<std::int64_t> asked;    ///< a number that must be among those looked at; none is larger

    [[nodiscard]] std::int64_t batch_on(std::int64_t devices) const {
        return batch.value_or(devices * samples_per_device);
    }
};

/// The fastest plan of a strategy on a number of devices.
struct ScalingPoint {
    std::int64_t devices = 1;
    std::int64_t batch = 1;
    std::optional<step::Prediction> best;  ///< none: nothing fits
    std::optional<Infeasible> why_not;     ///< where nothing fits: what lacks only memory, else what most fail for
    double efficiency = 0;                 ///< samples a second of a device, over those on the fewest devices that fit
};

/// Where more devices stop paying.
struct DiminishingReturns {
    std::int64_t devices = 1;  ///< the most, of those looked at, that are worthwhile
    std::int64_t beyond = 1;   ///< the next, which are not
    /// The part of a step on which these spend most more device time a sample than the fewest that fit.
    step::TimePart part = step::TimePart::forward;
    double growth = 0;  ///< share of the lost device time that is this part's
};

/// Whether a number of devices will do.
struct Verdict {
    std::int64_t devices = 1;
    bool fits = false;
    std::variant<std::monostate, plan::Limit, Infeasible> why_not;
    std::optional<std::int64_t> below;  ///< the nearest numbers that the strategy can be laid on
    std::optional<std::int64_t> above;
};

/// "out of memory: the leanest needs ..."; empty where nothing is in the way.
std::string why_not_text(const ScalingPoint& point);
std::string why_not_text(const Verdict& verdict);

/// What sets the most devices of a strategy: the machine, ...
struct MachineSize {
    std::int64_t devices = 1;
    bool all_used = true;  ///< false: the strategy cannot be laid on all of them
};
/// ... that it has no axes, ...
struct OneDevice {};
/// ... or what its axes run into.
using MostSetBy = std::variant<MachineSize, OneDevice, std::vector<plan::Limit>>;

struct StrategyLimits {
    std::string strategy;
    std::vector<plan::AxisLimit> axes;
    plan::Reach reach;
    std::int64_t most = 1;                  ///< devices of this machine that it can be laid on
    MostSetBy set_by;                       ///< what sets `most`
    std::vector<ScalingPoint> points;       ///< powers of two, `most` and the number asked for
    std::optional<std::int64_t> fits_from;  ///< of those
    std::optional<std::int64_t> fits_to;
    std::optional<std::int64_t> fastest;     ///< of those, with most samples a second
    std::optional<DiminishingReturns> turn;  ///< none: the most that fit are worthwhile
    std::optional<Verdict> verdict;          ///< on the number asked for
};

/// "the machine has 24", "filter <= 8: layer conv1 (conv) cannot be split further".
std::string set_by_text(const StrategyLimits& limits);

/// Limits as they were asked for, for the reports; of the question's batch only `growth` counts.
struct LimitsAnswer {
    Question question;
    Growth growth;
    std::vector<StrategyLimits> strategies;
};

/// Of each strategy in `space`, whose devices and batch are left to `growth`. `progress`: points seen and in all, as far
/// as known; what was not looked at when it stops is left out.
std::vector<StrategyLimits> limits(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                                   const Growth& growth, const Progress& progress = {});

}  // namespace dodona::search
