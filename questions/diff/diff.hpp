// Two reports compared: what they asked, what they recommend, and each point that differs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "questions/report/report.hpp"
#include "reports/document/document.hpp"

namespace dodona::questions::diff {

struct Options {
    std::optional<double> tolerance;  ///< of the time of a sample; of a traced step; none: the default of either
};

/// The default of two reports: as fine as predictions tell plans apart (search::kEqualTime).
inline constexpr double kDefaultTolerance = 0.005;

/// A report and what its file is called.
struct NamedReport {
    std::string name;
    report::Report report;
};

struct Question {
    NamedReport first, second;
    double tolerance = 0;  ///< of the time of a sample
};

/// A strategy on a number of GPUs in one of the reports.
struct Point {
    bool is_there = false;        ///< the report has it
    std::optional<Seconds> step;  ///< none: nothing fits, or it is not there
};

struct PointDifference {
    std::string scaling;  ///< "strong" or "weak"
    std::string strategy;
    std::int64_t devices = 1;
    Point first, second;
    std::optional<double> ratio;  ///< time of a sample, second over first; 1: nothing fits in either
    bool differs = false;         ///< is in both reports, by more than the tolerance
};

struct Answer {
    std::string first, second;                        ///< files
    std::string first_recommends, second_recommends;  ///< for people
    double tolerance = 0;
    std::vector<std::string> inputs;      ///< "machine: abci -> selene"
    std::vector<PointDifference> points;  ///< of both or one of the reports, in the order of the first

    [[nodiscard]] bool differs() const;
};

Answer ask(const Question& question);

reports::Document document(const Answer& answer);

}  // namespace dodona::questions::diff
