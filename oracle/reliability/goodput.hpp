// What share of its time a job trains, with failures and checkpoints, and what a run then takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "reliability/checkpoint_interval.hpp"
#include "reliability/checkpoint_tensors.hpp"
#include "reliability/checkpoint_time.hpp"
#include "reliability/failure_simulation.hpp"
#include "reliability/failures.hpp"
#include "step/prediction.hpp"

namespace dodona::reliability {

struct CheckpointSettings {
    CheckpointFormat format = CheckpointFormat::raw;
    CheckpointContent content = CheckpointContent::training;
    CheckpointMode mode = CheckpointMode::blocking;
    CheckpointWriters writers = CheckpointWriters::sharded;
    double ratio = 1;  ///< of formats that compress: data in the file over tensors
    CheckpointRates rates;
};

/// How often checkpoints are written; none of the members: where the closed form is best.
struct AskedInterval {
    std::optional<Seconds> time;
    std::optional<std::int64_t> steps;
    bool epoch = false;  ///< one each epoch; the size of the data set is known
};

struct GoodputQuestion {
    CheckpointSettings checkpoint;
    AskedInterval every;
    std::vector<Component> components;
    std::string failure_source;
    Seconds restart;  ///< from a failure to the begin of the restore: found, nodes replaced, processes started
    std::optional<Spares> spares;
    std::optional<double> samples;        ///< of the whole run
    std::optional<cluster::Price> price;  ///< of one device
    std::optional<Power> power;           ///< of one device with its share of the node
    int runs = 200;
    std::uint64_t seed = 1;
    std::vector<std::string> assumptions = {};  ///< sentences for people
};

enum class IntervalRule { asked, young, daly, best, simulated };
inline constexpr std::array kIntervalRuleTable{
    Enumerator(IntervalRule::asked, "asked", "asked for"), Enumerator(IntervalRule::young, "young", "Young's formula"),
    Enumerator(IntervalRule::daly, "daly", "Daly's formula"),
    Enumerator(IntervalRule::best, "best", "best of the closed form"),
    Enumerator(IntervalRule::simulated, "simulated", "best of those simulated")};
constexpr const auto& enumerators(IntervalRule /*type*/) { return kIntervalRuleTable; }
constexpr std::string_view name(IntervalRule rule) { return name_of(rule); }

/// An interval between checkpoints, rounded to whole steps, with the goodput it gives.
struct IntervalChoice {
    IntervalRule rule = IntervalRule::best;
    double steps = 1;
    Seconds interval;
    double closed_form = 0;
    SimulatedRuns simulated;
};

/// A run from its first step to its last.
struct RunCost {
    Estimate time;  ///< the interval is that of the step
    Seconds device_time;
    std::optional<Money> money;
    std::optional<Energy> energy;
};

struct Goodput {
    step::Prediction prediction;
    GoodputQuestion question;
    JobSize job;
    Bytes tensors;  ///< of a checkpoint
    std::size_t tensor_count = 0;
    Bytes size;                        ///< of its files
    std::optional<Bytes> host_needed;  ///< asynchronous: host memory of the fullest node
    std::optional<Bytes> host_memory;  ///< asynchronous: of a node, where it is known
    CheckpointTimes times;
    RunConditions conditions;
    Seconds training;                     ///< of the run that is simulated, without failures and checkpoints
    bool plays = true;                    ///< false: the closed form says that hardly anything is ever kept
    RunTime expected;                     ///< of one interval, in closed form
    std::vector<IntervalChoice> choices;  ///< the first is what the answer is for
    std::optional<double> checkpoint_share_of_epoch;  ///< pauses of an epoch over its steps
    std::optional<RunCost> run;                       ///< where the work is known
    std::optional<std::int64_t> spares_needed;        ///< where a repair time is known

    [[nodiscard]] const IntervalChoice& chosen() const { return choices.front(); }
    [[nodiscard]] double value() const { return plays ? chosen().simulated.goodput : chosen().closed_form; }
};

/// The prediction runs; the cluster has a storage that writes unless the rates of the question say how fast.
Goodput goodput(const graph::Graph& graph, const cluster::Cluster& cluster, const step::Prediction& prediction,
                const GoodputQuestion& question);

}  // namespace dodona::reliability
