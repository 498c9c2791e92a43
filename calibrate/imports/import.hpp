// Imports what other programs measured or reported about a machine, as records and topologies.
//
// A file is recognised by its contents, never by its name. The formats (table in imports/import.cpp):
//   nccl-tests and rccl-tests, text of every generation, and their JSON     -> collectives, sends
//   OSU micro-benchmarks, text                                              -> collectives, sends
//   traces of the PyTorch profiler (Kineto), JSON, compressed or not        -> products, convolutions, attention,
//                                                                              collectives, copies
//   nvbandwidth, JSON                                                       -> copies
//   nvidia-smi topo -m, and topologies that NCCL dumps or reads (XML)       -> a topology
//   ibstat, lspci, Slurm's topology.conf                                    -> what they add to it
//
// Sizes are of the full buffer, as in record/benchmark_case.hpp, whatever the program prints. Nothing of a user's
// environment is copied: no variables, paths, host names or process numbers; only the name of the file itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/quantity.hpp"
#include "calibrate/imports/topology.hpp"
#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

/// What files do not say, given by the user. It takes precedence over what they do say.
struct ImportOptions {
    std::string date = {};                   ///< of the records, ISO 8601; empty: now
    std::string collective = {};             ///< "all-gather", for logs that do not name theirs
    std::optional<std::int64_t> ranks = {};  ///< of a collective
    std::optional<std::int64_t> ranks_per_node = {};
    std::string level = {};            ///< that collectives and sends crossed; empty: "node" or "network"
    std::optional<Bytes> buffer = {};  ///< of one copy of nvbandwidth
};

/// Facts from lists of a site's hardware (imports/site.hpp).
struct Site {
    std::string device;             ///< of its GPUs
    std::vector<Adapter> adapters;  ///< whose ports are active
    std::int64_t nodes = 0;         ///< 0: no file says
};

struct Imported {
    std::vector<Record> records;       ///< backend "import"; an environment stands before what was measured in it
    std::vector<Topology> topologies;  ///< of one node each, with what the site's files say
    Site site;
    std::vector<Diagnostic> notes;  ///< what was left out, how much and why, and what was assumed; warnings
};

/// Throws a located InputError for a file of no known format, and with the reasons for a file without anything usable.
/// Where only parts are unusable, notes say which.
Imported import_file(const std::string& path, const ImportOptions& options = {});

/// Several files of one machine; files that name different devices are refused. Repeated measurements of a case become
/// one (imports/merge.hpp). Traces of several ranks of one job are read together: of each collective
/// the shortest time counts, because the other ranks waited.
Imported import_files(std::span<const std::string> paths, const ImportOptions& options = {});

}  // namespace dodona::calibrate
