#include "search/search.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "schedule/evaluate.hpp"
#include "schedule/validate.hpp"
#include "search/space.hpp"

namespace dodona::search {

using plan::Plan;
using schedule::CostedGraph;
using schedule::Prediction;

namespace {

/// Plans that are one choice to a user: the same strategy on the same mesh, with other micro-batches and savings.
std::string layout_key(const Plan& plan) {
    std::string key = plan.strategy.name;
    for (const plan::MeshAxis& axis : plan.mesh) {
        key += fmt::format(" {}={}", axis.name, axis.size);
    }
    for (const plan::Fold& fold : plan.folds) {
        key += fmt::format(" {}={}", fold.name, fold.size);
    }
    return key;
}

/// What a user has to understand and configure: axes in use, then sharding, chunks and recomputation.
std::int64_t complexity(const Plan& plan) {
    const auto used =
        std::count_if(plan.mesh.begin(), plan.mesh.end(), [](const plan::MeshAxis& axis) { return axis.size > 1; });
    const bool recomputes = plan.recompute != plan::RecomputeKind::none;
    const auto folds = static_cast<std::int64_t>(plan.folds.size());
    return 10000 * (used + folds) + 1000 * static_cast<std::int64_t>(plan.shard) + (recomputes ? 500 : 0) +
           100 * static_cast<std::int64_t>(plan.strategy.axes.size()) + std::min<std::int64_t>(plan.chunks, 99);
}

/// Plans closer than this are equal to every model that we know of; the simpler then comes first.
constexpr double kEqualTime = 0.005;

class Search {
public:
    Search(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space, const Progress& progress)
        : graph_(graph), cluster_(cluster), space_(space), progress_(progress) {}

    Answer run() {
        const auto start = std::chrono::steady_clock::now();
        Diagnostics faults;
        schedule::check_devices(cluster_, space_.devices, space_.precision, {}, faults);
        faults.throw_if_errors();
        std::vector<Plan> bases = enumerate();
        std::int64_t seen = 0;
        for (const Plan& base : bases) {
            if (progress_ && !progress_(seen, static_cast<std::int64_t>(bases.size()))) {
                answer_.counts.optimal = false;
                break;
            }
            ++seen;
            try_layout(base);
        }
        rank();
        explain();
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        answer_.counts.seconds = elapsed.count();
        return std::move(answer_);
    }

private:
    /// Every strategy, mesh and micro-batch; the rest varies on top.
    std::vector<Plan> enumerate() {
        std::vector<Plan> bases;
        for (const plan::Strategy& strategy : space_.strategies) {
            const auto all = meshes(strategy, space_.devices);
            if (all.empty()) {
                refuse(strategy.name, fmt::format("{} cannot use {} devices", strategy.name, space_.devices), 1);
            }
            for (const auto& mesh : all) {
                const Plan base = plan_on(strategy, mesh);
                const std::int64_t ranks = schedule::data_ranks(base);
                if (shards_nothing(base)) {
                    refuse(strategy.name, "one rank has nothing to shard states over", 1);
                    continue;
                }
                if (space_.batch % ranks != 0) {
                    refuse(strategy.name,
                           ranks > space_.batch
                               ? fmt::format("data <= {}: the batch has {} samples", space_.batch, space_.batch)
                               : fmt::format("the batch does not divide by the data ranks"),
                           1);
                    continue;
                }
                for (Plan& plan : folded(base, graph_)) {
                    if (!nests(plan)) {
                        continue;
                    }
                    const std::int64_t whole = space_.batch / ranks;
                    for (const std::int64_t microbatch : space_.accumulate ? divisors(whole) : std::vector{whole}) {
                        plan.microbatch = microbatch;
                        bases.push_back(plan);
                    }
                }
            }
        }
        return bases;
    }

    /// Whether folds and sharding cut the axes at sizes of which one divides the other.
    bool nests(const Plan& plan) {
        try {
            static_cast<void>(plan::Mesh(plan, {}));
            return true;
        } catch (const InputError&) {
            refuse(plan.strategy.name, "folds that do not nest on the mesh", 1);
            return false;
        }
    }

    /// A strategy that stands for a level of sharding, on a mesh that leaves it nothing to shard over.
    static bool shards_nothing(const Plan& plan) {
        std::int64_t ways = 1;
        for (const std::string& axis : plan.strategy.shard_axes) {
            ways *= plan.axis_size(axis);
        }
        const bool asks = plan.strategy.shard && *plan.strategy.shard != plan::ShardLevel::none;
        return asks && ways == 1 && plan.devices() > 1;
    }

    [[nodiscard]] Plan plan_on(const plan::Strategy& strategy, const std::vector<plan::MeshAxis>& mesh) const {
        Plan plan;
        plan.strategy = strategy;
        plan.mesh = mesh;
        plan.batch = space_.batch;
        plan.optimizer = space_.optimizer;
        plan.overlap = space_.overlap;
        plan.offload = space_.offload;
        plan.precision = space_.precision;
        plan.algorithm = space_.algorithm;
        plan.framework = space_.framework;
        plan.memory = space_.memory;
        return plan;
    }

    void try_layout(const Plan& base) {
        const std::vector<Plan> plans = variants(base, graph_);
        const CostedGraph costed = schedule::cost_graph(graph_, cluster_, base, {});
        if (const plan::Limit* broken = plan::tightest_broken(costed.sharded.limits)) {
            refuse(base.strategy.name, broken->text, static_cast<std::int64_t>(plans.size()));
            return;
        }
        for (const Plan& plan : plans) {
            weigh(schedule::evaluate(costed, plan, schedule::Detail::totals));
        }
    }

