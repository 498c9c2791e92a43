// The report of `dodona tables`: where embedding tables lie, and what a step takes.
#pragma once

#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"
#include "tables/step_time.hpp"

namespace dodona::reports {

Document tables_document(const Subject& subject, const tables::StepQuestion& question,
                         const tables::StepForecast& answer);

}  // namespace dodona::reports
