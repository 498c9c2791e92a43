// The devices that a job needs, and the machine: of given numbers of devices on given machines the smallest, the
// fastest or the cheapest that meets the goals. search/sizing.hpp finds it on one machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "questions/goals.hpp"
#include "questions/question.hpp"
#include "reports/document/document.hpp"
#include "search/sizing.hpp"

namespace dodona::questions::size {

Heading heading();

struct Options {
    GoalOptions goals;
    std::optional<search::Find> find;   ///< none: what the goals call for
    DeviceCounts counts;                ///< of a job's own options; none: the default of a machine
    std::optional<std::int64_t> batch;  ///< of a job's own options; none: the default of the network
};

/// A network, and machines to train it on, one at least.
struct Job {
    std::string model;  ///< as typed
    graph::Graph graph;
    std::vector<NamedMachine> machines;
    std::vector<search::Space> spaces;  ///< of each machine; their devices and batch are not used
    std::vector<std::pair<std::string, std::string>>
        settings;  ///< options that change what is computed, to repeat them
};

struct Question {
    Job job;  ///< with prices
    search::Goals goals;
    search::Find find = search::Find::fewest;
    std::vector<std::vector<std::int64_t>> counts;  ///< of each machine
    std::optional<std::int64_t> batch;
};

Asked<Question> question(Job job, const Options& options);

struct SizedMachine {
    std::string machine;
    std::string source;
    Precision precision = Precision::bf16;
    std::optional<cluster::Price> price;
    search::Sizing sizing;
};

struct Answer {
    GoalInputs inputs;
    double parameters = 0;
    search::Find find = search::Find::fewest;
    std::vector<SizedMachine> machines;  ///< in the order of the question
    std::optional<std::size_t> best;     ///< the machine whose answer is best; none: no machine has one
};

/// By what was to be found; of equal ones the machine that was named first.
std::optional<std::size_t> best_machine(const std::vector<SizedMachine>& machines, search::Find find);

/// Counts done of all counts of a machine; false stops the search.
using Progress = std::function<bool(const std::string& machine, std::int64_t seen, std::int64_t all)>;
Answer ask(const Question& question, const Progress& progress);

/// Attempts on a machine, for JSON and tables.
std::vector<Searched> searched(const SizedMachine& machine);

reports::Document document(const Answer& answer);

}  // namespace dodona::questions::size
