// Orders as text: one line for each stage, its tasks in order between commas, as torch.distributed.pipelining writes them.
//
//   0F0,0F1,,0B0,0B1
//   ,1F0,1B0,1F1,1B1
//
// A task is its position, its kind and its micro-batch, all counted from 0: F forward; B backward; or I and W, gradients
// of inputs and of weights apart. Empty cells mean nothing: a task starts when it can. (0F8;7B2)OVERLAP_F_B is a pair that
// runs together. Source of the form: _Action in PyTorch's torch/distributed/pipelining/schedules.py ("compute only").
#pragma once

#include <string>
#include <string_view>

#include "schedule/order.hpp"

namespace dodona::schedule {

/// Throws InputError with every fault found, each at its task: cells that are no task, tasks that are missing, there twice
/// or on a stage that does not hold their position, stages that wait for each other. `name` is how messages call the
/// text. Each position is on one stage.
Order read_order(std::string_view text, const std::string& name);

/// The same form, without empty cells. For an order whose positions are each on one stage.
std::string to_csv(const Order& order);

}  // namespace dodona::schedule
