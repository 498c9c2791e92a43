// Samples of different lengths, as a part of the documents of predictions, plans and simulations.
#pragma once

#include <string>
#include <vector>

#include "lengths/varied_step.hpp"
#include "play/noisy_steps.hpp"
#include "reports/document/document.hpp"
#include "step/prediction.hpp"

namespace dodona::reports {

/// A plan with samples that are all of one length.
struct TimedPlan {
    double length = 0;
    Seconds step;
    Seconds passes;  ///< of the step: what goes with its micro-batches
    Bytes memory;
};

/// A plan whose micro-batches are made in one way.
struct PackedStep {
    lengths::Packing packing{};
    lengths::MicroBatches micro_batches;
    lengths::VariedStep step;
    std::vector<TimedPlan> timed;  ///< by length
    Bytes memory;                  ///< of the longest micro-batch
    bool fits = true;
};

struct LengthsAnswer {
    std::string file;
    lengths::Distribution lengths;  ///< of samples, in tokens
    double row = 0;                 ///< tokens of a sample of full length
    Seconds full;                   ///< the step of samples of full length
    Seconds full_passes;
    lengths::Job job;
    std::vector<PackedStep> packings;  ///< the most tokens a second first
};

/// JSON of all of it.
Record lengths_record(const LengthsAnswer& answer);

/// The plan of a prediction with samples of these lengths.
void add_lengths(Document& document, const LengthsAnswer& answer);

/// The plans of a ranking with samples of these lengths, in the order of the ranking.
void add_plan_lengths(Document& document, const std::vector<step::Prediction>& plans,
                      const std::vector<LengthsAnswer>& answers);

/// Steps whose micro-batches were drawn, beside the closed form.
void add_played_lengths(Document& document, const LengthsAnswer& answer, const play::NoisySteps& played);

}  // namespace dodona::reports
