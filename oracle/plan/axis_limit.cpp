#include "plan/axis_limit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/ranges.hpp"
#include "plan/mesh.hpp"
#include "plan/rules.hpp"
#include "plan/shard.hpp"

namespace dodona::plan {

namespace {

/// A size larger than any extent (docs/files.md: extents up to 1e9).
constexpr std::int64_t kMaxWays = std::int64_t{1} << 30;
/// Meshes that are tried in the search for the most devices.
constexpr int kMaxProbes = 2000;

void add_pipeline(const graph::Graph& graph, std::int64_t stages, std::vector<Limit>& limits) {
    const std::int64_t most = graph.segment_count();
    const std::int64_t equal = graph.block_count();
    if (stages > most) {
        limits.push_back({SegmentLimit{.segments = most}, stages});
    } else if (equal > 0 && equal % stages != 0) {
        limits.push_back({UnevenBlocks{equal}, stages});
    }
}

void add_batch(std::int64_t batch, std::int64_t ways, std::vector<std::string> axes, std::vector<Limit>& limits) {
    if (ways > batch) {
        limits.push_back({BatchLimit{std::move(axes), batch}, ways});
    } else if (batch % ways != 0) {
        limits.push_back({UnevenBatch{batch}, ways});
    }
}

/// The largest divisor of `n` that is at most `most`; `n` and `most` are 1 or more.
std::int64_t largest_divisor(std::int64_t n, std::int64_t most) {
    for (std::int64_t k = (n + most - 1) / most; k * k <= n; ++k) {
        if (n % k == 0) {
            return n / k;
        }
    }
    std::int64_t divisor = std::min(most, static_cast<std::int64_t>(std::sqrt(static_cast<double>(n))) + 1);
    while (n % divisor != 0) {
        --divisor;
    }
    return divisor;
}

/// The largest size below `size` that a broken limit may allow: no more ways than pieces, or a divisor of the pieces
/// for uneven splits. 0: none. Domain: limits that count pieces.
std::int64_t next_below(const Limit& limit, std::int64_t size) {
    const std::int64_t pieces = *limit.pieces();
    if (limit.ways > pieces) {
        const double most =
            static_cast<double>(size) / static_cast<double>(limit.ways) * static_cast<double>(pieces) * (1 + 1e-12);
        return std::min(size - 1, static_cast<std::int64_t>(most));
    }
    if (limit.ways % size != 0) {
        return size - 1;
    }
    const std::int64_t others = limit.ways / size;
    return pieces % others == 0 ? largest_divisor(pieces / others, size - 1) : 0;
}

/// Probes a strategy on meshes that differ in the size of one axis.
class Axis {
public:
    using Probe = std::function<std::vector<Limit>(std::int64_t)>;

    explicit Axis(Probe probe) : probe_(std::move(probe)) {}

    /// The largest size up to `most` that breaks no limit, 0 if there is none.
    [[nodiscard]] std::int64_t largest(std::int64_t most) const {
        std::int64_t size = most;
        while (size > 0) {
            const std::vector<Limit> limits = probe_(size);
            const Limit* broken = tightest_broken(limits);
            if (broken == nullptr) {
                return size;
            }
            size = broken->pieces() ? next_below(*broken, size) : without_faults(size);
        }
        return 0;
    }

    /// The largest size up to `most` that splits everything evenly, 1 if there is none.
    [[nodiscard]] std::int64_t even(std::int64_t most) const {
        std::int64_t size = most;
        while (size > 1) {
            std::int64_t next = size;
            for (const Limit& limit : probe_(size)) {
                if (limit.broken() || limit.pieces()) {
                    next = std::min(next, limit.pieces() ? next_below(limit, size) : size - 1);
                }
            }
            if (next == size) {
                return size;
            }
            size = next;
        }
        return 1;
    }

private:
    /// The largest size below `size` without broken limits that count no pieces (a rule's `while` that fails). Such
    /// limits hold from some size on.
    [[nodiscard]] std::int64_t without_faults(std::int64_t size) const {
        std::int64_t good = 0;
        std::int64_t bad = size;
        while (bad - good > 1) {
            const std::int64_t middle = good + (bad - good) / 2;
            const std::vector<Limit> limits = probe_(middle);
            const bool fault = std::any_of(limits.begin(), limits.end(),
                                           [](const Limit& limit) { return limit.broken() && !limit.pieces(); });
            (fault ? bad : good) = middle;
        }
        return good;
    }

    Probe probe_;
};

Plan plan_on(const Strategy& strategy, std::vector<MeshAxis> mesh) {
    Plan plan;
    plan.strategy = strategy;
    plan.mesh = std::move(mesh);
    return plan;
}

/// The limit that sizes above `largest` break: one with too few pieces, if possible.
std::optional<Limit> what_breaks(const Axis::Probe& probe, std::int64_t largest) {
    for (const std::int64_t size : {largest + 1, kMaxWays}) {
        const std::vector<Limit> limits = probe(size);
        const Limit* broken = tightest_broken(limits);
        if (broken != nullptr && broken->ways > broken->pieces().value_or(-1)) {
            return *broken;
        }
    }
    return std::nullopt;
}

AxisLimit limit_of(const std::string& name, const Axis::Probe& probe) {
    AxisLimit found{.axis = name};
    const Axis axis(probe);
    const std::int64_t largest = axis.largest(kMaxWays);
    if (largest == kMaxWays) {
        return found;
    }
    found.largest = largest;
    found.set_by = what_breaks(probe, largest);
    found.even = axis.even(largest);
    if (*found.even < largest) {
        const std::vector<Limit> limits = probe(largest);
        const auto uneven = std::min_element(limits.begin(), limits.end(), [](const Limit& a, const Limit& b) {
            return a.pieces().value_or(kMaxWays) < b.pieces().value_or(kMaxWays);
        });
        if (uneven != limits.end()) {
            found.uneven = *uneven;
        }
    }
    return found;
}

/// Searches the mesh with most devices: the largest sizes of each axis first, then what that leaves to the others.
class Widest {
public:
    Widest(const graph::Graph& graph, const Strategy& strategy, const std::vector<AxisLimit>& axes,
           std::optional<std::int64_t> batch)
        : graph_(graph), strategy_(strategy), batch_(batch) {
        for (const AxisLimit& axis : axes) {
            if (!axis.folded) {
                most_.push_back({axis.axis, *axis.largest});
            }
        }
    }

