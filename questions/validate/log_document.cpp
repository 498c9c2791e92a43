#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/validate/validate.hpp"
#include "reports/collect/comparison_tables.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::validate {

namespace {

using namespace reports;

/// "1.38, 1.40 s".
std::string range(Seconds low, Seconds high) { return text(Interval{low, high}); }

std::string log_headline(const std::vector<LogResult>& logs, const dodona::validate::Comparison& comparison) {
    const dodona::validate::Statistics& all = comparison.overall;
    if (logs.size() > 1) {
        std::string line = fmt::format("{} of {} predicted", whole(all.rows), counted(all.rows + all.skipped, "log"));
        return line +
               (all.mape ? fmt::format("; mean error {}, bias {}", percent(*all.mape), signed_percent(*all.bias)) : "");
    }
    const LogResult& one = logs.front();
    if (!one.result.predicted) {
        return fmt::format("{}: {} measured, not predicted", one.name, text(one.log.median));
    }
    return fmt::format("{}: {} measured, {} predicted, {}", one.name, text(one.log.median),
                       text(one.result.predicted->value), signed_percent(*one.result.error));
}

Table step_table(const std::vector<LogResult>& logs) {
    Table table({{"log"},
                 {"software", Align::left, true},
                 {"steps", Align::right},
                 {"measured", Align::right},
                 {"80 % of steps"},
                 {"predicted", Align::right},
                 {"90 % interval"},
                 {"error", Align::right}});
    for (const LogResult& one : logs) {
        const auto& predicted = one.result.predicted;
        table.row({one.name, one.log.software, Count{one.log.steps}, one.log.median, range(one.log.low, one.log.high),
                   predicted ? Cell(predicted->value) : Cell(),
                   predicted ? Cell(range(predicted->lo, predicted->hi)) : Cell(), signed_ratio(one.result.error)});
    }
    return table;
}

Table memory_table(const std::vector<LogResult>& logs) {
    Table table(
        {{"log"}, {"memory"}, {"measured", Align::right}, {"predicted", Align::right}, {"error", Align::right}});
    for (const LogResult& one : logs) {
        const auto& measured = one.result.measured_memory;
        const auto& predicted = one.result.predicted_memory;
        if (measured && predicted) {
            table.row({one.name, one.log.memory_kind, *measured, *predicted,
                       Cell(Percent{.ratio = *predicted / *measured - 1, .sign = true})});
        }
    }
    return table;
}

Table refused_table(const std::vector<LogResult>& logs) {
    Table table({{"log"}, {"refused because"}});
    for (const LogResult& one : logs) {
        if (!one.result.refusal.empty()) {
            table.row({one.name, one.result.refusal});
        }
    }
    return table;
}

}  // namespace

Document document(const std::vector<LogResult>& logs) {
    auto results = mapped<dodona::validate::RunResult>(logs, &LogResult::result);
    const dodona::validate::Comparison comparison = dodona::validate::summarised(std::move(results));
    Document document = answer_document(comparison);
    add(document, Headline{log_headline(logs, comparison)});
    add_section(
        document, {"Time of a step"},
        {step_table(logs), Note{"measured: median of the steps after warm-up; error = predicted / measured - 1"}});
    if (Table memory = memory_table(logs); !memory.empty()) {
        add_section(document, {"Memory"}, {std::move(memory)});
    }
    add_section(document, {"What the predictions are made of"}, {worst_runs(comparison, logs.size())});
    if (Table refused = refused_table(logs); !refused.empty()) {
        add_section(document, {"Refused"}, {std::move(refused)});
    }
    return document;
}

}  // namespace dodona::questions::validate
