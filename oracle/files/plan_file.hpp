// Plan files: what `--plan` reads and `--save` writes.
#pragma once

#include <string>

#include "files/description.hpp"
#include "plan/plan.hpp"

namespace dodona::files {

/// A plan as its file has it.
struct PlanFile {
    std::string title;
    std::string strategy;  ///< its name or path; empty: the file spells the strategy out
    plan::Plan plan;
};

template <>
const Description& description<PlanFile>();

/// Throws InputError with every fault found.
plan::Plan read_plan(Document document, const Opener& open_strategy, const Opener& open_framework,
                     const Opener& open_mechanism);

/// The file of a plan, its strategy spelt out: it reads back as the same plan.
std::string to_yaml(const plan::Plan& plan, const std::string& title);

/// The same with the strategy as a reference: the name of a built-in one, or a path.
std::string to_yaml(const plan::Plan& plan, const std::string& title, const std::string& strategy);

}  // namespace dodona::files
