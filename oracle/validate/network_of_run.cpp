#include "validate/network_of_run.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dodona::validate {

namespace {

std::string shape_words(const std::vector<std::int64_t>& extents) { return fmt::format("{}", fmt::join(extents, "x")); }

}  // namespace

std::vector<input::Setting> settings_of(const input::Run& run, const input::RunConventions& conventions,
                                        const std::vector<std::string>& parameters) {
    std::vector<input::Setting> settings;
    for (const input::Run::Override& given : run.model_overrides) {
        settings.push_back({given.name, given.value, given.where, fmt::format("model_overrides: {}", given.name)});
    }
    for (const input::RunSettings& rule : conventions.settings) {
        if (rule.when.holds(run)) {
            for (const auto& [name, value] : rule.set) {
                settings.push_back({name, input::filled(value, run), run.place("model"), name});
            }
        }
    }
    for (const input::RunConventions::Input& input : conventions.inputs) {
        if (input.word != run.input || run.extents.empty()) {
            continue;
        }
        for (const std::string& name : input.parameters) {
            if (std::find(parameters.begin(), parameters.end(), name) != parameters.end()) {
                settings.push_back({name, std::to_string(run.extents.back()), run.place("input"), "input"});
                break;
            }
        }
    }
    return settings;
}

void check_shape(const input::Run& run, const graph::Graph& graph) {
    if (run.extents.empty()) {
        return;
    }
    std::string read;
    for (const graph::Vertex vertex : graph.order) {
        const graph::Layer& layer = graph.layer(vertex);
        if (layer.kind != "input") {
            continue;
        }
        std::vector<std::int64_t> extents;
        for (const graph::TensorDimension& dimension : layer.nest.result.dimensions) {
            if (dimension.name != "batch") {
                extents.push_back(dimension.extent);
            }
        }
        if (extents == run.extents) {
            return;
        }
        read += (read.empty() ? "" : " and ") + shape_words(extents);
    }
    fail(run.place("input"),
         fmt::format("input: {} reads samples of {}, the run's are {}", run.model, read, shape_words(run.extents)));
}

}  // namespace dodona::validate
