// Two calibrations side by side: two machines, or one at two dates.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

/// What both measured.
struct ComparedCase {
    std::string backend;
    Case of;
    Seconds first, second;
    double noise = 0;  ///< the wider of both middle halves, over its value: smaller differences say nothing

    [[nodiscard]] double ratio() const { return second / first; }
    [[nodiscard]] bool differs() const { return ratio() > 1 + noise || ratio() < 1 / (1 + noise); }
};

struct ComparedFact {
    std::string backend;
    std::string key;
    std::string first, second;  ///< empty: not known
};

struct RecordComparison {
    std::vector<ComparedFact> facts;  ///< that differ
    std::vector<ComparedCase> cases;  ///< in the order of the first
    std::size_t only_first = 0;
    std::size_t only_second = 0;
};

RecordComparison compare(const std::vector<Record>& first, const std::vector<Record>& second);

}  // namespace dodona::calibrate
