// What is measured of a network: messages and collectives on every level that the ranks span.
//
// Levels: "shared-memory" among the ranks of a host, "network" between hosts. Collectives run with 2, 4, 8 ... and all
// ranks of a host; with one rank on each of 2, 4, 8 ... and all hosts; and with all ranks of all hosts. Sizes are the
// full buffer, in steps of two (quick: four), each a whole number of 4-byte elements for every rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibrate/cases/case_options.hpp"
#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

/// How the ranks of a job lie on hosts, as many on each.
struct NetworkShape {
    std::int64_t hosts = 1;
    std::int64_t ranks_per_host = 1;

    [[nodiscard]] std::int64_t ranks() const { return hosts * ranks_per_host; }
};

inline constexpr const char* kSharedMemory = "shared-memory";
inline constexpr const char* kNetwork = "network";

/// Of what a back end said it runs on: its facts "hosts" and "ranks_per_host". Throws CannotMeasure where they lack.
NetworkShape shape_of(const Environment& environment);

/// In an order that whoever measures shuffles. None where there is one rank.
std::vector<Case> network_cases(const NetworkShape& shape, const CaseOptions& options);

/// The nearest number of bytes that is a whole number of 4-byte elements for each of `ranks`, at least one.
double whole_elements(double bytes, std::int64_t ranks);

}  // namespace dodona::calibrate
