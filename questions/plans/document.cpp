#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/plans/plans.hpp"
#include "reports/collect/exchange_report.hpp"
#include "reports/collect/explanation_report.hpp"
#include "reports/collect/next_commands.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/collect/step_blocks.hpp"
#include "reports/collect/strategy_report.hpp"
#include "reports/document/number_format.hpp"
#include "search/search.hpp"
#include "search/simplicity.hpp"

namespace dodona::questions::plans {

namespace {

using namespace reports;

constexpr std::size_t kChoicesShown = 10;  ///< of plans with other exchanges, at least

std::string plan_headline(const search::Answer& answer) {
    const search::Question& question = answer.question;
    const std::string subject =
        fmt::format("{} on {} of {}", question.model, counted(question.devices, "GPU"), question.machine);
    if (answer.plans.empty()) {
        return fmt::format("nothing fits: {} with batch {}", subject, whole(question.batch));
    }
    const plan::Plan& best = answer.plans.front().plan;
    return fmt::format("{}, batch {}: {} on {}{}", subject, whole(best.batch), best.strategy.name, mesh_text(best),
                       with_framework(best));
}

/// "batch 2,048 trains 1.52 times as many samples a second: data on data 8"; empty where no other batch is better.
std::string other_batches_text(const search::Answer& answer) {
    if (answer.other_batches.empty()) {
        return "";
    }
    std::vector<std::string> better;
    for (const search::OtherBatch& other : answer.other_batches) {
        const plan::Plan& plan = other.plan.plan;
        better.push_back(fmt::format(
            "batch {} {} {} on {}", whole(other.batch),
            other.gain > 0 ? fmt::format("trains {} times as many samples a second, with", three_digits(other.gain))
                           : "fits, with",
            plan.strategy.name, mesh_text(plan)));
    }
    return fmt::format("batch {} does not divide well among {}: {}", whole(answer.question.batch),
                       counted(answer.question.devices, "GPU"), fmt::format("{}", fmt::join(better, "; ")));
}

/// "with composer-fsdp: No. 3, zero3 on data 32, 35.2 s, 31 % longer than No. 1" for each software but that of No. 1.
std::vector<std::string> other_software_texts(const search::Answer& answer) {
    std::vector<std::string> lines;
    for (const step::Prediction& other : answer.in_other_software) {
        const auto listed = find_if(
            answer.plans, [&](const step::Prediction& plan) { return search::same_software(plan.plan, other.plan); });
        const step::Prediction& first = answer.plans.front();
        const double longer = other.step.value / first.step.value - 1;
        lines.push_back(fmt::format(
            "with {}: {}{}, {}, {} No. 1{}", other.plan.framework.label(),
            listed == answer.plans.end() ? "" : fmt::format("No. {}, ", listed - answer.plans.begin() + 1),
            strategy_and_mesh(other.plan), text(other.step.value),
            longer < 1 ? fmt::format("{} {} than", percent(std::abs(longer)), longer < 0 ? "less" : "longer")
                       : fmt::format("{} times as long as", three_digits(1 + longer)),
            search::tied(first, other) ? "; predictions of two pieces of software may be off by more" : ""));
    }
    return lines;
}

/// Changes under which something fits, each searched.
Table remedies_table(const search::Answer& answer) {
    Table table({{"change"}, {"plan"}, {"step", Align::right}, {"memory", Align::right}});
    for (const search::Remedy& remedy : answer.remedies) {
        table.row({remedy.change, strategy_and_mesh(remedy.plan.plan) + "; " + memory_savings(remedy.plan.plan),
                   remedy.plan.step.value, remedy.plan.memory.total()});
    }
    return table;
}

std::string search_counts(const search::Answer& answer) {
    const search::SearchCounts& counts = answer.counts;
    return fmt::format(
        "{} considered, {} evaluated{}{}{}", counted(counts.configurations, "configuration"), whole(counts.evaluated),
        counts.pruned > 0 ? fmt::format(", {} ruled out by bounds", whole(counts.pruned)) : "",
        counts.unusual > 0
            ? fmt::format("; {} strategies and meshes left out that nobody runs for such a job (--vary unusual)",
                          whole(counts.unusual))
            : "",
        counts.optimal ? "" : "; the search was not complete, so a better plan may exist");
}

/// The place of the plan whose strategy was made for this model; none: as many as there are plans.
std::size_t place_of_own_strategy(const search::Answer& answer) {
    const auto found =
        find_if(answer.plans, [](const step::Prediction& prediction) { return prediction.plan.strategy.by_layers; });
    return static_cast<std::size_t>(found - answer.plans.begin());
}

void add_own_strategy(Document& document, const search::Answer& answer) {
    const std::size_t place = place_of_own_strategy(answer);
    if (place == answer.plans.size()) {
        return;
    }
    List rules;
    for (const plan::Rule& rule : answer.plans[place].plan.strategy.rules) {
        rules.items.push_back(rule_text(rule));
    }
    rules.items.emplace_back("layers without a rule follow their inputs");
    add_section(document, {fmt::format("Layer by layer: No. {}", place + 1)}, {std::move(rules)});
}

std::string layer_search_counts(const search::Answer& answer) {
    const search::LayerCounts& counts = *answer.layers;
    const bool listed = place_of_own_strategy(answer) < answer.plans.size();
    return fmt::format("layer by layer: {} of mesh, micro-batch and sharding, {} of frontiers{}{}",
                       counted(counts.settings, "setting"), counted(counts.states, "state"),
                       counts.cut > 0 ? fmt::format(", cut in {}", counted(counts.cut, "setting")) : "",
                       listed || answer.plans.empty() ? "" : "; no plan is faster than those of the named strategies");
}

/// Steps as simulated, which ranks follow.
void add_simulated(Document& document, const search::Answer& answer) {
    if (answer.played.empty()) {
        return;
    }
    Table table({{"#", Align::right},
                 {"step, played", Align::right},
                 {"closed form", Align::right},
                 {"difference", Align::right}});
    for (std::size_t i = 0; i < answer.played.size(); ++i) {
        const Seconds predicted = answer.plans[i].step.value;
        table.row({Count{i + 1}, answer.played[i], predicted,
                   Percent{.ratio = answer.played[i] / predicted - 1, .sign = true}});
    }
    add_section(document, {"Played task by task"}, {std::move(table)});
}

/// Why plans leave memory free (search::kUsualReserve).
std::string reserve_text(const search::Answer& answer) {
    const std::string why = answer.reserve == search::kUsualReserve
                                ? ": 56 of 66 measured peaks were within 5 % of the prediction, 64 within 8 %"
                                : "";
    return fmt::format("{} of memory is kept free (--reserve){}", percent(answer.reserve), why);
}

void add_reasons_of_first(Document& document, const search::Answer& answer, const Ranking& ranking) {
    const step::Prediction& best = answer.plans.front();
    List reasons;
    if (answer.plans.size() > 1) {
        reasons.items.push_back(against_runner_up(ranking, answer.domain));
    }
    if (!answer.unusual.empty()) {
        reasons.items.push_back(fmt::format("unusual, but nothing usual fits: {}", join(answer.unusual)));
    }
    append(reasons.items, bottleneck_items(best));
    append(reasons.items, limit_items(best), [](const std::string& item) { return "limit " + item; });
    reasons.items.push_back(fmt::format("{}{}; {}", answer.plans.size() > 1 ? "No. 1: " : "", batch_text(best),
                                        savings_and_numbers(best.plan)));
    if (std::string evidence = evidence_in_brief(best); !evidence.empty()) {
        reasons.items.push_back(std::move(evidence));
    }
    add_section(document, {answer.plans.size() > 1 ? "Why No. 1 is first" : "Where its time and memory go"},
                {time_bar(best), memory_bar(best), std::move(reasons)});
}

void add_nearest(Document& document, const search::Answer& answer) {
    if (answer.nearest.empty()) {
        return;
    }
    const step::Prediction& nearest = answer.nearest.front();
    add_section(document, {"The nearest configuration"},
                {Paragraph{plan_text(nearest)},
                 Paragraph{nearest.why_not ? "but: " + text(*nearest.why_not) : "", Tone::bad}, memory_bar(nearest)});
}

void add_infeasible(Document& document, const search::Answer& answer) {
    constexpr std::size_t kMax = 4;
    Table table({{"configurations", Align::right}, {"strategy"}, {"why they do not fit"}});
    std::int64_t count = 0;
    for (const search::Infeasible& group : answer.infeasible) {
        count += group.count;
        if (table.rows.size() < kMax) {
            table.row({Count{group.count}, group.strategy,
                       text(group.cause) + (group.nearest ? "; nearest: " + text(*group.nearest) : "")});
        }
    }
    const std::size_t more = answer.infeasible.size() - table.rows.size();
    add_section(document,
                {.title = fmt::format("What does not fit: {} of {}", whole(count),
                                      counted(answer.counts.configurations, "configuration")),
                 .detail = !answer.plans.empty()},
                {std::move(table),
                 Note{more > 0 ? fmt::format("and {}; --format json lists all", counted(more, "more reason")) : ""},
                 Note{answer.plans.empty() && answer.reserve > 0 ? reserve_text(answer) : ""}});
}

/// "3 plans are within 2 % of the fastest; the simplest is shown first"; empty where the first is alone.
std::string equally_fast_text(const search::Answer& answer) {
    const std::int64_t plans = answer.counts.equally_fast;
    const bool is_slower = std::any_of(answer.plans.begin(), answer.plans.end(), [&](const step::Prediction& plan) {
        return answer.plans.front().step.value > (1 + search::kEqualTime) * plan.step.value;
    });
    return plans < 2 || is_slower ? ""
                                  : fmt::format("{} plans are within {} of the fastest; the simplest is shown first",
                                                whole(plans), percent(search::kEqualTime));
}

void add_search(Document& document, const search::Answer& answer) {
    List lines{{search_counts(answer)}};
    if (std::string fast = equally_fast_text(answer); !fast.empty()) {
        lines.items.push_back(std::move(fast));
    }
    if (answer.layers) {
        lines.items.push_back(layer_search_counts(answer));
    }
    if (answer.reserve > 0) {
        lines.items.push_back(reserve_text(answer));
    }
    add_section(document, {.title = "Search", .detail = true}, {std::move(lines)});
}

/// Plans that are tied with the first, and which others with each other; empty if none are.
std::string ties_text(const Ranking& ranking) {
    std::vector<std::string> groups;
    for (const std::vector<std::size_t>& group : ranking.ties) {
        std::vector<std::string> others;
        for (std::size_t i = 1; i < group.size(); ++i) {
            others.push_back(std::to_string(group[i]));
        }
        groups.push_back(fmt::format("{}{} {} tied with No. {}", others.size() > 1 ? "Nos. " : "No. ", join(others),
                                     others.size() > 1 ? "are" : "is", group.front()));
    }
    return groups.empty() ? "" : "~ " + join(groups) + ": they differ by less than predictions may be off";
}

}  // namespace

Table ranking_table(const Ranking& ranking) {
    const bool names_software = std::any_of(ranking.plans.begin(), ranking.plans.end(), [&](const RankedPlan& ranked) {
        return !search::same_software(ranked.plan->plan, ranking.plans.front().plan->plan);
    });
    std::vector<Column> columns{{"#", Align::right},     {"strategy, mesh"},     {"micro-batch x steps, schedule"},
                                {"recompute, ZeRO"},     {"step", Align::right}, {"MFU", Align::right},
                                {"memory", Align::right}};
    if (names_software) {
        columns.push_back({"software"});
    }
    Table table(std::move(columns));
    for (const RankedPlan& ranked : ranking.plans) {
        const step::Prediction& prediction = *ranked.plan;
        std::vector<Cell> cells{Cell(Count{table.rows.size() + 1}, ranked.tied ? Mark::tied : Mark::none),
                                strategy_and_mesh(prediction.plan),
                                microbatch_text(prediction),
                                recompute_and_zero(prediction.plan),
                                prediction.step.value,
                                Percent{prediction.mfu},
                                prediction.memory.total()};
        if (names_software) {
            cells.emplace_back(prediction.plan.framework.label());
        }
        table.row(std::move(cells));
    }
    return table;
}

std::string against_runner_up(const Ranking& ranking, std::int64_t domain) {
    const step::Prediction& first = *ranking.plans.at(0).plan;
    const step::Prediction& second = *ranking.plans.at(1).plan;
    const double longer = ranking.plans.at(1).step() / ranking.plans.at(0).step() - 1;
    std::vector<std::pair<Seconds, std::size_t>> differences;
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        const Seconds difference = second.time.values[i] - first.time.values[i];
        // A part below a thousandth of the step explains nothing.
        if (max(difference, -difference) > 0.001 * first.step.value) {
            differences.emplace_back(difference, i);
        }
    }
    std::stable_sort(differences.begin(), differences.end(),
                     [](const auto& a, const auto& b) { return max(b.first, -b.first) < max(a.first, -a.first); });
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < std::min<std::size_t>(differences.size(), 3); ++i) {
        const auto [difference, part] = differences[i];
        const plan::Plan& longer_one = difference < Seconds{} ? first.plan : second.plan;
        parts.push_back(fmt::format("{} {}{}", label(static_cast<step::TimePart>(part), longer_one),
                                    difference < Seconds{} ? "-" : "+", text(max(difference, -difference))));
    }
    std::string sentence = "No. 2 is as fast";
    if (longer <= -0.0005 && !search::same_software(first.plan, second.plan)) {
        sentence =
            fmt::format("No. 2 takes {} less in {}, but No. 1 is in the default software, and they may be off by more",
                        percent(-longer), second.plan.framework.label());
    } else if (longer <= -0.0005) {
        const std::string_view why =
            search::advantage(search::simplicity(first, domain, 0), search::simplicity(second, domain, 0));
        sentence = fmt::format("No. 2 takes {} less, but No. 1{}", percent(-longer), why.empty() ? " is simpler" : why);
    } else if (longer >= 1) {
        sentence = fmt::format("No. 2 takes {} times as long", three_digits(1 + longer));
    } else if (longer >= 0.0005) {
        sentence = fmt::format("No. 2 takes {} longer", percent(longer));
    }
    sentence += parts.empty() ? "" : ": " + join(parts);
    return sentence + (ranking.plans[1].tied ? "; measure both before a long run" : "");
}

