// The report of a calibration, and of the differences between two.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "calibrate/machine/comparison.hpp"
#include "calibrate/record/record.hpp"
#include "calibrate/record/steadiness.hpp"

namespace dodona::calibrate {

/// Cases of one benchmark of a back end.
struct MeasuredKind {
    std::string backend;
    std::string benchmark;
    Steadiness steadiness;

    /// "steady", or what is doubtful.
    [[nodiscard]] std::string verdict() const;
};

/// The kinds of the latest measurements, by back end and benchmark; imported ones have no samples and are left out.
std::vector<MeasuredKind> measured_kinds(const std::vector<Record>& records);

/// "cpu: 80 cases, 2.7 min at most: matmul 40, convolution 40"; `seconds`: that a case may sample for.
std::string planned_text(const std::string& backend, const std::vector<Case>& cases, double seconds);

struct CalibrationView {
    std::string profile;
    std::string records;
    std::size_t measured = 0;
    std::size_t before = 0;  ///< in earlier runs
    std::vector<Failure> failures;
    std::vector<MeasuredKind> kinds;
    std::vector<std::string> parts;    ///< what the machine file has from measurements
    std::vector<std::string> missing;  ///< and what it has not
};

std::string calibration_text(const CalibrationView& view);

std::string calibration_comparison_text(const std::string& first, const std::string& second,
                                        const RecordComparison& comparison);

}  // namespace dodona::calibrate
