// nvbandwidth -j: copies between host and devices, and between devices.
//
// Of every cell of a matrix one record; cells of one benchmark are of one case, so that merging them gives quartiles
// over the devices. Host memory is pinned there (NVIDIA/nvbandwidth memory_utils.cpp). Left out, and counted: what
// copies to or from several devices at once, both ways between devices (their three matrices are written into one),
// latencies, and what did not pass.
#pragma once

#include <string>
#include <string_view>

#include "calibrate/imports/import_builder.hpp"

namespace dodona::calibrate {

/// By the start of a file.
bool is_nvbandwidth(std::string_view start);
/// Throws InputError where it is no JSON.
void read_nvbandwidth(const std::string& text, ImportBuilder& into);

}  // namespace dodona::calibrate
