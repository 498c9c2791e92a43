#include "search/limits.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/ranges.hpp"
#include "search/mesh_layouts.hpp"
#include "search/space.hpp"
#include "search/sweep.hpp"

namespace dodona::search {

namespace {

using plan::AxisLimit;
using step::kTimeParts;
using step::TimePart;

std::string group_text(const Infeasible& group) {
    return text(group.cause) + (group.nearest ? ": " + text(*group.nearest) : "");
}

class ScalingSweep {
public:
    ScalingSweep(const ScalingQuestion& question, const plan::Strategy& strategy, const Growth& growth)
        : question_(question), graph_(question.graph), strategy_(strategy), growth_(growth) {
        found_.strategy = strategy.name;
        found_.axes = plan::axis_limits(graph_, strategy, growth.batch);
        found_.reach = plan::reach(graph_, strategy, found_.axes, growth.batch);
        set_most();
        set_counts();
    }

    /// Numbers of devices to look at, ascending.
    [[nodiscard]] const std::vector<std::int64_t>& counts() const { return counts_; }

    /// May be asked by several threads.
    [[nodiscard]] ScalingPoint point(std::int64_t devices, const Progress& progress) const {
        return scaling_point(question_, {strategy_}, devices, growth_.batch_on(devices), progress);
    }

    /// The answer, with points of counts() from the least on; fewer if stopped.
    StrategyLimits with(std::vector<ScalingPoint> points) && {
        found_.points = std::move(points);
        summarise();
        return std::move(found_);
    }

private:
    void set_most() {
        const std::optional<std::int64_t> reach = found_.reach.devices;
        if (!reach || *reach > growth_.machine) {
            found_.most = nearest(growth_.machine, -1).value_or(1);
            found_.set_by = MachineSize{.devices = growth_.machine, .all_used = found_.most == growth_.machine};
            return;
        }
        found_.most = *reach;
        if (strategy_.axes.empty()) {
            found_.set_by = OneDevice{};
            return;
        }
        auto limits = mapped_where<plan::Limit>(
            found_.axes, [](const AxisLimit& axis) { return !axis.folded && axis.set_by; },
            [](const AxisLimit& axis) { return *axis.set_by; });
        found_.set_by = std::move(limits);
    }

    void set_counts() {
        const std::int64_t top = std::min(found_.most, growth_.asked.value_or(found_.most));
        std::set<std::int64_t> counts;
        for (std::int64_t devices = 1; devices <= top; devices *= 2) {
            counts.insert(devices);
        }
        counts.insert(nearest(top, -1).value_or(1));
        if (growth_.asked && allowed(*growth_.asked)) {
            counts.insert(*growth_.asked);
        }
        for (const std::int64_t devices : counts) {
            if (allowed(devices)) {
                counts_.push_back(devices);
            }
        }
    }

    /// The least restrictive of the limits that break the meshes of so many devices; none if a mesh is not broken.
    [[nodiscard]] std::optional<plan::Limit> broken(std::int64_t devices) const {
        std::optional<plan::Limit> widest;
        for (const auto& mesh : meshes(strategy_, devices)) {
            plan::Plan plan;
            plan.strategy = strategy_;
            plan.mesh = mesh;
            const std::vector<plan::Limit> limits = plan::limits_on(graph_, plan, growth_.batch);
            const plan::Limit* tightest = plan::tightest_broken(limits);
            if (tightest == nullptr) {
                return std::nullopt;
            }
            const auto pieces = [](const plan::Limit& limit) { return limit.pieces().value_or(0); };
            if (!widest || pieces(*tightest) > pieces(*widest)) {
                widest = *tightest;
            }
        }
        return widest ? *widest : plan::Limit{plan::DeviceCountLimit{strategy_.name, devices}};
    }

