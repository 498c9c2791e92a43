#include "reports/text/explanation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/figures.hpp"
#include "reports/text/section.hpp"
#include "reports/words.hpp"
#include "search/crossover_search.hpp"

namespace dodona::reports {

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

search::Amount turned(const search::Amount& now, double factor) {
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

std::string times(double factor) { return figure(factor < 1 ? 1 / factor : factor); }

std::string change(double factor) { return (factor < 1 ? "÷ " : "× ") + times(factor); }

std::string layout_words(const step::Prediction& prediction) {
    return fmt::format("{}: {}", prediction.plan.strategy.name, mesh_words(prediction.plan));
}

std::string to_words(const Crossover& crossover) {
    return std::string(crossover.tied ? "~ " : "") + (crossover.to ? layout_words(*crossover.to) : "nothing fits");
}

bool all_looked(const Sensitivity& sensitivity) { return sensitivity.less.looked && sensitivity.more.looked; }

/// Neither the time nor the choice hangs on it.
bool is_idle(const Explanation& explanation, const Sensitivity& sensitivity) {
    const bool moves = std::abs(sensitivity.elasticity) >= kNothing;
    const bool flips = sensitivity.less.crossover || sensitivity.more.crossover;
    return !moves && !flips && (!explanation.flips || all_looked(sensitivity));
}

std::string time_sentence(const Explanation& explanation) {
    std::vector<std::string> words;
    for (const Sensitivity& sensitivity : explanation.parameters) {
        if (words.size() < kNamed && std::abs(sensitivity.elasticity) >= kNothing) {
            words.push_back(fmt::format("{} ({}{})", sensitivity.parameter.name, words.empty() ? "1 % more: " : "",
                                        reaction(sensitivity.elasticity)));
        }
    }
    return words.empty() ? "the time of a sample hangs on nothing that is listed"
                         : "the time of a sample hangs on " + join(words);
}

std::string choice_sentence(const Explanation& explanation) {
    const auto nearest = search::nearest_crossover(explanation);
    if (!nearest) {
        return explanation.complete ? "the choice hangs on nothing that is listed: no change of one parameter within "
                                      "its range recommends another plan"
                                    : "no change that was looked at recommends another plan";
    }
    const Crossover& crossover = *nearest->crossover;
    const search::Parameter& parameter = nearest->of->parameter;
    const std::string where =
        fmt::format("{} at {}, {} times {}", parameter.name, text(turned(parameter.now, crossover.factor)),
                    times(crossover.factor), crossover.factor < 1 ? "less" : "more");
    if (!crossover.to) {
        return fmt::format("the choice hangs most of all on {}: there nothing fits", where);
    }
    return fmt::format("the choice hangs most of all on {}: there it is {} on {}{}", where,
                       crossover.to->plan.strategy.name, mesh_words(crossover.to->plan),
                       crossover.tied ? ", which cannot be told apart from No. 1 as it is" : "");
}

std::string memory_sentence(const search::MemoryMargin& memory, const step::Prediction& first) {
    if (memory.left < Bytes{}) {
        return fmt::format("{} more memory would make it fit", text(-memory.left));
    }
    std::string sentence = fmt::format("{} of device memory are left", text(memory.left));
    if (!memory.looked) {
        return sentence;
    }
    if (!memory.without) {
        return sentence + "; with less than it needs, nothing fits";
    }
    const step::Prediction& then = *memory.without;
    const double longer = then.step.value / first.step.value - 1;
    return sentence + fmt::format("; with less than it needs: {}, micro-batches {}, {}{}",
                                  search::same_layout(first.plan, then.plan)
                                      ? "the same layout"
                                      : fmt::format("{} on {}", then.plan.strategy.name, mesh_words(then.plan)),
                                  microbatch_words(then), saving_words(then.plan),
                                  longer < 0.0005 ? ", as fast" : fmt::format(", {} longer", percent(longer)));
}

/// What the table cannot say in its rows.
std::vector<std::string> footnotes(const Explanation& explanation) {
    std::vector<std::string> notes;
    std::vector<std::string> idle;
    for (const Sensitivity& sensitivity : explanation.parameters) {
        if (is_idle(explanation, sensitivity)) {
            idle.push_back(sensitivity.parameter.name);
        }
    }
    if (!idle.empty()) {
        notes.push_back((explanation.flips ? "nothing hangs on: " : "the time does not hang on: ") + join(idle));
    }
    const bool ties =
        std::any_of(explanation.parameters.begin(), explanation.parameters.end(), [](const Sensitivity& sensitivity) {
            const auto tied = [](const std::optional<Crossover>& crossover) { return crossover && crossover->tied; };
            return tied(sensitivity.less.crossover) || tied(sensitivity.more.crossover);
        });
    if (ties) {
        notes.emplace_back("~ cannot be told apart from No. 1 as it is");
    }
    if (explanation.flips) {
        notes.push_back(
            fmt::format("without a crossover the recommendation stays from ÷ {0:.0f} to × {0:.0f}, or as far "
                        "as a parameter of the software goes{1}",
                        search::kFarthest, explanation.complete ? "" : "; stopped: ? was not looked at"));
    }
    return notes;
}

}  // namespace

std::string text(const search::Amount& amount) {
    return std::visit(
        [](auto value) -> std::string {
            if constexpr (std::is_same_v<decltype(value), std::int64_t>) {
                return whole(static_cast<double>(value));
            } else if constexpr (std::is_same_v<decltype(value), double>) {
                return figure(value);
            } else {
                return text(value);
            }
        },
        amount);
}

Table sensitivity_table(const Explanation& explanation) {
    std::vector<Column> columns{{"parameter"}, {"now", Align::right}, {"1 % more", Align::right}};
    if (explanation.flips) {
        columns.insert(columns.end(), {{"flips at", Align::right}, {"change", Align::right}, {"to"}});
    }
    Table table(columns);
    for (const Sensitivity& sensitivity : explanation.parameters) {
        if (is_idle(explanation, sensitivity)) {
            continue;
        }
        std::vector<std::string> cells{sensitivity.parameter.name, text(sensitivity.parameter.now),
                                       reaction(sensitivity.elasticity)};
        if (!explanation.flips) {
            table.row(cells);
            continue;
        }
        bool shown = false;
        for (const Direction* direction : {&sensitivity.less, &sensitivity.more}) {
            if (direction->crossover) {
                const Crossover& crossover = *direction->crossover;
                table.row({shown ? "" : cells[0], shown ? "" : cells[1], shown ? "" : cells[2],
                           text(turned(sensitivity.parameter.now, crossover.factor)), change(crossover.factor),
                           to_words(crossover)});
                shown = true;
            }
        }
        if (!shown) {
            table.row({cells[0], cells[1], cells[2], all_looked(sensitivity) ? "" : "?", "", ""});
        }
    }
    return table;
}

std::vector<std::string> hangs_on(const Explanation& explanation, const std::vector<step::Prediction>& plans) {
    std::vector<std::string> sentences{time_sentence(explanation)};
    if (explanation.flips) {
        sentences.push_back(choice_sentence(explanation));
    }
    sentences.push_back(memory_sentence(explanation.memory, plans.front()));
    return sentences;
}

std::string explanation_text(const Explanation& explanation, const std::vector<step::Prediction>& plans, Style style) {
    std::string all = heading(style, "What the answer hangs on");
    for (const std::string& sentence : hangs_on(explanation, plans)) {
        all += bullet(sentence);
    }
    all += "\n" + sensitivity_table(explanation).to_text(style);
    for (const std::string& note : footnotes(explanation)) {
        all += "  " + wrapped(note, kTextWidth - 2, "  ") + "\n";
    }
    return all;
}

std::string explanation_markdown(const Explanation& explanation, const std::vector<step::Prediction>& plans) {
    std::string all = "\n";
    for (const std::string& sentence : hangs_on(explanation, plans)) {
        all += "- " + sentence + "\n";
    }
    all += "\n" + sensitivity_table(explanation).to_markdown();
    for (const std::string& note : footnotes(explanation)) {
        all += "\n" + note + "\n";
    }
    return all;
}

}  // namespace dodona::reports