    void weigh(Prediction prediction) {
        ++answer_.counts.configurations;
        ++answer_.counts.evaluated;
        const Bytes limit =
            space_.max_memory ? min(*space_.max_memory, prediction.memory_limit) : prediction.memory_limit;
        prediction.memory_limit = limit;
        const bool fits = prediction.fits && within(prediction, limit);
        if (fits) {
            keep(std::move(prediction));
            return;
        }
        const std::string& strategy = prediction.plan.strategy.name;
        const bool hosted = prediction.why_not.starts_with("out of host memory");
        const bool limited = !prediction.why_not.empty() && !prediction.why_not.starts_with("out of memory");
        const std::string reason = hosted ? "out of host memory" : limited ? prediction.why_not : "out of memory";
        Reason& entry = reasons_[{strategy, reason}];
        ++entry.count;
        if (limited) {
            return;
        }
        if (!entry.least || prediction.memory.total() < entry.least->memory.total()) {
            entry.least = prediction;
        }
    }

    /// The fullest device has less than its own memory; any other may have more than a limit that is asked for.
    [[nodiscard]] bool within(const Prediction& prediction, Bytes limit) const {
        return prediction.memory.total() <= limit &&
               (!space_.max_memory || prediction.most_memory <= *space_.max_memory);
    }

    /// The fastest of each layout; at equal time the smallest.
    void keep(Prediction prediction) {
        const std::string key = layout_key(prediction.plan);
        const auto found = best_.find(key);
        if (found == best_.end()) {
            best_.emplace(key, std::move(prediction));
        } else if (faster(prediction, found->second)) {
            found->second = std::move(prediction);
        }
    }

    static bool faster(const Prediction& a, const Prediction& b) {
        if (a.step.value != b.step.value) {
            return a.step.value < b.step.value;
        }
        return a.memory.total() < b.memory.total();
    }

    void refuse(const std::string& strategy, const std::string& reason, std::int64_t count) {
        answer_.counts.configurations += count;
        reasons_[{strategy, reason}].count += count;
    }

    /// Fastest first; among plans within kEqualTime of the fastest left, the simplest. A plan that another strategy
    /// describes with the same time and memory is the same plan and is shown once.
    void rank() {
        std::vector<const Prediction*> left;
        for (const auto& [key, prediction] : best_) {
            left.push_back(&prediction);
        }
        std::stable_sort(left.begin(), left.end(),
                         [](const Prediction* a, const Prediction* b) { return faster(*a, *b); });
        std::vector<const Prediction*> chosen;
        while (!left.empty() && chosen.size() < space_.top) {
            const Seconds equal = (1.0 + kEqualTime) * left.front()->step.value;
            const auto end =
                std::find_if(left.begin(), left.end(), [&](const Prediction* p) { return p->step.value > equal; });
            const auto next = std::min_element(left.begin(), end, [](const Prediction* a, const Prediction* b) {
                return complexity(a->plan) < complexity(b->plan);
            });
            const bool known = std::any_of(chosen.begin(), chosen.end(), [&](const Prediction* p) {
                return p->step.value == (*next)->step.value && p->memory.total() == (*next)->memory.total();
            });
            if (!known) {
                chosen.push_back(*next);
            }
            left.erase(next);
        }
        for (const Prediction* prediction : chosen) {
            answer_.plans.push_back(in_full(*prediction));
        }
    }

    [[nodiscard]] Prediction in_full(const Prediction& totals) const {
        Prediction full = schedule::predict(graph_, cluster_, totals.plan, {});
        full.memory_limit = totals.memory_limit;
        full.fits = full.fits && within(full, full.memory_limit);
        return full;
    }

    void explain() {
        const Prediction* nearest = nullptr;
        for (const auto& [key, reason] : reasons_) {
            Infeasible infeasible{key.first, key.second, reason.count, {}};
            if (reason.least) {
                const Prediction& least = *reason.least;
                infeasible.nearest =
                    fmt::format("the leanest needs {:.1f} of {:.1f} GiB per device ({}, micro-batch {}, recompute {})",
                                least.memory.total().in(1_GiB), least.memory_limit.in(1_GiB), mesh_text(least.plan),
                                least.plan.microbatch, name(least.plan.recompute));
                if (nearest == nullptr || least.memory.total() < nearest->memory.total()) {
                    nearest = &least;
                }
            }
            answer_.infeasible.push_back(std::move(infeasible));
        }
        std::stable_sort(answer_.infeasible.begin(), answer_.infeasible.end(),
                         [](const Infeasible& a, const Infeasible& b) { return a.count > b.count; });
        if (answer_.plans.empty() && nearest != nullptr) {
            answer_.nearest.push_back(in_full(*nearest));
        }
    }

    static std::string mesh_text(const Plan& plan) {
        std::string text = plan.strategy.name;
        for (const plan::MeshAxis& axis : plan.mesh) {
            text += fmt::format(" {}={}", axis.name, axis.size);
        }
        for (const plan::Fold& fold : plan.folds) {
            text += fmt::format(" {}={}", fold.name, fold.size);
        }
        return text;
    }

    struct Reason {
        std::int64_t count = 0;
        std::optional<Prediction> least;  ///< the configuration that needs least memory
    };

    const graph::Graph& graph_;
    const cluster::Cluster& cluster_;
    const Space& space_;
    const Progress& progress_;
    Answer answer_;
    std::map<std::pair<std::string, std::string>, Reason> reasons_;
    std::map<std::string, Prediction> best_;
};

}  // namespace

Answer search(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
              const Progress& progress) {
    return Search(graph, cluster, space, progress).run();
}

}  // namespace dodona::search
