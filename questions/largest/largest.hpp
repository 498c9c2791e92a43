// The largest job that trains on given devices: the largest batch, or the largest value of a parameter of the network, whose best
// plan meets the goals. search/largest.hpp finds it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "questions/goals.hpp"
#include "questions/largest/convolutions.hpp"
#include "questions/question.hpp"
#include "reports/document/document.hpp"
#include "search/largest.hpp"

namespace dodona::questions::largest {

inline constexpr std::string_view kBatch = "batch";

Heading heading();

struct Options {
    GoalOptions goals;
    std::optional<std::int64_t> step;  ///< between the values that are looked at; none: the default
    std::optional<std::int64_t> upto;  ///< the largest value that is looked at; none: far beyond the given one
    std::optional<search::Workspaces> convolutions;  ///< of a batch: choose their algorithms, with these workspaces
    std::string parameter;                           ///< what is asked about: kBatch, or a parameter of the network
    std::int64_t devices = 1;                        ///< of a job's own options
    std::optional<std::int64_t> batch;               ///< of a job's own options; none: the default of the network
};

/// A network, the parameters of its file, and a machine to train it on.
struct Job {
    std::string model;  ///< as typed
    graph::Graph graph;
    std::vector<std::pair<std::string, std::optional<std::int64_t>>>
        parameters;  ///< their values; none: no whole number
    /// The network with a parameter at that value. Throws InputError where there is none.
    std::function<graph::Graph(const std::string& parameter, std::int64_t value)> with;
    NamedMachine machine;
    search::Space space;  ///< its devices and batch are not used
    std::vector<std::pair<std::string, std::string>>
        settings;  ///< options that change what is computed, to repeat them
};

struct Question {
    Job job;          ///< with its price
    Options options;  ///< complete: with `step` and `upto`
    search::Goals goals;
    std::int64_t given = 0;  ///< value of the parameter as the job has it
};

Asked<Question> question(Job job, Options options);

struct Answer {
    GoalInputs inputs;
    std::string parameter;   ///< "batch", or the name of a parameter of the model file
    std::int64_t given = 0;  ///< its value in the file, or with --set
    std::string machine;
    std::string machine_source;
    Precision precision = Precision::bf16;
    std::int64_t devices = 1;
    std::optional<cluster::Price> price;
    search::Largest largest;  ///< with the algorithms of `convolutions`
    std::optional<ConvolutionAnswer> convolutions;
};

Answer ask(const Question& question, const search::Progress& progress);

/// Attempts for JSON and tables.
std::vector<Searched> searched(const Answer& answer);

reports::Document document(const Answer& answer);

}  // namespace dodona::questions::largest
