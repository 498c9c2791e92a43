#include "files/trial_table.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include <fmt/format.h>

#include "base/csv_cell.hpp"
#include "base/ranges.hpp"
#include "files/csv.hpp"
#include "files/document.hpp"
#include "files/number.hpp"
#include "files/text.hpp"
#include "trials/study.hpp"

namespace dodona::files {

namespace {

constexpr std::array<std::string_view, 10> kColumns{kTimeColumn, kStateColumn, "cores", "gpus", "trial",
                                                    "try",       "start_s",    "node",  "log",  "result"};

std::vector<std::string> columns_known(const std::vector<trials::Parameter>& space) {
    auto known = mapped<std::string>(space, &trials::Parameter::name);
    known.insert(known.end(), kColumns.begin(), kColumns.end());
    return known;
}

void check_header(const CsvTable& table, const std::vector<trials::Parameter>& space, Diagnostics& faults) {
    const std::vector<std::string> known = columns_known(space);
    bool has_time = false;
    for (const CsvCell& cell : table.header) {
        has_time = has_time || cell.text == kTimeColumn;
        if (std::find(known.begin(), known.end(), cell.text) == known.end()) {
            faults.error(cell.where, fmt::format("{}: unknown column{}", cell.text, did_you_mean(cell.text, known)),
                         "columns: " + join_some(known));
        }
    }
    if (!has_time && !table.header.empty()) {
        faults.error(table.header.front().where, fmt::format("missing column {}", kTimeColumn),
                     "the seconds that each trial took");
    }
}

double number_in(const CsvCell& cell, double least, Diagnostics& faults) {
    const auto read = decimal_from(cell.text);
    if (const auto* fault = std::get_if<NotANumber>(&read)) {
        faults.error(cell.where, fmt::format("\"{}\" {}", cell.text, fault->why));
        return 1;
    }
    if (std::get<double>(read) < least) {
        faults.error(cell.where, fmt::format("{} is less than {}", cell.text, shortest(least)));
    }
    return std::get<double>(read);
}

/// A value as the study has it, of a cell that `trials run` wrote.
std::string value_in(const std::string& cell, const trials::Parameter& parameter) {
    const auto* written = found_in(parameter.values, [&](const std::string& value) { return csv_text(value) == cell; });
    return written == nullptr ? cell : *written;
}

ObservedTrial trial_of(const CsvTable& table, const std::vector<CsvCell>& row,
                       const std::vector<trials::Parameter>& space, Diagnostics& faults) {
    ObservedTrial trial;
    for (std::size_t column = 0; column < row.size(); ++column) {
        const std::string& name = table.header[column].text;
        const CsvCell& cell = row[column];
        if (name == kTimeColumn) {
            trial.time = number_in(cell, 0, faults) * unit::second;
        } else if (name == trials::kCores && !cell.text.empty()) {
            trial.units.cores = static_cast<std::int64_t>(number_in(cell, 0, faults));
        } else if (name == trials::kGpus && !cell.text.empty()) {
            trial.units.gpus = static_cast<std::int64_t>(number_in(cell, 0, faults));
        } else if (const auto* found = found_in(space, &trials::Parameter::name, name); found != nullptr) {
            trial.settings.emplace_back(name, value_in(cell.text, *found));
        }
    }
    return trial;
}

bool is_finished(const CsvTable& table, const std::vector<CsvCell>& row) {
    for (std::size_t column = 0; column < row.size(); ++column) {
        if (table.header[column].text == kStateColumn) {
            return row[column].text == kFinished;
        }
    }
    return true;
}

}  // namespace

std::vector<ObservedTrial> load_observed_trials(const std::string& path, const std::vector<trials::Parameter>& space) {
    const CsvTable table = read_csv(load_bytes(path, path, command_line()), path);
    Diagnostics faults;
    check_header(table, space, faults);
    auto trials = mapped_where<ObservedTrial>(
        table.rows, [&](const std::vector<CsvCell>& row) { return is_finished(table, row); },
        [&](const std::vector<CsvCell>& row) { return trial_of(table, row, space, faults); });
    faults.throw_if_errors();
    if (trials.empty()) {
        fail({}, path + ": no trial has finished", "rows with their time, in seconds, in the column time_s");
    }
    return trials;
}

}  // namespace dodona::files
