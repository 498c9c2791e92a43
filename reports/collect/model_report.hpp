// Models: the list of `dodona models`, and one of them (`dodona/model/1`).
#pragma once

#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

Document model_document(const graph::Graph& graph);
/// What a search looks in.
std::string model_facts(const graph::Graph& graph);
/// By what they are of, such as language models.
Document models_document(const std::vector<graph::Graph>& graphs);

}  // namespace dodona::reports
