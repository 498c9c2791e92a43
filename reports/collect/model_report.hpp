// Models: the list of `dodona models`, and one of them (`dodona/model/1`).
#pragma once

#include <vector>

#include "graph/graph.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

Document model_document(const graph::Graph& graph);
Document models_document(const std::vector<graph::Graph>& graphs);

}  // namespace dodona::reports
