#include "reports/text/comparison.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/figures.hpp"
#include "reports/table.hpp"
#include "reports/text/section.hpp"

namespace dodona::reports {

namespace {

constexpr std::size_t kMostReasons = 25;

std::string whole(std::int64_t count) { return reports::whole(static_cast<double>(count)); }
std::string ratio(const std::optional<double>& value) { return value ? percent(*value) : ""; }
std::string signed_ratio(const std::optional<double>& value) {
    return value ? (*value > 0 ? "+" : "") + percent(*value) : "";
}

/// "2 of 3 runs predicted, 1 refused".
std::string headline(const std::string& table, const validate::Comparison& comparison) {
    const validate::Statistics& all = comparison.overall;
    std::string line =
        fmt::format("{}: {} of {} predicted", table, whole(all.rows), counted(all.rows + all.skipped, "run"));
    if (all.skipped > 0) {
        line += fmt::format(", {} refused", whole(all.skipped));
    }
    if (all.mape) {
        line += fmt::format("; mean error {}, median {}, bias {}", percent(*all.mape), percent(*all.median_ape),
                            signed_ratio(all.bias));
    }
    return line;
}

Table errors(const validate::Comparison& comparison) {
    Table table({{"group"},
                 {"runs", Align::right},
                 {"refused", Align::right},
                 {"mean", Align::right},
                 {"median", Align::right},
                 {"p90", Align::right},
                 {"bias", Align::right},
                 {"inside", Align::right},
                 {"pairs", Align::right},
                 {"regret", Align::right},
                 {"memory", Align::right}});
    const auto add = [&](const validate::Statistics& line) {
        table.row({line.group, whole(line.rows), whole(line.skipped), ratio(line.mape), ratio(line.median_ape),
                   ratio(line.p90), signed_ratio(line.bias), ratio(line.coverage), ratio(line.pair_accuracy),
                   ratio(line.top1_regret), ratio(line.memory_mape)});
    };
    for (const validate::Statistics& group : comparison.groups) {
        add(group);
    }
    add(comparison.overall);
    return table;
}

/// Reasons with their runs, the most frequent first.
std::vector<std::pair<std::string, std::int64_t>> reasons(const validate::Comparison& comparison) {
    std::vector<std::pair<std::string, std::int64_t>> found;
    for (const validate::RunResult& row : comparison.rows) {
        if (row.refusal.empty()) {
            continue;
        }
        const auto known =
            std::find_if(found.begin(), found.end(), [&](const auto& entry) { return entry.first == row.refusal; });
        if (known == found.end()) {
            found.emplace_back(row.refusal, 1);
        } else {
            ++known->second;
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return found;
}

Table refusals(const std::vector<std::pair<std::string, std::int64_t>>& reasons, std::size_t most) {
    Table table({{"runs", Align::right}, {"refused because"}});
    for (std::size_t i = 0; i < std::min(most, reasons.size()); ++i) {
        table.row({whole(reasons[i].second), reasons[i].first});
    }
    return table;
}

constexpr std::string_view kLegend =
    "error = predicted / measured - 1; mean, median and p90 are of its size, bias keeps its sign; inside: measured "
    "times "
    "in the interval; pairs: plans for one job that are ordered as measured; regret: how much longer the plan "
    "predicted "
    "best took than the best; memory: mean size of the error of peak memory";

}  // namespace

std::string comparison_text(const std::string& table, const validate::Comparison& comparison, Style style) {
    std::string text = painted(style, Paint::bold, headline(table, comparison)) + "\n";
    text += heading(style, "Errors by group") + errors(comparison).to_text(style);
    text += "  " + wrapped(kLegend, kTextWidth - 2, "  ") + "\n";
    const auto found = reasons(comparison);
    if (!found.empty()) {
        text += heading(style, "Refused") + refusals(found, kMostReasons).to_text(style);
        if (found.size() > kMostReasons) {
            text += fmt::format("  and {} more reasons; --format csv has every run\n", found.size() - kMostReasons);
        }
    }
    return text;
}

std::string comparison_markdown(const std::string& table, const validate::Comparison& comparison) {
    std::string text = headline(table, comparison) + "\n\n" + errors(comparison).to_markdown();
    text += "\n" + std::string(kLegend) + "\n";
    const auto found = reasons(comparison);
    if (!found.empty()) {
        text += "\n" + refusals(found, found.size()).to_markdown();
    }
    return text;
}

}  // namespace dodona::reports
