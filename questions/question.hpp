// What questions have in common, whoever asks them: a command line, a program, a page.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "reports/collect/prediction_report.hpp"

namespace dodona::questions {

/// What people read of a question before they ask it.
struct Heading {
    std::string name;  ///< "cache"
    std::string summary;
    std::string options;   ///< above its own options: "Samples"
    std::string examples;  ///< below all options
};

/// What is wrong with an option; without a message it is missing.
struct Fault {
    std::string option;
    std::string message;
    std::string help;
};
using Faults = std::vector<Fault>;

/// A question, complete; or all that keeps it from being one.
template <class Question>
using Asked = std::variant<Question, Faults>;

/// One plan of a network on a machine.
struct OnePlan {
    reports::Subject subject;
    graph::Graph graph;
    cluster::Cluster cluster;
    plan::Plan plan;
};

}  // namespace dodona::questions
