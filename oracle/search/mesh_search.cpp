#include "search/mesh_search.hpp"

#include <algorithm>
#include <utility>

#include "search/memory_lower_bound.hpp"
#include "search/plan_evaluator.hpp"
#include "search/uneven_cuts.hpp"
#include "step/evaluate.hpp"

namespace dodona::search {

using plan::Plan;

SearchContext::SearchContext(const graph::Graph& graph_, const cluster::Cluster& cluster_, const Space& space_)
    : graph(graph_),
      cluster(cluster_),
      space(space_),
      filter(space_),
      variants(graph_, space_.vary, space_.overlap, space_.offload, filter.virtual_stages()),
      segments(graph_.segment_count()) {
    limit = cluster.device_kinds(1).front().device->memory * (1.0 - cluster.memory_reserve);
    limit = (1 - space.reserve) * (space.max_memory ? min(*space.max_memory, limit) : limit);
}

std::vector<Variant> SearchContext::left_open(const Plan& plan) const {
    std::vector<Variant> open = variants.of(plan);
    if (!space.stages.empty() || space.cut == Cut::software) {
        for (Variant& variant : open) {
            variant.stages = stages_of(plan, variant.virtual_stages);
        }
        std::erase_if(open, [&](const Variant& variant) {
            const std::int64_t parts = plan.pipeline_stages() * variant.virtual_stages;
            return parts == 1 ? !variant.stages.empty() : variant.stages.size() != static_cast<std::size_t>(parts);
        });
    }
    if (space.only_fitted) {
        const std::int64_t nodes = plan::domains_of_folds(plan.folds, cluster.fast_domain());
        std::erase_if(open, [&](const Variant& variant) { return plan.framework.is_beyond_fit(variant.shard, nodes); });
    }
    if (filter.constrains()) {
        std::erase_if(open, [&](const Variant& variant) { return !filter.accepts(variant); });
    }
    return open;
}

std::vector<std::int64_t> SearchContext::stages_of(const Plan& plan, std::int64_t virtual_stages) const {
    const std::int64_t parts = plan.pipeline_stages() * virtual_stages;
    return space.stages.empty() && parts > 1 ? plan.framework.dealt(graph.block_count(), parts) : space.stages;
}

std::vector<std::int64_t> SearchContext::microbatches(const MeshLayout& layout) const {
    std::vector<std::int64_t> sizes =
        space.accumulate ? divisors(layout.samples) : std::vector<std::int64_t>{layout.samples};
    const std::int64_t together = graph.post_training.together;
    std::erase_if(sizes, [&](std::int64_t size) { return size % together != 0 || !filter.accepts(size); });
    return sizes;
}

namespace {

/// Whether a cut is taken instead of one that takes `longer`: cuts are equal as plans are.
bool is_gain(Seconds step, Seconds longer) { return (1 + kEqualTime) * step < longer; }

/// The candidate, or one whose pipeline is cut otherwise; `plan` has its variant.
Candidate best_cut(const SearchContext& context, const step::CostedGraph& costed, Plan plan, Candidate best,
                   step::ScheduleTimings& orders) {
    if (!context.tries_cuts(plan)) {
        return best;
    }
    for (std::vector<std::int64_t>& stages : uneven_cuts(costed, plan, orders)) {
        plan.stages = stages;
        const step::Prediction found =
            step::evaluate(costed, plan, step::Detail::totals, context.space.max_memory, orders);
        if (!found.why_not && found.memory.total() <= best.limit && is_gain(found.step.value, best.step)) {
            best.variant.stages = std::move(stages);
            best.step = found.step.value;
            best.memory = found.memory.total();
        }
    }
    return best;
}

}  // namespace

MeshResult search_mesh_exhaustively(const SearchContext& context, const MeshLayout& layout, std::size_t index,
                                    Plan& plan) {
    MeshResult result;
    step::ScheduleTimings orders;
    layout.apply(plan);
    for (const std::int64_t microbatch : context.microbatches(layout)) {
        plan.microbatch = microbatch;
        const std::vector<Variant> open = context.left_open(plan);
        const step::CostedGraph costed = step::cost_graph(context.graph, context.cluster, plan, {});
        if (const plan::Limit* broken = plan::tightest_broken(costed.sharded->limits)) {
            const auto count = static_cast<std::int64_t>(open.size());
            result.configurations += count;
            result.add_infeasible(broken->cause, count);
            continue;
        }
        for (const Variant& variant : open) {
            variant.apply(plan);
            const step::Prediction found = step::evaluate(costed, plan, step::Detail::totals, context.space.max_memory);
            ++result.configurations;
            ++result.evaluated;
            const Candidate candidate{index,
                                      microbatch,
                                      variant,
                                      found.step.value,
                                      found.memory.total(),
                                      (1 - context.space.reserve) * found.memory_limit,
                                      plan.framework.is_beyond_fit(variant.shard, layout.spread)};
            const auto* shortage = found.why_not ? std::get_if<step::MemoryShortage>(&*found.why_not) : nullptr;
            if (found.why_not && shortage == nullptr) {
                result.add_infeasible(step::cause_of(*found.why_not), 1);
            } else if (candidate.memory > candidate.limit) {
                result.add_out_of_memory(step::MemoryPlace::device, candidate);
            } else if (shortage != nullptr) {
                result.add_out_of_memory(shortage->place, candidate);
            } else {
                result.take(best_cut(context, costed, plan, candidate, orders));
            }
        }
    }
    result.finish();
    return result;
}

namespace {

class MeshSearch {
public:
    MeshSearch(const SearchContext& context, const MeshLayout& layout, std::size_t index, Plan& plan,
               PassTables& passes, const MeshBounds& bounds)
        : context_(context), layout_(layout), index_(index), plan_(plan), passes_(passes), bounds_(bounds) {
        layout_.apply(plan_);
        stages_ = plan_.strategy.pipeline ? plan_.axis_size(*plan_.strategy.pipeline) : 1;
    }

