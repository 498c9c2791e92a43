#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/limits/limits.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/collect/step_blocks.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::limits {

namespace {

using namespace reports;
using search::ScalingPoint;
using search::StrategyLimits;

std::string limits_headline(const LimitsAnswer& answer) {
    return fmt::format("{} on {}: how many of its {} each strategy can use", answer.question.model,
                       answer.question.machine, counted(answer.growth.machine, "GPU"));
}

std::string scaling_text(const search::Growth& growth) {
    return growth.batch
               ? fmt::format("strong scaling: the batch is {}, however many GPUs share it", whole(*growth.batch))
               : fmt::format("weak scaling: the batch grows by {} with each GPU",
                             counted(growth.samples_per_device, "sample"));
}

/// "filter on 128 GPUs: no; filter <= 64: ...; nearest: 64 GPUs".
std::string refusal_text(const StrategyLimits& limits) {
    const search::Verdict& verdict = *limits.verdict;
    std::string text =
        fmt::format("{} on {}: no; {}", limits.strategy, counted(verdict.devices, "GPU"), why_not_text(verdict));
    std::vector<std::string> near;
    for (const std::optional<std::int64_t>& devices : {verdict.below, verdict.above}) {
        if (devices) {
            near.push_back(whole(*devices));
        }
    }
    return text + (near.empty() ? "" : fmt::format("; nearest: {}", fmt::join(near, " or ")));
}

/// "filter <= 64, data <= 256", or the machine.
std::string limited_by(const LimitsAnswer& answer, const StrategyLimits& limits) {
    if (!limits.reach.devices || *limits.reach.devices > answer.growth.machine) {
        return "the machine";
    }
    auto axes = mapped_where<std::string>(
        limits.axes, [](const plan::AxisLimit& axis) { return !axis.folded && axis.largest; },
        [](const plan::AxisLimit& axis) { return fmt::format("{} <= {}", axis.axis, whole(*axis.largest)); });
    return axes.empty() ? set_by_text(limits) : fmt::format("{}", fmt::join(axes, ", "));
}

/// "8 to 64", or "8 to 64 without 16" where numbers between do not fit.
std::string fitting_range(const StrategyLimits& limits) {
    if (!limits.fits_from) {
        return limits.points.empty() ? "" : "none";
    }
    if (*limits.fits_from == *limits.fits_to) {
        return whole(*limits.fits_from);
    }
    std::vector<std::string> gaps;
    for (const ScalingPoint& point : limits.points) {
        if (!point.best && point.devices > *limits.fits_from && point.devices < *limits.fits_to) {
            gaps.push_back(whole(point.devices));
        }
    }
    return fmt::format("{} to {}{}", whole(*limits.fits_from), whole(*limits.fits_to),
                       gaps.empty() ? "" : fmt::format(" without {}", fmt::join(gaps, ", ")));
}

std::string worthwhile_to(const StrategyLimits& limits) {
    return limits.diminishing_returns ? whole(limits.diminishing_returns->devices)
           : limits.fits_to           ? whole(*limits.fits_to)
                                      : "";
}

/// What limits an axis.
std::string limit_text(const plan::AxisLimit& axis) {
    const std::optional<plan::UpperBound> bound = axis.set_by ? axis.set_by->upper_bound() : std::nullopt;
    const bool names_axis = bound && bound->of == axis.axis && bound->most == *axis.largest;
    return (names_axis ? "" : fmt::format("{} <= {}: ", axis.axis, whole(*axis.largest))) +
           (axis.set_by ? text(*axis.set_by) : "") + (axis.folded ? " (on the ranks of other axes)" : "");
}

/// Up to which size it divides evenly; empty where always.
std::string even_text(const plan::AxisLimit& axis) {
    return axis.uneven
               ? fmt::format("{} even up to {}: {}", axis.axis, whole(axis.even.value_or(1)), text(*axis.uneven))
               : "";
}

bool limits_strategy(const LimitsAnswer& answer, const StrategyLimits& limits, const plan::AxisLimit& axis) {
    return !axis.folded && limits.reach.devices && *limits.reach.devices <= answer.growth.machine;
}

/// What is to be said of axes, once for all strategies that it is of.
template <class Line>
List axis_items(const LimitsAnswer& answer, const Line& line_of) {
    std::vector<std::pair<std::string, std::vector<std::string>>> lines;
    for (const StrategyLimits& limits : answer.strategies) {
        for (const plan::AxisLimit& axis : limits.axes) {
            const std::string line = axis.largest ? line_of(limits, axis) : "";
            if (line.empty()) {
                continue;
            }
            auto* known = found_in(lines, [&](const auto& one) { return one.first == line; });
            (known == nullptr ? lines.emplace_back(line, std::vector<std::string>{}) : *known)
                .second.push_back(limits.strategy);
        }
    }
    List items;
    for (const auto& [line, strategies] : lines) {
        items.items.push_back(line +
                              (answer.strategies.size() > 1 ? fmt::format(" [{}]", fmt::join(strategies, ", ")) : ""));
    }
    return items;
}

/// Why a strategy goes no further than the table says; in --full what axes meet beyond the machine, and where they divide.
void add_axes(Document& document, const LimitsAnswer& answer) {
    const bool one = answer.strategies.size() == 1;
    const auto here = [&](const StrategyLimits& limits, const plan::AxisLimit& axis) {
        return one || limits_strategy(answer, limits, axis) ? limit_text(axis) : "";
    };
    const auto elsewhere = [&](const StrategyLimits& limits, const plan::AxisLimit& axis) {
        return one || limits_strategy(answer, limits, axis) ? "" : limit_text(axis);
    };
    const auto even = [](const StrategyLimits& /*limits*/, const plan::AxisLimit& axis) { return even_text(axis); };
    add_section(document, {"What limits each axis"}, {axis_items(answer, here)});
    add_section(document, {.title = "What limits axes of other strategies", .detail = true},
                {axis_items(answer, elsewhere)});
    add_section(document, {.title = "Where axes divide evenly", .detail = !one}, {axis_items(answer, even)});
}

const ScalingPoint* point_on(const StrategyLimits& limits, std::int64_t devices) {
    return found_in(limits.points, &ScalingPoint::devices, devices);
}

/// The part of the step that makes more devices not worthwhile.
std::string dominant_loss(const StrategyLimits& limits) {
    return label(limits.diminishing_returns->part, point_on(limits, limits.diminishing_returns->beyond)->best->plan);
}

/// "filter: on 16 GPUs each does 41 % of what it did on 4; 96 % of the time lost is filter communication".
std::string diminishing_returns_text(const StrategyLimits& limits) {
    const ScalingPoint& point = *point_on(limits, limits.diminishing_returns->beyond);
    return fmt::format("{}: on {} each does {} of what one did on {}; {} of the time lost is {}", limits.strategy,
                       counted(point.devices, "GPU"), percent(point.efficiency), whole(*limits.fits_from),
                       percent(limits.diminishing_returns->growth), dominant_loss(limits));
}

List diminishing_returns_items(const LimitsAnswer& answer) {
    List items;
    for (const StrategyLimits& limits : answer.strategies) {
        if (limits.diminishing_returns) {
            items.items.push_back(diminishing_returns_text(limits));
        }
    }
    return items;
}

/// Whose bottlenecks are shown: the number in question, else where it stops paying if that has any, else the most that
/// fit.
const ScalingPoint* point_to_explain(const StrategyLimits& limits) {
    if (limits.verdict && limits.verdict->fits) {
        return point_on(limits, limits.verdict->devices);
    }
    const ScalingPoint* beyond =
        limits.diminishing_returns ? point_on(limits, limits.diminishing_returns->beyond) : nullptr;
    const bool has_bottlenecks = beyond != nullptr && !beyond->best->bottlenecks.empty();
    return has_bottlenecks ? beyond : limits.fits_to ? point_on(limits, *limits.fits_to) : nullptr;
}

Table strategy_limit_table(const LimitsAnswer& answer) {
    Table table({{"strategy"},
                 {"most GPUs", Align::right},
                 {"limited by"},
                 {"fits memory on"},
                 {"worthwhile to", Align::right},
                 {"then"},
                 {"fastest on", Align::right, true}});
    for (const StrategyLimits& limits : answer.strategies) {
        table.row({limits.strategy, Count{limits.most}, limited_by(answer, limits), fitting_range(limits),
                   worthwhile_to(limits), limits.diminishing_returns ? dominant_loss(limits) : "",
                   limits.fastest ? whole(*limits.fastest) : ""});
    }
    return table;
}

/// The numbers of devices that were searched for one strategy.
Table scaling_table(const StrategyLimits& limits) {
    Table table({{"GPUs", Align::right},
                 {"fastest mesh"},
                 {"batch", Align::right},
                 {"step", Align::right},
                 {"samples/s", Align::right},
                 {"efficiency", Align::right},
                 {"memory", Align::right}});
    for (const ScalingPoint& point : limits.points) {
        if (point.best) {
            table.row({Count{point.devices}, mesh_text(point.best->plan), Count{point.batch}, point.best->step.value,
                       Number{point.best->samples_per_second}, Percent{point.efficiency}, point.best->memory.total()});
        } else {
            table.row({Count{point.devices}, "does not fit", Count{point.batch}, {}, {}, {}, {}});
        }
    }
    return table;
}

List misfit_items(const StrategyLimits& limits) {
    List misfits;
    for (const ScalingPoint& point : limits.points) {
        if (!point.best && point.devices != (limits.verdict ? limits.verdict->devices : 0)) {
            misfits.items.push_back(fmt::format("{}: {}", counted(point.devices, "GPU"), why_not_text(point)));
        }
    }
    return misfits;
}

/// The numbers of devices that were searched: of one strategy all, of several in --full.
void add_scaling(Document& document, const std::vector<StrategyLimits>& strategies) {
    const StrategyLimits* const only = strategies.size() == 1 ? &strategies.front() : nullptr;
    std::vector<Block> blocks;
    for (const StrategyLimits& limits : strategies) {
        if (only == nullptr) {
            blocks.emplace_back(Paragraph{limits.strategy});
        }
        blocks.emplace_back(scaling_table(limits));
        blocks.emplace_back(misfit_items(limits));
    }
    add_section(document,
                {.title = (only != nullptr ? only->strategy : "each strategy") + " on more and more GPUs",
                 .detail = only == nullptr},
                std::move(blocks));
    if (const ScalingPoint* point = only != nullptr ? point_to_explain(*only) : nullptr; point != nullptr) {
        add_section(document, {fmt::format("Bottlenecks on {}", counted(point->devices, "GPU"))},
                    {List{bottleneck_items(*point->best)}});
    }
}

}  // namespace

