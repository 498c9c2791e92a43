// The network of a run: a model file of its name, with the parameters that the row sets.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "input/model_file.hpp"
#include "input/run_conventions.hpp"
#include "input/run_table.hpp"

namespace dodona::validate {

/// The model file that a run trains: of its own name, unless the conventions say another.
std::string model_of(const input::Run& run, const input::RunConventions& conventions);

/// What a run sets: its overrides, what the conventions add, and what a sample is. `parameters` are those of the model.
std::vector<input::Setting> settings_of(const input::Run& run, const input::RunConventions& conventions,
                                        const std::vector<std::string>& parameters);

/// Throws InputError unless the network reads samples of the run's shape: exactly, or with the run's channels where a
/// parameter of the network takes the extent (what it makes of it, 227 of 224 for AlexNet, is its own).
void check_shape(const input::Run& run, const std::vector<input::Setting>& settings, const graph::Graph& graph);

}  // namespace dodona::validate
