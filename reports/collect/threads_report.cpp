#include "reports/collect/threads_report.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

using threads::Setting;
using threads::Timed;

std::string setting_text(const Setting& setting) {
    return fmt::format("{} of {}", counted(setting.workers, "worker"), counted(setting.threads, "thread"));
}

double gain(Seconds from, Seconds to) { return 1 - to / from; }

bool within(const Setting& setting, std::int64_t cores) { return setting.workers * setting.threads <= cores; }

const Timed& at(const threads::Forecast& answer, const Setting& setting) {
    return answer.grid[static_cast<std::size_t>((setting.workers - 1) * answer.most + setting.threads - 1)];
}

std::vector<KeyFigure> thread_figures(const ThreadsQuestion& question, const threads::Forecast& answer) {
    const std::int64_t cores = question.costs.cores;
    const auto settings = std::count_if(answer.grid.begin(), answer.grid.end(),
                                        [&](const Timed& one) { return within(one.setting, cores); });
    const double more = gain(answer.guideline.time, answer.fixed.time);
    const double dynamic = gain(answer.fixed.time, answer.dynamic);
    return {
        {.label = "operators",
         .value = Count{answer.operators},
         .note = fmt::format("in {}: average width {}, widest {}", counted(answer.depths, "depth"),
                             three_digits(answer.average_width), answer.widest)},
        {.label = "guideline",
         .value = setting_text(answer.guideline.setting),
         .note = fmt::format("(faster than {} of the {} settings within the cores and {} of all {})",
                             percent(answer.beaten(answer.guideline.time, true, cores)), whole(settings),
                             percent(answer.beaten(answer.guideline.time, false, cores)), whole(answer.grid.size()))},
        {.label = "fixed",
         .value = setting_text(answer.fixed.setting),
         .note = more > 0 ? fmt::format("(the fastest; {} less time than the guideline)", percent(more))
                          : "(the fastest; no setting is faster than the guideline)"},
        {.label = "dynamic",
         .value = counted(answer.sections.size(), "section"),
         .note = dynamic > 0 ? fmt::format("({} less time than fixed)", percent(dynamic))
                             : "(no change at run time pays)"}};
}

Table tuning_table(const threads::Forecast& answer) {
    Table table({{"setting"},
                 {"workers", Align::right},
                 {"threads", Align::right},
                 {"time", Align::right},
                 {"to none", Align::right},
                 {"what it is"}});
    const auto add = [&](const std::string& name, const Timed& one, std::string_view meaning) {
        table.row({name, Count{one.setting.workers}, Count{one.setting.threads}, one.time,
                   Percent{one.time / answer.none.time - 1, true}, std::string(meaning)});
    };
    add("none", answer.none, enumerator_of(threads::Tuning::none).meaning);
    add("chain", answer.chain, "one operator at a time, on the threads that suit that best");
    add("guideline", answer.guideline, enumerator_of(threads::Tuning::guideline).meaning);
    add("fixed", answer.fixed, enumerator_of(threads::Tuning::fixed).meaning);
    table.row({"dynamic", "", "", answer.dynamic, Percent{answer.dynamic / answer.none.time - 1, true},
               std::string(enumerator_of(threads::Tuning::dynamic).meaning)});
    return table;
}

Table section_table(const threads::Forecast& answer) {
    Table table({{"depths", Align::right},
                 {"width", Align::right},
                 {"workers", Align::right},
                 {"threads", Align::right},
                 {"time", Align::right}});
    for (const threads::Section& section : answer.sections) {
        const std::string width = section.narrowest == section.widest
                                      ? fmt::format("{}", section.widest)
                                      : fmt::format("{} to {}", section.narrowest, section.widest);
        table.row({Count{section.depths}, width, Count{section.setting.workers}, Count{section.setting.threads},
                   section.time});
    }
    return table;
}

