// Samples of different lengths, as a part of the documents of predictions, plans and simulations.
#pragma once

#include <string>
#include <vector>

#include "files/description.hpp"
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
    bool leaves_segments = false;      ///< shorter micro-batches do, in the allocator of the software
    std::vector<PackedStep> packings;  ///< the most tokens a second first
};

/// The plan of a prediction with samples of these lengths.
void add_lengths(Document& document, const LengthsAnswer& answer);

/// A plan of a search with samples of these lengths.
struct PlanLengths {
    step::Prediction plan;
    std::size_t even_rank = 1;  ///< among plans with samples of full length
    LengthsAnswer lengths;

    /// With the best of its packings.
    [[nodiscard]] double tokens_per_second() const { return lengths.packings.front().step.tokens_per_second(); }
};
/// The first `shown` of plans that are ranked by these lengths.
void add_plan_lengths(Document& document, const std::vector<PlanLengths>& ranked, std::size_t shown);

/// Steps whose micro-batches were drawn, beside the closed form.
void add_played_lengths(Document& document, const LengthsAnswer& answer, const play::NoisySteps& played);

}  // namespace dodona::reports

namespace dodona::files {

template <>
const Description& description<reports::LengthsAnswer>();
template <>
const Description& description<reports::PlanLengths>();

}  // namespace dodona::files
