#include "search/mesh_layouts.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "search/filter.hpp"
#include "search/space.hpp"
#include "step/validate.hpp"

namespace dodona::search {

using plan::Plan;

namespace {

class Enumerating {
public:
    Enumerating(const graph::Graph& graph, const Space& space) : graph_(graph), space_(space), filter_(space) {}

    Enumeration run() {
        for (std::size_t s = 0; s < space_.strategies.size(); ++s) {
            if (!filter_.excludes(space_.strategies[s])) {
                add_strategy(s);
            }
        }
        return std::move(found_);
    }

private:
    void add_strategy(std::size_t index) {
        strategy_ = index;
        plan_ = plan_of(space_, index);
        const auto all = meshes(plan_.strategy, space_.devices);
        if (all.empty()) {
            refuse(plan::DeviceCountLimit{plan_.strategy.name, space_.devices});
        }
        const FoldSizes sizes(plan_.strategy, graph_);
        for (const auto& mesh : all) {
            plan_.mesh = mesh;
            plan_.folds.clear();
            plan_.shard_group = 0;
            if (filter_.fixes_other_sizes(plan_)) {
                continue;
            }
            if (const std::optional<std::int64_t> samples = samples_of_a_rank()) {
                for (const std::vector<plan::Fold>& folds : sizes.of(plan_)) {
                    plan_.mesh = mesh;
                    plan_.folds = folds;
                    if (!filter_.fixes_other_folds(plan_)) {
                        add_places(*samples);
                    }
                }
            }
        }
    }

    /// None if the mesh cannot be.
    std::optional<std::int64_t> samples_of_a_rank() {
        const std::int64_t ranks = step::data_ranks(plan_);
        if (shards_nothing()) {
            refuse(plan::NothingToShard{});
        } else if (ranks > space_.batch) {
            refuse(plan::BatchLimit{{"data"}, space_.batch});
        } else if (space_.batch % ranks != 0) {
            refuse(plan::UnevenBatch{space_.batch});
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
                plan_.mesh = mesh;
                plan_.shard_group = group;
                if (nests()) {
                    found_.layouts.push_back({strategy_, mesh, plan_.folds, group, samples});
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

    /// A strategy that stands for a level of sharding, on a mesh that leaves it nothing to shard over.
    [[nodiscard]] bool shards_nothing() const {
        std::int64_t ways = 1;
        for (const std::string& axis : plan_.strategy.shard_axes) {
            ways *= plan_.axis_size(axis);
        }
        const bool asks = plan_.strategy.shard && *plan_.strategy.shard != plan::ShardLevel::none;
        return asks && ways == 1 && plan_.devices() > 1;
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
    const Space& space_;
    Filter filter_;
    std::size_t strategy_ = 0;
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
    plan.algorithm = space.algorithm;
    plan.framework = space.framework;
    plan.memory = space.memory;
    return plan;
}

Plan plan_of(const Space& space, std::size_t strategy) {
    Plan plan = plan_of(space);
    plan.strategy = space.strategies[strategy];
    return plan;
}

Enumeration enumerate(const graph::Graph& graph, const Space& space) { return Enumerating(graph, space).run(); }

std::string layout_key(const Space& space, const MeshLayout& layout) {
    std::vector<std::string> sizes;
    for (const plan::MeshAxis& axis : layout.mesh) {
        sizes.push_back(fmt::format("{}={}", axis.name, axis.size));
    }
    std::sort(sizes.begin(), sizes.end());
    for (const plan::Fold& fold : layout.folds) {
        sizes.push_back(fmt::format("{}={}", fold.name, fold.size));
    }
    return fmt::format("{} {}", space.strategies[layout.strategy].name, fmt::join(sizes, " "));
}

}  // namespace dodona::search
