// Places of embedding tables in memories and the time of a step. Equations: tables/placement.hpp,
// tables/step_time.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "questions/question.hpp"
#include "reports/document/document.hpp"
#include "tables/step_time.hpp"

namespace dodona::questions::tables {

Heading heading();

struct Options {
    std::int64_t devices = 1;               ///< of a job's own options, as the next three
    std::optional<std::int64_t> batch;      ///< none: the default of the network
    Precision precision = Precision::fp32;  ///< of the dense layers
    plan::OptimizerKind optimizer = plan::OptimizerKind::rowwise_adagrad;  ///< of the tables
    std::optional<std::string> tier;                                       ///< of all tables; none: as there is room
    std::string table_precision = "fp32";                                  ///< of rows in memory
    double zipf = 0;
    double cache = 0;                             ///< share of device memory for copies of rows of other tiers
    double reserve = 0.2;                         ///< share of device memory for everything else than tables
    std::optional<BytesPerSecond> row_bandwidth;  ///< in a device's own memory; none: as its gathers were
                                                  ///< measured
    bool whole = false;                           ///< no table is split
    bool replicate = false;                       ///< rows that are looked up often, on all devices
    bool fabrics = false;                         ///< other fabrics, too
};

struct Question {
    Workload workload;
    Options options;  ///< with a batch
};

/// Faults: a network without tables, shares that leave them no device memory, a tier that the machine does not have.
Asked<Question> question(Workload workload, Options options);

struct Answer {
    reports::Subject subject;
    std::int64_t devices = 1;
    std::int64_t batch = 1;
    bool rate_given = false;  ///< of rows in device memory
    dodona::tables::StepPrediction prediction;
    std::optional<std::vector<dodona::tables::OtherFabric>> fabrics;  ///< none: not asked for, or the tables do not fit

    [[nodiscard]] bool fits() const { return prediction.placement.unplaced.empty(); }
};

Answer ask(const Question& question);

reports::Document document(const Answer& answer);

}  // namespace dodona::questions::tables
