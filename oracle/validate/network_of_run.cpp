#include "validate/network_of_run.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "files/library.hpp"

namespace dodona::validate {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kInputPath = "input";  ///< of the setting that has the extent of a sample

std::string shape_words(const std::vector<std::int64_t>& extents) { return fmt::format("{}", fmt::join(extents, "x")); }

/// Without the batch.
std::vector<std::int64_t> extents_of(const graph::Layer& input) {
    return mapped_where<std::int64_t>(
        input.nest.result.dimensions, [](const graph::TensorDimension& dimension) { return dimension.name != "batch"; },
        &graph::TensorDimension::extent);
}

}  // namespace

std::string model_of(const files::MeasuredRun& run, const files::RunConventions& conventions) {
    const auto other = std::find_if(conventions.models.begin(), conventions.models.end(),
                                    [&](const files::ConventionLine& word) { return word.when.holds(run); });
    if (other != conventions.models.end()) {
        return other->word;
    }
    // A model file is named from where the user stands, or from beside the table.
    std::error_code fault;
    if (run.where.source != nullptr && files::is_path(run.model) && !fs::exists(run.model, fault)) {
        const fs::path beside = fs::path(run.where.source->name).parent_path() / run.model;
        return fs::exists(beside, fault) ? beside.string() : run.model;
    }
    return run.model;
}

std::vector<files::Setting> settings_of(const files::MeasuredRun& run, const files::RunConventions& conventions,
                                        const std::vector<std::string>& parameters) {
    std::vector<files::Setting> settings;
    for (const files::MeasuredRun::Override& given : run.model_overrides) {
        settings.push_back({given.name, given.value, given.where, fmt::format("model_overrides: {}", given.name)});
    }
    const auto overridden = [&](const std::string& name) {
        return std::any_of(run.model_overrides.begin(), run.model_overrides.end(),
                           [&](const files::MeasuredRun::Override& given) { return given.name == name; });
    };
    for (const files::RunSettings& rule : conventions.settings) {
        if (!rule.when.holds(run)) {
            continue;
        }
        for (const auto& [name, value] : rule.set) {
            if (!overridden(name)) {
                settings.push_back({name, files::filled(value, run), run.place("model"), name});
            }
        }
    }
    for (const files::RunConventions::Input& input : conventions.inputs) {
        if (input.word != run.input || run.extents.empty()) {
            continue;
        }
        for (const std::string& name : input.parameters) {
            if (std::find(parameters.begin(), parameters.end(), name) != parameters.end()) {
                settings.push_back(
                    {name, std::to_string(run.extents.back()), run.place("input"), std::string(kInputPath)});
                break;
            }
        }
    }
    return settings;
}

void check_shape(const files::MeasuredRun& run, const std::vector<files::Setting>& settings,
                 const graph::Graph& graph) {
    if (run.extents.empty()) {
        return;
    }
    const bool is_set = std::any_of(settings.begin(), settings.end(),
                                    [](const files::Setting& setting) { return setting.path == kInputPath; });
    const bool is_even = std::all_of(run.extents.begin() + (run.extents.size() > 1 ? 1 : 0), run.extents.end(),
                                     [&](std::int64_t extent) { return extent == run.extents.back(); });
    std::vector<std::string> shapes;
    for (graph::Vertex vertex = 0; vertex < graph.layers.size(); ++vertex) {
        if (graph.layer(vertex).kind != "input") {
            continue;
        }
        const std::vector<std::int64_t> extents = extents_of(graph.layer(vertex));
        const bool same_channels =
            extents.size() == run.extents.size() && (extents.size() == 1 || extents.front() == run.extents.front());
        if (extents == run.extents || (is_set && is_even && same_channels)) {
            return;
        }
        shapes.push_back(shape_words(extents));
    }
    fail(run.place("input"), fmt::format("input: {} reads samples of {}, the run's are {}", run.model,
                                         join(shapes, " and "), shape_words(run.extents)));
}

}  // namespace dodona::validate