/// The guideline's workers with more and more threads, each time twice as many, up to all cores each.
std::vector<Timed> crowded(const threads::Forecast& answer, std::int64_t cores) {
    std::vector<Timed> all{answer.guideline};
    while (all.back().setting.threads < cores) {
        Setting next = all.back().setting;
        next.threads = std::min(cores, 2 * next.threads);
        all.push_back(at(answer, next));
    }
    return all;
}

Table crowd_table(const threads::Forecast& answer, std::int64_t cores) {
    Table table({{"workers", Align::right},
                 {"threads", Align::right},
                 {"threads a core", Align::right},
                 {"time", Align::right},
                 {"to guideline", Align::right}});
    for (const Timed& one : crowded(answer, cores)) {
        const auto both = static_cast<double>(one.setting.workers * one.setting.threads);
        table.row({Count{one.setting.workers}, Count{one.setting.threads}, Number{both / static_cast<double>(cores)},
                   one.time, Percent{one.time / answer.guideline.time - 1, true}});
    }
    return table;
}

/// Of a cost that devices' files may have.
std::string origin(const ThreadsQuestion& question, bool known) {
    return known ? "given" : question.device.threads ? "measured" : "assumed";
}

Table cost_table(const ThreadsQuestion& question) {
    const threads::ThreadCosts& costs = question.costs;
    const threads::KnownCosts& known = question.known;
    Table table({{"cost of threads"}, {"value", Align::right}, {"from"}, {"option"}});
    table.row({"memory bandwidth of one thread", costs.of_core, origin(question, known.of_core.has_value()),
               "--core-bandwidth"});
    table.row({"memory bandwidth of all", costs.of_all, "device file", ""});
    table.row({"serial part of a kernel", costs.serial, origin(question, known.serial.has_value()), "--serial"});
    table.row({"fork of a kernel", costs.fork, origin(question, known.fork.has_value()), "--fork"});
    table.row({"barriers, each doubling of threads", costs.barrier, origin(question, known.barrier.has_value()),
               "--barrier"});
    for (const cluster::Crowding& one : costs.crowding) {
        table.row({fmt::format("{}, twice as many threads as cores", name(one.kernel)), Percent{one.threads, true},
                   "measured", "--oversubscription"});
        table.row({fmt::format("{}, several on all cores", name(one.kernel)), Percent{one.operators, true}, "measured",
                   "--oversubscription"});
    }
    if (costs.crowding.empty()) {
        table.row({"work on a core for each further thread", Percent{costs.oversubscription, true},
                   origin(question, known.oversubscription.has_value()), "--oversubscription"});
    }
    table.row({"change of both numbers", costs.change, known.change ? "given" : "assumed", "--change"});
    return table;
}

Table measured_table(const ThreadsQuestion& question, const threads::Forecast& answer) {
    Table table({{"workers", Align::right},
                 {"threads", Align::right},
                 {"measured", Align::right},
                 {"lower", Align::right},
                 {"upper quartile", Align::right},
                 {"predicted", Align::right},
                 {"off", Align::right}});
    std::vector<threads::MeasuredSetting> settings = question.measured;
    std::stable_sort(settings.begin(), settings.end(),
                     [](const auto& a, const auto& b) { return a.median < b.median; });
    for (const threads::MeasuredSetting& one : settings) {
        const auto time = threads::predicted(answer, one.setting);
        table.row({Count{one.setting.workers}, Count{one.setting.threads}, one.median, one.lower, one.upper,
                   time ? Cell(*time) : Cell(""), time ? Cell(Percent{*time / one.median - 1, true}) : Cell("")});
    }
    return table;
}

