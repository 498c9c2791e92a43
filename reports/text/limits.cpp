#include "reports/text/limits.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/figures.hpp"
#include "reports/text/section.hpp"
#include "reports/words.hpp"

namespace dodona::reports {

namespace {

using search::LimitsAnswer;
using search::ScalingPoint;
using search::StrategyLimits;

std::string count(std::int64_t n) { return whole(static_cast<double>(n)); }

std::string title(const LimitsAnswer& answer) {
    return fmt::format("{} on {}: how many of its {} each strategy can use", answer.question.model,
                       answer.question.machine, counted(answer.growth.machine, "GPU"));
}

std::string scaling(const search::Growth& growth) {
    return growth.batch
               ? fmt::format("strong scaling: the batch is {}, however many GPUs share it", count(*growth.batch))
               : fmt::format("weak scaling: the batch grows by {} with each GPU",
                             counted(growth.samples_per_device, "sample"));
}

/// "filter on 128 GPUs: no; filter <= 64: ...; nearest: 64 GPUs".
std::string verdict(const StrategyLimits& limits) {
    const search::Verdict& verdict = *limits.verdict;
    std::string text = fmt::format("{} on {}: {}", limits.strategy, counted(verdict.devices, "GPU"),
                                   verdict.fits ? "yes" : "no; " + why_not_text(verdict));
    std::vector<std::string> near;
    for (const std::optional<std::int64_t>& devices : {verdict.below, verdict.above}) {
        if (devices) {
            near.push_back(count(*devices));
        }
    }
    return text + (near.empty() ? "" : fmt::format("; nearest: {}", fmt::join(near, " or ")));
}

/// "filter <= 64, data <= 256", or the machine.
std::string set_by(const LimitsAnswer& answer, const StrategyLimits& limits) {
    if (!limits.reach.devices || *limits.reach.devices > answer.growth.machine) {
        return "the machine";
    }
    std::vector<std::string> axes;
    for (const plan::AxisLimit& axis : limits.axes) {
        if (!axis.folded && axis.largest) {
            axes.push_back(fmt::format("{} <= {}", axis.axis, count(*axis.largest)));
        }
    }
    return axes.empty() ? set_by_text(limits) : fmt::format("{}", fmt::join(axes, ", "));
}

/// "8 to 64", or "8 to 64 without 16" where numbers between do not fit.
std::string fitting(const StrategyLimits& limits) {
    if (!limits.fits_from) {
        return limits.points.empty() ? "" : "none";
    }
    if (*limits.fits_from == *limits.fits_to) {
        return count(*limits.fits_from);
    }
    std::vector<std::string> gaps;
    for (const ScalingPoint& point : limits.points) {
        if (!point.best && point.devices > *limits.fits_from && point.devices < *limits.fits_to) {
            gaps.push_back(count(point.devices));
        }
    }
    return fmt::format("{} to {}{}", count(*limits.fits_from), count(*limits.fits_to),
                       gaps.empty() ? "" : fmt::format(" without {}", fmt::join(gaps, ", ")));
}

std::string worthwhile(const StrategyLimits& limits) {
    return limits.turn ? count(limits.turn->devices) : limits.fits_to ? count(*limits.fits_to) : "";
}

/// What an axis runs into, and up to where it is laid evenly.
std::string axis_words(const plan::AxisLimit& axis) {
    const std::optional<plan::UpperBound> bound = axis.set_by ? axis.set_by->upper_bound() : std::nullopt;
    const bool names_axis = bound && bound->of == axis.axis && bound->most == *axis.largest;
    std::string words = names_axis ? "" : fmt::format("{} <= {}: ", axis.axis, count(*axis.largest));
    words += axis.set_by ? text(*axis.set_by) : "";
    if (axis.uneven) {
        words += fmt::format("; even up to {}: {}", count(axis.even.value_or(1)), text(*axis.uneven));
    }
    return words + (axis.folded ? " (on the ranks of other axes)" : "");
}

/// What strategies run into, told once for all that it stops.
std::string limit_section(const LimitsAnswer& answer, Style style) {
    std::vector<std::pair<std::string, std::vector<std::string>>> lines;
    for (const StrategyLimits& limits : answer.strategies) {
        for (const plan::AxisLimit& axis : limits.axes) {
            if (!axis.largest) {
                continue;
            }
            const std::string words = axis_words(axis);
            const auto known =
                std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == words; });
            (known == lines.end() ? lines.emplace_back(words, std::vector<std::string>{}) : *known)
                .second.push_back(limits.strategy);
        }
    }
    std::string all = lines.empty() ? "" : heading(style, "What sets it");
    for (const auto& [words, strategies] : lines) {
        all += bullet(words + (answer.strategies.size() > 1 ? fmt::format(" [{}]", fmt::join(strategies, ", ")) : ""));
    }
    return all;
}

const ScalingPoint* rung_of(const StrategyLimits& limits, std::int64_t devices) {
    const auto found = std::find_if(limits.points.begin(), limits.points.end(),
                                    [&](const ScalingPoint& point) { return point.devices == devices; });
    return found == limits.points.end() ? nullptr : &*found;
}

/// "filter: on 16 GPUs each does 41 % of what it did on 4; 96 % of the time lost is layer collectives".
std::string turn_words(const StrategyLimits& limits) {
    const ScalingPoint& point = *rung_of(limits, limits.turn->beyond);
    return fmt::format("{}: on {} each does {} of what one did on {}; {} of the time lost is {}", limits.strategy,
                       counted(point.devices, "GPU"), percent(point.efficiency), count(*limits.fits_from),
                       percent(limits.turn->growth), label(limits.turn->part));
}

