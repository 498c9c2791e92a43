#include "calibrate/program/report.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "calibrate/program/host_state.hpp"
#include "calibrate/record/quantile.hpp"
#include "reports/collect/next_commands.hpp"
#include "reports/document/document.hpp"
#include "reports/document/number_format.hpp"
#include "reports/render/renderer.hpp"

namespace dodona::calibrate {

using namespace reports;

namespace {

constexpr std::size_t kMaxShown = 20;

/// Failures of one reason are one line.
List failures(const std::vector<Failure>& all) {
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const Failure& failure : all) {
        by_reason[failure.why].push_back(failure.of.key());
    }
    List lines;
    for (const auto& [why, cases] : by_reason) {
        const std::string more = cases.size() > 1 ? fmt::format(", and {} more", cases.size() - 1) : "";
        lines.items.push_back(fmt::format("{}{}: {}", cases.front(), more, why));
    }
    return lines;
}

Table kind_table(const std::vector<MeasuredKind>& kinds) {
    Table table({{"back end"},
                 {"benchmark"},
                 {"cases", Align::right},
                 {"spread", Align::right},
                 {"worst", Align::right},
                 {"verdict"}});
    for (const MeasuredKind& kind : kinds) {
        table.row({kind.backend, kind.benchmark, Count{kind.steadiness.cases()}, Percent{kind.steadiness.spread()},
                   Percent{kind.steadiness.worst_spread()}, kind.verdict()});
    }
    return table;
}

Table fact_table(const std::vector<ComparedFact>& facts) {
    Table table({{"back end"}, {"fact"}, {"A"}, {"B"}});
    for (const ComparedFact& fact : facts) {
        table.row(
            {fact.backend, fact.key, fact.first.empty() ? "-" : fact.first, fact.second.empty() ? "-" : fact.second});
    }
    return table;
}

/// One line a benchmark of a back end: how B's times stand to A's.
Table ratio_table(const std::vector<ComparedCase>& cases) {
    std::map<std::pair<std::string, std::string>, std::vector<const ComparedCase*>> groups;
    for (const ComparedCase& one : cases) {
        groups[{one.backend, one.of.benchmark}].push_back(&one);
    }
    Table table({{"back end"},
                 {"benchmark"},
                 {"cases", Align::right},
                 {"differ", Align::right},
                 {"least", Align::right},
                 {"median B / A", Align::right},
                 {"most", Align::right}});
    for (const auto& [key, group] : groups) {
        std::vector<double> ratios;
        std::size_t differ = 0;
        for (const ComparedCase* one : group) {
            ratios.push_back(one->ratio());
            differ += one->differs() ? 1 : 0;
        }
        std::sort(ratios.begin(), ratios.end());
        table.row({key.first, key.second, Count{group.size()}, Count{differ}, fmt::format("{:.3f}", ratios.front()),
                   fmt::format("{:.3f}", quantile_of_sorted(ratios, 0.5)), fmt::format("{:.3f}", ratios.back())});
    }
    return table;
}

Table case_table(std::vector<ComparedCase> cases) {
    std::erase_if(cases, [](const ComparedCase& one) { return !one.differs(); });
    std::stable_sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) {
        return std::abs(std::log(a.ratio())) > std::abs(std::log(b.ratio()));
    });
    Table table({{"case"}, {"A", Align::right}, {"B", Align::right}, {"B / A", Align::right}, {"noise", Align::right}});
    for (std::size_t i = 0; i < std::min(cases.size(), kMaxShown); ++i) {
        const ComparedCase& one = cases[i];
        table.row({one.of.key(), one.first, one.second, fmt::format("{:.3f}", one.ratio()), Percent{one.noise}});
    }
    return table;
}

}  // namespace

std::string MeasuredKind::verdict() const {
    const std::vector<std::string> doubts = steadiness.doubts();
    return doubts.empty() ? "steady" : "doubtful: " + join(doubts, "; ");
}

