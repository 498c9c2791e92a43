// Tasks of post-training as changes of a network: what is frozen, what stands beside it, and which further passes a step
// runs. What they cost follows as for any network.
//
//   sft     supervised fine-tuning of all weights
//   lora    adapters beside the frozen layers of all blocks (operators/adapters.hpp)
//   qlora   the same, with the frozen matrices of the blocks in 4 bits (weight_storage.hpp)
//   dpo     two answers to a prompt, compared: a forward pass of a frozen reference beside the policy
//   grpo    a group of answers to a prompt: forward passes of the reference and of the policy that gave the answers
//
// lora or qlora may be joined with dpo or grpo; the reference is then the base without adapters and takes no memory of
// its own. Samples are sequences, a prompt with its answer. Not modelled: the generation of answers, reward models, and
// rewards. Sources: Hu et al., arXiv:2106.09685; Dettmers et al., arXiv:2305.14314; Rafailov et al., arXiv:2305.18290,
// equation 7; Shao et al., arXiv:2402.03300, equation 3 and algorithm 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/spec.hpp"
#include "graph/task.hpp"

namespace dodona::graph {

/// Which settings a task has, by name.
std::vector<std::string> settings_of(Task task);

/// The network with these tasks. Domain: settings in range. Throws InputError where tasks contradict each other or the
/// network cannot have one. The published counts are those of another network and left out.
NetworkSpec with_tasks(NetworkSpec spec, const std::vector<Task>& tasks, const TaskSettings& settings,
                       const Location& where);

/// Keeps the frozen matrices of blocks so, where nothing says how.
void store_frozen(NetworkSpec& network, WeightStorage storage);

}  // namespace dodona::graph