    MeshResult run() {
        const Meshes meshes(plan_);
        const std::vector<std::int64_t> sizes = context_.microbatches(layout_);
        if (sizes.empty()) {
            return {};
        }
        if (const LayoutTimes* known = bounds_.time.least; known != nullptr && known->broken) {
            count_broken(*known->broken, sizes);
            result_.finish();
            return std::move(result_);
        }
        plan_.microbatch = first(sizes);
        if (!ruled_out(passes_.feasibility(plan_, meshes.whole), meshes, sizes)) {
            if (bounds_.time.least == nullptr) {
                evaluate_ascending(sizes, meshes);
            } else {
                evaluate_fastest(sizes, meshes);
            }
        }
        passes_.next_mesh();
        result_.finish();
        return std::move(result_);
    }

private:
    void evaluate_ascending(const std::vector<std::int64_t>& sizes, const Meshes& meshes) {
        bool fits = true;
        for (const std::int64_t microbatch : sizes) {
            plan_.microbatch = microbatch;
            const std::vector<Variant> open = context_.left_open(plan_);
            if (fits || !cannot_fit(open)) {
                fits = evaluate_all(table_of(meshes), open);
            }
        }
    }

    /// The micro-batch that is looked at first: the largest of those with the least bound.
    [[nodiscard]] std::int64_t first(const std::vector<std::int64_t>& sizes) const {
        if (bounds_.time.least == nullptr) {
            return sizes.front();
        }
        return *std::min_element(sizes.rbegin(), sizes.rend(), [&](std::int64_t a, std::int64_t b) {
            return bounds_.time.least->of(a) < bounds_.time.least->of(b);
        });
    }

