// Assembles a cluster from all records of a machine and its earlier description.
#pragma once

#include <string>
#include <vector>

#include "calibrate/imports/topology.hpp"
#include "calibrate/machine/measured_device.hpp"
#include "calibrate/record/record.hpp"
#include "cluster/cluster.hpp"

namespace dodona::calibrate {

struct Parts {
    std::string name;  ///< of the machine
    const std::vector<Record>* records = nullptr;
    const cluster::Cluster* before = nullptr;  ///< its description so far; may be null
    std::vector<DescribedLevel> levels;        ///< that a topology file shows; may be empty
    int threads = 0;                           ///< of a CPU's rank
};

struct Assembled {
    cluster::Cluster cluster;
    std::vector<std::string> measured;  ///< what came from the records, in sentences
    std::vector<std::string> missing;   ///< what did not, and where it is from instead
};

/// Throws InputError where the parts do not make a machine, and says what is missing.
Assembled assembled(const Parts& parts);

/// Throws InputError where the parts and these measurements will not make a machine, whatever is measured.
void check_planned(const Parts& parts, const std::vector<Planned>& planned);

}  // namespace dodona::calibrate
