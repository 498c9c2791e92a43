// A network's forward pass on a CPU: what the numbers of workers and threads are worth. Equations: threads/prediction.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/device.hpp"
#include "graph/graph.hpp"
#include "questions/question.hpp"
#include "reports/document/document.hpp"
#include "threads/measured_settings.hpp"
#include "threads/prediction.hpp"

namespace dodona::questions::threads {

Heading heading();

struct Options {
    std::int64_t batch = 1;  ///< of a job's own options, as the precision
    Precision precision = Precision::fp32;
    std::optional<std::int64_t> cores;  ///< none: all of the CPU
    std::optional<std::int64_t> most;   ///< workers, and threads of each, to try; none: the cores
    dodona::threads::KnownCosts known;
    std::vector<dodona::threads::MeasuredSetting> measured;
    std::string measured_with;  ///< the file that they are from, or what ran them
};

struct Question {
    reports::Subject subject;
    cluster::Device device;
    std::int64_t batch = 1;
    Bytes weights;
    dodona::threads::ThreadCosts costs;
    dodona::threads::KnownCosts known;
    dodona::threads::OperatorGraph operators;
    std::vector<dodona::threads::OperatorWork> works;  ///< of each kind of operator
    std::int64_t most = 1;                             ///< workers, and threads, to try; at least the cores
    bool whole_grid = false;                           ///< in JSON: also what over-subscribes the cores
    std::vector<dodona::threads::MeasuredSetting> measured;
    std::string measured_with;
};

Asked<Question> question(reports::Subject subject, const graph::Graph& network, const cluster::Device& device,
                         const Options& options);

struct Answer {
    Question question;
    std::optional<dodona::threads::Prediction>
        prediction;  ///< none: the weights alone are more than the device's memory

    /// The weakest of the kernels' times on all cores.
    [[nodiscard]] Evidence evidence() const { return dodona::threads::weakest(question.works); }
};

Answer ask(Question question);

/// Whether its threads have a core each.
bool within(const dodona::threads::Setting& setting, std::int64_t cores);

/// The guideline's workers with more and more threads, each time twice as many, up to all cores each.
std::vector<dodona::threads::Timed> crowded(const dodona::threads::Prediction& answer, std::int64_t cores);

reports::Document document(const Answer& answer);

}  // namespace dodona::questions::threads
