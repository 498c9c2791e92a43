// Rules of memory profiles as software has them (software/*/*.memory.yaml).
#pragma once

#include "plan/memory_profile.hpp"

namespace dodona::memory_rules {

inline plan::MemoryRule memory_rule(plan::MemoryAction action, plan::MemoryTensors tensors) {
    return {.action = action, .tensors = tensors};
}

/// A loss of Megatron-LM on a copy in fp32, of PyTorch with the logits and without, and one that writes over them.
inline std::vector<plan::MemoryRule> loss_rules(bool inputs, double temporaries, double of_split = 0) {
    std::vector<plan::MemoryRule> rules;
    if (inputs) {
        rules.push_back(memory_rule(plan::MemoryAction::keep, plan::MemoryTensors::loss_inputs));
    }
    rules.push_back({.action = plan::MemoryAction::keep,
                     .tensors = plan::MemoryTensors::loss_temporaries,
                     .element = Bytes::of_base(temporaries)});
    if (of_split > 0) {
        rules.push_back({.action = plan::MemoryAction::keep,
                         .tensors = plan::MemoryTensors::split_loss_temporaries,
                         .element = Bytes::of_base(of_split)});
    }
    return rules;
}
inline const std::vector<plan::MemoryRule> kSeparateLoss = loss_rules(true, 4);
inline const std::vector<plan::MemoryRule> kUnfusedLoss = loss_rules(true, 8);
inline const std::vector<plan::MemoryRule> kReleasedLoss = loss_rules(false, 8, 12);
inline const plan::MemoryRule kLossInPlace = memory_rule(plan::MemoryAction::cast, plan::MemoryTensors::logits);
inline const plan::MemoryRule kFusedLoss = memory_rule(plan::MemoryAction::free, plan::MemoryTensors::logits);
inline const plan::MemoryRule kPlaceholders = memory_rule(plan::MemoryAction::keep, plan::MemoryTensors::placeholders);
inline const plan::MemoryRule kGateResults = memory_rule(plan::MemoryAction::keep, plan::MemoryTensors::gate_results);
inline const plan::MemoryRule kWideProbabilities =
    memory_rule(plan::MemoryAction::cast, plan::MemoryTensors::probabilities);
inline const plan::MemoryRule kRepeatedKeys = memory_rule(plan::MemoryAction::repeat, plan::MemoryTensors::keys);
inline const plan::MemoryRule kAutocast = memory_rule(plan::MemoryAction::cast, plan::MemoryTensors::results);
inline const plan::MemoryRule kFreedGradients = memory_rule(plan::MemoryAction::free, plan::MemoryTensors::gradients);
inline const plan::MemoryRule kCastGathered = memory_rule(plan::MemoryAction::cast, plan::MemoryTensors::weights);
inline const plan::MemoryRule kGatheredInputs = memory_rule(plan::MemoryAction::gather, plan::MemoryTensors::inputs);
inline const plan::MemoryRule kPipelineResults =
    memory_rule(plan::MemoryAction::keep, plan::MemoryTensors::pipeline_results);
inline const plan::MemoryRule kGradientCopies = memory_rule(plan::MemoryAction::keep, plan::MemoryTensors::gradients);
inline const plan::MemoryRule kMessages = memory_rule(plan::MemoryAction::keep, plan::MemoryTensors::messages);
inline const plan::MemoryRule kUpdateCopies = memory_rule(plan::MemoryAction::keep, plan::MemoryTensors::update_copies);
inline const plan::MemoryRule kOffloadedGradients =
    memory_rule(plan::MemoryAction::offload, plan::MemoryTensors::gradients);
inline const plan::MemoryRule kNormResults{.action = plan::MemoryAction::keep,
                                           .tensors = plan::MemoryTensors::normalised_inputs,
                                           .match = {.kinds = {"rms_norm"}}};
inline const plan::MemoryRule kQuantisedInputs{
    .action = plan::MemoryAction::cast, .tensors = plan::MemoryTensors::product_inputs, .to = plan::CastTo::products};
inline const plan::MemoryRule kQuantisedGates{
    .action = plan::MemoryAction::cast, .tensors = plan::MemoryTensors::gate_inputs, .to = plan::CastTo::products};
inline const plan::MemoryRule kSharedInputs{
    .action = plan::MemoryAction::cast, .tensors = plan::MemoryTensors::shared_inputs, .element = Bytes::of_base(1.5)};
inline const plan::MemoryRule kUpdateTemporaries{.action = plan::MemoryAction::keep,
                                                 .tensors = plan::MemoryTensors::update_temporaries,
                                                 .element = Bytes::of_base(4)};

}  // namespace dodona::memory_rules
