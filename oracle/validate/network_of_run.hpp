// The network of a run: a model file of its name, with the parameters that the row sets.
#pragma once

#include <string>
#include <vector>

#include "files/model_file.hpp"
#include "files/run_conventions.hpp"
#include "files/run_table.hpp"
#include "graph/graph.hpp"

namespace dodona::validate {

/// The model file that a run trains: of its own name, unless the conventions say another.
std::string model_of(const files::MeasuredRun& run, const files::RunConventions& conventions);

/// What a run sets: its overrides, what the conventions add, and what a sample is. `parameters` are those of the model.
std::vector<files::Setting> settings_of(const files::MeasuredRun& run, const files::RunConventions& conventions,
                                        const std::vector<std::string>& parameters);

/// Throws InputError unless the network reads samples of the run's shape: exactly, or with the run's channels where a
/// parameter of the network takes the extent (what it makes of it, 227 of 224 for AlexNet, is its own).
void check_shape(const files::MeasuredRun& run, const std::vector<files::Setting>& settings, const graph::Graph& graph);

}  // namespace dodona::validate
