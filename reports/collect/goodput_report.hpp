// The report of `dodona goodput`: what failures and checkpoints leave of a run's time.
#pragma once

#include "reliability/goodput.hpp"
#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

Document goodput_document(const Subject& subject, const reliability::Goodput& answer);

}  // namespace dodona::reports
