#include "search/mesh_layouts.hpp"

#include <algorithm>
#include <optional>

#include "search/common_practice.hpp"
#include "search/filter.hpp"
#include "search/space.hpp"
#include "step/validate.hpp"

namespace dodona::search {

using plan::Plan;

namespace {

bool asks_to_shard(const plan::Strategy& strategy) {
    return strategy.shard && *strategy.shard != plan::ShardLevel::none;
}

class MeshEnumeration {
public:
    MeshEnumeration(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space)
        : graph_(graph), cluster_(cluster), space_(space), filter_(space) {}

    Enumeration run() {
        for (std::size_t s = 0; s < space_.strategies.size(); ++s) {
            for (std::size_t w = 0; w < space_.software.size(); ++w) {
                if (!filter_.excludes(space_.strategies[s]) && space_.software[w].runs(space_.strategies[s])) {
                    add_strategy(s, w);
                }
            }
        }
        return std::move(found_);
    }

private:
    void add_strategy(std::size_t index, std::size_t software) {
        strategy_ = index;
        software_ = software;
        plan_ = plan_of(space_, index, software);
        const CommonPractice usual(plan_.strategy, graph_, cluster_.node_size());
        if (!space_.vary.unusual && !usual.strategy()) {
            ++found_.unusual;
            return;
        }
        const auto all = meshes(plan_.strategy, space_.devices);
        found_.complete = found_.complete && all.size() < kMaxMeshes;
        if (all.empty()) {
            refuse(plan::DeviceCountLimit{plan_.strategy.name, space_.devices});
        }
        const FoldSizes sizes(plan_.strategy, graph_);
        for (const auto& mesh : all) {
            plan_.mesh = mesh;
            plan_.folds.clear();
            plan_.shard_group = 0;
            if (filter_.violates_sizes(plan_)) {
                continue;
            }
            unusual_ = usual.faults(plan_, filter_).size();
            if (!space_.vary.unusual && unusual_ > 0) {
                ++found_.unusual;
                continue;
            }
            if (const std::optional<std::int64_t> samples = samples_of_a_rank()) {
                for (const std::vector<plan::Fold>& folds : sizes.of(plan_)) {
                    plan_.mesh = mesh;
                    plan_.folds = folds;
                    if (!filter_.violates_folds(plan_) && !is_timed_otherwise()) {
                        add_places(*samples);
                    }
                }
            }
        }
    }

    /// Whether it is data parallelism alone in software that has the times of another for that.
    [[nodiscard]] bool is_timed_otherwise() const {
        return !plan_.framework.otherwise.empty() && plan_.folds.empty() && plan_.devices() > 1 &&
               step::data_ranks(plan_) == plan_.devices();
    }

    /// Samples of a data rank; none if the mesh cannot be used.
    std::optional<std::int64_t> samples_of_a_rank() {
        const std::int64_t ranks = step::data_ranks(plan_);
        const graph::PostTraining& training = graph_.post_training;
        if (shards_nothing()) {
            refuse(plan::NothingToShard{});
        } else if (ranks > space_.batch) {
            refuse(plan::BatchLimit{{"data"}, space_.batch});
        } else if (space_.batch % ranks != 0) {
            refuse(plan::UnevenBatch{space_.batch});
        } else if (space_.batch / ranks % training.together != 0) {
            refuse(plan::AnswersLimit{training.together});
        } else {
            return space_.batch / ranks;
        }
        return {};
    }

    void add_places(std::int64_t samples) {
        const auto orders =
            space_.vary.placement ? placements(plan_.mesh) : std::vector<std::vector<plan::MeshAxis>>{plan_.mesh};
        const std::vector<std::int64_t> groups = space_.vary.group ? shard_groups(plan_) : std::vector<std::int64_t>{0};
        for (const std::vector<plan::MeshAxis>& mesh : orders) {
            for (const std::int64_t group : groups) {
                if (found_.layouts.size() == kMaxLayouts) {
                    found_.complete = false;
                    return;
                }
                plan_.mesh = mesh;
                plan_.shard_group = group;
                if (nests()) {
                    found_.layouts.push_back({.strategy = strategy_,
                                              .software = software_,
                                              .mesh = mesh,
                                              .folds = plan_.folds,
                                              .shard_group = group,
                                              .samples = samples,
                                              .unusual = static_cast<std::int64_t>(unusual_),
                                              .spread = domains_of_folds(plan_.folds, cluster_.fast_domain()),
                                              .as_strategy = mesh == orders.front()});
                } else {
                    refuse(plan::FoldLimit{});
                }
            }
        }
    }

    /// Whether folds and sharding cut the axes at sizes of which one divides the other.
    [[nodiscard]] bool nests() const {
        return (plan_.folds.empty() && plan_.shard_group == 0) || plan::Mesh::of(plan_);
    }

    /// Whether the strategy prescribes a ZeRO level but the mesh has one rank to shard states over. On one device that is
    /// looked at where all strategies do.
    [[nodiscard]] bool shards_nothing() const {
        std::int64_t ways = 1;
        for (const std::string& axis : plan_.strategy.shard_axes) {
            ways *= plan_.axis_size(axis);
        }
        return asks_to_shard(plan_.strategy) && ways == 1 &&
               (plan_.devices() > 1 || !std::all_of(space_.strategies.begin(), space_.strategies.end(), asks_to_shard));
    }

    void refuse(plan::LimitCause cause) {
        const auto same = std::find_if(found_.refused.begin(), found_.refused.end(), [&](const RefusedMeshes& refused) {
            return refused.strategy == strategy_ && refused.cause == cause;
        });
        if (same == found_.refused.end()) {
            found_.refused.push_back({strategy_, std::move(cause), 1});
        } else {
            ++same->count;
        }
    }

    const graph::Graph& graph_;
    const cluster::Cluster& cluster_;
    const Space& space_;
    Filter filter_;
    std::size_t strategy_ = 0;
    std::size_t software_ = 0;
    std::size_t unusual_ = 0;  ///< reasons of the mesh that is looked at
    Plan plan_;
    Enumeration found_;
};

}  // namespace

Plan plan_of(const Space& space) {
    Plan plan;
    plan.batch = space.batch;
    plan.optimizer = space.optimizer;
    plan.overlap = space.overlap;
    plan.offload = space.offload;
    plan.precision = space.precision;
    plan.gradient_precision = space.gradient_precision;
    plan.algorithm = space.algorithm;
    plan.framework = space.software.front().framework;
    plan.memory = space.software.front().memory;
    return plan;
}

Plan plan_of(const Space& space, std::size_t strategy, std::size_t software) {
    Plan plan = plan_of(space);
    plan.strategy = space.strategies[strategy];
    plan.framework = space.software[software].framework;
    plan.memory = space.software[software].memory;
    plan.recompute_modules = space.software[software].recompute_modules;
    return plan;
}

bool Software::runs(const plan::Strategy& strategy) const {
    return !strategies || std::find(strategies->begin(), strategies->end(), strategy.name) != strategies->end();
}

Enumeration enumerate(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space) {
    return MeshEnumeration(graph, cluster, space).run();
}

LayoutKey layout_key(const MeshLayout& layout) {
    std::vector<std::pair<std::string_view, std::int64_t>> sizes;
    for (const plan::MeshAxis& axis : layout.mesh) {
        sizes.emplace_back(axis.name, axis.size);
    }
    std::sort(sizes.begin(), sizes.end());
    for (const plan::Fold& fold : layout.folds) {
        sizes.emplace_back(fold.name, fold.size);
    }
    return {layout.strategy, layout.software, std::move(sizes)};
}

}  // namespace dodona::search
