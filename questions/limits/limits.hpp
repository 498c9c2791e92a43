// How many devices each strategy can use, what limits it and how many pay off.
//
//   strategy  most GPUs  limited by    fits memory  worthwhile to  then
//   filter           64  filter <= 64  on 4 to 64   8              filter communication
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "reports/collect/prediction_report.hpp"
#include "reports/document/document.hpp"
#include "search/limits.hpp"

namespace dodona::questions::limits {

struct Question {
    reports::Subject subject;
    graph::Graph graph;
    cluster::Cluster cluster;
    search::Space space;
    search::Growth growth;
    std::vector<std::pair<std::string, std::string>>
        settings;  ///< options that change what is computed, to repeat them
};

using search::LimitsAnswer;

LimitsAnswer ask(const Question& question, const search::Progress& progress = {});

/// Whether any strategy takes the number asked for; or any number, where none is.
bool any_fits(const LimitsAnswer& answer);

reports::Document document(const LimitsAnswer& answer);

}  // namespace dodona::questions::limits
