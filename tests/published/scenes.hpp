// The built-in networks, machines and strategies, predicted as `dodona predict` does.
#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "files/library.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "step/predict.hpp"

namespace dodona::published {

inline const files::Library& library() {
    static const files::Library library(std::getenv("DODONA_SOURCE"));
    return library;
}

inline graph::Graph network(const std::string& name, const std::map<std::string, std::int64_t>& set = {}) {
    std::vector<files::Setting> settings;
    for (const auto& [parameter, value] : set) {
        settings.push_back({parameter, std::to_string(value), {}});
    }
    return graph::build(library().model(name, settings));
}

/// ParaDL's training: fp32, SGD with momentum, nothing hidden. `batch` is of all devices; a data rank takes its share
/// at once.
inline plan::Plan convolutional_plan(plan::Strategy strategy, std::vector<plan::MeshAxis> mesh, std::int64_t batch) {
    plan::Plan plan;
    plan.strategy = std::move(strategy);
    plan.mesh = std::move(mesh);
    plan.batch = batch;
    plan.microbatch = batch / plan.axis_size("data");
    plan.precision = Precision::fp32;
    plan.optimizer = plan::OptimizerKind::momentum;
    return plan;
}

}  // namespace dodona::published
