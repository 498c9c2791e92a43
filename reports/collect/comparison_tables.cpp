#include "reports/collect/comparison_tables.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

constexpr std::size_t kPartsShown = 3;  ///< of a time, shown beside it
constexpr double kLeastShare = 0.005;   ///< of a time that is worth a word

/// "backward 57 %, forward 28 %, layer 11 %": the largest parts, ties in the order of a step.
std::string made_of(const step::TimeParts& time) {
    std::vector<std::pair<double, std::string>> parts;
    const Seconds total = time.total();
    for (std::size_t i = 0; i < step::kTimeParts && total > Seconds{}; ++i) {
        const double share = time.values[i] / total;
        if (share >= kLeastShare) {
            parts.emplace_back(share, std::string(step::name(static_cast<step::TimePart>(i))));
        }
    }
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (std::size_t i = 0; i < std::min(kPartsShown, parts.size()); ++i) {
        text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", parts[i].second, 100 * parts[i].first);
    }
    return text;
}

}  // namespace

Cell ratio(const std::optional<double>& value) { return value ? Cell(Percent{*value}) : Cell(); }

Cell signed_ratio(const std::optional<double>& value) {
    return value ? Cell(Percent{.ratio = *value, .sign = true}) : Cell();
}

Table worst_runs(const validate::Comparison& comparison, std::size_t most) {
    auto runs = mapped_where<const validate::RunResult*>(comparison.rows, &validate::RunResult::error,
                                                         [](const validate::RunResult& run) { return &run; });
    std::stable_sort(runs.begin(), runs.end(),
                     [](const auto* a, const auto* b) { return std::abs(*a->error) > std::abs(*b->error); });
    Table table({{"run"},
                 {"group"},
                 {"measured", Align::right},
                 {"predicted", Align::right},
                 {"error", Align::right},
                 {"largest parts of the prediction"}});
    for (std::size_t i = 0; i < std::min(most, runs.size()); ++i) {
        const validate::RunResult& run = *runs[i];
        table.row({run.id, run.group, *run.measured, run.predicted->value, signed_ratio(run.error), made_of(run.time)});
    }
    return table;
}

Table fit_table(const validate::FitCounts& counts) {
    Table table({{""}, {"predicted to fit", Align::right}, {"predicted not to", Align::right}});
    if (counts.total() > 0) {
        table.row({"runs that ran", Count{counts.ran_fits}, Count{counts.ran_not}});
        table.row({"runs that ran out of memory", Count{counts.oom_fits}, Count{counts.oom_not}});
    }
    return table;
}

Table assumption_table(const validate::Statistics& all) {
    Table table({{""}, {"runs", Align::right}, {"mean", Align::right}});
    if (all.assumed.rows > 0) {
        table.row({"with everything stated", Count{all.stated.rows}, ratio(all.stated.mape)});
        table.row({"with something assumed", Count{all.assumed.rows}, ratio(all.assumed.mape)});
    }
    return table;
}

Table part_table(const validate::Comparison& comparison) {
    Table table({{"group"}, {"whole", Align::right}, {"computation", Align::right}, {"communication", Align::right}});
    for (const validate::Statistics& group : comparison.groups) {
        if (group.compute_mape || group.communication_mape) {
            table.row({group.group, ratio(group.mape), ratio(group.compute_mape), ratio(group.communication_mape)});
        }
    }
    return table;
}

Table refusal_table(const validate::Comparison& comparison, std::size_t most) {
    std::vector<std::pair<std::string, std::int64_t>> found;
    for (const validate::RunResult& row : comparison.rows) {
        if (row.refusal.empty()) {
            continue;
        }
        auto* known = found_in(found, [&](const auto& entry) { return entry.first == row.refusal; });
        if (known == nullptr) {
            found.emplace_back(row.refusal, 1);
        } else {
            ++known->second;
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    Table table({{"runs", Align::right}, {"refused because"}});
    for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
        table.row({Count{found[i].second}, found[i].first});
    }
    if (found.size() > most) {
        table.row({{}, fmt::format("and {} more reasons; --format csv has every run", found.size() - most)});
    }
    return table;
}

}  // namespace dodona::reports
