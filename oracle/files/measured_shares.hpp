// Tables of what was measured of a data set or a router: lengths of samples, loads of experts.
#pragma once

#include <string>

#include "files/csv.hpp"
#include "graph/expert_loads.hpp"
#include "lengths/distribution.hpp"

namespace dodona::files {

/// Of a table called `name`. Columns: length (whole tokens, 1 or more); share (any numbers, not all zero; without the column every row counts
/// once). Throws InputError with every fault found; `most`: no sample is longer.
lengths::Distribution read_lengths(CsvTable table, const std::string& name, double most);
/// Of a file.
lengths::Distribution load_lengths(const std::string& path, double most);

/// Of a table called `name`. Columns: expert (from 0 on, each once a layer), tokens (any numbers, not all zero); layer, where several were
/// measured. Throws InputError with every fault found.
graph::ExpertLoads read_expert_loads(CsvTable table, const std::string& name);
/// Of a file.
graph::ExpertLoads load_expert_loads(const std::string& path);

}  // namespace dodona::files
