// The step of one plan as it was simulated and in closed form. Equations: play/simulated_step.hpp, play/noisy_steps.hpp.
#pragma once

#include <optional>

#include "play/noise_study.hpp"
#include "play/noisy_steps.hpp"
#include "play/simulated_step.hpp"
#include "reports/collect/lengths_report.hpp"
#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"

namespace dodona::questions::simulate {

/// Steps whose micro-batches were drawn.
struct DrawnLengths {
    reports::LengthsAnswer lengths;
    play::NoisySteps steps;
};

struct Answer {
    reports::Subject subject;
    play::SimulatedStep step;
    std::optional<play::NoisySteps> noisy;     ///< its steps with noise; none: without
    std::optional<play::NoiseStudy> study;     ///< loads on its nodes; none: not asked for
    std::optional<DrawnLengths> lengths = {};  ///< none: all samples of one length
};

/// A difference of the step, or of a part of it, as a share of the closed form; rounding errors are none.
double difference(const play::StepPart& part, Seconds step);
double difference(const play::SimulatedStep& step);

/// The share of the step in which a stage works.
double utilisation(const play::SimulatedStep& step, const play::StageUse& stage);

Seconds on_critical_path(const play::SimulatedStep& step, play::Work work);

/// The share by which a step is longer; rounding errors are none.
double longer(Seconds step, Seconds without);

reports::Document document(const Answer& answer);

/// Sections of steps with noise; `stragglers`: what the framework adds to a step for them, which the noise comes on top of.
void add_noise(reports::Document& document, const play::NoisySteps& noisy, double stragglers);
void add_study(reports::Document& document, const play::NoiseStudy& study);

}  // namespace dodona::questions::simulate
