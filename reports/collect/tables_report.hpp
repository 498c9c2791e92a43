// The report of `dodona tables`: where embedding tables lie, and what a step takes.
#pragma once

#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"
#include "tables/step_time.hpp"

namespace dodona::reports {

Document tables_document(const Subject& subject, const tables::StepQuestion& question,
                         const tables::StepForecast& answer);

/// In the report of `dodona plan`: tables placed one by one, against the best plan, which splits all of them alike. Both
/// wait for the same input, host, software and optimizer: what the plan has of that is added to the placement.
/// `best`: null where no plan fits.
void add_placed_tables(Document& document, const Subject& subject, const tables::StepQuestion& question,
                       const tables::StepForecast& placed, const step::Prediction* best);

}  // namespace dodona::reports
