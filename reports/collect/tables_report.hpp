// Embedding tables that are placed one by one, in the report of `dodona plan`.
#pragma once

#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"
#include "tables/step_time.hpp"

namespace dodona::reports {

/// What each tier holds.
Table tier_table(const tables::StepPrediction& answer);

/// Tables of a job placed one by one.
struct PlacedTables {
    std::int64_t devices = 1;
    std::int64_t batch = 1;
    tables::StepPrediction placed;
    [[nodiscard]] bool fit() const { return placed.placement.unplaced.empty(); }
    /// The step, which waits for the same input, host, software and optimizer as the best plan. `best`: null where no
    /// plan fits.
    [[nodiscard]] Seconds step(const step::Prediction* best) const;
};

/// In the report of `dodona plan`: placed tables against the best plan, which splits all of them in one way.
void add_placed_tables(Document& document, const Subject& subject, const PlacedTables& tables,
                       const step::Prediction* best);

}  // namespace dodona::reports
