#include "calibrate/program/live_table.hpp"

#include <algorithm>
#include <cstdio>
#include <variant>

#include <fmt/format.h>
#include <unistd.h>

#include "base/printable.hpp"
#include "cli/progress.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::calibrate {

LiveTable::LiveTable()
    : is_terminal_(isatty(STDERR_FILENO) == 1), begin_(std::chrono::steady_clock::now()), last_(begin_) {}

LiveTable::Row& LiveTable::row(const std::string& backend, const std::string& benchmark) {
    for (Row& one : rows_) {
        if (one.backend == backend && one.benchmark == benchmark) {
            return one;
        }
    }
    rows_.push_back({.backend = backend, .benchmark = benchmark});
    return rows_.back();
}

void LiveTable::plan(const std::string& backend, const std::vector<Case>& cases) {
    for (const Case& one : cases) {
        ++row(backend, one.benchmark).planned;
    }
}

void LiveTable::asked(const Case& of) {
    doing_ = of.key();
    draw();
}

void LiveTable::answered(const Record& record) {
    if (const auto* measured = std::get_if<Measurement>(&record.what)) {
        Row& one = row(record.backend, measured->of.benchmark);
        ++one.done;
        one.steadiness.add(measured->time);
        one.last = measured->time.samples > 0 ? reports::duration(measured->time.value()) : one.last;
    } else if (const auto* failure = std::get_if<Failure>(&record.what)) {
        Row& one = row(record.backend, failure->of.benchmark);
        ++one.done;
        ++one.failed;
    }
}

std::vector<std::string> LiveTable::lines(double seconds) const {
    std::size_t planned = 0;
    std::size_t done = 0;
    for (const Row& one : rows_) {
        planned += std::max(one.planned, one.done);
        done += one.done;
    }
    std::vector<std::string> all{
        fmt::format("{} of {} cases{}", done, planned,
                    cli::time_left(seconds, static_cast<std::int64_t>(done), static_cast<std::int64_t>(planned)))};
    all.push_back(
        fmt::format("  {:<9}{:<16}{:>11}{:>11}{:>9}  {}", "back end", "benchmark", "cases", "last", "spread", ""));
    for (const Row& one : rows_) {
        const std::vector<std::string> doubts = one.steadiness.doubts();
        const std::string failed = one.failed > 0 ? fmt::format("{} failed; ", one.failed) : "";
        all.push_back(fmt::format("  {:<9}{:<16}{:>11}{:>11}{:>9}  {}", one.backend, one.benchmark,
                                  fmt::format("{} of {}", one.done, std::max(one.planned, one.done)), one.last,
                                  one.steadiness.cases() > 0 ? reports::percent(one.steadiness.spread()) : "",
                                  failed + (one.steadiness.cases() == 0 ? ""
                                            : doubts.empty()            ? "steady"
                                                                        : "doubtful: " + doubts.front())));
    }
    all.push_back("  " + doing_);
    return all;
}

void LiveTable::clear() {
    if (drawn_ > 0) {
        fmt::print(stderr, "\x1b[{}A\x1b[J", drawn_);
        std::fflush(stderr);
        drawn_ = 0;
    }
}

void LiveTable::draw() {
    constexpr std::chrono::milliseconds kPause{200};
    constexpr std::size_t kWidth = 79;  // a line that the terminal breaks would not be drawn over
    const auto now = std::chrono::steady_clock::now();
    if (!is_terminal_ || now - last_ < kPause) {
        return;
    }
    last_ = now;
    clear();
    for (const std::string& line : lines(std::chrono::duration<double>(now - begin_).count())) {
        fmt::print(stderr, "{}\n", printable(line).substr(0, kWidth));
        ++drawn_;
    }
    std::fflush(stderr);
}

}  // namespace dodona::calibrate