const step::Prediction* Answer::best() const {
    return !by_lengths.empty() ? &by_lengths.front().plan : !found.plans.empty() ? &found.plans.front() : nullptr;
}

namespace {

void add_what_would_fit(Document& document, const search::Answer& answer) {
    add_section(document, {"What would fit"}, {remedies_table(answer)});
    add_nearest(document, answer);
    add_infeasible(document, answer);
    add_search(document, answer);
}

void add_ranking(Document& document, const search::Answer& answer) {
    const Ranking ranking = ranking_of(answer.plans, answer.played);
    const step::Prediction& best = answer.plans.front();
    KeyFigures figures{speed_figures(best)};
    figures.figures.push_back(memory_figure(best));
    add(document, std::move(figures));
    add(document, ranking_table(ranking));
    add(document, Note{ties_text(ranking)});
    for (std::string& line : other_software_texts(answer)) {
        add(document, Note{std::move(line)});
    }
    add_simulated(document, answer);
    add_own_strategy(document, answer);
    add_reasons_of_first(document, answer, ranking);
    if (answer.explanation) {
        add_explanation(document, *answer.explanation, answer.plans);
    }
    add_infeasible(document, answer);
    add_section(document, {"Observed"}, {List{observed_text(best)}});
    add_section(document, {.title = "Evidence", .detail = true}, {List{evidence_items(best)}});
    add_search(document, answer);
}

/// Answers to what was asked in addition to the plans.
void add_more(Document& document, const Answer& answer) {
    const search::Answer& found = answer.found;
    if (answer.current) {
        add_current_run(document, answer);
    }
    if (answer.why_not) {
        add_why_not(document, answer);
    }
    if (!answer.by_lengths.empty()) {
        add_plan_lengths(document, answer.by_lengths, answer.shown);
    }
    if (!answer.by_exchange.choices.empty()) {
        add_exchange_search(document, answer.by_exchange, std::max(answer.shown, kChoicesShown));
    }
    if (answer.with_exchange) {
        add_plan_exchanges(document, answer.with_exchange->name, found.plans, answer.with_exchange->of_plans);
    }
    if (answer.tables) {
        add_placed_tables(document, {found.question.model, found.question.machine}, *answer.tables,
                          found.plans.empty() ? nullptr : &found.plans.front());
    }
}

}  // namespace

Document document(const Answer& answer) {
    const search::Answer& found = answer.found;
    Document document = answer_document(answer);
    set_asked(document, found.question.model, found.question.machine, found.question.devices);
    add(document, Headline{plan_headline(found)});
    if (std::string others = other_batches_text(found); !others.empty()) {
        add(document, Paragraph{std::move(others), Tone::bad});
    }
    if (found.plans.empty()) {
        add_what_would_fit(document, found);
    } else {
        add_ranking(document, found);
    }
    add_section(document, {"Next"}, {Code{next_commands(found, answer.saved)}});
    add_more(document, answer);
    return document;
}

}  // namespace dodona::questions::plans