    /// The micro-batches in the order of their bounds, until none that is left can be of interest. After one that does
    /// not fit, the middle of the smaller ones is next, and larger ones that cannot fit either are left out.
    void evaluate_fastest(std::vector<std::int64_t> sizes, const Meshes& meshes) {
        const auto least = [&](std::int64_t microbatch) { return bounds_.time.least->of(microbatch); };
        bool fits = true;
        while (!sizes.empty()) {
            plan_.microbatch = fits ? first(sizes) : sizes[sizes.size() / 2];
            std::erase(sizes, plan_.microbatch);
            fits = evaluate_all(table_of(meshes), context_.left_open(plan_));
            const std::int64_t here = plan_.microbatch;
            const Seconds slowest =
                slowest_of_interest(is_beyond_fit(plan_.strategy.shard.value_or(plan::ShardLevel::none)));
            std::erase_if(sizes, [&](std::int64_t size) {
                plan_.microbatch = size;
                return least(size) > slowest || (!fits && size > here && cannot_fit(context_.left_open(plan_)));
            });
        }
    }

    /// The table of the plan's micro-batch.
    const PassTable& table_of(const Meshes& meshes) {
        const PassTable& passes = passes_.at(plan_, meshes.whole);
        if (!table_ || table_->sparse()) {
            table_.emplace(passes_, passes, plan_, meshes);
        }
        before_ = std::exchange(last_, Looked{plan_.microbatch, &passes});
        return passes;
    }

    void count_broken(const plan::Limit& broken, const std::vector<std::int64_t>& sizes) {
        std::int64_t count = 0;
        for (const std::int64_t microbatch : sizes) {
            plan_.microbatch = microbatch;
            count += static_cast<std::int64_t>(context_.left_open(plan_).size());
        }
        result_.configurations += count;
        if (count > 0) {
            result_.add_infeasible(broken.cause, count);
        }
    }

    /// Whether one cause rules out all micro-batches and variants; they are then counted.
    bool ruled_out(const FeasibilityBound& feasibility, const Meshes& meshes, const std::vector<std::int64_t>& sizes) {
        if (feasibility.broken) {
            count_broken(*feasibility.broken, sizes);
            return true;
        }
        const bool too_few_segments = context_.segments < stages_;
        if (!too_few_segments && !lacks_memory(feasibility, meshes, sizes)) {
            return false;
        }
        std::int64_t count = 0;
        for (const std::int64_t microbatch : sizes) {
            plan_.microbatch = microbatch;
            for (const Variant& variant : context_.left_open(plan_)) {
                ++count;
                if (too_few_segments) {
                    variant.apply(plan_);
                    result_.add_infeasible(step::pipeline_limit(context_.segments, plan_, passes_per_step())->cause, 1);
                }
            }
        }
        result_.configurations += count;
        result_.pruned += result_.bound ? count : 0;
        if (count > 0 && !too_few_segments) {
            result_.out_of_memory(step::MemoryPlace::device).count += count;
        }
        return true;
    }

    bool lacks_memory(const FeasibilityBound& feasibility, const Meshes& meshes,
                      const std::vector<std::int64_t>& sizes) {
        if (bounds_.memory == Bounds::ignored || context_.space.offload.any() || context_.space.vary.offload) {
            return false;
        }
        plan_.microbatch = sizes.front();
        plan_.shard = plan::ShardLevel::none;
        for (const Variant& variant : context_.left_open(plan_)) {
            plan_.shard = std::max(plan_.shard, variant.shard);
        }
        const Bytes context = context_.cluster.device_kinds(1).front().device->context;
        const Bytes least = feasibility.least_memory(plan_, meshes, context);
        if (least > context_.limit) {
            result_.bound = least;
        }
        return result_.bound.has_value();
    }

    [[nodiscard]] std::int64_t passes_per_step() const { return layout_.samples / plan_.microbatch; }

