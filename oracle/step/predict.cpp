#include "step/predict.hpp"

#include "step/evaluate.hpp"
#include "step/validate.hpp"

namespace dodona::step {

Prediction predict(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                   const Location& where) {
    validate(graph, cluster, plan, where);
    return evaluate(cost_graph(graph, cluster, plan, where), plan);
}

}  // namespace dodona::step
