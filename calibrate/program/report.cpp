#include "calibrate/program/report.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "calibrate/record/quantile.hpp"
#include "reports/figures.hpp"
#include "reports/table.hpp"
#include "reports/text/section.hpp"

namespace dodona::calibrate {

using namespace reports;

namespace {

constexpr std::size_t kMostShown = 20;

std::string count(std::size_t number, const char* what) { return counted(static_cast<std::int64_t>(number), what); }

/// Failures of one reason are one line.
std::string failures(const std::vector<Failure>& all) {
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const Failure& failure : all) {
        by_reason[failure.why].push_back(failure.of.key());
    }
    std::string text;
    for (const auto& [why, cases] : by_reason) {
        const std::string more = cases.size() > 1 ? fmt::format(", and {} more", cases.size() - 1) : "";
        text += bullet(fmt::format("{}{}: {}", cases.front(), more, why));
    }
    return text;
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
        table.row({key.first, key.second, fmt::format("{}", group.size()), fmt::format("{}", differ),
                   fmt::format("{:.3f}", ratios.front()), fmt::format("{:.3f}", quantile_of_sorted(ratios, 0.5)),
                   fmt::format("{:.3f}", ratios.back())});
    }
    return table;
}

Table case_table(std::vector<ComparedCase> cases) {
    std::erase_if(cases, [](const ComparedCase& one) { return !one.differs(); });
    std::stable_sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) {
        return std::abs(std::log(a.ratio())) > std::abs(std::log(b.ratio()));
    });
    Table table({{"case"}, {"A", Align::right}, {"B", Align::right}, {"B / A", Align::right}, {"noise", Align::right}});
    for (std::size_t i = 0; i < std::min(cases.size(), kMostShown); ++i) {
        const ComparedCase& one = cases[i];
        table.row(
            {one.of.key(), text(one.first), text(one.second), fmt::format("{:.3f}", one.ratio()), percent(one.noise)});
    }
    return table;
}

}  // namespace

std::string calibration_text(const CalibrationView& view) {
    std::string out = fmt::format("{}: {} measured", view.profile, count(view.measured, "case"));
    if (view.before > 0) {
        out += fmt::format(", {} known from before", view.before);
    }
    if (!view.failures.empty()) {
        out += fmt::format(", {} failed", view.failures.size());
    }
    out += fmt::format(" (records: {})\n", view.records);
    for (const std::string& part : view.parts) {
        out += bullet(part);
    }
    if (!view.missing.empty()) {
        out += "\nNot measured\n";
        for (const std::string& part : view.missing) {
            out += bullet(part);
        }
    }
    if (!view.failures.empty()) {
        out += "\nFailed\n" + failures(view.failures);
    }
    return out + fmt::format("\nNext: dodona plan MODEL --machine {} --gpus N\n", view.profile);
}

std::string calibration_comparison_text(const std::string& first, const std::string& second,
                                        const RecordComparison& comparison) {
    std::string out = fmt::format("A: {}\nB: {}\n\n", first, second);
    out += comparison.facts.empty() ? "Both ran on the same devices and software.\n"
                                    : "Devices and software\n" + fact_table(comparison.facts).to_text({});
    if (comparison.cases.empty()) {
        return out + "\nThey have no case in common.\n";
    }
    out += fmt::format("\nTimes of the {} that both measured (only A: {}, only B: {})\n",
                       count(comparison.cases.size(), "case"), comparison.only_first, comparison.only_second);
    out += ratio_table(comparison.cases).to_text({});
    const Table most = case_table(comparison.cases);
    out += most.empty() ? "\nNo case differs by more than its own spread.\n"
                        : "\nLargest differences beyond the spread of their samples\n" + most.to_text({});
    return out;
}

}  // namespace dodona::calibrate
