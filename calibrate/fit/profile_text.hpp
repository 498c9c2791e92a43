// A profile as the file that the oracle reads: keys in a fixed order, numbers with the digits that the fit supports.
#pragma once

#include <string>
#include <vector>

#include "cluster/kernel_fit.hpp"

namespace dodona::calibrate {

/// The list `fits` of a profile.
std::string fits_text(const cluster::Profile& profile);

std::string profile_text(const cluster::Profile& profile, const std::string& note);

}  // namespace dodona::calibrate
