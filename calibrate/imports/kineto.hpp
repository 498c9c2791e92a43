// Traces of the PyTorch profiler as records: products, convolutions, collectives, copies.
//
// An operator's time is the sum of its kernels' (split products reduce in a second kernel, convolutions rewrite their
// layouts). A backward convolution has both directions in one operator: each kernel belongs to the direction that its
// name says, one that says none to the next that does, or the one before.
// A collective's kernel waits for the last rank to arrive, so its duration is an upper bound: of the ranks' kernels of
// one collective the shortest counts, and with fewer traces than ranks the least over the repetitions stands for it.
#pragma once

#include <span>

#include "calibrate/imports/import_builder.hpp"
#include "calibrate/imports/kineto_trace.hpp"

namespace dodona::calibrate {

/// Products, convolutions and copies of one trace.
void import_kernels(const KinetoTrace& trace, ImportBuilder& into);

/// Collectives of the traces of one job. How many ranks share a node is taken from the devices that a process sees, or
/// from the user; groups of more than 30 ranks are listed in part, and need the user.
void import_collectives(std::span<const KinetoTrace> traces, ImportBuilder& into);

}  // namespace dodona::calibrate