    [[nodiscard]] bool within_axes(const std::vector<plan::MeshAxis>& mesh) const {
        return std::all_of(mesh.begin(), mesh.end(), [&](const plan::MeshAxis& size) {
            return std::all_of(found_.axes.begin(), found_.axes.end(), [&](const AxisLimit& axis) {
                return axis.axis != size.name || !axis.largest || size.size <= *axis.largest;
            });
        });
    }

    /// Whether any mesh of so many devices is not broken.
    [[nodiscard]] bool allowed(std::int64_t devices) const {
        const auto all = meshes(strategy_, devices);
        return std::any_of(all.begin(), all.end(), [&](const std::vector<plan::MeshAxis>& mesh) {
            if (!within_axes(mesh)) {
                return false;
            }
            plan::Plan plan;
            plan.strategy = strategy_;
            plan.mesh = mesh;
            return plan::tightest_broken(plan::limits_on(graph_, plan, growth_.batch)) == nullptr;
        });
    }

    /// The first number from `devices` on, in steps of 1 or -1, that the strategy can use.
    [[nodiscard]] std::optional<std::int64_t> nearest(std::int64_t devices, std::int64_t step) const {
        const std::int64_t top = std::min(growth_.machine, found_.reach.devices.value_or(growth_.machine));
        for (std::int64_t n = step < 0 ? std::min(devices, top) : devices; n >= 1 && n <= top; n += step) {
            if (allowed(n)) {
                return n;
            }
        }
        return std::nullopt;
    }

    void summarise() {
        const ScalingPoint* base = nullptr;
        const ScalingPoint* fastest = nullptr;
        for (ScalingPoint& point : found_.points) {
            if (!point.best) {
                continue;
            }
            base = base == nullptr ? &point : base;
            const auto each = [](const ScalingPoint& r) {
                return r.best->samples_per_second / static_cast<double>(r.devices);
            };
            point.efficiency = each(*base) > 0 ? each(point) / each(*base) : 0;
            const bool faster =
                fastest == nullptr || point.best->samples_per_second > fastest->best->samples_per_second;
            fastest = faster ? &point : fastest;
            found_.fits_to = point.devices;
        }
        if (base != nullptr) {
            found_.fits_from = base->devices;
            found_.fastest = fastest->devices;
            set_diminishing_returns(*base);
        }
        if (growth_.asked) {
            set_verdict();
        }
    }

    void set_diminishing_returns(const ScalingPoint& base) {
        const ScalingPoint* last = &base;
        for (const ScalingPoint& point : found_.points) {
            if (point.best && point.efficiency < kWorthwhile) {
                DiminishingReturns returns{.devices = last->devices, .beyond = point.devices};
                Seconds lost;
                Seconds most;
                for (std::size_t i = 0; i < kTimeParts; ++i) {
                    const Seconds more = per_sample(point, i) - per_sample(base, i);
                    lost += max(more, Seconds{});
                    if (more > most) {
                        most = more;
                        returns.part = static_cast<TimePart>(i);
                    }
                }
                returns.growth = lost > Seconds{} ? most / lost : 0;
                found_.diminishing_returns = returns;
                return;
            }
            last = point.best ? &point : last;
        }
    }

    /// Device time per sample of one part of a step.
    static Seconds per_sample(const ScalingPoint& point, std::size_t part) {
        return static_cast<double>(point.devices) / static_cast<double>(point.batch) * point.best->time.values[part];
    }

    void set_verdict() {
        Verdict verdict{.devices = *growth_.asked, .fits = false, .why_not = {}, .below = {}, .above = {}};
        if (const std::optional<plan::Limit> limit = broken(verdict.devices)) {
            verdict.why_not = *limit;
            verdict.below = nearest(verdict.devices - 1, -1);
            verdict.above = nearest(verdict.devices + 1, 1);
        } else {
            const auto point = std::find_if(found_.points.begin(), found_.points.end(),
                                            [&](const ScalingPoint& r) { return r.devices == verdict.devices; });
            if (point == found_.points.end()) {
                return;  // stopped before this point was evaluated
            }
            verdict.fits = point->best.has_value();
            if (point->why_not) {
                verdict.why_not = *point->why_not;
            }
        }
        found_.verdict = std::move(verdict);
    }

