// The plan of a run: its layout and words on a strategy.
#pragma once

#include "files/run_conventions.hpp"
#include "files/run_table.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"

namespace dodona::validate {

/// The word of the first line that matches the run, or none.
const files::ConventionLine* first_match(const files::MeasuredRun& run,
                                         const std::vector<files::ConventionLine>& words);

/// The line of the conventions that a run's strategy matches; throws InputError where none does, or one that refuses.
const files::RunStrategy& strategy_line(const files::MeasuredRun& run, const files::RunConventions& conventions);

/// Throws InputError for what a plan cannot say.
plan::Plan plan_of(const files::MeasuredRun& run, const files::RunConventions& conventions,
                   const files::RunStrategy& line, plan::Strategy strategy, const graph::Graph& graph);

/// Blocks per stage and chunk: equally many where they divide evenly, of whatever kind they are; where they do not but
/// do with two more, embedding and output head each take the place of one (126 + 2, 94 + 2, 70 + 2); empty otherwise:
/// balanced.
std::vector<std::int64_t> stage_sizes(std::int64_t blocks, std::int64_t stages);

/// Blocks of each stage where stages are filled in order: one ends with the block with which all so far have more than
/// its share of the weights that multiply (embeddings look up). The head counts with the last stages: they have fewer
/// blocks, the last may have none. Here each other stage has a block; there one may have the head, and the last the loss.
/// Source: huggingface/nanotron: src/nanotron/models/base.py, build_model; there keys and values of grouped queries count
/// as wide as queries.
std::vector<std::int64_t> stages_by_weights(const graph::Graph& graph, std::int64_t stages);

}  // namespace dodona::validate
