// Options of studies: nodes that trials run on, how trials are drawn and scheduled.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster.hpp"
#include "files/money.hpp"
#include "questions/question.hpp"
#include "trials/prediction.hpp"
#include "trials/study.hpp"

namespace dodona::questions::trials {

/// Those of a prediction and of a run.
struct Options {
    std::string machine;                           ///< of a job's own options; empty: none
    std::optional<std::int64_t> nodes;             ///< none: 1
    std::optional<std::int64_t> cores;             ///< of a node
    std::optional<std::int64_t> slots;             ///< trials at once, on any nodes
    std::vector<std::int64_t> gpus_per_trial;      ///< each trial takes what makes all end soonest
    std::vector<std::int64_t> cores_per_trial;     ///< likewise
    std::optional<dodona::trials::Policy> policy;  ///< none: the fastest
    std::string observed;                          ///< a table of trials that have run; empty: none
    std::optional<dodona::trials::Sampling> sampling;
    std::optional<std::int64_t> count;
    std::optional<std::int64_t> seed;
    std::vector<std::string> set;  ///< NAME=VALUE
};

/// Those of a prediction alone.
struct PredictionOptions {
    std::optional<dodona::trials::Stopping> early_stop;
    std::optional<std::int64_t> eta;
    std::optional<std::int64_t> rungs;
    std::optional<Seconds> mtbf;
    std::optional<std::int64_t> tries;
    std::optional<std::int64_t> draws;
    std::optional<files::Rate> price;
};

/// Those of a run alone.
struct RunOptions {
    std::string into;  ///< folder for what trials write
    std::vector<std::string> hosts;
    std::string launch;  ///< command that starts a trial's command elsewhere;
                         ///< empty: all trials run here
    std::int64_t tries = 2;
    std::optional<dodona::trials::StoppingRule> early_stop;
    std::optional<std::int64_t> eta;
};

struct Resources {
    std::string machine;  ///< as typed; may be empty
    dodona::trials::Pool pool;
    std::vector<dodona::trials::Units> sizes;  ///< that a trial may take; all fit
};

/// Faults of the options alone.
Faults contradictions(const Options& options);
Faults contradictions(const PredictionOptions& options);
Faults contradictions(const RunOptions& options, const Options& shared);

/// The study of a file with what the options say instead.
Asked<dodona::trials::Study> changed_study(dodona::trials::Study study, const Options& options);

/// `machine`: null without one.
Asked<Resources> resources(const Options& options, const cluster::Cluster* machine);

/// With early stopping, failures and rent. `machine`: its price is the rent's unless one is given; null: without one.
Asked<dodona::trials::Question> completed(dodona::trials::Question question, const Options& options,
                                          const PredictionOptions& of_prediction, const cluster::Cluster* machine);

}  // namespace dodona::questions::trials