/// What the measurements say of the ranking, of the guideline and of what settings are worth.
std::vector<std::string> measured_verdict(const ThreadsQuestion& question, const threads::Forecast& answer) {
    const threads::Agreement found = threads::agreement(answer, question.measured);
    std::vector<std::string> all;
    if (found.told_apart == 0) {
        all.emplace_back(
            "the measurements tell no two settings apart: more passes, or a machine that nobody else uses");
    } else {
        all.push_back(
            fmt::format("{} of the {} pairs of settings that the measurements tell apart are in the order "
                        "predicted; {} pairs differ by less than their quartiles",
                        percent(found.ranked), whole(found.told_apart), whole(found.pairs - found.told_apart)));
    }
    if (!found.guideline) {
        all.push_back("the guideline's setting was not measured");
        return all;
    }
    all.push_back(
        fmt::format("the guideline, measured, is faster than {} of the {} other settings; {} are faster than it "
                    "by more than their quartiles",
                    whole(found.slower), whole(found.others), whole(found.faster)));
    const double more = gain(found.guideline->median, found.fastest.median);
    all.push_back(more > 0 ? fmt::format("the fastest is {}, with {} less time than the guideline",
                                         setting_text(found.fastest.setting), percent(more))
                           : std::string("no setting is faster than the guideline"));
    const auto none = std::find_if(question.measured.begin(), question.measured.end(),
                                   [&](const auto& one) { return one.setting == answer.none.setting; });
    if (none != question.measured.end()) {
        all.push_back(fmt::format("to none, as frameworks start, the guideline takes {} time",
                                  signed_percent(found.guideline->median / none->median - 1)));
    }
    return all;
}

void add_measured(Document& document, const ThreadsQuestion& question, const threads::Forecast& answer) {
    if (question.measured.empty()) {
        add(document, Note{"no executor was measured: what is assumed above can change which setting is fastest"});
        return;
    }
    add_section(document, {"Measured"}, {measured_table(question, answer)});
    add(document, List{measured_verdict(question, answer)});
    add(document, Note{fmt::format("measured: {}; medians and quartiles of passes", question.measured_with)});
}

Record timed_record(const Timed& one) {
    return {{"workers", one.setting.workers}, {"threads", one.setting.threads}, {"time_s", one.time}};
}

Record costs_record(const ThreadsQuestion& question) {
    const threads::ThreadCosts& costs = question.costs;
    const threads::KnownCosts& known = question.known;
    std::vector<std::string> assumed;
    const bool measured = question.device.threads.has_value();
    const auto add = [&](bool is_known, const std::string& name) {
        if (!is_known) {
            assumed.push_back(name);
        }
    };
    add(measured || known.of_core.has_value(), "core_bandwidth_B_per_s");
    add(measured || known.serial.has_value(), "serial_s");
    add(measured || known.fork.has_value(), "fork_s");
    add(measured || known.barrier.has_value(), "barrier_s");
    add(measured || known.oversubscription.has_value(), "oversubscription");
    add(known.change.has_value(), "change_s");
    return {
        {"core_bandwidth_B_per_s", costs.of_core},
        {"bandwidth_B_per_s", costs.of_all},
        {"serial_s", costs.serial},
        {"fork_s", costs.fork},
        {"barrier_s", costs.barrier},
        {"oversubscription", costs.oversubscription},
        {"crowding",
         list_of(
             costs.crowding,
             [](const cluster::Crowding& one) {
                 return Record{{"kernel", name(one.kernel)}, {"threads", one.threads}, {"operators", one.operators}};
             })},
        {"change_s", costs.change},
        {"assumed", list_of(assumed, [](const std::string& name) { return Record(name); })}};
}

