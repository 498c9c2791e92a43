// Models: the list of `dodona models`, and one of them.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "reports/document/document.hpp"

namespace dodona::questions::models {

struct Answer {
    std::string name;
    graph::Counts counts;
    std::string source;
};

reports::Document document(const graph::Graph& graph);
/// Words that a search looks at: name, kind and source.
std::string facts(const graph::Graph& graph);
/// All kinds that `facts` can name.
std::string kinds();
/// Models by kind, such as language models.
reports::Document list(const std::vector<graph::Graph>& graphs);

}  // namespace dodona::questions::models
