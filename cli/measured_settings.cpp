#include "cli/measured_settings.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/decimal.hpp"
#include "base/ranges.hpp"
#include "base/read_file.hpp"
#include "files/csv.hpp"

namespace dodona::cli {

namespace {

using files::CsvCell;
using threads::MeasuredSetting;

constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
constexpr double kMaxSettingThreads = 4096;
constexpr double kMaxPassSeconds = 1e6;

/// Where the columns stand; `none` where the table has no such column.
struct Columns {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t network = none, workers = none, threads = none, lower = none, median = none, upper = none;
};

std::size_t column(const files::CsvTable& table, const char* name) {
    const auto found = find_if(table.header, [&](const CsvCell& cell) { return cell.text == name; });
    return found == table.header.end() ? Columns::none : static_cast<std::size_t>(found - table.header.begin());
}

Columns columns_of(const files::CsvTable& table, const Location& top, Diagnostics& faults) {
    Columns columns{.network = column(table, "network"),
                    .workers = column(table, "workers"),
                    .threads = column(table, "threads"),
                    .lower = column(table, "lower_s"),
                    .median = column(table, "median_s"),
                    .upper = column(table, "upper_s")};
    for (const auto& [place, name] : {std::pair{columns.workers, "workers"}, std::pair{columns.threads, "threads"},
                                      std::pair{columns.median, "median_s"}}) {
        if (place == Columns::none) {
            faults.error(top, fmt::format("the table has no column {}", name),
                         "a header such as workers,threads,lower_s,median_s,upper_s");
        }
    }
    return columns;
}

std::optional<double> number(const CsvCell& cell, double least, double most, Diagnostics& faults) {
    double value = 0;
    const char* const end = cell.text.data() + cell.text.size();
    const auto read = decimal_at(cell.text.data(), end, value);
    if (read.ec != std::errc{} || read.ptr != end || !(value >= least && value <= most)) {
        faults.error(cell.where, fmt::format("\"{}\" is no number from {} to {}", cell.text, least, most));
        return std::nullopt;
    }
    return value;
}

std::int64_t whole_number(const CsvCell& cell, Diagnostics& faults) {
    const auto value = number(cell, 1, kMaxSettingThreads, faults);
    if (value && std::floor(*value) != *value) {
        faults.error(cell.where, fmt::format("{} is no whole number", cell.text));
    }
    return static_cast<std::int64_t>(value.value_or(1));
}

MeasuredSetting setting_of(const std::vector<CsvCell>& row, const Columns& columns, Diagnostics& faults) {
    const auto seconds = [&](std::size_t place, Seconds otherwise) {
        return place == Columns::none ? otherwise
                                      : number(row[place], 0, kMaxPassSeconds, faults).value_or(0) * unit::second;
    };
    MeasuredSetting one{
        .setting = {whole_number(row[columns.workers], faults), whole_number(row[columns.threads], faults)}};
    one.median = seconds(columns.median, {});
    one.lower = seconds(columns.lower, one.median);
    one.upper = seconds(columns.upper, one.median);
    if (one.lower > one.median || one.median > one.upper) {
        faults.error(row[columns.median].where, "the median is not between its quartiles",
                     "lower_s, median_s, upper_s");
    }
    return one;
}

}  // namespace

std::vector<MeasuredSetting> load_measured_settings(const std::string& path, const std::string& network) {
    const files::CsvTable table = files::read_csv(read_file(path, path, {}, kMaxBytes), path);
    Diagnostics faults;
    const Location top = table.header.front().where;
    const Columns columns = columns_of(table, top, faults);
    faults.throw_if_errors();
    std::vector<MeasuredSetting> all;
    for (const std::vector<CsvCell>& row : table.rows) {
        if (columns.network != Columns::none && row[columns.network].text != network) {
            continue;
        }
        const MeasuredSetting one = setting_of(row, columns, faults);
        const bool again = any_of(all, [&](const MeasuredSetting& e) { return e.setting == one.setting; });
        if (again) {
            faults.error(row[columns.workers].where, "a second line of this setting", "leave one of them");
        }
        all.push_back(one);
    }
    faults.throw_if_errors();
    if (all.empty()) {
        fail(top, fmt::format("no line is of the network {}", network),
             "the column `network` has the name that the model's file has under `model`");
    }
    return all;
}

}  // namespace dodona::cli
