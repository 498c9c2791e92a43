#include "search/simplicity.hpp"

#include <algorithm>
#include <array>

namespace dodona::search {

namespace {

/// Share of what plans may need of a device above which there is little room for errors.
constexpr double kTight = 0.9;

template <class Axes, class Folds>
std::int64_t axes_in_use(const Axes& mesh, const Folds& folds) {
    return std::count_if(mesh.begin(), mesh.end(), [](const plan::MeshAxis& axis) { return axis.size > 1; }) +
           static_cast<std::int64_t>(folds.size());
}

int schedule_of(const Variant& variant) {
    return plan::splits_backward(variant.schedule) ? 2 : variant.virtual_stages > 1 ? 1 : 0;
}

int recompute_of(plan::RecomputeKind kind) {
    using enum plan::RecomputeKind;
    return kind == none ? 0 : kind == selective ? 1 : kind == layers ? 2 : 3;
}

Simplicity with(const Settings& settings) {
    Simplicity result;
    result.offloads = settings.offloads;
    result.shard = settings.shard;
    result.schedule = settings.schedule;
    result.recompute = settings.recompute;
    result.tight = settings.tight;
    result.others = settings.others;
    return result;
}

/// Axes that a strategy names count as rules: each is a decision.
std::size_t rules_of(const plan::Strategy& strategy) { return strategy.axes.size() + strategy.rules.size(); }

}  // namespace

Settings settings(const Variant& variant, Bytes memory, Bytes limit) {
    const plan::Offload& offload = variant.offload;
    return {.tight = memory > kTight * limit,
            .offloads = static_cast<int>(offload.optimizer) + static_cast<int>(offload.activations) +
                        static_cast<int>(offload.weights) + static_cast<int>(offload.pages),
            .shard = variant.shard,
            .schedule = schedule_of(variant),
            .recompute = recompute_of(variant.recompute),
            .others = static_cast<int>(variant.overlap.tensor) + static_cast<int>(variant.overlap.expert) +
                      static_cast<int>(variant.overlap.pipeline) + (variant.stages.empty() ? 0 : 1)};
}

Simplicity simplicity(const Space& space, const MeshLayout& layout, const Candidate& candidate) {
    Simplicity result = with(settings(candidate.variant, candidate.memory, candidate.limit));
    result.unusual = layout.unusual;
    result.is_beyond_fit = candidate.is_beyond_fit;
    result.spread = layout.spread;
    result.axes = axes_in_use(layout.mesh, layout.folds);
    result.rules = rules_of(space.strategies[layout.strategy]);
    result.others += (layout.shard_group > 0 ? 1 : 0) + (layout.as_strategy ? 0 : 1);
    return result;
}

Simplicity simplicity(const step::Prediction& prediction, std::int64_t domain, double reserve) {
    const plan::Plan& plan = prediction.plan;
    const Variant variant{.schedule = plan.schedule,
                          .virtual_stages = plan.virtual_stages,
                          .recompute = plan.recompute,
                          .shard = plan.shard,
                          .overlap = plan.overlap,
                          .offload = plan.offload,
                          .stages = plan.stages};
    Simplicity result = with(settings(variant, prediction.memory.total(), (1 - reserve) * prediction.memory_limit));
    result.is_beyond_fit = plan.is_beyond_fit(domain);
    result.spread = domains_of_folds(plan.folds, domain);
    result.by_layers = plan.strategy.by_layers;
    result.axes = axes_in_use(plan.mesh, plan.folds);
    result.rules = rules_of(plan.strategy);
    result.others += plan.shard_group > 0 ? 1 : 0;
    return result;
}

std::string_view advantage(const Simplicity& simpler, const Simplicity& other) {
    struct Row {
        bool better;
        std::string_view words;
    };
    const std::array rows{Row{simpler.unusual < other.unusual, " is more usual"},
                          Row{simpler.is_beyond_fit < other.is_beyond_fit, "'s software was fitted to such runs"},
                          Row{simpler.by_layers < other.by_layers, "'s strategy has a name"},
                          Row{simpler.spread < other.spread, "'s experts exchange on fewer nodes"},
                          Row{simpler.axes < other.axes, " uses fewer axes"},
                          Row{simpler.tight < other.tight, " leaves more memory free"},
                          Row{simpler.offloads < other.offloads, " keeps less in host memory"},
                          Row{simpler.shard < other.shard, " shards less"},
                          Row{simpler.schedule < other.schedule, "'s schedule is simpler"},
                          Row{simpler.recompute < other.recompute, " recomputes less"},
                          Row{simpler.rules < other.rules, "'s strategy has fewer axes and rules"},
                          Row{simpler.others < other.others, " needs less overlap, placement and cutting"}};
    if (simpler >= other) {
        return "";
    }
    const auto* const first = std::find_if(rows.begin(), rows.end(), [](const Row& row) { return row.better; });
    return first == rows.end() ? "" : first->words;
}

}  // namespace dodona::search