    /// Whether no variant fits even with what the smaller micro-batch that was looked at last keeps; they are then
    /// counted.
    bool cannot_fit(const std::vector<Variant>& open) {
        const InfeasibleGroup* known = result_.find(step::MemoryPlace::device);
        if (table_->sparse() || known == nullptr || !known->least) {
            return false;
        }
        const Bytes enough = max(context_.limit, known->least->memory);
        PlanEvaluator evaluator(*table_, *last_.passes, plan_, passes_per_step());
        MemoryLowerBound cuts(table_->costed(), last_.passes->costed, passes_.orders());
        for (const Variant& variant : open) {
            if (!variant.stages.empty() || last_.passes->even(stages_ * variant.virtual_stages)) {
                // A larger micro-batch keeps at least as much where the cut is the same.
                evaluator.choose(variant);
                const Bytes least = evaluator.memory().device;
                if (least <= context_.limit || least < known->least->memory) {
                    return false;
                }
            } else {
                variant.apply(plan_);
                const bool is_bounded = plan_.places().on_stage() == 1 && !plan_.offload.any() && keeps_in_proportion();
                const double scale = static_cast<double>(plan_.microbatch) / static_cast<double>(last_.microbatch);
                if (!is_bounded || cuts.may_fit(plan_, passes_per_step(), scale, enough)) {
                    return false;
                }
            }
        }
        const auto count = static_cast<std::int64_t>(open.size());
        result_.configurations += count;
        result_.pruned += count;
        result_.out_of_memory(step::MemoryPlace::device).count += count;
        return true;
    }

    /// As the two micro-batches that were looked at last show.
    [[nodiscard]] bool keeps_in_proportion() const {
        return before_.passes != nullptr && search::keeps_in_proportion(before_.passes->costed, before_.microbatch,
                                                                        last_.passes->costed, last_.microbatch);
    }

    [[nodiscard]] bool is_beyond_fit(plan::ShardLevel level) const {
        return plan_.framework.is_beyond_fit(level, layout_.spread);
    }

    /// Only plans as fast as the fastest of a mesh are reported (MeshResult::finish); the margin covers rounding.
    [[nodiscard]] Seconds slowest_of_interest(bool is_beyond_fit) const {
        constexpr double kRounding = 1 + 1e-6;
        const Seconds slowest = is_beyond_fit ? bounds_.time.slowest : bounds_.time.slowest_fitted;
        const std::optional<Seconds>& fastest = is_beyond_fit ? result_.fastest : result_.fastest_fitted;
        return fastest ? min(slowest, kRounding * (1 + kEqualTime) * *fastest) : slowest;
    }

    /// Evaluates all variants. Returns whether the devices' memory suffices for any.
    bool evaluate_all(const PassTable& passes, const std::vector<Variant>& open) {
        PlanEvaluator evaluator(*table_, passes, plan_, passes_per_step());
        bool any = false;
        for (const Variant& variant : open) {
            ++result_.configurations;
            ++result_.evaluated;
            evaluator.choose(variant);
            const PlanEvaluator::MemoryNeed& memory = evaluator.memory();
            const bool is_beyond = is_beyond_fit(variant.shard);
            Candidate candidate{index_, plan_.microbatch, variant, {}, memory.device, context_.limit, is_beyond};
            const bool may_recut = context_.tries_cuts(plan_);
            if (lacks_memory(variant, memory)) {
                result_.add_out_of_memory(step::MemoryPlace::device, candidate);
            } else if (variant.offload.any() && memory.host > context_.cluster.host->memory) {
                result_.add_out_of_memory(step::MemoryPlace::host, candidate);
                any = true;
            } else {
                any = true;
                const PlanEvaluator::Time step = evaluator.step(slowest_of_interest(is_beyond));
                const Seconds least_cut = may_recut ? (1 - kSumSlack) * evaluator.least_of_cuts() : step.least;
                candidate.step = step.least;
                bool is_open = step.within;
                if (may_recut && least_cut <= slowest_of_interest(is_beyond) &&
                    (!is_open || is_gain(least_cut, step.least))) {
                    if (bounds_.cuts == Cuts::balanced) {
                        result_.recut = result_.recut ? min(*result_.recut, least_cut) : least_cut;
                    } else {
                        candidate = best_cut(evaluator, passes, slowest_of_interest(is_beyond), std::move(candidate));
                        is_open = candidate.step <= slowest_of_interest(is_beyond);
                    }
                }
                if (is_open) {
                    result_.take(candidate);
                }
            }
        }
        return any;
    }

