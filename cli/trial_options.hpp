// A study and what it runs on, read from the options of `dodona trials` and `dodona trials run`.
#pragma once

#include <optional>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "questions/trials/options.hpp"
#include "questions/trials/times.hpp"

namespace dodona::cli {

std::vector<Option> trial_options();

/// What trials run on; its members are complete and belong together.
struct AskedTrials {
    questions::trials::Options options;
    trials::Study study;
    std::optional<cluster::Cluster> machine;
    questions::trials::Resources resources;

    /// Null without one.
    [[nodiscard]] const cluster::Cluster* cluster() const { return machine ? &*machine : nullptr; }
};

/// Those of both commands; faults are noted.
questions::trials::Options read_trial_options(Arguments& arguments);
/// Throws the faults collected so far.
AskedTrials read_trials(Arguments& arguments, questions::trials::Options options);

/// Times of the trials on what they may take, with --observed. `asked` outlives them.
questions::trials::Times trial_times(Arguments& arguments, const AskedTrials& asked);

}  // namespace dodona::cli
