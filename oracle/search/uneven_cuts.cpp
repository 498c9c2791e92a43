#include "search/uneven_cuts.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "step/pipeline.hpp"
#include "step/stage_time.hpp"
#include "step/stages.hpp"

namespace dodona::search {

namespace {

using Counts = std::vector<std::int64_t>;

constexpr std::size_t kMost = 2;
/// Blocks whose times differ by less are equal.
constexpr double kAlike = 0.01;

/// The times that a pipeline is cut from.
struct BlockTimes {
    Seconds before;  ///< of what comes before the blocks, one micro-batch, forward and backward
    Seconds block;
    Seconds after;
    std::int64_t blocks = 0;
};

Seconds seconds_of(const step::SegmentCost& segment, const plan::Plan& plan) {
    const step::SegmentPass pass = step::segment_pass(segment, plan);
    return (pass.forward.total() + pass.backward.total() + pass.recompute.total()).value;
}

/// None where blocks differ or other layers lie between them.
std::optional<BlockTimes> block_times(const step::CostedGraph& costed, const plan::Plan& plan) {
    BlockTimes times;
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        const auto count = static_cast<double>(costed.graph->segments[u].count);
        const Seconds each = seconds_of(costed.segments[u], plan);
        if (!costed.segments[u].block) {
            (times.blocks == 0 ? times.before : times.after) += count * each;
            continue;
        }
        const bool apart = times.blocks > 0 && times.after > Seconds{};
        const Seconds difference = max(each - times.block, times.block - each);
        if (apart || (times.blocks > 0 && difference > kAlike * times.block)) {
            return std::nullopt;
        }
        times.block = times.blocks == 0 ? each : times.block;
        times.blocks += costed.graph->segments[u].count;
    }
    return times.blocks > 0 ? std::optional(times) : std::nullopt;
}

struct UnevenCut {
    Counts counts;
    Seconds time;
    std::int64_t deviation = 0;  ///< blocks by which the ends differ from the middle
};

class UnevenCuts {
public:
    UnevenCuts(const BlockTimes& blocks, std::int64_t stages, std::int64_t virtual_stages, std::int64_t microbatches)
        : blocks_(blocks), stages_(stages), chunks_(virtual_stages), microbatches_(microbatches) {}

    /// All cuts with equal stages in the middle.
    [[nodiscard]] std::vector<UnevenCut> all() const {
        std::vector<UnevenCut> found;
        const std::int64_t inner = stages_ * chunks_ - 2;
        const std::int64_t most = inner > 0 ? blocks_.blocks / inner : 0;
        for (std::int64_t middle = inner > 0 ? 1 : 0; middle <= most; ++middle) {
            const std::int64_t ends = blocks_.blocks - inner * middle;
            for (std::int64_t first = 0; first <= ends; ++first) {
                add(first, middle, ends - first, found);
            }
        }
        return found;
    }

private:
    void add(std::int64_t first, std::int64_t middle, std::int64_t last, std::vector<UnevenCut>& found) const {
        UnevenCut cut{.counts = Counts(static_cast<std::size_t>(stages_ * chunks_), middle),
                      .time = {},
                      .deviation = std::abs(first - middle) + std::abs(last - middle)};
        cut.counts.front() = first;
        cut.counts.back() = last;
        const std::vector<Seconds> times = stage_times(cut.counts);
        if (std::any_of(times.begin(), times.end(), [](Seconds time) { return time <= Seconds{}; })) {
            return;
        }
        cut.time = step::pipeline_time(times, microbatches_, chunks_).total;
        found.push_back(std::move(cut));
    }

    [[nodiscard]] std::vector<Seconds> stage_times(const Counts& counts) const {
        std::vector<Seconds> times(static_cast<std::size_t>(stages_));
        for (std::size_t v = 0; v < counts.size(); ++v) {
            times[v % times.size()] += static_cast<double>(counts[v]) * blocks_.block;
        }
        times.front() += blocks_.before;
        times.back() += blocks_.after;
        return times;
    }

    const BlockTimes& blocks_;
    std::int64_t stages_;
    std::int64_t chunks_;
    std::int64_t microbatches_;
};

/// Time of the passes of the default cut.
Seconds default_time(const step::CostedGraph& costed, const plan::Plan& plan, std::int64_t stages,
                     std::int64_t microbatches) {
    std::vector<Seconds> times;
    for (const step::Stage& stage : step::cut_stages(costed, stages, plan.virtual_stages, {})) {
        Seconds& time = times.emplace_back();
        for (std::size_t u = 0; u < costed.segments.size(); ++u) {
            time += static_cast<double>(stage.count(u)) * seconds_of(costed.segments[u], plan);
        }
    }
    return step::pipeline_time(times, microbatches, plan.virtual_stages).total;
}

}  // namespace

std::vector<Counts> uneven_cuts(const step::CostedGraph& costed, const plan::Plan& plan) {
    const std::int64_t stages = plan.strategy.pipeline ? plan.axis_size(*plan.strategy.pipeline) : 1;
    const std::optional<BlockTimes> blocks = block_times(costed, plan);
    const std::int64_t microbatches = plan.batch / (costed.sharded.data_ways * plan.microbatch);
    if (stages < 2 || !blocks || costed.placement.mixed() || microbatches < 1 ||
        step::pipeline_limit(costed.graph->segment_count(), plan, microbatches)) {
        return {};
    }
    const UnevenCuts cuts(*blocks, stages, plan.virtual_stages, microbatches);
    const Seconds usual = default_time(costed, plan, stages, microbatches);
    std::vector<UnevenCut> faster = cuts.all();
    std::erase_if(faster, [&](const UnevenCut& cut) { return cut.time >= usual; });
    std::stable_sort(faster.begin(), faster.end(), [](const UnevenCut& a, const UnevenCut& b) {
        return a.time != b.time ? a.time < b.time : a.deviation < b.deviation;
    });
    std::vector<Counts> found;
    for (std::size_t i = 0; i < std::min(kMost, faster.size()); ++i) {
        found.push_back(faster[i].counts);
    }
    return found;
}

}  // namespace dodona::search
