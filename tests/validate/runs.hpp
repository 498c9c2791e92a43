// Rows of a table of runs, written short: every test says what is special about its row.
#pragma once

#include <cstdlib>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/diagnostic.hpp"
#include "files/library.hpp"
#include "files/run_table.hpp"
#include "validate/questions.hpp"

namespace dodona::validate::testing {

inline std::string root() { return std::getenv("DODONA_SOURCE"); }
/// With the conventions of any table.
inline Questions questions() { return Questions(files::Library(root())); }
/// With the conventions of the published tables.
inline Questions published_questions() {
    return Questions(files::Library(root()), {},
                     files::load_run_conventions(root() + "/lab/evidence/conventions.yaml", {}));
}

using Cells = std::map<std::string, std::string>;

/// A row of gpt3-175b on 8 devices of selene, with other cells replaced.
inline files::MeasuredRun run(const Cells& changed) {
    Cells cells{{"id", "1"},          {"model", "gpt3-175b"}, {"input", "seq=2048"}, {"global_batch", "8"},
                {"microbatch", "1"},  {"machine", "selene"},  {"gpus", "8"},         {"precision", "fp16"},
                {"strategy", "none"}, {"recompute", "none"}};
    for (const auto& [column, cell] : changed) {
        cells[column] = cell;
    }
    std::string header;
    std::string row;
    for (const auto& [column, cell] : cells) {
        header += (header.empty() ? "" : ",") + column;
        row += (row.empty() ? "\"" : ",\"") + cell + "\"";
    }
    return files::read_runs(files::read_csv(header + "\n" + row + "\n", "runs.csv")).front();
}

inline plan::Plan plan_of_row(const Cells& changed) { return questions().of(run(changed)).plan; }
inline plan::Plan plan_of_published_row(const Cells& changed) { return published_questions().of(run(changed)).plan; }

/// Why a row is refused; empty if it is not.
inline std::string refusal(const Cells& changed) {
    Questions asked = questions();
    const files::MeasuredRun row = run(changed);
    try {
        static_cast<void>(asked.of(row));
    } catch (const InputError& error) {
        return error.diagnostics().front().message;
    }
    return "";
}

}  // namespace dodona::validate::testing
