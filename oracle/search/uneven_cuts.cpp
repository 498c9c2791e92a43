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
/// Blocks that differ by less are alike.
constexpr double kAlike = 0.01;

/// What a pipeline is cut from.
struct Row {
    Seconds before;  ///< of what comes before the blocks, one micro-batch, forward and backward
    Seconds block;
    Seconds after;
    std::int64_t blocks = 0;
};

Seconds seconds_of(const step::SegmentCost& segment, const plan::Plan& plan) {
    const step::SegmentPass pass = step::segment_pass(segment, plan);
    return (pass.forward.total() + pass.backward.total() + pass.recompute.total()).value;
}

/// Nothing where blocks differ, or where something lies between them.
std::optional<Row> row_of(const step::CostedGraph& costed, const plan::Plan& plan) {
    Row row;
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        const auto count = static_cast<double>(costed.graph->segments[u].count);
        const Seconds each = seconds_of(costed.segments[u], plan);
        if (!costed.segments[u].block) {
            (row.blocks == 0 ? row.before : row.after) += count * each;
            continue;
        }
        const bool apart = row.blocks > 0 && row.after > Seconds{};
        const Seconds difference = max(each - row.block, row.block - each);
        if (apart || (row.blocks > 0 && difference > kAlike * row.block)) {
            return std::nullopt;
        }
        row.block = row.blocks == 0 ? each : row.block;
        row.blocks += costed.graph->segments[u].count;
    }
    return row.blocks > 0 ? std::optional(row) : std::nullopt;
}

struct UnevenCut {
    Counts counts;
    Seconds time;
    std::int64_t bent = 0;  ///< by how many blocks its ends differ from the middle
};

class UnevenCuts {
public:
    UnevenCuts(const Row& row, std::int64_t stages, std::int64_t chunks, std::int64_t microbatches)
        : row_(row), stages_(stages), chunks_(chunks), microbatches_(microbatches) {}

    /// Every cut with equal stages in the middle.
    [[nodiscard]] std::vector<UnevenCut> all() const {
        std::vector<UnevenCut> found;
        const std::int64_t inner = stages_ * chunks_ - 2;
        const std::int64_t most = inner > 0 ? row_.blocks / inner : 0;
        for (std::int64_t middle = inner > 0 ? 1 : 0; middle <= most; ++middle) {
            const std::int64_t ends = row_.blocks - inner * middle;
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
                      .bent = std::abs(first - middle) + std::abs(last - middle)};
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
            times[v % times.size()] += static_cast<double>(counts[v]) * row_.block;
        }
        times.front() += row_.before;
        times.back() += row_.after;
        return times;
    }

    const Row& row_;
    std::int64_t stages_;
    std::int64_t chunks_;
    std::int64_t microbatches_;
};

/// Passes of the cut that is made unasked.
Seconds usual_time(const step::CostedGraph& costed, const plan::Plan& plan, std::int64_t stages,
                   std::int64_t microbatches) {
    std::vector<Seconds> times;
    for (const step::Stage& stage : step::cut_stages(costed, stages, plan.chunks, {})) {
        Seconds& time = times.emplace_back();
        for (std::size_t u = 0; u < costed.segments.size(); ++u) {
            time += static_cast<double>(stage.count(u)) * seconds_of(costed.segments[u], plan);
        }
    }
    return step::pipeline_time(times, microbatches, plan.chunks).total;
}

}  // namespace

std::vector<Counts> uneven_cuts(const step::CostedGraph& costed, const plan::Plan& plan) {
    const std::int64_t stages = plan.strategy.pipeline ? plan.axis_size(*plan.strategy.pipeline) : 1;
    const std::optional<Row> row = row_of(costed, plan);
    const std::int64_t microbatches = plan.batch / (costed.sharded.data_ways * plan.microbatch);
    if (stages < 2 || !row || costed.placement.mixed() || microbatches < 1 ||
        step::pipeline_limit(costed.graph->segment_count(), plan, microbatches)) {
        return {};
    }
    const UnevenCuts cuts(*row, stages, plan.chunks, microbatches);
    const Seconds usual = usual_time(costed, plan, stages, microbatches);
    std::vector<UnevenCut> faster = cuts.all();
    std::erase_if(faster, [&](const UnevenCut& cut) { return cut.time >= usual; });
    std::stable_sort(faster.begin(), faster.end(), [](const UnevenCut& a, const UnevenCut& b) {
        return a.time != b.time ? a.time < b.time : a.bent < b.bent;
    });
    std::vector<Counts> found;
    for (std::size_t i = 0; i < std::min(kMost, faster.size()); ++i) {
        found.push_back(faster[i].counts);
    }
    return found;
}

}  // namespace dodona::search