    Reach run() {
        std::vector<MeshAxis> mesh;
        descend(mesh, 1);
        return {.devices = best_, .mesh = mesh_, .exact = probes_ < kMaxProbes};
    }

private:
    void descend(std::vector<MeshAxis>& mesh, std::int64_t devices) {
        if (mesh.size() == most_.size()) {
            if (devices > best_) {
                best_ = devices;
                mesh_ = mesh;
            }
            return;
        }
        double others = static_cast<double>(devices);
        for (std::size_t i = mesh.size() + 1; i < most_.size(); ++i) {
            others *= static_cast<double>(most_[i].size);
        }
        const MeshAxis& most = most_[mesh.size()];
        mesh.push_back(most);
        const Axis axis([&](std::int64_t size) {
            ++probes_;
            mesh.back().size = size;
            return limits_on(graph_, plan_on(strategy_, mesh), batch_);
        });
        for (std::int64_t size = most.size; size >= 1 && probes_ < kMaxProbes; --size) {
            if (others * static_cast<double>(size) <= static_cast<double>(best_)) {
                break;
            }
            size = axis.largest(size);
            if (size >= 1) {
                mesh.back().size = size;
                descend(mesh, devices * size);
            }
        }
        mesh.pop_back();
    }

    const graph::Graph& graph_;
    const Strategy& strategy_;
    std::optional<std::int64_t> batch_;
    std::vector<MeshAxis> most_;
    std::vector<MeshAxis> mesh_;
    std::int64_t best_ = 0;
    int probes_ = 0;
};

/// Limit of a fold on the ranks of the largest axis that it may use, with an unlimited batch.
AxisLimit fold_limit(const graph::Graph& graph, const Strategy& strategy, const FoldedAxis& fold,
                     const std::vector<AxisLimit>& axes) {
    const auto room = [&](const std::string& name) {
        const auto* axis = found_in(axes, &AxisLimit::axis, name);
        return axis == nullptr ? 0 : axis->largest.value_or(kMaxWays);
    };
    const auto host = std::max_element(fold.of.begin(), fold.of.end(),
                                       [&](const std::string& a, const std::string& b) { return room(a) < room(b); });
    AxisLimit limit = limit_of(fold.name, [&](std::int64_t size) {
        Plan plan = plan_on(strategy, {{*host, size}});
        plan.folds.push_back({.name = fold.name, .of = fold.of, .size = size});
        return limits_on(graph, plan, std::nullopt);
    });
    if (!limit.largest) {
        limit.largest = limit.even = 1;
        limit.set_by = Limit{IdleAxis{.axis = fold.name}};
    }
    limit.folded = true;
    return limit;
}

}  // namespace

std::vector<Limit> limits_on(const graph::Graph& graph, const Plan& plan, std::optional<std::int64_t> batch) {
    const std::optional<Mesh> mesh = Mesh::of(plan);
    if (!mesh) {
        return {Limit{FoldLimit{}}};
    }
    std::vector<Limit> limits = limits_of_shards(graph, *mesh, plan.strategy);
    if (plan.strategy.pipeline) {
        add_pipeline(graph, plan.axis_size(*plan.strategy.pipeline), limits);
    }
    if (batch) {
        const Atoms samples = RuleBook(plan.strategy, *mesh).batch_atoms();
        add_batch(*batch, mesh->ways(samples), mesh->names(samples), limits);
    }
    return limits;
}

std::vector<AxisLimit> axis_limits(const graph::Graph& graph, const Strategy& strategy,
                                   std::optional<std::int64_t> batch) {
    const auto axes = [&](std::optional<std::int64_t> samples) {
        std::vector<AxisLimit> found;
        for (const std::string& axis : strategy.axes) {
            found.push_back(limit_of(axis, [&](std::int64_t size) {
                return limits_on(graph, plan_on(strategy, {{axis, size}}), samples);
            }));
        }
        return found;
    };
    std::vector<AxisLimit> found = axes(batch);
    const std::vector<AxisLimit> hosts = strategy.folds.empty() ? found : axes(std::nullopt);
    append(found, strategy.folds, [&](const FoldedAxis& fold) { return fold_limit(graph, strategy, fold, hosts); });
    return found;
}

Reach reach(const graph::Graph& graph, const Strategy& strategy, const std::vector<AxisLimit>& axes,
            std::optional<std::int64_t> batch) {
    const bool endless = any_of(axes, [](const AxisLimit& axis) { return !axis.folded && !axis.largest; });
    return endless ? Reach{} : Widest(graph, strategy, axes, batch).run();
}

}  // namespace dodona::plan