std::string turn_section(const LimitsAnswer& answer, Style style) {
    std::string all;
    for (const StrategyLimits& limits : answer.strategies) {
        if (limits.turn) {
            all += bullet(turn_words(limits));
        }
        if (limits.fastest && limits.fits_to && *limits.fastest < *limits.fits_to) {
            all += bullet(fmt::format("{}: fastest on {}", limits.strategy, counted(*limits.fastest, "GPU")));
        }
    }
    return all.empty() ? all : heading(style, "Where more GPUs stop paying") + all;
}

/// Whose bottlenecks are told: the number asked for, else where it stops paying if that has any, else the most that
/// fit.
const ScalingPoint* rung_to_explain(const StrategyLimits& limits) {
    if (limits.verdict && limits.verdict->fits) {
        return rung_of(limits, limits.verdict->devices);
    }
    const ScalingPoint* turn = limits.turn ? rung_of(limits, limits.turn->beyond) : nullptr;
    const bool tells = turn != nullptr && !turn->best->bottlenecks.empty();
    return tells ? turn : limits.fits_to ? rung_of(limits, *limits.fits_to) : nullptr;
}

std::string ladder_section(const StrategyLimits& limits, Style style) {
    if (limits.points.empty()) {
        return {};
    }
    std::string all = heading(style, limits.strategy + " on more and more GPUs") + rung_table(limits).to_text(style);
    for (const ScalingPoint& point : limits.points) {
        if (!point.best && point.devices != (limits.verdict ? limits.verdict->devices : 0)) {
            all += bullet(fmt::format("{}: {}", counted(point.devices, "GPU"), why_not_text(point)));
        }
    }
    const ScalingPoint* point = rung_to_explain(limits);
    if (point != nullptr && !point->best->bottlenecks.empty()) {
        all += heading(style, fmt::format("Bottlenecks on {}", counted(point->devices, "GPU")));
        for (const step::Bottleneck& bottleneck : point->best->bottlenecks) {
            all += bullet(fmt::format("{}: {}", name(bottleneck.kind), bottleneck.text));
        }
    }
    return all;
}

}  // namespace

Table limits_table(const LimitsAnswer& answer) {
    Table table({{"strategy"},
                 {"most GPUs", Align::right},
                 {"set by"},
                 {"fits memory on"},
                 {"worthwhile to", Align::right},
                 {"then"}});
    for (const StrategyLimits& limits : answer.strategies) {
        table.row({limits.strategy, count(limits.most), set_by(answer, limits), fitting(limits), worthwhile(limits),
                   limits.turn ? std::string(label(limits.turn->part)) : ""});
    }
    return table;
}

Table rung_table(const StrategyLimits& limits) {
    Table table({{"GPUs", Align::right},
                 {"fastest mesh"},
                 {"batch", Align::right},
                 {"step", Align::right},
                 {"samples/s", Align::right},
                 {"efficiency", Align::right},
                 {"memory", Align::right}});
    for (const ScalingPoint& point : limits.points) {
        if (point.best) {
            table.row({count(point.devices), mesh_words(point.best->plan), count(point.batch),
                       text(point.best->step.value), figure(point.best->samples_per_second), percent(point.efficiency),
                       text(point.best->memory.total())});
        } else {
            table.row({count(point.devices), "does not fit", count(point.batch), "", "", "", ""});
        }
    }
    return table;
}

std::string limits_text(const LimitsAnswer& answer, Style style) {
    std::string all = painted(style, Paint::bold, wrapped(title(answer), kTextWidth, "  ")) + "\n";
    all += wrapped(scaling(answer.growth), kTextWidth, "  ") + "\n";
    for (const StrategyLimits& limits : answer.strategies) {
        if (limits.verdict) {
            all += painted(style, limits.verdict->fits ? Paint::green : Paint::red,
                           wrapped(verdict(limits), kTextWidth, "  ")) +
                   "\n";
        }
    }
    all += "\n" + limits_table(answer).to_text(style);
    all +=
        "  " +
        wrapped(fmt::format("of the numbers looked at, powers of two and the most; worthwhile while a GPU does {} or "
                            "more of what one does on the fewest that fit",
                            percent(search::kWorthwhile)),
                kTextWidth - 2, "  ") +
        "\n";
    all += limit_section(answer, style) + turn_section(answer, style);
    return all + (answer.strategies.size() == 1 ? ladder_section(answer.strategies.front(), style) : "");
}

std::string limits_markdown(const LimitsAnswer& answer) {
    std::string all = fmt::format("**{}**\n\n- {}\n", title(answer), scaling(answer.growth));
    for (const StrategyLimits& limits : answer.strategies) {
        all += limits.verdict ? fmt::format("- {}\n", verdict(limits)) : "";
    }
    all += "\n" + limits_table(answer).to_markdown();
    for (const StrategyLimits& limits : answer.strategies) {
        if (!limits.points.empty()) {
            const std::string set_by = set_by_text(limits);
            all += fmt::format("\n{}{}\n\n", limits.strategy, set_by.empty() ? "" : ": " + set_by) +
                   rung_table(limits).to_markdown();
        }
        all += limits.turn ? "\n" + turn_words(limits) + "\n" : "";
    }
    return all;
}

}  // namespace dodona::reports
