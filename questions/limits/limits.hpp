// How many devices each strategy can use, what limits it and how many pay off.
//
//   strategy  most GPUs  limited by    fits memory  worthwhile to  then
//   filter           64  filter <= 64  on 4 to 64   8              filter communication
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster.hpp"
#include "exchange/exchange.hpp"
#include "graph/graph.hpp"
#include "questions/growth.hpp"
#include "questions/question.hpp"
#include "reports/collect/exchange_scaling_report.hpp"
#include "reports/document/document.hpp"
#include "search/limits.hpp"

namespace dodona::questions::limits {

Heading heading();

struct Options {
    GrowthOptions growth;
    std::optional<std::int64_t> gpus;  ///< of a job's own options: whether so many work
    std::optional<double> overhead;    ///< of one device over its compute: rules without a model and a machine
    std::optional<double> efficiency;  ///< to keep, with `overhead` or exchanges
    bool layer_groups = false;         ///< in how many groups nodes exchange each layer; without a machine
};

/// Faults of the options alone, before network and machine are known.
Faults contradictions(const Options& options);

/// Growth of the batch, to as many devices as are asked for.
Asked<search::Growth> growth(const Options& options, const graph::Graph& graph, const cluster::Cluster& cluster);

struct Question {
    Workload workload;
    search::Space space;
    search::Growth growth;
    std::vector<std::pair<std::string, std::string>>
        settings;  ///< options that change what is computed, to repeat them
};

using search::LimitsAnswer;

LimitsAnswer ask(const Question& question, const search::Progress& progress = {});

/// Devices that keep an efficiency when the replicas of a strategy agree in other ways.
struct ExchangeQuestion {
    Workload workload;
    search::Space space;
    search::Growth growth;
    plan::Strategy strategy;
    std::vector<exchange::Exchange> exchanges;
    double efficiency = search::kWorthwhile;  ///< to keep
};

reports::ExchangeScaling ask(const ExchangeQuestion& question, const search::Progress& progress = {});

/// The number asked for, if any strategy takes it; where none is, the fewest that any takes.
std::optional<std::int64_t> fewest_that_fit(const LimitsAnswer& answer);

reports::Document document(const LimitsAnswer& answer);

}  // namespace dodona::questions::limits
