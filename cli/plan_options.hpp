// The plan of `dodona predict`: from a file, or from options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "cli/stage_cut.hpp"
#include "cli/workload.hpp"
#include "plan/plan.hpp"

namespace dodona::cli {

/// What can be read before model and machine are known.
struct PlanSettings {
    std::string file;
    std::string strategy;
    std::vector<plan::MeshAxis> mesh;
    std::optional<std::int64_t> gpus;
    std::optional<std::int64_t> batch;
    std::optional<std::int64_t> microbatch;
    std::optional<plan::ScheduleKind> schedule;
    std::int64_t virtual_stages = 1;
    AskedCut cut;
    plan::RecomputeKind recompute = plan::RecomputeKind::none;
    std::int64_t recompute_every = 1;
    plan::RepeatedBlocks repeated;
    std::vector<plan::Match> recompute_layers;
    std::vector<std::string> recompute_modules;
    std::optional<plan::ShardLevel> shard;
    std::int64_t shard_group = 0;
    bool keep_parameters = false;
    std::int64_t gather_group = 0;
};

std::vector<Option> plan_options();

PlanSettings read_plan_settings(Arguments& arguments);

/// A plan of a file as it runs: in its software on this machine, or in that of --software. Throws the faults collected so
/// far.
plan::Plan in_its_software(Arguments& arguments, const Workload& workload, plan::Plan plan);

/// Throws the faults collected so far, and those of the plan against the number of GPUs.
plan::Plan plan_of(Arguments& arguments, const PlanSettings& settings, const Workload& workload);

}  // namespace dodona::cli
