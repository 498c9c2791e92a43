#include "reports/collect/explanation_report.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"
#include "search/crossover_search.hpp"

namespace dodona::reports {

Cell amount_cell(const search::Amount& amount) {
    return std::visit(
        [](auto value) -> Cell {
            if constexpr (std::is_same_v<decltype(value), std::int64_t>) {
                return Count{value};
            } else if constexpr (std::is_same_v<decltype(value), double>) {
                return Number{value};
            } else {
                return value;
            }
        },
        amount);
}

namespace {

using search::Crossover;
using search::Direction;
using search::Explanation;
using search::Sensitivity;

/// Parameters that the first sentence names.
constexpr std::size_t kNamed = 3;

/// Below this an elasticity is not worth a digit: half a hundredth of a per cent for one per cent.
constexpr double kNothing = 0.005;

std::string reaction(double elasticity) {
    return std::abs(elasticity) < kNothing ? "0" : fmt::format("{:+.2f} %", elasticity);
}

search::Amount scaled_by(const search::Amount& now, double factor) {
    return std::visit(
        [&](auto value) -> search::Amount {
            if constexpr (std::is_same_v<decltype(value), std::int64_t>) {
                return static_cast<std::int64_t>(std::llround(factor * static_cast<double>(value)));
            } else {
                return factor * value;
            }
        },
        now);
}

std::string times(double factor) { return three_digits(factor < 1 ? 1 / factor : factor); }

std::string change_text(double factor) { return (factor < 1 ? "÷ " : "× ") + times(factor); }

std::string destination(const Crossover& crossover) {
    return std::string(crossover.tied ? "~ " : "") +
           (crossover.to ? strategy_and_mesh(crossover.to->plan) : "nothing fits");
}

bool all_searched(const Sensitivity& sensitivity) { return sensitivity.less.searched && sensitivity.more.searched; }

/// Neither the time nor the choice is sensitive to it.
bool is_idle(const Explanation& explanation, const Sensitivity& sensitivity) {
    const bool moves = std::abs(sensitivity.elasticity) >= kNothing;
    const bool crosses = sensitivity.less.crossover || sensitivity.more.crossover;
    return !moves && !crosses && (!explanation.crossovers_searched || all_searched(sensitivity));
}

std::string time_sentence(const Explanation& explanation) {
    std::vector<std::string> words;
    for (const Sensitivity& sensitivity : explanation.parameters) {
        if (words.size() < kNamed && std::abs(sensitivity.elasticity) >= kNothing) {
            words.push_back(fmt::format("{} ({}{})", sensitivity.parameter.name, words.empty() ? "1 % more: " : "",
                                        reaction(sensitivity.elasticity)));
        }
    }
    return words.empty() ? "the time per sample is sensitive to none of the parameters"
                         : "the time per sample is sensitive to " + join(words);
}

std::string choice_sentence(const Explanation& explanation) {
    const auto nearest = search::nearest_crossover(explanation);
    if (!nearest) {
        return explanation.complete ? "the choice is stable: no change of a single parameter within its range "
                                      "leads to another recommendation"
                                    : "none of the changes that were tried leads to another recommendation";
    }
    const Crossover& crossover = *nearest->crossover;
    const search::Parameter& parameter = nearest->of->parameter;
    const std::string where = fmt::format("{} at {} ({} times {})", parameter.name,
                                          text(amount_cell(scaled_by(parameter.now, crossover.factor))),
                                          times(crossover.factor), crossover.factor < 1 ? "less" : "more");
    if (!crossover.to) {
        return fmt::format("the nearest crossover: {}, beyond which nothing fits", where);
    }
    return fmt::format("the nearest crossover: {}, beyond which {} on {} is recommended{}", where,
                       crossover.to->plan.strategy.name, mesh_text(crossover.to->plan),
                       crossover.tied ? " (today tied with No. 1)" : "");
}

std::string memory_sentence(const search::MemoryMargin& memory, const step::Prediction& first) {
    if (memory.left < Bytes{}) {
        return fmt::format("{} more memory per device would make it fit", text(-memory.left));
    }
    std::string sentence = fmt::format("memory headroom: {} per device", text(memory.left));
    if (!memory.searched) {
        return sentence;
    }
    if (!memory.without) {
        return sentence + "; on a device with less memory than this plan needs, nothing fits";
    }
    const step::Prediction& then = *memory.without;
    const double longer = then.step.value / first.step.value - 1;
    return sentence + fmt::format("; on a device with less memory than this plan needs: {}, micro-batch {}, {}{}",
                                  search::same_layout(first.plan, then.plan)
                                      ? "the same strategy and mesh"
                                      : fmt::format("{} on {}", then.plan.strategy.name, mesh_text(then.plan)),
                                  microbatch_text(then), memory_savings(then.plan),
                                  longer < 0.0005 ? ", as fast" : fmt::format(", {} longer", percent(longer)));
}

/// What the table cannot say in its rows.
std::vector<std::string> footnotes(const Explanation& explanation) {
    std::vector<std::string> notes;
    auto idle = mapped_where<std::string>(
        explanation.parameters, [&](const Sensitivity& sensitivity) { return is_idle(explanation, sensitivity); },
        [](const Sensitivity& sensitivity) { return sensitivity.parameter.name; });
    if (!idle.empty()) {
        notes.push_back((explanation.crossovers_searched ? "neither the time nor the choice is sensitive to: "
                                                         : "the time is not sensitive to: ") +
                        join(idle));
    }
    const bool ties = any_of(explanation.parameters, [](const Sensitivity& sensitivity) {
        const auto tied = [](const std::optional<Crossover>& crossover) { return crossover && crossover->tied; };
        return tied(sensitivity.less.crossover) || tied(sensitivity.more.crossover);
    });
    if (ties) {
        notes.emplace_back("~ today tied with No. 1");
    }
    if (explanation.crossovers_searched) {
        notes.push_back(
            fmt::format("no crossover: the recommendation stays the same from ÷ {0:.0f} to × {0:.0f}, or over the "
                        "whole range of a software parameter{1}",
                        search::kFarthest, explanation.complete ? "" : "; interrupted: ? was not tried"));
    }
    return notes;
}

/// A row for each crossover, and one for each parameter without that the time is sensitive to, or that was not tried.
Table sensitivity_table(const Explanation& explanation) {
    std::vector<Column> columns{{"parameter"}, {"now", Align::right}, {"1 % more", Align::right}};
    if (explanation.crossovers_searched) {
        columns.insert(columns.end(), {{"crossover at", Align::right}, {"change", Align::right}, {"to"}});
    }
    Table table(columns);
    for (const Sensitivity& sensitivity : explanation.parameters) {
        if (is_idle(explanation, sensitivity)) {
            continue;
        }
        std::vector<Cell> cells{sensitivity.parameter.name, amount_cell(sensitivity.parameter.now),
                                reaction(sensitivity.elasticity)};
        if (!explanation.crossovers_searched) {
            table.row(cells);
            continue;
        }
        bool shown = false;
        for (const Direction* direction : {&sensitivity.less, &sensitivity.more}) {
            if (direction->crossover) {
                const Crossover& crossover = *direction->crossover;
                table.row({shown ? Cell() : cells[0], shown ? Cell() : cells[1], shown ? Cell() : cells[2],
                           amount_cell(scaled_by(sensitivity.parameter.now, crossover.factor)),
                           change_text(crossover.factor), destination(crossover)});
                shown = true;
            }
        }
        if (!shown) {
            Cell crossover;
            crossover.mark = all_searched(sensitivity) ? Mark::none : Mark::unknown;
            table.row({cells[0], cells[1], cells[2], crossover, {}, {}});
        }
    }
    return table;
}

}  // namespace

void add_explanation(Document& document, const Explanation& explanation, const std::vector<step::Prediction>& plans) {
    std::vector<std::string> sentences{time_sentence(explanation)};
    if (explanation.crossovers_searched) {
        sentences.push_back(choice_sentence(explanation));
    }
    sentences.push_back(memory_sentence(explanation.memory, plans.front()));
    std::vector<Block> blocks{List{std::move(sentences)}, sensitivity_table(explanation)};
    append(blocks, footnotes(explanation), [](const std::string& note) { return Note{note}; });
    add_section(document, {"What the answer is sensitive to"}, std::move(blocks));
}

}  // namespace dodona::reports
