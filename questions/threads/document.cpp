#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/threads/threads.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::threads {

namespace {

using namespace reports;
using namespace dodona::threads;

std::string setting_text(const Setting& setting) {
    return fmt::format("{} of {}", counted(setting.workers, "worker"), counted(setting.threads, "thread"));
}

double gain(Seconds from, Seconds to) { return 1 - to / from; }

std::vector<KeyFigure> thread_figures(const Question& question, const Prediction& answer) {
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

Table tuning_table(const Prediction& answer) {
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
    add("none", answer.none, enumerator_of(Tuning::none).meaning);
    add("chain", answer.chain, "one operator at a time, on the threads that suit that best");
    add("guideline", answer.guideline, enumerator_of(Tuning::guideline).meaning);
    add("fixed", answer.fixed, enumerator_of(Tuning::fixed).meaning);
    table.row({"dynamic", "", "", answer.dynamic, Percent{answer.dynamic / answer.none.time - 1, true},
               std::string(enumerator_of(Tuning::dynamic).meaning)});
    return table;
}

Table section_table(const Prediction& answer) {
    Table table({{"depths", Align::right},
                 {"width", Align::right},
                 {"workers", Align::right},
                 {"threads", Align::right},
                 {"time", Align::right}});
    for (const dodona::threads::Section& section : answer.sections) {
        const std::string width = section.narrowest == section.widest
                                      ? fmt::format("{}", section.widest)
                                      : fmt::format("{} to {}", section.narrowest, section.widest);
        table.row({Count{section.depths}, width, Count{section.setting.workers}, Count{section.setting.threads},
                   section.time});
    }
    return table;
}

Table crowd_table(const Prediction& answer, std::int64_t cores) {
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

/// Origin of a cost that devices' files may have.
std::string origin(const Question& question, bool known) {
    return known ? "given" : question.device.threads ? "measured" : "assumed";
}

Table cost_table(const Question& question) {
    const ThreadCosts& costs = question.costs;
    const KnownCosts& known = question.known;
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

Table measured_table(const Question& question, const Prediction& answer) {
    Table table({{"workers", Align::right},
                 {"threads", Align::right},
                 {"measured", Align::right},
                 {"lower", Align::right},
                 {"upper quartile", Align::right},
                 {"predicted", Align::right},
                 {"off", Align::right}});
    std::vector<MeasuredSetting> settings = question.measured;
    stable_sort(settings, [](const auto& a, const auto& b) { return a.median < b.median; });
    for (const MeasuredSetting& one : settings) {
        const auto time = predicted(answer, one.setting);
        table.row({Count{one.setting.workers}, Count{one.setting.threads}, one.median, one.lower, one.upper,
                   time ? Cell(*time) : Cell(""), time ? Cell(Percent{*time / one.median - 1, true}) : Cell("")});
    }
    return table;
}

/// Sentences about the ranking, the guideline and the gain of settings by the measurements.
std::vector<std::string> measured_verdict(const Question& question, const Prediction& answer) {
    const Agreement found = agreement(answer, question.measured);
    std::vector<std::string> all;
    if (found.distinguished == 0) {
        all.emplace_back(
            "the measurements tell no two settings apart: more passes, or a machine that nobody else uses");
    } else {
        all.push_back(
            fmt::format("{} of the {} pairs of settings that the measurements tell apart are in the order "
                        "predicted; {} pairs differ by less than their quartiles",
                        percent(found.ranked), whole(found.distinguished), whole(found.pairs - found.distinguished)));
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

void add_measured(Document& document, const Question& question, const Prediction& answer) {
    if (question.measured.empty()) {
        add(document, Note{"no executor was measured: what is assumed above can change which setting is fastest"});
        return;
    }
    add_section(document, {"Measured"}, {measured_table(question, answer)});
    add(document, List{measured_verdict(question, answer)});
    add(document, Note{fmt::format("measured: {}; medians and quartiles of passes", question.measured_with)});
}

void add_too_large(Document& document, const Subject& subject, const Question& question) {
    add(document, Headline{fmt::format("{} does not fit on one {}", subject.model, question.device.name)});
    add(document, Paragraph{fmt::format("Its weights take {}, and the memory is {}.", text(question.weights),
                                        text(question.device.memory)),
                            Tone::bad});
    add(document, List{{"a smaller network, or fewer bytes a weight (--precision), would help"}});
}

}  // namespace

Document document(const Answer& answer) {
    const auto& [question, prediction] = answer;
    const reports::Subject& subject = question.subject;
    const std::int64_t cores = question.costs.cores;
    Document document = answer_document(answer);
    set_asked(document, subject.model, subject.machine, 1);
    if (!prediction) {
        add_too_large(document, subject, question);
        return document;
    }
    add(document, Headline{fmt::format("{} on {} of {}, batch {}: {} with {}", subject.model, counted(cores, "core"),
                                       question.device.name, whole(question.batch), text(prediction->fixed.time),
                                       setting_text(prediction->fixed.setting))});
    add(document, KeyFigures{thread_figures(question, *prediction)});
    add_section(document, {"Settings"}, {tuning_table(*prediction)});
    add_section(document, {"Sections of dynamic"}, {section_table(*prediction)});
    add_section(document, {"Over-subscription"}, {crowd_table(*prediction, cores)});
    add_section(document, {"What threads cost"}, {cost_table(question)});
    add(document, Note{fmt::format("kernels on all cores of the device: {}", name(answer.evidence()))});
    add_measured(document, question, *prediction);
    return document;
}

}  // namespace dodona::questions::threads
