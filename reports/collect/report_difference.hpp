// Two reports compared: what they asked, what they recommend, and each point that differs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/collect/report.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

/// A strategy on a number of GPUs in two reports. Refers to them.
struct PointDifference {
    std::string scaling;  ///< "strong" or "weak"
    std::string strategy;
    const ReportPoint* before = nullptr;  ///< null: the report has no such point
    const ReportPoint* after = nullptr;
    [[nodiscard]] std::int64_t devices() const { return before != nullptr ? before->devices : after->devices; }
    /// Time of a sample, after over before; 1 where nothing fits in either, none where something fits in one alone.
    [[nodiscard]] std::optional<double> ratio() const;
};

struct ReportDifference {
    std::vector<std::string> inputs;      ///< "machine: abci -> selene"
    std::vector<PointDifference> points;  ///< of both or one of the reports, in the order of the first
    double tolerance = 0;

    /// Whether a point is in both reports and differs by more than the tolerance.
    [[nodiscard]] bool differs(const PointDifference& point) const;
    [[nodiscard]] bool any() const;
};

ReportDifference difference(const Report& before, const Report& after, double tolerance);

/// `names`: of the two files.
Document difference_document(const Report& before, const Report& after, const ReportDifference& difference,
                             const std::pair<std::string, std::string>& names);

}  // namespace dodona::reports
