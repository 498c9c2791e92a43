#include "questions/report/analysis.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "reports/collect/next_commands.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"
#include "search/answer.hpp"
#include "search/limits.hpp"

namespace dodona::questions::report {

namespace {

using namespace reports;

double rate(const ReportPoint& point) {
    return point.plan ? point.plan->samples_per_second / static_cast<double>(point.devices) : 0;
}

Seconds per_sample(const ReportPoint& point) {
    return point.plan->step.value / static_cast<double>(std::max<std::int64_t>(point.batch, 1));
}

bool equally_fast(const ReportPoint& point, const ReportPoint& fastest) {
    return per_sample(point) <= (1 + search::kEqualTime) * per_sample(fastest);
}

bool is_considered(const PlacedPlan& placed) { return placed.plan().unusual.empty(); }

/// By numbers of GPUs, ascending: the plans of all strategies; unusual ones only where there are no others.
using PlansByDevices = std::vector<std::pair<std::int64_t, std::vector<PlacedPlan>>>;

PlansByDevices plans_by_devices(const ReportScaling& scaling) {
    PlansByDevices all;
    for (const ReportStrategy& strategy : scaling.strategies) {
        for (const ReportPoint& point : strategy.points) {
            if (!point.plan) {
                continue;
            }
            auto at = std::lower_bound(all.begin(), all.end(), point.devices,
                                       [](const auto& one, std::int64_t devices) { return one.first < devices; });
            if (at == all.end() || at->first != point.devices) {
                at = all.insert(at, {point.devices, {}});
            }
            at->second.push_back({&strategy, &point});
        }
    }
    for (auto& [devices, plans] : all) {
        const auto unusual =
            std::stable_partition(plans.begin(), plans.end(), [](const PlacedPlan& one) { return is_considered(one); });
        if (unusual != plans.begin()) {
            plans.erase(unusual, plans.end());
        }
    }
    return all;
}

/// Relative to a whole; parts that differ by less are equal.
constexpr double kPartRounding = 1e-9;

/// Equal but for rounding, in every part of their time and memory.
bool same_layout(const ReportPlan& a, const ReportPlan& b) {
    const auto equal = [](const auto& x, const auto& y, const auto& whole) {
        return std::equal(x.values.begin(), x.values.end(), y.values.begin(), [&](const auto& one, const auto& other) {
            return max(one, other) - min(one, other) <= kPartRounding * whole;
        });
    };
    return equal(a.time, b.time, a.step.value) && equal(a.memory, b.memory, a.memory.total());
}

/// The one of the plans on its number of GPUs of the same layout whose strategy has the fewest axes.
PlacedPlan simplest_name(const std::vector<PlacedPlan>& plans, const PlacedPlan& placed) {
    PlacedPlan simplest = placed;
    for (const PlacedPlan& other : plans) {
        if (other.strategy->axes < simplest.strategy->axes && same_layout(other.plan(), placed.plan())) {
            simplest = other;
        }
    }
    return simplest;
}

/// Memory that differs by less counts as equal.
constexpr double kEqualMemory = 0.02;

/// Whether `a` is at least as good as `b` in all respects and better in one.
bool beats(const ReportInputs& inputs, const PlacedPlan& a, const PlacedPlan& b) {
    const auto respects = [&](const PlacedPlan& placed) {
        return std::array{static_cast<double>(placed.point->devices), per_sample(*placed.point).in(unit::second),
                          placed.plan().memory.total().in(unit::byte),
                          money_per_sample(inputs, *placed.point).value_or(0)};
    };
    constexpr std::array kEqual{0.0, search::kEqualTime, kEqualMemory, search::kEqualTime};
    const auto of_a = respects(a);
    const auto of_b = respects(b);
    bool better = false;
    for (std::size_t i = 0; i < of_a.size(); ++i) {
        if (of_a[i] > (1 + kEqual[i]) * of_b[i]) {
            return false;
        }
        better = better || (1 + kEqual[i]) * of_a[i] < of_b[i];
    }
    return better;
}

bool same_curve(const ReportStrategy& a, const ReportStrategy& b) {
    return std::equal(a.points.begin(), a.points.end(), b.points.begin(), b.points.end(),
                      [](const ReportPoint& x, const ReportPoint& y) {
                          return x.devices == y.devices && x.plan.has_value() == y.plan.has_value() &&
                                 (!x.plan || (equally_fast(x, y) && equally_fast(y, x)));
                      });
}

/// On one GPU there is nothing to choose.
bool is_undivided(const ReportStrategy& strategy) { return strategy.axes == 0; }

/// Software of the plan on most GPUs.
std::string software_of(const ReportStrategy& strategy) {
    std::string software;
    for (const ReportPoint& point : strategy.points) {
        software = point.plan ? point.plan->software : software;
    }
    return software;
}

double fastest_rate(const ReportStrategy& strategy) {
    double most = 0;
    for (const ReportPoint& point : strategy.points) {
        most = std::max(most, point.plan ? point.plan->samples_per_second : 0);
    }
    return most;
}

}  // namespace

const ReportPoint* point_on(const std::vector<ReportPoint>& points, std::int64_t devices) {
    return found_in(points, &ReportPoint::devices, devices);
}

std::vector<PlacedPlan> layouts(const ReportScaling& scaling) {
    std::vector<PlacedPlan> all;
    for (const auto& [devices, plans] : plans_by_devices(scaling)) {
        const auto first = static_cast<std::ptrdiff_t>(all.size());
        for (const PlacedPlan& placed : plans) {
            const bool is_known = std::any_of(all.begin() + first, all.end(), [&](const PlacedPlan& known) {
                return same_layout(known.plan(), placed.plan());
            });
            if (!is_known) {
                all.push_back(simplest_name(plans, placed));
            }
        }
    }
    return all;
}

std::vector<PlacedPlan> best_plans(const ReportScaling& scaling) {
    std::vector<PlacedPlan> best;
    for (const ReportPoint& answer : scaling.answers) {
        const auto* strategy = found_in(scaling.strategies, &ReportStrategy::name, answer.strategy);
        if (answer.plan && strategy != nullptr) {
            best.push_back({strategy, &answer});
        }
    }
    return best;
}

double best_rate(const ReportScaling& scaling) {
    double most = 0;
    for (const PlacedPlan& placed : best_plans(scaling)) {
        most = std::max(most, rate(*placed.point));
    }
    return most;
}

std::string plan_command(const ReportInputs& inputs, const PlacedPlan& placed) {
    std::string words = fmt::format("dodona plan {} --machine {} --gpus {} --batch {}", shell_word(inputs.model),
                                    shell_word(inputs.machine), placed.point->devices, placed.point->batch);
    for (const ReportSetting& setting : inputs.settings) {
        words += setting.option == "--strategy" ? "" : fmt::format(" {} {}", setting.option, shell_word(setting.value));
    }
    return words + fmt::format(" --strategy {}", shell_word(placed.strategy->name));
}

double efficiency(const ReportScaling& scaling, const ReportPoint& point) {
    const double most = best_rate(scaling);
    return most > 0 ? rate(point) / most : 0;
}

std::optional<PlacedPlan> recommended(const ReportScaling& scaling) {
    std::optional<PlacedPlan> last;
    double fastest = 0;
    for (const PlacedPlan& placed : best_plans(scaling)) {
        const bool worthwhile = efficiency(scaling, *placed.point) >= search::kWorthwhile;
        if (worthwhile && placed.plan().samples_per_second > fastest) {
            fastest = placed.plan().samples_per_second;
            last = placed;
        }
    }
    return last;
}

std::vector<StrategyChange> strategy_changes(const ReportScaling& scaling) {
    std::vector<StrategyChange> changes;
    std::optional<PlacedPlan> last;
    for (const PlacedPlan& best : best_plans(scaling)) {
        if (last && !is_undivided(*last->strategy) && last->strategy != best.strategy) {
            const ReportPoint* same = point_on(last->strategy->points, best.point->devices);
            if (same != nullptr && same->plan && equally_fast(*same, *best.point)) {
                continue;
            }
            changes.push_back({*last, best, same});
        }
        last = best;
    }
    return changes;
}

std::string change_text(const StrategyChange& change) {
    const std::string at = counted(change.after.point->devices, "GPU");
    const std::string& before = change.before.strategy->name;
    const std::string& after = change.after.strategy->name;
    if (change.overtaken == nullptr || !change.overtaken->plan) {
        return fmt::format(
            "{}: {} takes over from {}, which does not fit{}", at, after, before,
            change.overtaken == nullptr || change.overtaken->why_not.empty() ? "" : ": " + change.overtaken->why_not);
    }
    const ReportPlan& slower = *change.overtaken->plan;
    const ReportPlan& faster = change.after.plan();
    std::vector<std::pair<Seconds, std::string>> losses;
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        const Seconds more = slower.time.values[i] - faster.time.values[i];
        if (more > 0.01 * faster.step.value) {
            losses.emplace_back(more, label(static_cast<step::TimePart>(i), plan::Plan{}));
        }
    }
    std::stable_sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string reasons;
    for (std::size_t i = 0; i < std::min<std::size_t>(losses.size(), 3); ++i) {
        reasons += fmt::format("{}{} +{}", i == 0 ? ": " : ", ", losses[i].second, text(losses[i].first));
    }
    return fmt::format("{}: {} overtakes {}, which takes {} longer there{}", at, after, before,
                       percent(slower.step.value / faster.step.value - 1), reasons);
}

