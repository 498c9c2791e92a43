// The report of a calibration, and of the differences between two.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "calibrate/machine/comparison.hpp"
#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

struct CalibrationView {
    std::string profile;
    std::string records;
    std::size_t measured = 0;
    std::size_t before = 0;  ///< in earlier runs
    std::vector<Failure> failures;
    std::vector<std::string> parts;    ///< what the machine file has from measurements
    std::vector<std::string> missing;  ///< and what it has not
};

std::string calibration_text(const CalibrationView& view);

std::string calibration_comparison_text(const std::string& first, const std::string& second,
                                        const RecordComparison& comparison);

}  // namespace dodona::calibrate
