#include "reports/text/answer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "reports/figures.hpp"
#include "reports/strategy.hpp"
#include "reports/text/explanation.hpp"
#include "reports/text/misfits.hpp"
#include "reports/text/next.hpp"
#include "reports/text/section.hpp"
#include "reports/words.hpp"

namespace dodona::reports {

namespace {

std::string headline(const search::Answer& answer) {
    const search::Question& question = answer.question;
    const std::string subject =
        fmt::format("{} on {} of {}", question.model, counted(question.devices, "GPU"), question.machine);
    if (answer.plans.empty()) {
        return fmt::format("nothing fits: {} with batch {}", subject, whole(static_cast<double>(question.batch)));
    }
    const plan::Plan& best = answer.plans.front().plan;
    return fmt::format("{}, batch {}: {} on {}", subject, whole(static_cast<double>(best.batch)), best.strategy.name,
                       mesh_words(best));
}

std::string counts_line(const search::Answer& answer) {
    const search::SearchCounts& counts = answer.counts;
    return fmt::format(
        "{} looked at, {} evaluated{}{}", counted(counts.configurations, "configuration"),
        whole(static_cast<double>(counts.evaluated)),
        counts.pruned > 0 ? fmt::format(", {} ruled out by bounds", whole(static_cast<double>(counts.pruned))) : "",
        counts.optimal ? "" : "; the search was not complete, so a better one may exist");
}

constexpr std::string_view kFollow = "layers without a rule follow their inputs";

/// The plan whose strategy was made for this network, by place; none: as many as there are.
std::size_t made(const search::Answer& answer) {
    const auto found = std::find_if(answer.plans.begin(), answer.plans.end(), [](const step::Prediction& plan) {
        return plan.plan.strategy.name == search::kByLayers;
    });
    return static_cast<std::size_t>(found - answer.plans.begin());
}

/// What it does with its layers.
std::string made_rules(const search::Answer& answer, Style style) {
    const std::size_t place = made(answer);
    if (place == answer.plans.size()) {
        return {};
    }
    std::string all = heading(style, fmt::format("What each layer does in No. {}", place + 1));
    for (const plan::Rule& rule : answer.plans[place].plan.strategy.rules) {
        all += bullet(rule_words(rule));
    }
    return all + bullet(kFollow);
}

std::string made_rules_markdown(const search::Answer& answer) {
    const std::size_t place = made(answer);
    if (place == answer.plans.size()) {
        return {};
    }
    std::string all = fmt::format("\nWhat each layer does in No. {}:\n\n", place + 1);
    for (const plan::Rule& rule : answer.plans[place].plan.strategy.rules) {
        all += fmt::format("- {}\n", rule_words(rule));
    }
    return all + fmt::format("- {}\n", kFollow);
}

std::string layers_line(const search::Answer& answer) {
    const search::LayerCounts& counts = *answer.layers;
    const bool listed = made(answer) < answer.plans.size();
    return fmt::format("layer by layer: {} of mesh, micro-batch and sharding, {} of frontiers{}{}",
                       counted(counts.settings, "setting"), counted(counts.states, "state"),
                       counts.cut > 0 ? fmt::format(", cut in {}", counted(counts.cut, "setting")) : "",
                       listed || answer.plans.empty() ? "" : "; nothing that is faster than a strategy with a name");
}

std::string why_first(const search::Answer& answer, Style style) {
    const step::Prediction& best = answer.plans.front();
    std::string all = heading(style, answer.plans.size() > 1 ? "Why No. 1 is first" : "Where its time and memory go");
    all += time_bar(best, style) + memory_bar(best, style);
    if (answer.plans.size() > 1) {
        all += bullet(against_runner_up(best, answer.plans[1]));
    }
    for (const step::Bottleneck& bottleneck : best.bottlenecks) {
        all += bullet(fmt::format("{}: {}", name(bottleneck.kind), bottleneck.text));
    }
    for (const step::Limit& limit : best.limits) {
        all += bullet("limit reached: " + text(limit));
    }
    return all;
}

std::string nearest(const search::Answer& answer, Style style) {
    if (answer.nearest.empty()) {
        return {};
    }
    const step::Prediction& prediction = answer.nearest.front();
    std::string all = heading(style, "The nearest configuration");
    all += "  " + wrapped(plan_words(prediction), kTextWidth - 2, "  ") + "\n";
    if (prediction.why_not) {
        all += "  " + wrapped("but: " + text(*prediction.why_not), kTextWidth - 2, "  ") + "\n";
    }
    return all + memory_bar(prediction, style);
}

}  // namespace

Table ranking(const std::vector<step::Prediction>& plans) {
    Table table({{"#", Align::right},
                 {"strategy, mesh"},
                 {"micro-batches, schedule"},
                 {"recompute, shard"},
                 {"step", Align::right},
                 {"MFU", Align::right},
                 {"memory", Align::right}});
    int rank = 0;
    for (const step::Prediction& prediction : plans) {
        const bool level = rank > 0 && search::tied(plans.front(), prediction);
        table.row({(level ? "~" : "") + std::to_string(++rank),
                   prediction.plan.strategy.name + ": " + mesh_words(prediction.plan), microbatch_words(prediction),
                   fmt::format("{}, {}", recompute_word(prediction.plan), plan::name(prediction.plan.shard)),
                   text(prediction.step.value), percent(prediction.mfu), text(prediction.memory.total())});
    }
    return table;
}

std::string against_runner_up(const step::Prediction& first, const step::Prediction& second) {
    const double longer = second.step.value / first.step.value - 1;
    std::vector<std::pair<Seconds, std::size_t>> differences;
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        const Seconds difference = second.time.values[i] - first.time.values[i];
        // What is below a thousandth of the step explains nothing.
        if (max(difference, -difference) > 0.001 * first.step.value) {
            differences.emplace_back(difference, i);
        }
    }
    std::stable_sort(differences.begin(), differences.end(),
                     [](const auto& a, const auto& b) { return max(b.first, -b.first) < max(a.first, -a.first); });
    std::vector<std::string> words;
    for (std::size_t i = 0; i < std::min<std::size_t>(differences.size(), 3); ++i) {
        const auto [difference, part] = differences[i];
        words.push_back(fmt::format("{} {}{}", label(static_cast<step::TimePart>(part)),
                                    difference < Seconds{} ? "-" : "+", text(max(difference, -difference))));
    }
    std::string sentence = "No. 2 is as fast";
    if (longer >= 1) {
        sentence = fmt::format("No. 2 takes {} times as long", figure(1 + longer));
    } else if (longer >= 0.0005) {
        sentence = fmt::format("No. 2 takes {} longer", percent(longer));
    }
    sentence += words.empty() ? "" : ": " + join(words);
    return sentence +
           (search::tied(first, second) ? "; predictions may miss by more, so measure both before a long run" : "");
}

