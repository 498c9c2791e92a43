// The report of `dodona simulate`: one plan's step as it was played, beside its closed form.
#pragma once

#include "play/simulated_step.hpp"
#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

Document simulation_document(const Subject& subject, const play::SimulatedStep& step);

}  // namespace dodona::reports
