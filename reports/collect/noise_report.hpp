// Steps with noise, as a part of the document of a simulated step.
#pragma once

#include "play/noise_study.hpp"
#include "play/noisy_steps.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

/// For JSON.
Record noise_record(const play::NoisySteps& noisy);

/// Adds the sections; `stragglers`: what the framework adds to a step for them, which the noise comes on top of.
void add_noise(Document& document, const play::NoisySteps& noisy, double stragglers);

Record study_record(const play::NoiseStudy& study);
void add_study(Document& document, const play::NoiseStudy& study);

}  // namespace dodona::reports
