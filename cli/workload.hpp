// What `plan` and `predict` are asked about: a network on a number of devices of a machine, read from the options that
// both take.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/precision.hpp"
#include "base/ranges.hpp"
#include "cli/arguments.hpp"
#include "cli/files.hpp"
#include "cli/option.hpp"
#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "graph/sample_tokens.hpp"
#include "plan/plan.hpp"
#include "questions/workload.hpp"
#include "search/batches.hpp"
#include "search/search.hpp"

namespace dodona::cli {

using graph::tokens_a_sample;
using questions::network_with;
using questions::Workload;
using search::default_batch;

std::vector<Option> workload_options();

/// The model that MODEL names, as `library` reads it: with the tasks that --task adds to it. `typed`: MODEL.
std::string model_asked(Arguments& arguments, const std::string& typed);
/// A model with the tasks that --task adds to it.
std::string with_tasks(Arguments& arguments, std::string model);

/// The number before a machine as in 8xH100 as --gpus, where that is not typed.
void give_gpus_of_machine(Arguments& arguments);

/// --gpus, or the number before the machine; `help` of the fault where neither is there.
std::int64_t required_gpus(Arguments& arguments, const std::string& help);

/// Reads network and machine. `arguments` carries no fault when this returns.
/// `network`: the text of the model file that a launch script spells out; empty: MODEL.
Workload read_workload(Arguments& arguments, const std::string& network = {});

/// --set, --seq and --image, as parameters of the model file.
questions::Parameters model_parameters(Arguments& arguments);

/// --precision, or the best mixed one of the device.
Precision precision_of(Arguments& arguments, const cluster::Cluster& cluster);
/// --gradient-precision.
std::optional<Precision> gradient_precision_of(Arguments& arguments);
/// --optimizer, or adam for networks that read tokens or attend, and momentum for others.
plan::OptimizerKind optimizer_of(Arguments& arguments, const graph::Graph& graph);
/// --overlap, or gradients and parameters.
plan::Overlap overlap_of(Arguments& arguments);
/// --offload, or nothing; a fault on a machine whose host is not described.
plan::Offload offload_of(Arguments& arguments, const cluster::Cluster& cluster);
/// --algorithm; a fault where no link of the machine can run it.
std::optional<cluster::Algorithm> algorithm_of(Arguments& arguments, const cluster::Cluster& cluster);
/// A fault if the machine has fewer.
void check_devices(Arguments& arguments, const cluster::Cluster& cluster, std::int64_t devices);

/// A fault if the batch does not have whole groups of answers.
void check_answers(Arguments& arguments, const graph::Graph& graph, std::int64_t batch);

/// The options given that change what is computed, as (option, value): enough to repeat the question.
std::vector<std::pair<std::string, std::string>> settings_given(const Arguments& arguments);

/// "gpipe|1f1b|interleaved-1f1b"
template <Enumerated Enum>
std::string choices_text() {
    return join(value_names<Enum>(), "|");
}

/// The names of an enumeration's values: what an option accepts.
template <class Enum, std::size_t N>
std::vector<std::string> choices_of(const std::array<Enum, N>& values) {
    return mapped<std::string>(values, [](const Enum value) { return name(value); });
}

}  // namespace dodona::cli
