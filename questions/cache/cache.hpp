// What reading samples costs in the first epochs, while nodes fill their caches. Equations: step/sample_cache.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "questions/question.hpp"
#include "reports/document/document.hpp"
#include "step/prediction.hpp"
#include "step/sample_cache.hpp"

namespace dodona::questions::cache {

Heading heading();

/// Beside the plan.
struct Options {
    std::int64_t epochs = 3;
    std::optional<double> samples;     ///< none: as the model file says
    std::optional<Bytes> sample_size;  ///< none: as the model file says
};

struct Question {
    OnePlan one;
    std::vector<cluster::SampleTier> tiers;  ///< the farthest first; at least one
    std::int64_t epochs = 3;
    double samples = 0;  ///< of the data set
    Bytes sample;        ///< as stored
};

/// By what network, machine and options say.
Asked<Question> question(OnePlan one, const Options& options);

/// What a step reads from a tier.
struct TierRead {
    std::string tier;
    double share = 0;
    Seconds reading;
};

struct Epoch {
    std::int64_t number = 1;
    step::EpochInput input;
    std::vector<TierRead> tiers;  ///< slowest first
};

struct Answer {
    Question question;
    step::Prediction prediction;
    Bytes decoded;  ///< the tensors of a sample
    std::int64_t nodes = 1;
    Seconds step;            ///< without input
    bool prefetched = true;  ///< reading hides behind the step before
    std::vector<Epoch> epochs;
};

/// Throws InputError where the plan cannot run.
Answer ask(Question question);

reports::Document document(const Answer& answer);

}  // namespace dodona::questions::cache
