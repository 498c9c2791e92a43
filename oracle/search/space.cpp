#include "search/space.hpp"

#include <algorithm>

#include "schedule/validate.hpp"

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
    return std::any_of(lays.begin(), lays.end(), [&](const plan::Lay& lay) {
        return lay.dimension == dimension && std::find(lay.axes.begin(), lay.axes.end(), axis) != lay.axes.end();
    });
}

/// Extents that the strategy's rules lay on an axis.
std::vector<std::int64_t> extents_on(const plan::Strategy& strategy, const std::string& axis,
                                     const graph::Graph& graph) {
    std::vector<std::int64_t> extents;
    for (const graph::Vertex v : graph.order) {
        const graph::Layer& layer = graph.layer(v);
        for (const graph::Loop& loop : layer.nest.loops) {
            const bool laid = std::any_of(strategy.rules.begin(), strategy.rules.end(), [&](const plan::Rule& rule) {
                const auto& kinds = rule.match.kinds;
                return std::find(kinds.begin(), kinds.end(), layer.kind) != kinds.end() &&
                       lays(rule.lay, loop.name, axis);
            });
            if (laid && loop.can_split) {
                extents.push_back(loop.extent / loop.unit);
            }
        }
    }
    return extents;
}

std::vector<std::int64_t> fold_sizes(const Plan& plan, const plan::FoldedAxis& fold, const graph::Graph& graph) {
    const auto& folds = plan.strategy.folds;
    const bool for_hands = std::any_of(folds.begin(), folds.end(),
                                       [&](const plan::FoldedAxis& other) { return other.apart_from == fold.name; });
    std::int64_t ranks = 1;
    for (const std::string& axis : fold.of) {
        ranks *= plan.axis_size(axis);
    }
    std::vector<std::int64_t> sizes{1};
    const std::vector<std::int64_t> extents = extents_on(plan.strategy, fold.name, graph);
    for (const std::int64_t size : divisors(ranks)) {
        const bool splits = std::all_of(extents.begin(), extents.end(), [&](std::int64_t n) { return n % size == 0; });
        if (size > 1 && !for_hands && !extents.empty() && splits) {
            sizes.push_back(size);
        }
    }
    return sizes;
}

std::vector<RecomputeKind> recomputes(const graph::Graph& graph) {
    std::vector<RecomputeKind> kinds{RecomputeKind::none};
    const bool blocks = std::any_of(graph.units.begin(), graph.units.end(),
                                    [](const graph::Unit& unit) { return !unit.block.empty(); });
    const bool selective = std::any_of(graph.order.begin(), graph.order.end(), [&](graph::Vertex v) {
        const auto& saved = graph.layer(v).nest.saved;
        return std::any_of(saved.begin(), saved.end(), [](const graph::Saved& s) { return s.selective; });
    });
    if (selective) {
        kinds.push_back(RecomputeKind::selective);
    }
    if (blocks) {
        kinds.push_back(RecomputeKind::full);
    }
    return kinds;
}

/// A strategy that names a level keeps it. Others may shard states; gradients and parameters travel every micro-batch
/// and have strategies of their own.
std::vector<ShardLevel> shard_levels(const Plan& plan) {
    if (plan.strategy.shard) {
        return {*plan.strategy.shard};
    }
    std::int64_t ways = 1;
    for (const std::string& axis : plan.strategy.shard_axes) {
        ways *= plan.axis_size(axis);
    }
    const bool can_shard = ways > 1 && plan.strategy.pipeline.has_value();
    return can_shard ? std::vector<ShardLevel>{ShardLevel::none, ShardLevel::states}
                     : std::vector<ShardLevel>{ShardLevel::none};
}

struct Schedule {
    ScheduleKind kind;
    std::int64_t chunks;
};

/// GPipe takes the time of 1F1B and more memory, so it is never better and is left to `predict`.
std::vector<Schedule> schedules(const Plan& plan, const graph::Graph& graph) {
    std::vector<Schedule> found{{ScheduleKind::one_forward_one_backward, 1}};
    const std::int64_t stages = plan.strategy.pipeline ? plan.axis_size(*plan.strategy.pipeline) : 1;
    const std::int64_t microbatches = plan.batch / (schedule::data_ranks(plan) * plan.microbatch);
    std::int64_t blocks = 0;
    for (const graph::Unit& unit : graph.units) {
        blocks += unit.block.empty() ? 0 : unit.count;
    }
    // Interleaving deals out micro-batches in groups of as many as there are stages.
    if (stages > 1 && blocks % stages == 0 && microbatches % stages == 0) {
        for (const std::int64_t chunks : divisors(blocks / stages)) {
            if (chunks > 1) {
                found.push_back({ScheduleKind::interleaved, chunks});
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
    const bool fits = kinds.empty() || std::any_of(graph.order.begin(), graph.order.end(), [&](graph::Vertex v) {
                          return std::find(kinds.begin(), kinds.end(), graph.layer(v).kind) != kinds.end();
                      });
    const auto& extents = strategy.considered.extents;
    const bool long_enough = std::all_of(extents.begin(), extents.end(), [&](const auto& wanted) {
        return std::any_of(graph.order.begin(), graph.order.end(), [&](graph::Vertex v) {
            const graph::Nest& nest = graph.layer(v).nest;
            const int loop = nest.loop(wanted.first);
            return loop != graph::kNoLoop && nest.loops[static_cast<std::size_t>(loop)].extent >= wanted.second;
        });
    });
    return strategy.considered.by_default && fits && long_enough;
}

std::vector<Plan> folded(const Plan& base, const graph::Graph& graph) {
    std::vector<Plan> plans{base};
    for (const plan::FoldedAxis& fold : base.strategy.folds) {
        std::vector<Plan> next;
        for (const Plan& plan : plans) {
            for (const std::int64_t size : fold_sizes(plan, fold, graph)) {
                next.push_back(plan);
                if (size > 1) {
                    next.back().folds.push_back({fold.name, fold.of, size});
                }
            }
        }
        plans = std::move(next);
    }
    return plans;
}

std::vector<Plan> variants(const Plan& base, const graph::Graph& graph) {
    std::vector<Plan> plans;
    const std::vector<RecomputeKind> kinds = recomputes(graph);
    const std::vector<ShardLevel> levels = shard_levels(base);
    for (const Schedule& schedule : schedules(base, graph)) {
        for (const RecomputeKind recompute : kinds) {
            for (const ShardLevel level : levels) {
                Plan plan = base;
                plan.schedule = schedule.kind;
                plan.chunks = schedule.chunks;
                plan.recompute = recompute;
                plan.shard = level;
                plans.push_back(std::move(plan));
            }
        }
    }
    return plans;
}

}  // namespace dodona::search
