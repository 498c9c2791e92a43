#include "search/uneven_cuts.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "search/least_times.hpp"
#include "step/replica.hpp"
#include "step/stage_time.hpp"
#include "step/stages.hpp"

namespace dodona::search {

namespace {

using Counts = std::vector<std::int64_t>;

constexpr std::size_t kMax = 2;
/// Blocks whose times differ by less are equal.
constexpr double kAlike = 0.01;

using Passes = step::Position<Seconds>;

Passes& operator+=(Passes& a, const Passes& b) {
    a.forward += b.forward;
    a.back += b.back;
    a.weight_gradients += b.weight_gradients;
    return a;
}

Passes operator*(double count, const Passes& each) {
    return {
        .forward = count * each.forward, .back = count * each.back, .weight_gradients = count * each.weight_gradients};
}

Seconds both(const Passes& passes) { return passes.forward + passes.back; }

/// The times that a pipeline is cut from, of one micro-batch.
struct BlockTimes {
    Passes before;  ///< of what comes before the blocks
    Passes block;
    Passes after;
    std::int64_t blocks = 0;
    double difference = 0;  ///< the largest of a block and the first, over the time of that
    Seconds receive;        ///< of what a block reads, from another stage
};

/// Time to receive what a block reads. Domain: there are blocks and a pipeline.
Seconds block_receipt(const step::CostedGraph& passes, const step::CostedGraph& on_mesh, const plan::Plan& plan) {
    const auto block = std::find_if(passes.segments.begin(), passes.segments.end(),
                                    [](const step::SegmentCost& segment) { return segment.block; });
    step::VirtualStage alone{Counts(passes.segments.size(), 0)};
    alone.counts[static_cast<std::size_t>(block - passes.segments.begin())] = 1;
    const step::Incoming arriving = step::incoming(passes, {{alone}}, step::boundary_split(passes, plan));
    const plan::Atoms axis = on_mesh.mesh.axis(*plan.strategy.pipeline);
    return arriving.sent > Bytes{} ? step::boundary_of(on_mesh, plan, arriving, step::neighbours(on_mesh, axis, 1)).time
                                   : Seconds{};
}

/// One pass over each segment.
std::vector<Passes> passes_of(const step::CostedGraph& costed, const plan::Plan& plan) {
    const auto total = [&](const step::PassCost& cost) {
        return step::overlapped(step::seconds_of(cost), plan).total();
    };
    std::vector<Passes> each;
    for (const step::SegmentCost& segment : costed.segments) {
        each.push_back({.forward = total(segment.forward),
                        .back = total(segment.backward) + total(step::recomputed(segment, plan.recompute)),
                        .weight_gradients = segment.backward.weight_gradients});
    }
    return each;
}

/// None where blocks differ or other layers lie between them.
std::optional<BlockTimes> block_times(const step::CostedGraph& costed, const std::vector<Passes>& segments) {
    BlockTimes times;
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        const auto count = static_cast<double>(costed.graph->segments[u].count);
        const Passes& each = segments[u];
        if (!costed.segments[u].block) {
            (times.blocks == 0 ? times.before : times.after) += count * each;
            continue;
        }
        const bool apart = times.blocks > 0 && both(times.after) > Seconds{};
        const Seconds difference = max(both(each) - both(times.block), both(times.block) - both(each));
        if (apart || (times.blocks > 0 && difference > kAlike * both(times.block))) {
            return std::nullopt;
        }
        times.block = times.blocks == 0 ? each : times.block;
        times.difference = std::max(times.difference, times.blocks == 0 ? 0 : difference / both(times.block));
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
    UnevenCuts(const BlockTimes& blocks, const plan::Plan& plan, std::int64_t stages, std::int64_t microbatches,
               const PipelineTotal& total)
        : blocks_(blocks),
          plan_(plan),
          parts_(stages * plan.virtual_stages),
          on_stage_(static_cast<double>(plan.virtual_stages)),
          is_loop_(plan.places().placement == schedule::Placement::loop && !plan::overlaps_pairs(plan.schedule)),
          microbatches_(microbatches),
          total_(total) {}

    /// The cuts with equal stages in the middle that are faster than `limit`, fastest first.
    [[nodiscard]] std::vector<UnevenCut> faster_than(Seconds limit) {
        std::vector<UnevenCut> found;
        const std::int64_t inner = parts_ - 2;
        const std::int64_t most = inner > 0 ? blocks_.blocks / inner : 0;
        for (std::int64_t middle = inner > 0 ? 1 : 0; middle <= most; ++middle) {
            const std::int64_t ends = blocks_.blocks - inner * middle;
            for (std::int64_t first = 1; first < ends; ++first) {  // the embedding or the head alone is no stage
                add(first, middle, ends - first, limit, found);
            }
        }
        sort(found);
        std::vector<UnevenCut> timed;
        for (std::size_t i = 0; i < std::min(found.size(), kMaxTimed); ++i) {
            if (timed.size() >= kMax && found[i].time > timed[kMax - 1].time) {
                break;  // no bound that is left is below the cuts that are taken
            }
            const std::vector<Passes> positions = passes(found[i].counts);
            found[i].time = total_(step::pipeline_of(positions, plan_, microbatches_));
            if (found[i].time < limit) {
                timed.push_back(std::move(found[i]));
                sort(timed);
            }
        }
        return timed;
    }

private:
    /// Cuts that are timed, those with the least bound.
    static constexpr std::size_t kMaxTimed = 8;

    static void sort(std::vector<UnevenCut>& cuts) {
        std::stable_sort(cuts.begin(), cuts.end(), [](const UnevenCut& a, const UnevenCut& b) {
            return a.time != b.time ? a.time < b.time : a.deviation < b.deviation;
        });
    }

    void add(std::int64_t first, std::int64_t middle, std::int64_t last, Seconds limit,
             std::vector<UnevenCut>& found) const {
        const Seconds ends = max(both(blocks_.before) + static_cast<double>(first) * both(blocks_.block),
                                 both(blocks_.after) + static_cast<double>(last) * both(blocks_.block));
        const Seconds inner = static_cast<double>(middle) * both(blocks_.block);
        if (is_loop_ && static_cast<double>(microbatches_) * (max(ends, inner) + (on_stage_ - 1) * inner) >= limit) {
            return;
        }
        UnevenCut cut{.counts = Counts(static_cast<std::size_t>(parts_), middle),
                      .time = {},
                      .deviation = std::abs(first - middle) + std::abs(last - middle)};
        cut.counts.front() = first;
        cut.counts.back() = last;
        const std::vector<Passes> positions = passes(cut.counts);
        if (std::any_of(positions.begin(), positions.end(), [](const Passes& p) { return both(p) <= Seconds{}; })) {
            return;
        }
        cut.time = step::pipeline_bound(step::pipeline_of(positions, plan_, microbatches_));
        if (cut.time < limit) {
            found.push_back(std::move(cut));
        }
    }

    [[nodiscard]] std::vector<Passes> passes(const Counts& counts) const {
        std::vector<Passes> positions;
        positions.reserve(counts.size());
        for (const std::int64_t count : counts) {
            positions.push_back(static_cast<double>(count) * blocks_.block);
        }
        positions.front() += blocks_.before;
        positions.back() += blocks_.after;
        for (std::size_t k = 1; k < positions.size(); ++k) {
            positions[k].receive = blocks_.receive;
        }
        return positions;
    }

    const BlockTimes& blocks_;
    const plan::Plan& plan_;
    std::int64_t parts_;
    double on_stage_;
    bool is_loop_;  ///< a stage has the ends of the network in one of its parts at most, and passes take their sum
    std::int64_t microbatches_;
    const PipelineTotal& total_;
};

/// Time of the passes of the default cut.
Seconds default_time(const step::CostedGraph& costed, const plan::Plan& plan, std::int64_t microbatches,
                     const std::vector<Passes>& segments, Seconds receive, const PipelineTotal& total) {
    const schedule::Places places = plan.places();
    const std::vector<step::Stage> cut = step::cut_stages(costed, places, {});
    std::vector<Passes> positions;
    for (std::int64_t k = 0; k < places.positions(); ++k) {
        const step::Stage& stage = cut[static_cast<std::size_t>(places.stage(k))];
        Passes& passes = positions.emplace_back();
        for (std::size_t u = 0; u < costed.segments.size(); ++u) {
            const std::int64_t count = stage.virtual_stages[static_cast<std::size_t>(places.index(k))].counts[u];
            passes += static_cast<double>(count) * segments[u];
        }
        passes.receive = k > 0 ? receive : Seconds{};
    }
    return total(step::pipeline_of(positions, plan, microbatches));
}

}  // namespace

std::vector<Counts> uneven_cuts(const step::CostedGraph& passes, const step::CostedGraph& on_mesh,
                                const plan::Plan& plan, std::int64_t microbatches, Seconds slowest,
                                const PipelineTotal& total) {
    const std::int64_t stages = plan.pipeline_stages();
    const std::vector<Passes> segments = passes_of(passes, plan);
    std::optional<BlockTimes> blocks = block_times(passes, segments);
    if (stages < 2 || !blocks || on_mesh.placement.mixed() || microbatches < 1 ||
        step::pipeline_limit(passes.graph->segment_count(), plan, microbatches)) {
        return {};
    }
    blocks->receive = block_receipt(passes, on_mesh, plan);
    UnevenCuts cuts(*blocks, plan, stages, microbatches, total);
    Seconds limit = default_time(passes, plan, microbatches, segments, blocks->receive, total);
    if (!plan::overlaps_pairs(plan.schedule)) {  // pairs are shorter together than their passes here
        limit = min(limit, (1 + blocks->difference) * slowest);
    }
    const std::vector<UnevenCut> faster = cuts.faster_than(limit);
    std::vector<Counts> found;
    for (std::size_t i = 0; i < std::min(kMax, faster.size()); ++i) {
        found.push_back(faster[i].counts);
    }
    return found;
}

std::vector<Counts> uneven_cuts(const step::CostedGraph& costed, const plan::Plan& plan,
                                step::ScheduleTimings& orders) {
    const std::int64_t microbatches = plan.batch / (costed.sharded->data_ways * plan.microbatch);
    return uneven_cuts(costed, costed, plan, microbatches, TimeBounds{}.slowest,
                       [&](const step::Pipeline<Seconds>& pipeline) { return step::pipeline_total(pipeline, orders); });
}

}  // namespace dodona::search
