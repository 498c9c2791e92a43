// Runs the trials of a study: starts their commands as the scheduler says, here or through a launcher such as srun or
// ssh, and keeps what has ended.
//
// A trial that fails is submitted again, `tries` times in all, and stops nobody else. A launcher that ends with 255, as
// ssh does where the connection fails, says nothing of the trial: it is submitted again without counting, and after
// kNodeFailures in a row nothing more starts on that node. Where kMissingCommands attempts in a row find no command,
// nothing more starts. With a rule of early stopping a trial that is worse than others is asked to end, and ended kGrace
// later: it counts as ended, not as failed. Reports are those of all its attempts. When a trial's command has ended, what is left of its process group is ended too. When the run ends,
// however it does, its trials end (guard.hpp). An attempt that was under way then is begun anew by the next run, once none
// of its processes on this machine lives any more.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runner/guard.hpp"
#include "runner/journal.hpp"
#include "trials/reports.hpp"
#include "trials/schedule.hpp"
#include "trials/space.hpp"

namespace dodona::runner {

inline constexpr int kNodeFailures = 2;
inline constexpr int kMissingCommands = 3;

struct StudyRun {
    std::vector<trials::Settings> trials;
    std::vector<trials::Job> jobs;  ///< what each takes, and how long it is expected to
    trials::Pool pool;
    trials::Policy policy = trials::Policy::fifo;
    std::string command;             ///< with {NAME}
    std::string launcher;            ///< with {command} and {node}; empty: this machine
    std::vector<std::string> nodes;  ///< their names
    std::string folder;              ///< there: the journal, and a folder for each trial
    int tries = 2;
    std::chrono::milliseconds patience = kGrace + std::chrono::seconds(2);  ///< with trials of an earlier run
    std::optional<trials::Result> result;
    std::optional<trials::StoppingRule> stopping;  ///< with a result
    int eta = 3;
    bool assigns_gpus = false;  ///< CUDA_VISIBLE_DEVICES says which GPUs of this machine a trial has
};

struct StudyDone {
    std::vector<Attempt> attempts;               ///< all that have ended, of earlier sessions too
    std::vector<int> tries_of;                   ///< of each trial
    std::size_t finished = 0;                    ///< trials
    std::size_t resumed = 0;                     ///< of them, that had finished before
    std::vector<std::size_t> early;              ///< trials that were stopped for being worse than others, in order
    std::vector<std::optional<double>> results;  ///< of each trial, where it has one
    std::vector<std::size_t> failed;             ///< trials whose last try failed, in order
    std::vector<std::string> lost;               ///< nodes
    Seconds makespan;                            ///< of all sessions, from the first start to the last end
    std::string stopped;                         ///< why it stopped before all trials had ended; empty: it did not
};

/// What a run tells while it goes on: how many trials have ended, of how many.
using Progress = std::function<void(std::size_t ended, std::size_t all)>;

/// Whether to go on; asked some hundred times a second.
using GoOn = std::function<bool()>;

/// The folder of a trial: "FOLDER/trial-0001".
std::string trial_folder(const std::string& folder, std::size_t trial);

/// Throws InputError for a command with unknown names and a folder that cannot be written or is another study's.
StudyDone run_study(const StudyRun& run, const GoOn& go_on, const Progress& progress);

}  // namespace dodona::runner
