// A topology as facts of an environment: records keep it, so that later runs of a calibration know its levels.
#pragma once

#include <map>
#include <string>

#include "base/diagnostic.hpp"
#include "calibrate/imports/topology.hpp"

namespace dodona::calibrate {

/// The back end whose environment holds a topology in the records.
inline constexpr const char* kTopologyRecords = "topology";

/// Paths as `nvidia-smi topo -m` has them, a row after the other: "X NV18 / NV18 X". Every key is there, so that the
/// facts of one topology replace those of another; what the user added is there, too.
std::map<std::string, std::string> topology_facts(const Topology& topology, const LevelOptions& options);

/// Throws InputError at `where` for facts that topology_facts does not write.
Topology topology_from(const std::map<std::string, std::string>& facts, const Location& where);

/// The options that the user gives now, or else those given when the topology was imported. Throws likewise.
LevelOptions options_from(const std::map<std::string, std::string>& facts, const LevelOptions& now,
                          const Location& where);

/// "NV12": as nvidia-smi writes it; none where it is no path.
std::optional<Path> path_from(std::string_view cell);
std::string to_text(const Path& path);

}  // namespace dodona::calibrate
