// The cases that measure a network: messages and collectives on every level that the ranks span.
//
// Levels: "shared-memory" among the ranks of a host, "network" between hosts. Collectives run with 2, 4, 8 ... and all
// ranks of a host; with one rank on each of 2, 4, 8 ... and all hosts; and with all ranks of all hosts. Sizes are the
// full buffer, in steps of two (quick: four), each a whole number of 4-byte elements for every rank.
#pragma once

#include <cstdint>
#include <vector>

#include "calibrate/cases/case_list.hpp"
#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

/// How the ranks of a job are placed: equally many on each host.
struct NetworkShape {
    std::int64_t hosts = 1;
    std::int64_t ranks_per_host = 1;

    [[nodiscard]] std::int64_t ranks() const { return hosts * ranks_per_host; }
};

inline constexpr const char* kSharedMemory = "shared-memory";
inline constexpr const char* kNetwork = "network";

/// From the facts "hosts" and "ranks_per_host" of a back end. Throws CannotMeasure where they are missing.
NetworkShape shape_of(const Environment& environment);

/// The runner shuffles them. Empty where there is one rank only.
std::vector<Case> network_cases(const NetworkShape& shape, const CaseOptions& options);

/// The nearest number of bytes that is a whole number of 4-byte elements for each of `ranks`, at least one.
double whole_elements(double bytes, std::int64_t ranks);

}  // namespace dodona::calibrate
