// Frameworks adjusted to a few runs of a group, to see how well the others of the group are then predicted: what a user
// gains who measures some steps first (`--observed`).
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "files/run_table.hpp"
#include "plan/framework.hpp"
#include "step/likeness.hpp"
#include "validate/questions.hpp"

namespace dodona::validate {

/// A run that can be asked, and its measured step.
struct ObservedRun {
    Question question;
    Seconds measured;
    std::string id = {};  ///< in its table, or of the run that is asked about; empty: it is of no table
};

/// Whose run it is: of one group, software and device.
std::string user_of(const files::MeasuredRun& run);

/// The framework adjusted to the steps of these runs for the run that is asked about (step/anchor.hpp).
plan::Framework anchored(const plan::Framework& framework, const std::vector<ObservedRun>& runs,
                         const step::RunKind& asked);

/// Some runs of each user (group, software and device), and frameworks adjusted to them.
class Anchors {
public:
    Anchors() = default;
    /// Of each user `count` runs that were measured and can be asked, the first by a hash of their ids.
    Anchors(const std::vector<files::MeasuredRun>& runs, std::size_t count, Questions& questions);

    [[nodiscard]] bool contains(const std::string& id) const { return ids_.contains(id); }
    /// The framework of the run's question as it is adjusted to the runs of its user.
    plan::Framework adjusted(const files::MeasuredRun& run, const Question& question);

private:
    std::set<std::string> ids_;
    std::map<std::string, std::vector<ObservedRun>> by_user_;
};

}  // namespace dodona::validate