std::string ties(const std::vector<step::Prediction>& plans) {
    std::vector<std::string> words;
    for (const std::vector<std::size_t>& group : search::ties(plans)) {
        std::vector<std::string> level;
        std::transform(group.begin() + 1, group.end(), std::back_inserter(level),
                       [](std::size_t place) { return std::to_string(place); });
        words.push_back(fmt::format("{}{} {} from No. {}", level.size() > 1 ? "Nos. " : "No. ", join(level),
                                    words.empty() ? "cannot be told apart" : "neither", group.front()));
    }
    if (words.empty()) {
        return {};
    }
    return "~ " + join(words) + ": errors that they do not share may be larger than what they differ by";
}

std::string answer_text(const search::Answer& answer, const std::string& saved, Style style) {
    const bool found = !answer.plans.empty();
    std::string all = painted(style, Paint::bold, wrapped(headline(answer), kTextWidth, "  ")) + "\n";
    if (found) {
        all += wrapped(speed_words(answer.plans.front()), kTextWidth, "  ") + "\n";
        all += wrapped(memory_words(answer.plans.front()), kTextWidth, "  ") + "\n\n";
        all += ranking(answer.plans).to_text(style);
        if (const std::string level = ties(answer.plans); !level.empty()) {
            all += "  " + wrapped(level, kTextWidth - 2, "    ") + "\n";
        }
        all += made_rules(answer, style) + why_first(answer, style);
        all += answer.explanation ? explanation_text(*answer.explanation, answer.plans, style) : "";
    } else {
        all += nearest(answer, style);
    }
    all += misfits(answer, style);
    if (found) {
        all += observed(answer.plans.front(), style) + evidence(answer.plans.front(), style);
    }
    all += heading(style, "Search") + bullet(counts_line(answer));
    all += answer.layers ? bullet(layers_line(answer)) : "";
    if (found) {
        all += bullet("No. 1 in full: " + plan_words(answer.plans.front()));
    }
    all += heading(style, "Next");
    for (const std::string& command : next_commands(answer, saved)) {
        all += "  " + command + "\n";
    }
    return all;
}

std::string answer_markdown(const search::Answer& answer) {
    std::string all = "**" + headline(answer) + "**\n";
    if (!answer.plans.empty()) {
        const step::Prediction& best = answer.plans.front();
        all += fmt::format("\n- {}\n- {}\n\n{}", speed_words(best), memory_words(best),
                           ranking(answer.plans).to_markdown());
        if (const std::string level = ties(answer.plans); !level.empty()) {
            all += "\n" + level + "\n";
        }
        all += made_rules_markdown(answer);
        for (const step::Bottleneck& bottleneck : best.bottlenecks) {
            all += fmt::format("{}- {}: {}\n", &bottleneck == &best.bottlenecks.front() ? "\n" : "",
                               name(bottleneck.kind), bottleneck.text);
        }
        all += answer.explanation ? explanation_markdown(*answer.explanation, answer.plans) : "";
    }
    if (!answer.infeasible.empty()) {
        Table table({{"configurations", Align::right}, {"strategy"}, {"why they do not fit"}, {"nearest"}});
        for (const search::Infeasible& group : answer.infeasible) {
            table.row({whole(static_cast<double>(group.count)), group.strategy, text(group.cause),
                       group.nearest ? text(*group.nearest) : ""});
        }
        all += "\n" + table.to_markdown();
    }
    return all + "\n" + counts_line(answer) + "\n";
}

}  // namespace dodona::reports
