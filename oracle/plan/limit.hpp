// Limits of a plan as values: what prevents a split or makes it uneven. Only text() turns them into sentences.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace dodona::plan {

/// A layer as messages name it: "layer conv1 (conv)".
struct LayerName {
    std::string name;
    std::string kind;
    std::strong_ordering operator<=>(const LayerName&) const = default;
};

/// A loop of a layer has fewer granules than shards.
struct LoopLimit {
    std::string loop;
    std::int64_t pieces = 0;
    LayerName layer;
    std::strong_ordering operator<=>(const LoopLimit&) const = default;
};

/// A loop of a layer is split into shards of unequal size.
struct UnevenLoop {
    std::string loop;
    std::int64_t pieces = 0;
    LayerName layer;
    std::strong_ordering operator<=>(const UnevenLoop&) const = default;
};

/// The batch has fewer samples than there are data ranks.
struct BatchLimit {
    std::vector<std::string> axes;  ///< whose product is the number of data ranks
    std::int64_t samples = 0;
    std::strong_ordering operator<=>(const BatchLimit&) const = default;
};

/// The data ranks do not get equal numbers of samples.
struct UnevenBatch {
    std::int64_t samples = 0;
    std::strong_ordering operator<=>(const UnevenBatch&) const = default;
};

/// The network has fewer segments than there are stages, or virtual stages.
struct SegmentLimit {
    /// Stages of a pipeline and virtual stages on each of them.
    struct Cut {
        std::int64_t stages = 1;
        std::int64_t virtual_stages = 1;
        std::strong_ordering operator<=>(const Cut&) const = default;
    };
    std::int64_t segments = 0;
    std::optional<Cut> cut = {};  ///< none: any cut into so many stages
    std::strong_ordering operator<=>(const SegmentLimit&) const = default;
};

/// Stages get unequal numbers of blocks.
struct UnevenBlocks {
    std::int64_t blocks = 0;
    std::strong_ordering operator<=>(const UnevenBlocks&) const = default;
};

/// An interleaved schedule needs a multiple of the number of stages as micro-batches.
struct InterleavingLimit {
    std::int64_t microbatches = 0;
    std::strong_ordering operator<=>(const InterleavingLimit&) const = default;
};

/// The schedule has no order for the pipeline and its micro-batches.
struct ScheduleLimit {
    std::string schedule;
    std::string reason;
    std::strong_ordering operator<=>(const ScheduleLimit&) const = default;
};

/// A window reaches beyond the neighbouring shard.
struct WindowLimit {
    std::string layer;
    std::strong_ordering operator<=>(const WindowLimit&) const = default;
};

/// An axis splits no layer, so its ranks would repeat the same work.
struct IdleAxis {
    std::string axis;
    std::optional<LayerName> rule_ends_at = {};  ///< the layer at which the `while` of the rule that lays it fails
    std::strong_ordering operator<=>(const IdleAxis&) const = default;
};

/// A rule matches no layer of the network.
struct UnusedRule {
    std::int64_t number = 1;  ///< of the strategy's rules, from 1
    std::string strategy;
    std::strong_ordering operator<=>(const UnusedRule&) const = default;
};

/// Folds and the sharding group split an axis at sizes that do not divide each other.
struct FoldLimit {
    std::optional<std::string> doubled = {};  ///< the axis that was doubled
    std::strong_ordering operator<=>(const FoldLimit&) const = default;
};

/// No mesh of a strategy has this number of devices.
struct DeviceCountLimit {
    std::string strategy;
    std::int64_t devices = 1;
    std::strong_ordering operator<=>(const DeviceCountLimit&) const = default;
};

/// A strategy with a ZeRO level has only one rank to shard states over.
struct NothingToShard {
    std::strong_ordering operator<=>(const NothingToShard&) const = default;
};

/// Micro-batches do not have whole pairs of answers.
struct AnswersLimit {
    std::int64_t together = 1;  ///< answers that one loss compares
    auto operator<=>(const AnswersLimit&) const = default;
};

using LimitCause = std::variant<LoopLimit, UnevenLoop, BatchLimit, UnevenBatch, SegmentLimit, UnevenBlocks,
                                InterleavingLimit, ScheduleLimit, WindowLimit, IdleAxis, UnusedRule, FoldLimit,
                                DeviceCountLimit, NothingToShard, AnswersLimit>;

/// "filter <= 64": the most ways that a limit allows, and of what.
struct UpperBound {
    std::string of;
    std::int64_t most = 0;
};

struct Limit {
    LimitCause cause;
    std::int64_t ways = 0;  ///< shards, stages or ranks that the plan asks for; 0: not applicable

    /// Whether the plan cannot run; other limits are uneven splits or remarks.
    [[nodiscard]] bool broken() const;
    /// Pieces that are distributed over `ways`; none if the limit counts nothing.
    [[nodiscard]] std::optional<std::int64_t> pieces() const;
    /// None if the limit is not an upper bound.
    [[nodiscard]] std::optional<UpperBound> upper_bound() const;
    std::strong_ordering operator<=>(const Limit&) const = default;
};

/// "filter <= 64: layer conv1 (conv) cannot be split further".
std::string text(const Limit& limit);
/// The same without the number of ways, for a group of configurations.
std::string text(const LimitCause& cause);
/// The texts of several limits, each once: "pipeline <= 4: ...; data <= 8: ...".
std::string text(const std::vector<Limit>& limits);

/// Sorts limits by text and removes duplicates.
void sort_by_text(std::vector<Limit>& limits);

/// The broken limit that allows the fewest ways, the first of equals; null if none is broken.
const Limit* tightest_broken(const std::vector<Limit>& limits);

}  // namespace dodona::plan
