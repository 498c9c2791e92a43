// The options of `dodona calibrate`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibrate/imports/import.hpp"
#include "calibrate/record/benchmark_case.hpp"
#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/output.hpp"

namespace dodona::calibrate {

struct CalibrateOptions {
    std::string profile;                ///< the machine file to write
    std::vector<std::string> backends;  ///< in the order of the table of back ends; empty: none
    bool backends_named = false;        ///< by the user: then a missing one is a fault
    std::vector<std::string> imports;
    ImportOptions import_options;
    std::string machine;  ///< known before; may be empty
    std::string device;   ///< likewise, where no machine is
    LevelOptions levels;
    std::string name;
    bool quick = false;
    bool again = false;
    int threads = 1;
    std::string directory;
    std::vector<std::string> mpirun;
    std::vector<std::string> program;  ///< a back end of the user's own; empty: none
    std::uint64_t seed = 1;

    /// "mine.yaml" -> "mine.records.jsonl".
    [[nodiscard]] std::string records() const;
};

std::vector<cli::Option> calibrate_options();

/// Faults are collected in `arguments`.
CalibrateOptions read_calibrate_options(cli::Arguments& arguments);

/// The kernels of the networks and plans that were named; none where none was.
std::vector<Case> asked_model_cases(cli::Arguments& arguments);

/// The file of records that belongs to a machine file, or the file itself if it is one of records.
std::string records_of(const std::string& file);

}  // namespace dodona::calibrate
