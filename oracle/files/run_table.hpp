// Tables of measured training runs: one row a run, the columns in docs/files.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/precision.hpp"
#include "base/quantity.hpp"
#include "files/csv.hpp"
#include "files/table_row.hpp"
#include "plan/strategy.hpp"

namespace dodona::files {

/// One run as its row says it. What a row leaves out has the value here.
struct MeasuredRun : TableRow {
    Location where = {};  ///< its id
    std::string id;
    std::string group;  ///< runs that share source and conditions
    std::string model;
    struct Override {
        std::string name;
        std::string value;
        Location where;
    };
    std::vector<Override> model_overrides;
    std::string input;                  ///< what a sample is: "seq", "image", "volume"; may be empty
    std::vector<std::int64_t> extents;  ///< "image=3x224x224": 3, 224, 224
    std::int64_t global_batch = 1;
    std::int64_t microbatch = 1;
    std::string device;  ///< empty: the machine's
    std::string machine;
    std::int64_t gpus = 1;
    std::int64_t gpus_per_node = 0;  ///< 0: as many as the machine's nodes have
    Precision precision = Precision::bf16;
    std::int64_t pipeline = 1;
    std::int64_t virtual_stages = 1;
    plan::ShardLevel shard = plan::ShardLevel::none;
    std::int64_t shard_group = 0;  ///< 0: all ranks that can
    std::string recompute = "none";
    bool overlap_gradients = false;
    bool overlap_parameters = false;
    std::string date;  ///< of the run, "2025-06" or "2025-06-30"; empty: not stated
    std::optional<Seconds> step_time;
    std::optional<Seconds> compute_time;  ///< its parts, where the source has them apart
    std::optional<Seconds> communication_time;
    std::optional<Bytes> peak_memory;
    std::string memory_kind;
};

/// Columns that a table may have.
std::vector<std::string> run_columns();

/// Throws InputError with every fault found: unknown and missing columns, values that are none, repeated ids.
std::vector<MeasuredRun> read_runs(const CsvTable& table);

/// Reads the file; `where` is the place that names it.
std::vector<MeasuredRun> load_runs(const std::string& path, const Location& where);

}  // namespace dodona::files