std::optional<double> money_per_sample(const ReportInputs& inputs, const ReportPoint& point) {
    if (!inputs.price_per_gpu_hour || !point.plan) {
        return std::nullopt;
    }
    return *inputs.price_per_gpu_hour * static_cast<double>(point.devices) * per_sample(point).in(unit::hour);
}

std::optional<Energy> energy_per_sample(const ReportInputs& inputs, const ReportPoint& point) {
    if (!inputs.power_per_gpu_w || !point.plan) {
        return std::nullopt;
    }
    return Energy::of_base(*inputs.power_per_gpu_w * static_cast<double>(point.devices) *
                           per_sample(point).in(unit::second));
}

std::vector<PlacedPlan> pareto_front(const ReportInputs& inputs, const ReportScaling& scaling) {
    const std::vector<PlacedPlan> all = layouts(scaling);
    std::vector<PlacedPlan> front;
    for (const PlacedPlan& one : all) {
        const bool beaten =
            std::any_of(all.begin(), all.end(), [&](const PlacedPlan& other) { return beats(inputs, other, one); });
        const bool repeated = std::any_of(front.begin(), front.end(), [&](const PlacedPlan& other) {
            return other.point->devices == one.point->devices && equally_fast(*other.point, *one.point) &&
                   equally_fast(*one.point, *other.point) && !beats(inputs, one, other);
        });
        if (!beaten && !repeated) {
            front.push_back(one);
        }
    }
    return front;
}