std::vector<MeasuredKind> measured_kinds(const std::vector<Record>& records) {
    std::map<std::pair<std::string, std::string>, const Measurement*> latest;  // by back end and case
    for (const Record& record : records) {
        const auto* measured = std::get_if<Measurement>(&record.what);
        if (measured != nullptr && record.pass == Pass::time && record.backend != "import" &&
            measured->time.median > Seconds{}) {
            latest[{record.backend, measured->of.key()}] = measured;
        }
    }
    std::vector<MeasuredKind> kinds;
    for (const auto& entry : latest) {
        const std::string& backend = entry.first.first;
        const Measurement* measured = entry.second;
        auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const MeasuredKind& one) {
            return one.backend == backend && one.benchmark == measured->of.benchmark;
        });
        if (kind == kinds.end()) {
            kind = kinds.insert(kinds.end(), {.backend = backend, .benchmark = measured->of.benchmark});
        }
        kind->steadiness.add(measured->time);
    }
    return kinds;
}

std::string planned_text(const std::string& backend, const std::vector<Case>& cases, double seconds) {
    std::vector<std::pair<std::string, std::int64_t>> kinds;
    for (const Case& one : cases) {
        auto kind =
            std::find_if(kinds.begin(), kinds.end(), [&](const auto& known) { return known.first == one.benchmark; });
        ++(kind == kinds.end() ? kinds.emplace_back(one.benchmark, 0) : *kind).second;
    }
    std::vector<std::string> each;
    for (const auto& [benchmark, count] : kinds) {
        each.push_back(fmt::format("{} {}", benchmark, count));
    }
    return fmt::format("{}: {}, {} at most: {}", backend, counted(cases.size(), "case"),
                       duration(Seconds::of_base(seconds * static_cast<double>(cases.size()))), join(each));
}

std::string calibration_text(const CalibrationView& view) {
    std::string headline = fmt::format("{}: {} measured", view.profile, counted(view.measured, "case"));
    if (view.before > 0) {
        headline += fmt::format(", {} known from before", view.before);
    }
    if (!view.failures.empty()) {
        headline += fmt::format(", {} failed", view.failures.size());
    }
    Document document;
    add(document, Headline{headline + fmt::format(" (records: {})", view.records)});
    add(document, List{view.parts});
    add_section(document, {"How steady it was"},
                {kind_table(view.kinds),
                 Note{view.kinds.empty() ? "" : "spread: between the quartiles of a case's samples, of their median"}});
    add_section(document, {"Not measured"}, {List{view.missing}});
    add_section(document, {"Failed"}, {failures(view.failures)});
    add_section(document, {"Next"},
                {Code{{fmt::format("dodona plan MODEL --machine {} --gpus N", shell_word(view.profile))}}});
    return render_text(document, {});
}

std::string calibration_comparison_text(const std::string& first, const std::string& second,
                                        const RecordComparison& comparison) {
    Document document;
    add(document,
        KeyFigures{{{.label = "A", .value = first, .note = {}}, {.label = "B", .value = second, .note = {}}}});
    std::vector<ComparedFact> state, facts;
    for (const ComparedFact& fact : comparison.facts) {
        (fact.backend == kHostRecords ? state : facts).push_back(fact);
    }
    if (facts.empty()) {
        add(document, Paragraph{"Both ran on the same devices and software."});
    }
    add_section(document, {"Devices and software"}, {fact_table(facts)});
    add_section(document, {"State of the host when measuring began"}, {fact_table(state)});
    if (comparison.cases.empty()) {
        add(document, Paragraph{"They have no case in common."});
        return render_text(document, {});
    }
    add_section(document,
                {fmt::format("Times of the {} that both measured (only A: {}, only B: {})",
                             counted(comparison.cases.size(), "case"), comparison.only_first, comparison.only_second)},
                {ratio_table(comparison.cases)});
    const Table most = case_table(comparison.cases);
    if (most.empty()) {
        add(document, Note{"No case differs by more than its own spread."});
    }
    add_section(document, {"Largest differences beyond the spread of their samples"}, {most});
    return render_text(document, {});
}

}  // namespace dodona::calibrate