    const ScalingQuestion& question_;
    const graph::Graph& graph_;
    const plan::Strategy& strategy_;
    const Growth& growth_;
    StrategyLimits found_;
    std::vector<std::int64_t> counts_;
};

}  // namespace

std::string why_not_text(const ScalingPoint& point) { return point.why_not ? group_text(*point.why_not) : ""; }

std::string why_not_text(const Verdict& verdict) {
    if (const auto* limit = std::get_if<plan::Limit>(&verdict.why_not)) {
        return plan::text(*limit);
    }
    const auto* group = std::get_if<Infeasible>(&verdict.why_not);
    return group != nullptr ? group_text(*group) : "";
}

std::string set_by_text(const StrategyLimits& limits) {
    if (const auto* machine = std::get_if<MachineSize>(&limits.set_by)) {
        return fmt::format("the machine has {}{}", machine->devices,
                           machine->all_used ? "" : "; more of it cannot be laid out");
    }
    const auto* axes = std::get_if<std::vector<plan::Limit>>(&limits.set_by);
    return axes != nullptr ? plan::text(*axes) : fmt::format("{} is for one device", limits.strategy);
}

std::vector<StrategyLimits> limits(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                                   const Growth& growth, const Progress& progress) {
    Space one_at_a_time = space;
    one_at_a_time.workers = 1;
    PassCostsByCondition known(graph, space, false);
    const SoftwarePasses passes = known.of(cluster, space);
    const ScalingQuestion question{graph, cluster, one_at_a_time, passes};
    std::vector<std::optional<ScalingSweep>> sweeps(space.strategies.size());
    parallel_for(sweeps.size(), space.workers,
                 [&](std::size_t i) { sweeps[i].emplace(question, space.strategies[i], growth); });
    struct Open {
        std::size_t strategy = 0;
        std::size_t point = 0;
        std::int64_t devices = 1;
    };
    std::vector<Open> open;  // the smallest numbers first: a stop leaves out the others
    std::vector<std::vector<std::optional<ScalingPoint>>> points(sweeps.size());
    for (std::size_t s = 0; s < sweeps.size(); ++s) {
        const std::vector<std::int64_t>& counts = sweeps[s]->counts();
        points[s].resize(counts.size());
        for (std::size_t p = 0; p < counts.size(); ++p) {
            open.push_back({s, p, counts[p]});
        }
    }
    std::stable_sort(open.begin(), open.end(), [](const Open& a, const Open& b) { return a.devices < b.devices; });
    std::atomic<bool> stopped = false;
    std::atomic<std::int64_t> done = 0;
    std::mutex reporting;
    const auto continues = [&] {
        const std::unique_lock lock(reporting, std::try_to_lock);
        if (lock && !stopped && progress && !progress(done, static_cast<std::int64_t>(open.size()))) {
            stopped = true;
        }
        return !stopped;
    };
    parallel_for(open.size(), space.workers, [&](std::size_t i) {
        const Open& one = open[i];
        if (!continues()) {
            return;
        }
        ScalingPoint point =
            sweeps[one.strategy]->point(one.devices, [&](std::int64_t, std::int64_t) { return continues(); });
        if (!stopped) {
            points[one.strategy][one.point] = std::move(point);
            ++done;
        }
    });
    std::vector<StrategyLimits> found;
    for (std::size_t s = 0; s < sweeps.size(); ++s) {
        std::vector<ScalingPoint> until_stop;
        for (std::optional<ScalingPoint>& point : points[s]) {
            if (!point) {
                break;
            }
            until_stop.push_back(std::move(*point));
        }
        found.push_back(std::move(*sweeps[s]).with(std::move(until_stop)));
    }
    return found;
}

}  // namespace dodona::search
