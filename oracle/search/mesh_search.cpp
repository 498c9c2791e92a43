#include "search/mesh_search.hpp"

#include <algorithm>
#include <limits>

#include "search/composition.hpp"
#include "step/evaluate.hpp"

namespace dodona::search {

using plan::Plan;

SearchContext::SearchContext(const graph::Graph& graph_, const cluster::Cluster& cluster_, const Space& space_)
    : graph(graph_),
      cluster(cluster_),
      space(space_),
      filter(space_),
      variants(graph_, space_.vary, space_.overlap, space_.offload),
      segments(graph_.segment_count()) {
    limit = cluster.device_kinds(1).front().device->memory * (1.0 - cluster.memory_reserve);
    limit = space.max_memory ? min(*space.max_memory, limit) : limit;
}

std::vector<Variant> SearchContext::left_open(const Plan& plan) const {
    std::vector<Variant> open = variants.of(plan);
    if (filter.any_variant()) {
        std::erase_if(open, [&](const Variant& variant) { return !filter.takes(variant); });
    }
    return open;
}

std::vector<std::int64_t> SearchContext::microbatches(const MeshLayout& layout) const {
    std::vector<std::int64_t> sizes =
        space.accumulate ? divisors(layout.samples) : std::vector<std::int64_t>{layout.samples};
    std::erase_if(sizes, [&](std::int64_t size) { return !filter.takes(size); });
    return sizes;
}

MeshResult search_mesh_exhaustively(const SearchContext& scene, const MeshLayout& layout, std::size_t index,
                                    Plan& plan) {
    MeshResult finding;
    layout.apply(plan);
    for (const std::int64_t microbatch : scene.microbatches(layout)) {
        plan.microbatch = microbatch;
        const std::vector<Variant> open = scene.left_open(plan);
        const step::CostedGraph costed = step::cost_graph(scene.graph, scene.cluster, plan, {});
        if (const plan::Limit* broken = plan::tightest_broken(costed.sharded.limits)) {
            const auto count = static_cast<std::int64_t>(open.size());
            finding.configurations += count;
            finding.add_infeasible(broken->cause, count);
            continue;
        }
        for (const Variant& variant : open) {
            variant.apply(plan);
            const step::Prediction found = step::evaluate(costed, plan, step::Detail::totals, scene.space.max_memory);
            ++finding.configurations;
            ++finding.evaluated;
            const Candidate candidate{
                index, microbatch, variant, found.step.value, found.memory.total(), found.memory_limit};
            if (!found.why_not) {
                finding.take(candidate);
            } else if (const auto* shortage = std::get_if<step::MemoryShortage>(&*found.why_not)) {
                finding.add_out_of_memory(shortage->place, candidate);
            } else {
                finding.add_infeasible(step::cause_of(*found.why_not), 1);
            }
        }
    }
    return finding;
}

namespace {

class MeshSearch {
public:
    MeshSearch(const SearchContext& scene, const MeshLayout& layout, std::size_t index, Plan& plan, PassTables& passes,
               Bounds bounds)
        : scene_(scene), layout_(layout), index_(index), plan_(plan), passes_(passes), bounds_(bounds) {
        layout_.apply(plan_);
        stages_ = plan_.strategy.pipeline ? plan_.axis_size(*plan_.strategy.pipeline) : 1;
    }

    MeshResult run() {
        const Meshes meshes(plan_);
        const std::vector<std::int64_t> sizes = scene_.microbatches(layout_);
        if (sizes.empty()) {
            return {};
        }
        plan_.microbatch = sizes.front();
        if (!settled(passes_.sketch(plan_, meshes.whole), meshes, sizes)) {
            const PassTable* last = nullptr;  ///< of the micro-batch before, if nothing fitted
            for (const std::int64_t microbatch : sizes) {
                plan_.microbatch = microbatch;
                const std::vector<Variant> open = scene_.left_open(plan_);
                if (last != nullptr && hopeless(*last, open)) {
                    continue;
                }
                const PassTable& passes = passes_.at(plan_, meshes.whole);
                if (!table_ || table_->sparse()) {
                    table_.emplace(passes_, passes, plan_, meshes);
                }
                last = weigh(passes, open) ? nullptr : &passes;
            }
        }
        passes_.next_mesh();
        return std::move(finding_);
    }

private:
    /// Whether one reason holds for all micro-batches and variants.
    bool settled(const FeasibilityBound& sketch, const Meshes& meshes, const std::vector<std::int64_t>& sizes) {
        const bool too_few_segments = scene_.segments < stages_;
        if (!sketch.broken && !too_few_segments && !lacks_memory(sketch, meshes, sizes)) {
            return false;
        }
        for (const std::int64_t microbatch : sizes) {
            plan_.microbatch = microbatch;
            for (const Variant& variant : scene_.left_open(plan_)) {
                ++finding_.configurations;
                finding_.pruned += finding_.bound ? 1 : 0;
                if (sketch.broken) {
                    finding_.add_infeasible(sketch.broken->cause, 1);
                } else if (too_few_segments) {
                    variant.apply(plan_);
                    finding_.add_infeasible(step::pipeline_limit(scene_.segments, plan_, passes_per_step())->cause, 1);
                } else {
                    finding_.add_infeasible(step::MemoryPlace::device, 1);
                }
            }
        }
        return true;
    }

