// Tasks of post-training by name; what each makes of a network: post_training.hpp.
#pragma once

#include <array>

#include "base/enumeration.hpp"

namespace dodona::graph {

enum class Task { sft, lora, qlora, dpo, grpo };

inline constexpr std::array kTaskTable{
    Enumerator(Task::sft, "sft", "supervised fine-tuning of all weights"),
    Enumerator(Task::lora, "lora", "low-rank adapters beside frozen weights"),
    Enumerator(Task::qlora, "qlora", "low-rank adapters beside frozen weights of 4 bits"),
    Enumerator(Task::dpo, "dpo", "pairs of answers, compared with a frozen reference"),
    Enumerator(Task::grpo, "grpo", "groups of answers, with a frozen reference; generation is not part of it")};
constexpr const auto& enumerators(Task /*type*/) { return kTaskTable; }

}  // namespace dodona::graph
