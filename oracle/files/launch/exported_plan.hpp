// A plan as the settings of a launcher.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cluster/maker.hpp"
#include "files/launch/target.hpp"
#include "graph/spec.hpp"
#include "plan/plan.hpp"

namespace dodona::files {

/// What an export says beside the plan.
struct ExportFacts {
    std::string model;
    std::string machine;
    std::optional<cluster::Maker> maker = {};  ///< of its devices (cluster::Device::maker)
    std::int64_t gpus_per_node = 1;
    bool unequal_devices = false;  ///< data ranks take unequal numbers of micro-batches
    std::int64_t sequence = 0;     ///< tokens of a sample; 0: none
    std::int64_t layers = 0;       ///< blocks that repeat; 0: not known
    graph::PostTraining post_training = {};
    std::vector<std::string> of_task = {};  ///< targets that write plans of its tasks
    std::vector<std::string> comments;      ///< lines at the top
    std::vector<std::string> mechanisms;    ///< all that are known
};

/// Whether the target writes plans of these tasks of post-training; of none: of pretraining.
bool writes(const Target& target, const std::vector<graph::Task>& tasks);

/// A plan by the words of data files: tensor, context, data, pipeline, expert, zero, recompute, ...
Scope plan_parameters(const plan::Plan& plan, const ExportFacts& facts);

/// What the target cannot express, and the nearest plan that it can.
Diagnostics refusals(const plan::Plan& plan, const ExportFacts& facts, const Target& target);

/// The text of the target's file. Throws InputError with its refusals.
std::string exported(const plan::Plan& plan, const ExportFacts& facts, const Target& target);

}  // namespace dodona::files