    bool lacks_memory(const FeasibilityBound& sketch, const Meshes& meshes, const std::vector<std::int64_t>& sizes) {
        if (bounds_ == Bounds::ignored || scene_.space.offload.any() || scene_.space.vary.offload) {
            return false;
        }
        plan_.microbatch = sizes.front();
        plan_.shard = plan::ShardLevel::none;
        for (const Variant& variant : scene_.left_open(plan_)) {
            plan_.shard = std::max(plan_.shard, variant.shard);
        }
        const Bytes context = scene_.cluster.device_kinds(1).front().device->context;
        const Bytes least = sketch.least_memory(plan_, meshes, context);
        if (least > scene_.limit) {
            finding_.bound = least;
        }
        return finding_.bound.has_value();
    }

    [[nodiscard]] std::int64_t passes_per_step() const { return layout_.samples / plan_.microbatch; }

    /// Whether even with the activations of a smaller micro-batch no variant fits; then they are counted and done with.
    /// A larger micro-batch keeps as much at least, so that this is a lower bound, as long as both are cut alike.
    bool hopeless(const PassTable& smaller, const std::vector<Variant>& open) {
        if (!smaller.alike || table_->sparse()) {
            return false;
        }
        const InfeasibleGroup* known = nullptr;
        for (const InfeasibleGroup& group : finding_.infeasible) {
            known = group.cause == step::InfeasibleCause(step::MemoryPlace::device) ? &group : known;
        }
        if (known == nullptr || !known->least) {
            return false;
        }
        Composition composition(*table_, smaller, plan_, passes_per_step());
        for (const Variant& variant : open) {
            composition.choose(variant);
            const Bytes least = composition.memory().device;
            if (least <= scene_.limit || least < known->least->memory || !smaller.even(stages_ * variant.chunks)) {
                return false;
            }
        }
        const auto count = static_cast<std::int64_t>(open.size());
        finding_.configurations += count;
        finding_.pruned += count;
        finding_.add_infeasible(step::MemoryPlace::device, count);
        return true;
    }

    /// Of one mesh only the fastest plan is told; a little more, so that sums in another order do not decide.
    [[nodiscard]] Seconds slowest_of_interest() const {
        constexpr double kLittle = 1 + 1e-6;
        return finding_.best ? kLittle * finding_.best->step : Seconds::of_base(std::numeric_limits<double>::max());
    }

    /// Whether any fits.
    bool weigh(const PassTable& passes, const std::vector<Variant>& open) {
        Composition composition(*table_, passes, plan_, passes_per_step());
        bool any = false;
        for (const Variant& variant : open) {
            ++finding_.configurations;
            ++finding_.evaluated;
            composition.choose(variant);
            const Composition::Memory& memory = composition.memory();
            Candidate candidate{index_, plan_.microbatch, variant, {}, memory.device, scene_.limit};
            if (memory.device > scene_.limit) {
                finding_.add_out_of_memory(step::MemoryPlace::device, candidate);
            } else if (variant.offload.any() && memory.host > scene_.cluster.host->memory) {
                finding_.add_out_of_memory(step::MemoryPlace::host, candidate);
                any = true;
            } else {
                any = true;
                const std::optional<Seconds> step = composition.step(slowest_of_interest());
                if (step) {
                    candidate.step = *step;
                    finding_.take(candidate);
                }
            }
        }
        return any;
    }

    const SearchContext& scene_;
    const MeshLayout& layout_;
    std::size_t index_;
    Plan& plan_;
    PassTables& passes_;
    MeshResult finding_;
    std::optional<LayoutTable> table_;
    Bounds bounds_;
    std::int64_t stages_ = 1;
};

}  // namespace

MeshResult search_mesh(const SearchContext& scene, const MeshLayout& layout, std::size_t index, Plan& plan,
                       PassTables& passes, Bounds bounds) {
    return MeshSearch(scene, layout, index, plan, passes, bounds).run();
}

}  // namespace dodona::search