Record forecast_record(const ThreadsQuestion& question, const threads::Forecast& answer) {
    const std::int64_t cores = question.costs.cores;
    std::vector<Timed> grid;
    std::copy_if(answer.grid.begin(), answer.grid.end(), std::back_inserter(grid),
                 [&](const Timed& one) { return question.whole_grid || within(one.setting, cores); });
    return {{"operators", answer.operators},
            {"depths", answer.depths},
            {"widest", answer.widest},
            {"average_width", answer.average_width},
            {"none", timed_record(answer.none)},
            {"chain", timed_record(answer.chain)},
            {"guideline", timed_record(answer.guideline)},
            {"fixed", timed_record(answer.fixed)},
            {"dynamic_s", answer.dynamic},
            {"sections", list_of(answer.sections,
                                 [](const threads::Section& section) {
                                     return Record{
                                         {"depths", section.depths},           {"narrowest", section.narrowest},
                                         {"widest", section.widest},           {"workers", section.setting.workers},
                                         {"threads", section.setting.threads}, {"time_s", section.time}};
                                 })},
            {"beaten_within_cores", answer.beaten(answer.guideline.time, true, cores)},
            {"beaten_of_all", answer.beaten(answer.guideline.time, false, cores)},
            {"crowded", list_of(crowded(answer, cores), timed_record)},
            {"costs", costs_record(question)},
            {"kernels", name(question.evidence)},
            {"grid", list_of(grid, timed_record)}};
}

Record measured_record(const ThreadsQuestion& question, const threads::Forecast& answer) {
    if (question.measured.empty()) {
        return {};
    }
    const threads::Agreement found = threads::agreement(answer, question.measured);
    return {{"pairs", found.pairs},
            {"told_apart", found.told_apart},
            {"ranked", found.told_apart > 0 ? Record(found.ranked) : Record()},
            {"guideline_s", found.guideline ? Record(found.guideline->median) : Record()},
            {"others", found.others},
            {"slower_than_guideline", found.slower},
            {"faster_than_guideline", found.faster},
            {"settings", list_of(question.measured, [&](const threads::MeasuredSetting& one) {
                 const auto time = threads::predicted(answer, one.setting);
                 return Record{{"workers", one.setting.workers}, {"threads", one.setting.threads},
                               {"lower_s", one.lower},           {"median_s", one.median},
                               {"upper_s", one.upper},           {"predicted_s", time ? Record(*time) : Record()}};
             })}};
}

Record threads_record(const ThreadsQuestion& question, const std::optional<threads::Forecast>& answer) {
    return {{"schema", "dodona/threads/1"},
            {"cores", question.costs.cores},
            {"batch", question.batch},
            {"fits", answer.has_value()},
            {"weight_bytes", question.weights},
            {"memory_bytes", question.device.memory},
            {"forecast", answer ? forecast_record(question, *answer) : Record()},
            {"measured", answer ? measured_record(question, *answer) : Record()}};
}

void add_too_large(Document& document, const Subject& subject, const ThreadsQuestion& question) {
    add(document, Headline{fmt::format("{} does not fit on one {}", subject.model, question.device.name)});
    add(document, Paragraph{fmt::format("Its weights take {}, and the memory is {}.", text(question.weights),
                                        text(question.device.memory)),
                            Tone::bad});
    add(document, List{{"a smaller network, or fewer bytes a weight (--precision), would help"}});
}

}  // namespace

Document threads_document(const Subject& subject, const ThreadsQuestion& question,
                          const std::optional<threads::Forecast>& answer) {
    const std::int64_t cores = question.costs.cores;
    Document document;
    document.record = threads_record(question, answer);
    set_asked(document, subject.model, subject.machine, 1);
    if (!answer) {
        add_too_large(document, subject, question);
        return document;
    }
    document.rows = std::get<Record::List>(document.record.at("forecast").at("grid").of());
    add(document, Headline{fmt::format("{} on {} of {}, batch {}: {} with {}", subject.model, counted(cores, "core"),
                                       question.device.name, whole(question.batch), text(answer->fixed.time),
                                       setting_text(answer->fixed.setting))});
    add(document, KeyFigures{thread_figures(question, *answer)});
    add_section(document, {"Settings"}, {tuning_table(*answer)});
    add_section(document, {"Sections of dynamic"}, {section_table(*answer)});
    add_section(document, {"Over-subscription"}, {crowd_table(*answer, cores)});
    add_section(document, {"What threads cost"}, {cost_table(question)});
    add(document, Note{fmt::format("kernels on all cores of the device: {}", name(question.evidence))});
    add_measured(document, question, *answer);
    return document;
}

}  // namespace dodona::reports