Document document(const LimitsAnswer& answer) {
    Document document = answer_document(answer);
    set_asked(document, answer.question.model, answer.question.machine, 0);
    add(document, Headline{limits_headline(answer)});
    add(document, Paragraph{scaling_text(answer.growth)});
    std::vector<std::string> fitting;
    std::vector<Paragraph> refused;
    for (const StrategyLimits& limits : answer.strategies) {
        if (limits.verdict && limits.verdict->fits) {
            fitting.push_back(limits.strategy);
        } else if (limits.verdict) {
            refused.push_back({refusal_text(limits), Tone::bad});
        }
    }
    if (!fitting.empty()) {
        const std::int64_t gpus = answer.strategies.front().verdict->devices;
        add(document,
            Paragraph{fmt::format("{}: yes, with {}", counted(gpus, "GPU"), fmt::join(fitting, ", ")), Tone::good});
    }
    for (Paragraph& line : refused) {
        add(document, std::move(line));
    }
    add(document, strategy_limit_table(answer));
    add(document, Note{fmt::format("GPU counts evaluated: powers of two and the maximum; worthwhile while a GPU does "
                                   "{} or more of what one does on the fewest that fit",
                                   percent(search::kWorthwhile))});
    add_axes(document, answer);
    add_section(document, {.title = "Where more GPUs stop paying", .detail = answer.strategies.size() > 1},
                {diminishing_returns_items(answer)});
    add_scaling(document, answer.strategies);
    return document;
}

}  // namespace dodona::questions::limits