std::string Curve::label() const {
    constexpr std::size_t kLongest = 40;
    std::string name = equal.empty() ? strategy->name : fmt::format("{}, {} (equal)", strategy->name, join(equal));
    if (!equal.empty() && name.size() + software.size() > kLongest) {
        name = fmt::format("{} and {} equal", strategy->name, equal.size());
    }
    return software.empty() ? name : name + ", " + software;
}

std::vector<Curve> charted(const ReportScaling& scaling, std::size_t most) {
    std::set<const ReportStrategy*> best;
    for (const PlacedPlan& placed : best_plans(scaling)) {
        best.insert(placed.strategy);
    }
    auto all = mapped_where<const ReportStrategy*>(
        scaling.strategies, [](const ReportStrategy& strategy) { return fastest_rate(strategy) > 0; },
        [](const ReportStrategy& strategy) { return &strategy; });
    const auto order = [&](const ReportStrategy* one) {
        return std::tuple(!best.contains(one), -fastest_rate(*one), one->axes);
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const ReportStrategy* a, const ReportStrategy* b) { return order(a) < order(b); });
    std::vector<Curve> shown;
    for (const ReportStrategy* strategy : all) {
        if (is_undivided(*strategy) && all.size() > 1) {
            continue;
        }
        const auto equal = std::find_if(shown.begin(), shown.end(),
                                        [&](const Curve& other) { return same_curve(*strategy, *other.strategy); });
        if (equal != shown.end()) {
            equal->equal.push_back(strategy->name);
        } else if (shown.size() < most) {
            shown.push_back({strategy, {}, software_of(*strategy)});
        }
    }
    const std::vector<PlacedPlan> placed = best_plans(scaling);
    const std::string first = placed.empty() ? "" : placed.back().plan().software;
    for (Curve& curve : shown) {
        curve.software = curve.software == first ? "" : curve.software;
    }
    return shown;
}

Report without_unusual(Report report) {
    const bool are_asked = std::any_of(report.inputs.settings.begin(), report.inputs.settings.end(),
                                       [](const ReportSetting& one) { return one.option == "--strategy"; });
    for (ReportScaling& scaling : report.scalings) {
        std::set<std::int64_t> typical;  // numbers of GPUs with a plan that is run
        for (const ReportStrategy& strategy : scaling.strategies) {
            for (const ReportPoint& point : strategy.points) {
                if (point.plan && point.plan->unusual.empty()) {
                    typical.insert(point.devices);
                }
            }
        }
        std::erase_if(scaling.strategies, [&](ReportStrategy& strategy) {
            bool any_removed = false;
            bool any_left = false;
            for (ReportPoint& point : strategy.points) {
                if (!are_asked && point.plan && !point.plan->unusual.empty() && typical.contains(point.devices)) {
                    point.why_not = "nobody runs it: " + point.plan->unusual.front();
                    point.plan.reset();
                    any_removed = true;
                }
                any_left = any_left || point.plan;
            }
            return any_removed && !any_left;
        });
    }
    return report;
}

}  // namespace dodona::questions::report
