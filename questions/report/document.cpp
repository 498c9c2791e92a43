#include "questions/report/report.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "questions/report/analysis.hpp"
#include "questions/report/charts.hpp"
#include "questions/report/measured.hpp"
#include "reports/collect/next_commands.hpp"
#include "reports/document/number_format.hpp"
#include "search/answer.hpp"
#include "search/limits.hpp"

namespace dodona::questions::report {

namespace {

using namespace reports;

std::string on_machine(const ReportInputs& inputs) {
    return fmt::format("{} on {} ({})", inputs.model, inputs.machine, inputs.device);
}

std::string headline(const Report& report, const std::optional<PlacedPlan>& best) {
    if (!best && !report.complete) {
        return fmt::format("{}: stopped before anything was found", on_machine(report.inputs));
    }
    if (!best) {
        return fmt::format("{}: nothing fits on {} to {}", on_machine(report.inputs),
                           whole(report.inputs.counts.front()), counted(report.inputs.counts.back(), "GPU"));
    }
    return fmt::format("{}: {} on {} ({}) with {}, {} a step", on_machine(report.inputs), best->strategy->name,
                       counted(best->point->devices, "GPU"), best->plan().mesh, best->plan().software,
                       text(best->plan().step.value));
}

/// Why this number of GPUs.
std::string reason(const ReportScaling& scaling, const PlacedPlan& best) {
    const std::vector<PlacedPlan> all = best_plans(scaling);
    const double share = efficiency(scaling, *best.point);
    std::string text = fmt::format("A GPU does {} of what it does at best", percent(share));
    if (all.back().point->devices > best.point->devices) {
        return text + fmt::format("; on more GPUs it does less than {}, or the step gets no faster",
                                  percent(search::kWorthwhile));
    }
    return text + "; no larger number was asked about that fits";
}

KeyFigures figures(const Report& report, const PlacedPlan& best, const AmountOfWork& work) {
    const ReportPlan& plan = best.plan();
    KeyFigures figures{
        {{.label = "step time", .value = plan.step},
         {.label = "throughput", .value = throughput_cell(*best.point)},
         {.label = "MFU", .value = Percent{plan.mfu}},
         {.label = "plan", .value = plan.details},
         {.label = "batch", .value = Count{best.point->batch}},
         {.label = "memory",
          .value = plan.memory.total(),
          .note = fmt::format("of {} on the fullest GPU", text(plan.memory_limit))},
         {.label = "GPU-hours", .value = Number{gpu_hours(*best.point, work)}, .note = "for " + work.text}}};
    if (const auto money = money_per_sample(report.inputs, *best.point)) {
        figures.figures.push_back({.label = "cost",
                                   .value = Cost{Money::of_base(*money * work.samples), report.inputs.currency},
                                   .note = "for " + work.text});
    }
    if (const auto energy = energy_per_sample(report.inputs, *best.point)) {
        figures.figures.push_back(
            {.label = "energy", .value = text(work.samples * *energy), .note = "of the GPUs for " + work.text});
    }
    return figures;
}

/// The page in which to vary the best plan's question.
std::string explorer_command(const ReportInputs& inputs, const PlacedPlan& best) {
    std::string words = fmt::format("dodona explorer {} --machine {} --gpus {} --batch {}", shell_word(inputs.model),
                                    shell_word(inputs.machine), best.point->devices, best.point->batch);
    for (const ReportSetting& setting : inputs.settings) {
        const bool taken = setting.option == "--seq" || setting.option == "--set";
        words += taken ? fmt::format(" {} {}", setting.option, shell_word(setting.value)) : "";
    }
    return words + " -o explorer.html";
}

Table best_table(const ReportScaling& scaling) {
    Table table({{"GPUs", Align::right},
                 {"strategy"},
                 {"mesh"},
                 {"step", Align::right},
                 {"throughput", Align::right},
                 {"efficiency", Align::right},
                 {"memory", Align::right}});
    for (const PlacedPlan& placed : best_plans(scaling)) {
        Cell rate = throughput_cell(*placed.point);
        rate.interval.reset();
        table.row({Count{placed.point->devices}, placed.strategy->name, placed.plan().mesh, placed.plan().step, rate,
                   Percent{efficiency(scaling, *placed.point)}, placed.plan().memory.total()});
    }
    return table;
}

/// Strategies with unusual plans.
std::string with_unusual_plans(const ReportScaling& scaling) {
    std::vector<std::string> all;
    for (const ReportStrategy& strategy : scaling.strategies) {
        const bool any = any_of(strategy.points,
                                [](const ReportPoint& point) { return point.plan && !point.plan->unusual.empty(); });
        if (any) {
            all.push_back(strategy.name);
        }
    }
    return join_some(all);
}

void add_scaling(Document& document, const Report& report, const ReportScaling& scaling) {
    Chart chart = scaling_chart(report, scaling);
    std::size_t fitting = 0;
    for (const ReportStrategy& strategy : scaling.strategies) {
        fitting += any_of(strategy.points, [](const ReportPoint& point) { return point.plan.has_value(); }) ? 1 : 0;
    }
    const auto shown =
        sum_of<std::size_t>(charted(scaling, kMaxCharted), [](const Curve& curve) { return 1 + curve.equal.size(); });
    std::string note = "Ideal: every GPU does what one does at best.";
    if (fitting > shown) {
        note += fmt::format(
            " The chart shows {} of {} strategies that fit: those that are fastest somewhere, then those "
            "that get furthest.",
            shown, fitting);
    }
    if (const std::string unusual = with_unusual_plans(scaling); !unusual.empty()) {
        note += fmt::format(" These have plans that nobody runs, which are never recommended where others fit: {}.",
                            unusual);
    }
    if (!measured_of(report, scaling).empty()) {
        note += " Measured runs have plans of their own, which need not be the fastest of their strategies.";
    }
    add_section(
        document,
        {scaling.batch ? fmt::format("Strong scaling: batch {} however many GPUs share it", whole(*scaling.batch))
                       : fmt::format("Weak scaling: {} on each GPU", counted(scaling.batch_per_gpu, "sample"))},
        {std::move(chart), best_table(scaling), Note{std::move(note)}});
}

/// "8 to 64", or "8 to 64 without 16".
std::string fitting(const ReportStrategy& strategy) {
    auto fits = mapped_where<std::int64_t>(strategy.points, &ReportPoint::plan, &ReportPoint::devices);
    if (fits.empty()) {
        return "none";
    }
    std::vector<std::string> gaps;
    for (const ReportPoint& point : strategy.points) {
        if (!point.plan && point.devices > fits.front() && point.devices < fits.back()) {
            gaps.push_back(whole(point.devices));
        }
    }
    const std::string range = fits.front() == fits.back()
                                  ? whole(fits.front())
                                  : fmt::format("{} to {}", whole(fits.front()), whole(fits.back()));
    return range + (gaps.empty() ? "" : " without " + join_some(gaps));
}

/// The reason that stops a strategy above the most GPUs that fit; where none fits, on the most that were asked about.
std::string what_stops(const ReportStrategy& strategy) {
    const ReportPoint* last = nullptr;
    for (const ReportPoint& point : strategy.points) {
        last = point.plan ? &point : last;
    }
    const auto stopped = [](const ReportPoint& point) {
        return fmt::format("{}: {}", counted(point.devices, "GPU"), point.why_not);
    };
    if (last == nullptr) {
        return stopped(strategy.points.back());
    }
    for (const ReportPoint& point : strategy.points) {
        if (!point.plan && point.devices > last->devices) {
            return stopped(point);
        }
    }
    if (last->plan->bottlenecks.empty()) {
        return "nothing up to there";
    }
    const std::string& bottleneck = last->plan->bottlenecks.front();
    return "bottleneck: " + bottleneck.substr(0, bottleneck.find(':'));
}

Table stops_table(const ReportScaling& scaling) {
    Table table({{"strategy"}, {"most GPUs", Align::right}, {"set by"}, {"fits on"}, {"what stops it"}});
    for (const ReportStrategy& strategy : scaling.strategies) {
        const bool is_for_one = strategy.axes == 0 && scaling.strategies.size() > 1;
        if (strategy.points.empty() || is_for_one) {
            continue;
        }
        std::vector<Cell> row{strategy.name, Count{strategy.most}, strategy.set_by, fitting(strategy),
                              what_stops(strategy)};
        const auto same = std::find_if(table.rows.begin(), table.rows.end(), [&](const std::vector<Cell>& other) {
            return std::equal(row.begin() + 1, row.end(), other.begin() + 1,
                              [](const Cell& a, const Cell& b) { return text(a) == text(b); });
        });
        if (same == table.rows.end()) {
            table.row(std::move(row));
        } else {
            same->front() = text(same->front()) + ", " + strategy.name;
        }
    }
    return table;
}

Table front_table(const ReportInputs& inputs, const ReportScaling& scaling) {
    std::vector<Column> columns{{"GPUs", Align::right},      {"strategy"},           {"mesh"},
                                {"plan", Align::left, true}, {"step", Align::right}, {"throughput", Align::right},
                                {"memory", Align::right}};
    const AmountOfWork work = amount_of_work(scaling);
    if (inputs.price_per_gpu_hour) {
        columns.push_back({"cost of " + work.text, Align::right});
    }
    if (inputs.power_per_gpu_w) {
        columns.push_back({"energy of " + work.text, Align::right});
    }
    Table table(columns);
    for (const PlacedPlan& placed : pareto_front(inputs, scaling)) {
        Cell rate = throughput_cell(*placed.point);
        rate.interval.reset();
        std::vector<Cell> cells{Count{placed.point->devices}, placed.strategy->name,    placed.plan().mesh,
                                placed.plan().details,        placed.plan().step.value, rate,
                                placed.plan().memory.total()};
        if (const auto money = money_per_sample(inputs, *placed.point)) {
            cells.emplace_back(Cost{Money::of_base(*money * work.samples), inputs.currency});
        }
        if (const auto energy = energy_per_sample(inputs, *placed.point)) {
            cells.emplace_back(text(work.samples * *energy));
        }
        table.row(std::move(cells));
    }
    return table;
}

std::string front_note(const ReportInputs& inputs) {
    const bool cost = inputs.price_per_gpu_hour.has_value();
    const bool energy = inputs.power_per_gpu_w.has_value();
    return fmt::format("Of these plans none is beaten by another in GPUs, time{}.", cost && energy
                                                                                        ? ", memory, cost and energy"
                                                                                    : cost   ? ", memory and cost"
                                                                                    : energy ? ", memory and energy"
                                                                                             : " and memory");
}

void add_sensitivity(Document& document, const ReportSensitivity& sensitivity) {
    std::vector<Column> columns;
    for (const std::string& title : sensitivity.table.columns) {
        columns.push_back({title, columns.empty() || title == "to" ? Align::left : Align::right});
    }
    Table table(columns);
    for (const std::vector<std::string>& row : sensitivity.table.rows) {
        std::vector<Cell> cells(row.begin(), row.end());
        cells.resize(columns.size());
        table.row(std::move(cells));
    }
    std::vector<Block> blocks{List{sensitivity.sentences}, std::move(table)};
    append(blocks, sensitivity.notes, [](const std::string& note) { return Note{note}; });
    add_section(document, {.title = "What the answer is sensitive to", .detail = true}, std::move(blocks));
}

void add_timeline(Document& document, const ReportBest& best) {
    std::vector<Block> blocks{step_timeline(*best.timeline)};
    append(blocks, best.timeline->notes, [](const std::string& note) { return Note{note}; });
    add_section(
        document,
        {.title = fmt::format("One step of {} on {}", best.strategy, counted(best.devices, "GPU")), .detail = true},
        std::move(blocks));
}

List assumptions(const Report& report) {
    const ReportInputs& inputs = report.inputs;
    List list{inputs.assumptions};
    list.items.push_back(
        fmt::format("precision {}; {} of {} have {}", inputs.precision, "GPUs", inputs.machine, inputs.device));
    for (const ReportSetting& setting : inputs.settings) {
        list.items.push_back(fmt::format("given: {} {}", setting.option, setting.value));
    }
    list.items.push_back(
        fmt::format("intervals contain the true value in {} of cases; the time of a step has no "
                    "restarts, evaluation and checkpoints",
                    percent(kIntervalLevel)));
    list.items.emplace_back(
        "the recommended plans are those of `dodona plan`; curves are of the plan that it recommends of each strategy");
    return list;
}

List sources(const Report& report) {
    const ReportInputs& inputs = report.inputs;
    List list;
    if (report.best && !report.best->evidence.empty()) {
        list.items = report.best->evidence;
    } else {
        list.items = {fmt::format("model {}: {}", inputs.model, inputs.model_source),
                      fmt::format("machine {}: {}", inputs.machine, inputs.machine_source)};
    }
    list.items.push_back(inputs.measured_to.empty()
                             ? "the machine's file has no date of measurements"
                             : fmt::format("the machine was measured {}",
                                           inputs.measured_from == inputs.measured_to
                                               ? "on " + inputs.measured_to
                                               : "from " + inputs.measured_from + " to " + inputs.measured_to));
    list.items.push_back(fmt::format("dodona {}", inputs.version));
    return list;
}

List remarks(const Report& report) {
    List list;
    if (!report.complete) {
        list.items.emplace_back("stopped: points are missing; `dodona report --resume` goes on");
    }
    if (report.thinned) {
        list.items.emplace_back("to keep this page small, numbers of GPUs were left out; `-o report.json` has all");
    }
    return list;
}

List changes(const ReportScaling& scaling) {
    List list;
    append(list.items, strategy_changes(scaling), [](const StrategyChange& change) { return change_text(change); });
    if (list.items.empty() && best_plans(scaling).size() > 1) {
        list.items.push_back(fmt::format("{} is the fastest on every number of GPUs, or within {} of it",
                                         best_plans(scaling).front().strategy->name, percent(search::kEqualTime)));
    }
    return list;
}

}  // namespace

Document document(const Report& whole_report) {
    const Report report = without_unusual(whole_report);
    const ReportScaling& first = report.scalings.front();
    const std::optional<PlacedPlan> best = recommended(first);
    Document document;
    document.record = report_record(whole_report);
    document.rows = point_rows(whole_report);
    add(document, Headline{headline(report, best)});
    if (best) {
        add(document, Paragraph{reason(first, *best)});
        add(document, figures(report, *best, amount_of_work(first)));
        for (Chart chart :
             {cost_chart(report.inputs, first), time_parts_chart(first), certainty_chart(report, first)}) {
            add(document, std::move(chart));
        }
    }
    add(document, remarks(report));
    if (best) {
        add_section(document, {"Next"},
                    {Code{{plan_command(report.inputs, *best) + " --save plan.yaml",
                           fmt::format("dodona predict {} --machine {} --gpus {} --batch {} --plan plan.yaml",
                                       shell_word(report.inputs.model), shell_word(report.inputs.machine),
                                       best->point->devices, best->point->batch),
                           explorer_command(report.inputs, *best)}}});
    }
    for (const ReportScaling& scaling : report.scalings) {
        add_scaling(document, report, scaling);
    }
    add_measured(document, report);
    if (best) {
        add_section(document, {"Where strategies cross over"}, {changes(first)});
        add_section(document, {.title = "Memory per GPU", .detail = true}, {memory_chart(first)});
    }
    add_section(document, {"Which strategies stop where"}, {stops_table(first)});
    if (best) {
        add_section(
            document, {.title = "Pareto front", .detail = true},
            {front_chart(report.inputs, first), front_table(report.inputs, first), Note{front_note(report.inputs)}});
    }
    if (report.best && report.best->timeline) {
        add_timeline(document, *report.best);
    }
    if (report.best && report.best->sensitivity) {
        add_sensitivity(document, *report.best->sensitivity);
    }
    add_section(document, {"Assumptions"}, {assumptions(report)});
    add_section(document, {"Sources"}, {sources(report)});
    return document;
}

}  // namespace dodona::questions::report
