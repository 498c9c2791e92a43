// The report of `dodona simulate`: one plan's step as it was played, beside its closed form.
#pragma once

#include "play/noise_study.hpp"
#include "play/noisy_steps.hpp"
#include "play/simulated_step.hpp"
#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

/// `noisy`: its steps with noise; `study`: loads beside it; null: none.
Document simulation_document(const Subject& subject, const play::SimulatedStep& step,
                             const play::NoisySteps* noisy = nullptr, const play::NoiseStudy* study = nullptr);

}  // namespace dodona::reports
