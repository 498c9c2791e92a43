#include "search/space.hpp"

#include <algorithm>
#include <optional>

#include "base/ranges.hpp"
#include "step/schedule_timings.hpp"
#include "step/validate.hpp"

namespace dodona::search {

using plan::Plan;
using plan::RecomputeKind;
using plan::ScheduleKind;
using plan::ShardLevel;

std::vector<std::int64_t> divisors(std::int64_t n) {
    std::vector<std::int64_t> small;
    std::vector<std::int64_t> large;
    for (std::int64_t d = 1; d * d <= n; ++d) {
        if (n % d == 0) {
            small.push_back(d);
            if (d != n / d) {
                large.push_back(n / d);
            }
        }
    }
    small.insert(small.end(), large.rbegin(), large.rend());
    return small;
}

namespace {

void extend(const plan::Strategy& strategy, std::size_t axis, std::int64_t left, std::vector<plan::MeshAxis>& mesh,
            std::vector<std::vector<plan::MeshAxis>>& found) {
    if (found.size() == kMaxMeshes) {
        return;
    }
    if (axis == strategy.axes.size()) {
        if (left == 1) {
            found.push_back(mesh);
        }
        return;
    }
    const bool last = axis + 1 == strategy.axes.size();
    const auto least = strategy.considered.least.find(strategy.axes[axis]);
    for (const std::int64_t size : last ? std::vector<std::int64_t>{left} : divisors(left)) {
        if (least != strategy.considered.least.end() && size < least->second) {
            continue;
        }
        mesh.push_back({strategy.axes[axis], size});
        extend(strategy, axis + 1, left / size, mesh, found);
        mesh.pop_back();
    }
}

bool lays(const std::vector<plan::Lay>& lays, const std::string& dimension, const std::string& axis) {
    return std::any_of(lays.begin(), lays.end(),
                       [&](const plan::Lay& lay) { return lay.dimension == dimension && contains(lay.axes, axis); });
}

/// Granules of the loops that the strategy's rules lay on an axis.
std::vector<std::int64_t> extents_on(const plan::Strategy& strategy, const std::string& axis,
                                     const graph::Graph& graph) {
    std::vector<std::int64_t> extents;
    for (graph::Vertex v = 0; v < graph.layers.size(); ++v) {
        const graph::Layer& layer = graph.layer(v);
        for (const graph::Loop& loop : layer.nest.loops) {
            const bool laid = std::any_of(strategy.rules.begin(), strategy.rules.end(), [&](const plan::Rule& rule) {
                const auto& kinds = rule.match.kinds;
                return contains(kinds, layer.kind) && lays(rule.lay, loop.name, axis);
            });
            if (laid && loop.can_split) {
                extents.push_back(loop.extent / loop.granule);
            }
        }
    }
    return extents;
}

std::vector<RecomputeKind> recomputes(const graph::Graph& graph) {
    std::vector<RecomputeKind> kinds{RecomputeKind::none};
    const bool blocks = std::any_of(graph.segments.begin(), graph.segments.end(),
                                    [](const graph::Segment& segment) { return segment.is_block(); });
    const bool selective = std::any_of(graph.layers.begin(), graph.layers.end(), [](const graph::Layer& layer) {
        const auto& saved = layer.nest.saved;
        return std::any_of(saved.begin(), saved.end(), [](const graph::Saved& s) { return s.selective; });
    });
    if (selective) {
        kinds.push_back(RecomputeKind::selective);
    }
    if (blocks) {
        kinds.push_back(RecomputeKind::layers);
        kinds.push_back(RecomputeKind::full);
    }
    return kinds;
}

/// ZeRO levels among which a search chooses. Under a pipeline ZeRO-2 and ZeRO-3 communicate in every micro-batch.
std::vector<ShardLevel> choices_of(const plan::Strategy& strategy) {
    if (!strategy.shard_levels.empty()) {
        return strategy.shard_levels;
    }
    const auto all = values_of(plan::kShardLevelTable);
    return strategy.pipeline ? std::vector{ShardLevel::none, ShardLevel::states}
                             : std::vector<ShardLevel>(all.begin(), all.end());
}

/// A strategy with a ZeRO level keeps it. Others have those of their choices that the software can run; where none of
/// these shards though the strategy's do, all that the software has.
std::vector<ShardLevel> shard_levels(const Plan& plan) {
    if (plan.strategy.shard) {
        return {*plan.strategy.shard};
    }
    std::int64_t ways = 1;
    for (const std::string& axis : plan.strategy.shard_axes) {
        ways *= plan.axis_size(axis);
    }
    const std::vector<ShardLevel> choices = choices_of(plan.strategy);
    const std::vector<ShardLevel>& can = plan.framework.levels;
    if (ways == 1 || choices == std::vector{ShardLevel::none}) {
        return {ShardLevel::none};
    }
    if (can.empty()) {
        return choices;
    }
    std::vector<ShardLevel> found = choices;
    std::erase_if(found, [&](ShardLevel level) { return std::find(can.begin(), can.end(), level) == can.end(); });
    const bool shards = any_of(found, [](ShardLevel level) { return level != ShardLevel::none; });
    return shards ? found : can;
}

struct Schedule {
    ScheduleKind kind;
    std::int64_t virtual_stages;
};

/// Virtual stages that are worth a try on `stages` stages: those that deal out the blocks evenly; where the stages do not
/// divide the blocks, those that do if the embedding, the head or both count as blocks, as Megatron-Core's
/// --account-for-embedding-in-pipeline-split and --account-for-loss-in-pipeline-split have it. So Llama 3 405B, 126 blocks,
/// is cut 128 times (arXiv:2407.21783, section 3.3.2). Where that leaves one number or none, as for the 61 blocks of
/// DeepSeek-V3 on 4 stages, also the least numbers with at most so many blocks on each virtual stage
/// (--pipeline-model-parallel-layout).
std::vector<std::int64_t> virtual_stages_of(std::int64_t blocks, std::int64_t stages) {
    std::vector<std::int64_t> found;
    for (std::int64_t counted = blocks; counted <= blocks + 2 && found.empty(); ++counted) {
        found = counted % stages == 0 ? divisors(counted / stages) : found;
    }
    if (blocks % stages != 0 && found.size() <= 2) {
        for (std::int64_t most = 1; most * stages < blocks; ++most) {
            found.push_back((blocks + most * stages - 1) / (most * stages));
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
    }
    std::erase(found, 1);
    return found;
}

/// Virtual stages that a schedule may have on each stage of a pipeline; `asked`: those that a user fixes, too.
std::vector<std::int64_t> virtual_stages_of(const schedule::Schedule& schedule, std::int64_t blocks,
                                            std::int64_t stages, const std::optional<std::int64_t>& asked) {
    const auto [least, most] = schedule.traits.virtual_stages;
    std::vector<std::int64_t> found;
    if (least == most || least == 1) {
        found.push_back(least);
    }
    if (least < most && blocks > 0) {
        std::vector<std::int64_t> more = virtual_stages_of(blocks, stages);
        if (asked && *asked > 1 && *asked <= most && std::find(more.begin(), more.end(), *asked) == more.end()) {
            more.push_back(*asked);
        }
        std::sort(more.begin(), more.end());
        found.insert(found.end(), more.begin(), more.end());
    }
    return found;
}

/// Whether the software of a plan is run with a schedule, passes in pairs only where experts exchange: nothing else hides.
bool is_run(const Plan& plan, ScheduleKind kind) {
    const std::vector<ScheduleKind>& all = plan.framework.schedules;
    const schedule::Traits& traits = plan::schedule_of(kind).traits;
    if (all.empty()) {
        return traits.searched == schedule::Searched::always;
    }
    return std::find(all.begin(), all.end(), kind) != all.end() && (!traits.overlaps_pairs || !plan.folds.empty());
}

/// Those that may be faster, or need less memory, than others (schedule::Searched). Passes in pairs, unless asked for, on
/// virtual stages and without full recomputation: NVIDIA/Megatron-LM: megatron/training/arguments.py,
/// overlap_moe_expert_parallel_comm.
std::vector<Schedule> schedules(const Plan& plan, std::int64_t blocks, std::int64_t segments, const Vary& vary,
                                const std::optional<std::int64_t>& asked_stages) {
    using schedule::Searched;
    std::vector<Schedule> found{{ScheduleKind::one_forward_one_backward, 1}};
    const std::int64_t stages = plan.strategy.pipeline ? plan.axis_size(*plan.strategy.pipeline) : 1;
    if (stages == 1) {
        return found;
    }
    std::optional<std::int64_t> microbatches;  // asked for by few schedules
    for (const ScheduleKind kind : values_of(plan::kScheduleTable)) {
        const schedule::Schedule& schedule = plan::schedule_of(kind);
        const bool is_asked_for = schedule.traits.searched == Searched::on_request && vary.schedule &&
                                  (schedule.traits.flushes || vary.asynchronous);
        if (!(is_run(plan, kind) || is_asked_for) || kind == found.front().kind) {
            continue;
        }
        for (const std::int64_t virtual_stages : virtual_stages_of(schedule, blocks, stages, asked_stages)) {
            if (!microbatches) {
                microbatches = plan.batch / (step::data_ranks(plan) * plan.microbatch);
            }
            const schedule::Shape shape{static_cast<std::int32_t>(stages), static_cast<std::int32_t>(*microbatches),
                                        static_cast<std::int32_t>(virtual_stages)};
            if (schedule.unmet(shape) || step::too_many_tasks(kind, shape)) {
                break;  // with more virtual stages too
            }
            const std::int64_t parts = virtual_stages > 1 ? std::min(segments, blocks + 2) : segments;
            if (stages * virtual_stages <= parts &&
                (is_asked_for || !schedule.traits.overlaps_pairs || virtual_stages > 1)) {
                found.push_back({kind, virtual_stages});
            }
        }
    }
    return found;
}

/// The given overlap; where it varies, also with each kind that can matter switched.
std::vector<plan::Overlap> overlaps(const Plan& plan, const plan::Overlap& given, bool vary) {
    std::vector<plan::Overlap> found{given};
    if (!vary) {
        return found;
    }
    const std::int64_t stages = plan.strategy.pipeline ? plan.axis_size(*plan.strategy.pipeline) : 1;
    const auto both = [&](bool plan::Overlap::*member) {
        const std::size_t before = found.size();
        for (std::size_t i = 0; i < before; ++i) {
            plan::Overlap other = found[i];
            other.*member = !(other.*member);
            found.push_back(other);
        }
    };
    both(&plan::Overlap::gradients);
    both(&plan::Overlap::parameters);
    both(&plan::Overlap::tensor);
    both(&plan::Overlap::expert);
    if (stages > 1) {
        both(&plan::Overlap::pipeline);
    }
    return found;
}

std::vector<plan::Offload> offloads(const plan::Offload& given, bool vary) {
    if (!vary) {
        return {given};
    }
    std::vector<plan::Offload> found;
    for (const bool optimizer : {false, true}) {
        for (const bool activations : {false, true}) {
            for (const bool weights : {false, true}) {
                found.push_back({.optimizer = optimizer, .activations = activations, .weights = weights});
            }
        }
    }
    return found;
}

}  // namespace

std::vector<std::vector<plan::MeshAxis>> meshes(const plan::Strategy& strategy, std::int64_t devices) {
    std::vector<std::vector<plan::MeshAxis>> found;
    std::vector<plan::MeshAxis> mesh;
    extend(strategy, 0, devices, mesh, found);
    return found;
}

bool considered(const plan::Strategy& strategy, const graph::Graph& graph) {
    const auto& kinds = strategy.considered.only_with;
    const bool fits = kinds.empty() || any_of(graph.layers, [&](const graph::Layer& layer) {
                          return std::find(kinds.begin(), kinds.end(), layer.kind) != kinds.end();
                      });
    const auto& extents = strategy.considered.extents;
    const bool long_enough = std::all_of(extents.begin(), extents.end(), [&](const auto& wanted) {
        return std::any_of(graph.layers.begin(), graph.layers.end(), [&](const graph::Layer& layer) {
            const int loop = layer.nest.loop(wanted.first);
            return loop != graph::kNoLoop && layer.nest.loops[static_cast<std::size_t>(loop)].extent >= wanted.second;
        });
    });
    return strategy.considered.by_default && fits && long_enough;
}

FoldSizes::FoldSizes(const plan::Strategy& strategy, const graph::Graph& graph) : strategy_(strategy) {
    for (const plan::FoldedAxis& fold : strategy.folds) {
        extents_.push_back(extents_on(strategy, fold.name, graph));
    }
}

std::vector<std::int64_t> FoldSizes::sizes(const Plan& plan, std::size_t fold) const {
    const auto& folds = strategy_.folds;
    const bool only_by_hand =
        any_of(folds, [&](const plan::FoldedAxis& other) { return other.apart_from == folds[fold].name; });
    std::int64_t ranks = 1;
    for (const std::string& axis : folds[fold].of) {
        ranks *= plan.axis_size(axis);
    }
    std::vector<std::int64_t> sizes{1};
    const std::vector<std::int64_t>& extents = extents_[fold];
    if (only_by_hand || extents.empty()) {
        return sizes;
    }
    for (const std::int64_t size : divisors(ranks)) {
        const bool splits = std::all_of(extents.begin(), extents.end(), [&](std::int64_t n) { return n % size == 0; });
        if (size > 1 && splits) {
            sizes.push_back(size);
        }
    }
    return sizes;
}

std::vector<std::vector<plan::Fold>> FoldSizes::of(const Plan& plan) const {
    std::vector<std::vector<plan::Fold>> found{{}};
    for (std::size_t i = 0; i < strategy_.folds.size(); ++i) {
        std::vector<std::vector<plan::Fold>> next;
        for (const std::vector<plan::Fold>& folds : found) {
            for (const std::int64_t size : sizes(plan, i)) {
                next.push_back(folds);
                if (size > 1) {
                    next.back().push_back({strategy_.folds[i].name, strategy_.folds[i].of, size});
                }
            }
        }
        found = std::move(next);
    }
    return found;
}

std::vector<std::vector<plan::MeshAxis>> placements(const std::vector<plan::MeshAxis>& mesh) {
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < mesh.size(); ++i) {
        if (mesh[i].size > 1) {
            used.push_back(i);
        }
    }
    std::vector<std::vector<plan::MeshAxis>> found;
    const std::vector<std::size_t> places = used;
    do {
        std::vector<plan::MeshAxis> order = mesh;
        for (std::size_t k = 0; k < used.size(); ++k) {
            order[places[k]] = mesh[used[k]];
        }
        found.push_back(std::move(order));
    } while (std::next_permutation(used.begin(), used.end()));
    return found;
}

std::vector<std::int64_t> shard_groups(const Plan& plan) {
    std::int64_t ways = 1;
    for (const std::string& axis : plan.strategy.shard_axes) {
        ways *= plan.axis_size(axis);
    }
    std::vector<std::int64_t> groups{0};
    for (const std::int64_t size : divisors(ways)) {
        if (size > 1 && size < ways) {
            groups.push_back(size);
        }
    }
    return groups;
}

Variants::Variants(const graph::Graph& graph, const Vary& vary, const plan::Overlap& overlap,
                   const plan::Offload& offload, std::optional<std::int64_t> virtual_stages)
    : recomputes_(recomputes(graph)),
      blocks_(graph.block_count()),
      segments_(graph.segment_count()),
      vary_(vary),
      overlap_(overlap),
      offload_(offload),
      virtual_stages_(virtual_stages) {}

std::vector<Variant> Variants::of(const Plan& base) const {
    std::vector<Variant> variants;
    std::vector<ShardLevel> levels = shard_levels(base);
    if (base.shard_group > 0) {
        std::erase(levels, ShardLevel::none);
    }
    const std::vector<plan::Overlap> all_overlaps = overlaps(base, overlap_, vary_.overlap);
    std::vector<plan::Offload> all_offloads = offloads(offload_, vary_.offload);
    if (vary_.offload) {
        std::erase_if(all_offloads, [&](const plan::Offload& one) { return !base.framework.can_offload(one); });
    }
    for (const Schedule& schedule : schedules(base, blocks_, segments_, vary_, virtual_stages_)) {
        for (const RecomputeKind recompute : recomputes_) {
            if (recompute == RecomputeKind::layers && base.recompute_modules.empty()) {
                continue;
            }
            if (plan::overlaps_pairs(schedule.kind) && recompute == RecomputeKind::full && !vary_.schedule) {
                continue;
            }
            for (const ShardLevel shard : levels) {
                for (const plan::Offload& offload : all_offloads) {
                    for (const plan::Overlap& overlap : all_overlaps) {
                        variants.push_back(
                            {schedule.kind, schedule.virtual_stages, recompute, shard, overlap, offload});
                    }
                }
            }
        }
    }
    return variants;
}

std::vector<Plan> variants(const Plan& base, const graph::Graph& graph, const Vary& vary) {
    std::vector<Plan> plans;
    for (const Variant& variant : Variants(graph, vary, base.overlap, base.offload).of(base)) {
        plans.push_back(base);
        variant.apply(plans.back());
    }
    return plans;
}

}  // namespace dodona::search
