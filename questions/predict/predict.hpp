// `predict`: time and memory of one plan, with all their parts.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cost/collective_time.hpp"
#include "exchange/exchange.hpp"
#include "questions/lengths.hpp"
#include "reports/collect/exchange_report.hpp"
#include "search/remedies.hpp"
#include "step/kept_tensors.hpp"
#include "step/split_norms.hpp"

namespace dodona::questions::predict {

/// In addition to the plan.
struct Options {
    LengthOptions lengths;
    std::string traced;  ///< words of collectives whose time is taken apart; empty: of none
};

struct Question {
    OnePlan of;
    Options options = {};
    bool explains = false;  ///< what its time is sensitive to, too
};

struct CollectiveParts {
    step::CommunicationLine line;
    cost::CollectiveTrace trace;
};

/// All but the prediction is of plans that run.
struct Answer {
    reports::Subject subject;
    step::Prediction prediction;
    std::optional<search::Explanation> explanation = {};  ///< where it was asked for
    std::optional<step::PeakMemory> peak = {};            ///< of the fullest stage
    std::vector<CollectiveParts> traced = {};             ///< in the order of the prediction's
    std::optional<reports::LengthsAnswer> lengths = {};   ///< where they were given
    std::optional<step::SplitNorms> norms = {};           ///< where the optimizer scales updates of layers by them
};

Answer ask(const Question& question);

reports::Document document(const Answer& answer);

/// The plan's step when its replicas agree in other ways, the fastest first. Domain: a plan that runs. Throws InputError
/// where its replicas exchange nothing.
reports::ExchangeAnswer with_exchanges(const OnePlan& one, step::Prediction prediction,
                                       const std::vector<exchange::Exchange>& exchanges);

reports::Document document(const reports::Subject& subject, const reports::ExchangeAnswer& answer);

}  // namespace dodona::questions::predict

namespace dodona::files {

template <>
const Description& description<questions::predict::Answer>();
template <>
const Description& description<reports::ExchangeAnswer>();

}  // namespace dodona::files
