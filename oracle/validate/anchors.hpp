// Frameworks adjusted to a few runs of a group, to see how well the others of the group are then predicted: what a user
// gains who measures some steps first (`--observed`).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "files/run_table.hpp"
#include "plan/framework.hpp"
#include "validate/questions.hpp"

namespace dodona::validate {

/// A run that can be asked, and its measured step.
struct ObservedRun {
    Question question;
    Seconds measured;
};

/// The framework adjusted to the steps of these runs (step/anchor.hpp).
plan::Framework anchored(const plan::Framework& framework, const std::vector<ObservedRun>& runs);

/// The runs of one group that frameworks are adjusted to, and these frameworks.
struct Anchors {
    std::vector<std::string> ids;                       ///< of the runs
    std::map<std::string, plan::Framework> frameworks;  ///< by the label of the framework that was adjusted
};

/// Adjusts to `count` runs that were measured and can be asked, the first by a hash of their ids. `group`: its runs.
Anchors anchors(const std::vector<const files::MeasuredRun*>& group, std::size_t count, Questions& questions);

}  // namespace dodona::validate
