// `predict`: time and memory of one plan, with all their parts.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cost/collective_time.hpp"
#include "questions/question.hpp"
#include "reports/collect/lengths_report.hpp"
#include "search/remedies.hpp"
#include "step/kept_tensors.hpp"
#include "step/split_norms.hpp"

namespace dodona::questions::predict {

struct Question {
    OnePlan of;
    bool explains = false;  ///< what its time is sensitive to, too
    std::string traced;     ///< words of collectives whose time is taken apart; empty: of none
    /// Its step with samples of different lengths; none: all are of one.
    std::function<reports::LengthsAnswer(const plan::Plan& plan)> lengths = {};
    /// Changes of the job that leave the pipeline out, where passes of a reference rule the plan's pipeline out.
    std::vector<search::RelaxationSequence> without_pipeline = {};
    search::Question job = {};  ///< of these
};

struct CollectiveParts {
    step::CommunicationLine line;
    cost::CollectiveTrace trace;
};

/// All but the prediction is of plans that run, `others` of one that does not.
struct Answer {
    reports::Subject subject;
    step::Prediction prediction;
    std::optional<search::Explanation> explanation = {};  ///< where it was asked for
    std::optional<step::PeakMemory> peak = {};            ///< of the fullest stage
    std::vector<CollectiveParts> traced = {};             ///< in the order of the prediction's
    std::optional<search::Answer> others = {};            ///< plans of its job that run, as remedies
    std::optional<reports::LengthsAnswer> lengths = {};   ///< where they were given
    std::optional<step::SplitNorms> norms = {};           ///< where the optimizer scales updates of layers by them
};

Answer ask(const Question& question);

reports::Document document(const Answer& answer);

}  // namespace dodona::questions::predict

namespace dodona::files {

template <>
const Description& description<questions::predict::Answer>();

}  // namespace dodona::files