    [[nodiscard]] bool lacks_memory(const Variant& variant, const PlanEvaluator::MemoryNeed& memory) const {
        return !variant.offload.pages && memory.device > context_.limit;
    }

    /// The candidate that the evaluator is about, or the same with a pipeline that is cut otherwise, of cuts that are
    /// of interest.
    Candidate best_cut(PlanEvaluator& evaluator, const PassTable& passes, Seconds slowest, Candidate best) {
        best.step = evaluator.step(TimeBounds{}.slowest).least;
        Variant variant = best.variant;
        const PipelineTotal total = [&](const step::Pipeline<Seconds>& pipeline) { return passes_.total(pipeline); };
        for (std::vector<std::int64_t>& stages :
             uneven_cuts(passes.costed, table_->costed(), plan_, passes_per_step(), (1 + kSumSlack) * slowest, total)) {
            variant.stages = std::move(stages);
            evaluator.choose(variant);
            const PlanEvaluator::MemoryNeed& memory = evaluator.memory();
            if (lacks_memory(variant, memory) ||
                (variant.offload.any() && memory.host > context_.cluster.host->memory)) {
                continue;
            }
            const Seconds step = evaluator.step(TimeBounds{}.slowest).least;
            if (is_gain(step, best.step)) {
                best.variant = variant;
                best.step = step;
                best.memory = memory.device;
            }
        }
        return best;
    }

    const SearchContext& context_;
    const MeshLayout& layout_;
    std::size_t index_;
    Plan& plan_;
    PassTables& passes_;
    MeshResult result_;
    std::optional<MeshTables> table_;
    struct Looked {
        std::int64_t microbatch = 1;
        const PassTable* passes = nullptr;
    };
    Looked last_;    ///< the micro-batch that was looked at last
    Looked before_;  ///< the one before it
    const MeshBounds& bounds_;
    std::int64_t stages_ = 1;
};

}  // namespace

LayoutTimes least_times(const SearchContext& context, const MeshLayout& layout, Plan& plan, ComputeTimeBounds& passes) {
    constexpr double kRounding = 1 - 1e-9;  // sums in another order may be this much smaller
    layout.apply(plan);
    const Meshes meshes(plan);
    LayoutTimes times;
    const std::vector<std::int64_t> sizes = context.microbatches(layout);
    const std::int64_t stages = plan.strategy.pipeline ? plan.axis_size(*plan.strategy.pipeline) : 1;
    if (sizes.empty() || context.segments < stages) {
        return times;
    }
    for (const std::int64_t microbatch : sizes) {
        plan.microbatch = microbatch;
        const ComputeTimeBounds::Least least = passes.of(plan, meshes.whole);
        if (least.broken) {
            times.broken = least.broken;
            return times;
        }
        times.searched = true;
        // The slowest stage computes no less than the mean.
        const std::int64_t microbatches = layout.samples / microbatch;
        const double on_stage = static_cast<double>(microbatches) / static_cast<double>(stages);
        times.by_microbatch.emplace_back(microbatch, kRounding * on_stage * least.pass);
    }
    return times;
}

MeshResult search_mesh(const SearchContext& context, const MeshLayout& layout, std::size_t index, Plan& plan,
                       PassTables& passes, const MeshBounds& bounds) {
    return MeshSearch(context, layout, index, plan, passes, bounds).run();
}

}  // namespace dodona::search
