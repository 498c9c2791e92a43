// Tasks of post-training by name; what each makes of a network: post_training.hpp.
#pragma once

#include <array>
#include <cstdint>

#include "base/enumeration.hpp"
#include "graph/weight_storage.hpp"

namespace dodona::graph {

enum class Task { sft, lora, qlora, dpo, grpo };

inline constexpr std::array kTaskTable{
    Enumerator(Task::sft, "sft", "supervised fine-tuning of all weights"),
    Enumerator(Task::lora, "lora", "low-rank adapters beside frozen weights"),
    Enumerator(Task::qlora, "qlora", "low-rank adapters beside frozen weights of 4 bits"),
    Enumerator(Task::dpo, "dpo", "pairs of answers, compared with a frozen reference"),
    Enumerator(Task::grpo, "grpo", "groups of answers, with a frozen reference; generation is not part of it")};
constexpr const auto& enumerators(Task /*type*/) { return kTaskTable; }

/// What `--set` may change of a task.
struct TaskSettings {
    std::int64_t rank = 16;                      ///< of adapters
    WeightStorage storage = WeightStorage::nf4;  ///< of the matrices that qlora freezes
    bool reference =
        true;  ///< dpo, grpo: its pass is part of the step; false: precomputed, or no such term in the loss
    bool old_policy = true;    ///< grpo: log-probabilities of the policy that gave the answers are computed in the step
    std::int64_t answers = 8;  ///< grpo: to one prompt
};

}  // namespace dodona::graph
