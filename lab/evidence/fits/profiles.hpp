// Which measured rows make which profile. The one list.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/series.hpp"

namespace dodona::calibrate {

struct ProfileRows {
    std::string name;  ///< of the profile's file
    std::string note;
    std::vector<Series> series;
    std::string attention_from;  ///< an earlier profile that lends what was not measured of it; may be empty
};

/// Reads the tables of a folder of measured kernels, and those typed from published figures in `typed`. Throws
/// InputError where one is missing or wrong.
std::vector<ProfileRows> profile_rows(const std::string& folder, const std::string& typed);

}  // namespace dodona::calibrate
