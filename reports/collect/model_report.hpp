// Networks: the list of `dodona models`, and one of them (`dodona/model/1`).
#pragma once

#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "reports/json/prediction.hpp"
#include "reports/style.hpp"
#include "reports/table.hpp"

namespace dodona::reports {

Json model_json(const graph::Graph& graph);
std::string model_text(const graph::Graph& graph, Style style);
std::string model_markdown(const graph::Graph& graph);

Json models_json(const std::vector<graph::Graph>& graphs);
Table models_table(const std::vector<graph::Graph>& graphs);

}  // namespace dodona::reports
