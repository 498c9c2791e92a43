// The text of `dodona predict`: one plan, with all its parts.
//
//   gpt3-175b on 64 x a100-sxm4-80gb of selene
//   strategy megatron-sequence on tensor 8, pipeline 8; batch 64 = 64 micro-batches of 1, 1f1b; ...
//   17.1 s a step (90 % interval 15.2 to 20.0 s), 3.74 samples/s, 7,660 tokens/s, MFU 51.5 %
//   63.2 GiB of 80.0 GiB device memory on the fullest of 8 stages (embedding, layers[1..12])
#pragma once

#include <string>

#include "reports/style.hpp"
#include "reports/table.hpp"
#include "step/prediction.hpp"

namespace dodona::reports {

/// What a prediction was asked for.
struct Subject {
    std::string model;
    std::string machine;
};

std::string prediction_text(const Subject& subject, const step::Prediction& prediction, Style style);
std::string prediction_markdown(const Subject& subject, const step::Prediction& prediction);

/// The tables that both show.
Table time_table(const step::Prediction& prediction);
Table memory_table(const step::Prediction& prediction);
Table stage_table(const step::Prediction& prediction);
Table replica_table(const step::Prediction& prediction);
Table communication_table(const step::Prediction& prediction);

}  // namespace dodona::reports
