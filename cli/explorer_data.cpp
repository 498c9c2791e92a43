#include "cli/explorer_data.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <vector>

#include "build_config.hpp"
#include "cli/data_folder.hpp"
#include "cli/files.hpp"
#include "graph/graph.hpp"
#include "reports/collect/explanation_report.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/component_colours.hpp"
#include "reports/document/number_format.hpp"
#include "reports/render/json.hpp"
#include "search/adjustable_parameters.hpp"
#include "step/prediction.hpp"

namespace dodona::cli {

namespace {

namespace fs = std::filesystem;
using reports::Record;

/// Of the data folder: what a question about a plan may read.
constexpr std::array kFolders{"models",
                              "hardware/clusters",
                              "hardware/devices",
                              "hardware/links",
                              "hardware/profiles",
                              "oracle/plan/strategies",
                              "oracle/plan/frameworks",
                              "oracle/plan/mechanisms",
                              "oracle/plan/memory",
                              "oracle/exchange/exchanges",
                              "oracle/files/launch/targets"};

std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> all;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".yaml") {
            all.push_back(entry.path());
        }
    }
    std::sort(all.begin(), all.end());
    return all;
}

Record explorer_files() {
    const fs::path data = data_folder();
    Record files = reports::no_fields();
    for (const char* folder : kFolders) {
        for (const fs::path& path : files_in(data / folder)) {
            const std::string name = fs::relative(path, data).generic_string();
            const files::Document document = files::load_document(path, name, {});
            files::throw_faults(document);
            files[name] = reports::json_line(json_of(*document.root));
        }
    }
    return files;
}

Record model_record(const std::string& name) {
    const graph::Graph graph = read_network(name, {});
    return {{"name", name}, {"parameters", graph::count(graph).parameters}};
}

/// What --adjust takes.
Record parameter_record(const search::AdjustableParameter& one) {
    const bool has_value = one.parameter.key != "peak";  // which depends on the precision
    return {{"key", one.parameter.key},
            {"name", one.parameter.name},
            {"now", has_value ? Record(reports::text(reports::amount_cell(one.parameter.now))) : Record()}};
}

Record machine_record(const std::string& name, const cluster::Cluster& cluster) {
    return {{"name", name},
            {"device", cluster.device.name},
            {"gpus", cluster.devices()},
            {"parameters", reports::list_of(search::machine_parameters(cluster), parameter_record)}};
}

/// Parts of a step's time or of memory: key in answers, name, colour.
template <class Part>
Record parts_record(std::size_t count, const std::function<std::string(Part)>& name_of) {
    Record::List parts;
    for (std::size_t i = 0; i < count; ++i) {
        const auto part = static_cast<Part>(i);
        parts.push_back(
            {{"key", step::name(part)}, {"name", name_of(part)}, {"colour", reports::colour_of(step::name(part)).hex}});
    }
    return parts;
}

}  // namespace

Record json_of(const files::Node& node) {
    switch (node.kind) {
        case files::Node::Kind::null: return {};
        case files::Node::Kind::scalar: return node.quoted ? Record(node.text) : Record{{"=", node.text}};
        case files::Node::Kind::list:
            return reports::list_of(node.items, [](const auto& item) { return json_of(*item); });
        case files::Node::Kind::mapping: break;
    }
    Record fields = reports::no_fields();
    for (const files::Node::Member& member : node.members) {
        fields[member.key] = json_of(*member.value);
    }
    return fields;
}

Record explorer_data() {
    const files::Library all = library();
    Record::List machines;
    for (const std::string& name : all.clusters()) {
        if (const cluster::Cluster cluster = read_machine(name); !cluster.of_published_runs) {
            machines.push_back(machine_record(name, cluster));
        }
    }
    return {{"version", kVersion},
            {"models", reports::list_of(all.models(), model_record)},
            {"machines", machines},
            {"strategies", all.strategies()},
            {"frameworks", all.frameworks()},
            {"time_parts", parts_record<step::TimePart>(step::kTimeParts,
                                                        [](step::TimePart part) { return reports::label(part, {}); })},
            {"memory_parts",
             parts_record<step::MemoryPart>(step::kMemoryParts,
                                            [](step::MemoryPart part) { return std::string(reports::label(part)); })},
            {"files", explorer_files()}};
}

}  // namespace dodona::cli
