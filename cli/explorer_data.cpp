#include "cli/explorer_data.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "build_config.hpp"
#include "cli/data_folder.hpp"
#include "cli/files.hpp"
#include "files/model_reference.hpp"
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

/// Of the data folder: what a question about a plan may read, of the user's config.json and script too.
constexpr std::array kFolders{"models",
                              "models/hf",
                              "models/hf/architectures",
                              "models/hf/families",
                              "hardware/clusters",
                              "hardware/devices",
                              "hardware/links",
                              "hardware/profiles",
                              "oracle/plan/strategies",
                              "oracle/exchange/exchanges",
                              "oracle/validate"};
constexpr const char* kSoftware = "software";  ///< a folder for each piece

std::vector<fs::path> files_in(const fs::path& folder) {
    auto all = mapped_where<fs::path>(
        fs::directory_iterator(folder),
        [](const fs::directory_entry& entry) { return entry.path().extension() == ".yaml"; },
        [](const fs::directory_entry& entry) { return entry.path(); });
    std::sort(all.begin(), all.end());
    return all;
}

Record explorer_files() {
    const fs::path data = data_folder();
    Record files = reports::no_fields();
    std::vector<fs::path> folders(kFolders.begin(), kFolders.end());
    for (const fs::directory_entry& entry : fs::directory_iterator(data / kSoftware)) {
        folders.push_back(kSoftware / entry.path().filename());
    }
    for (const fs::path& folder : folders) {
        for (const fs::path& path : files_in(data / folder)) {
            const std::string name = fs::relative(path, data).generic_string();
            const files::Document document = files::load_document(path, name, {});
            files::throw_faults(document);
            files[name] = reports::json_line(json_of(*document.root));
        }
    }
    return files;
}

/// The module's folder for what the user names as a model or as a machine; above it there is room for `../../..`.
fs::path own_folder(std::string_view list) { return fs::path("own/1/2") / list; }

/// A file of the user's on its way into the page.
struct OwnFile {
    fs::path folder;  ///< of the file that the user named
    fs::path name;    ///< relative to it
    fs::path place;   ///< of that folder in the module
};

/// The file, and those that it names by a path, into `all`.
void add_own_file(const OwnFile& file, Record& all);

/// Of every text of a document that is a path to a file.
void add_named_files(const OwnFile& file, const files::Node& node, Record& all) {
    const fs::path beside = file.name.parent_path();
    std::error_code ignored;
    if (node.kind == files::Node::Kind::scalar && files::is_path(node.text) && fs::path(node.text).is_relative() &&
        fs::is_regular_file(file.folder / beside / node.text, ignored)) {
        add_own_file({file.folder, (beside / node.text).lexically_normal(), file.place}, all);
    }
    for (const auto& item : node.items) {
        add_named_files(file, *item, all);
    }
    for (const files::Node::Member& member : node.members) {
        add_named_files(file, *member.value, all);
    }
}

void add_own_file(const OwnFile& file, Record& all) {
    const std::string place = (file.place / file.name).lexically_normal().generic_string();
    if (!place.starts_with("own/")) {
        fail(files::command_line(),
             fmt::format("{} is too many folders away to be taken into a page", file.name.string()),
             "put it beside the file that names it");
    }
    const fs::path path = file.folder / file.name;
    const files::Document document = library().model_document(path.generic_string(), {}, {});
    files::throw_faults(document);
    Record& content = all[place];
    if (content.is_null()) {
        content = reports::json_line(json_of(*document.root));
        add_named_files(file, *document.root, all);
    }
}

/// Of the user's things the name of the file is their title.
std::string title_of(const std::string& name) {
    return files::is_path(name) ? fs::path(name).filename().string() : name;
}

/// As a model file says it; empty: no single value.
std::string text_of(const graph::AttributeValue& parameter) {
    return std::visit(
        [](const auto& value) -> std::string {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<std::int64_t>>) {
                return {};
            } else {
                return fmt::format("{}", value);
            }
        },
        parameter.value);
}

/// What --set takes, with the values of the file.
Record settings_record(const std::string& name) {
    Record::List settings;
    for (const auto& [parameter, value] : library().model(name).parameters) {
        if (const std::string now = text_of(value); !now.empty()) {
            settings.push_back({{"name", parameter}, {"now", now}});
        }
    }
    return settings;
}

Record model_record(const std::string& name) {
    return {{"name", model_in_module(name)},
            {"title", title_of(name)},
            {"typed", name},
            {"parameters", graph::count(read_network(name, {})).parameters},
            {"settings", settings_record(name)}};
}

/// What --adjust takes.
Record parameter_record(const search::AdjustableParameter& one) {
    const bool has_value = one.parameter.key != "peak";  // which depends on the precision
    return {{"key", one.parameter.key},
            {"name", one.parameter.name},
            {"now", has_value ? Record(reports::text(reports::amount_cell(one.parameter.now))) : Record()}};
}

Record machine_record(const std::string& name, const cluster::Cluster& cluster) {
    return {{"name", files::is_path(name) ? place_in_module(name, kMachines) : name},
            {"title", title_of(name)},
            {"typed", name},
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

/// The page does not carry the config.json of the networks of the hub.
std::vector<std::string> described_models(const files::Library& all) {
    const std::vector<std::string> models = all.models();
    const std::vector<std::string> of_hub = all.models_of_hub();
    std::vector<std::string> described;
    std::set_difference(models.begin(), models.end(), of_hub.begin(), of_hub.end(), std::back_inserter(described));
    return described;
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

std::string place_in_module(const std::string& path, std::string_view list) {
    return ("/dodona" / own_folder(list) / fs::path(path).filename()).generic_string();
}

std::string model_in_module(const std::string& name) {
    const files::ModelReference reference = files::model_reference(name, files::command_line());
    return files::is_path(reference.model)
               ? place_in_module(reference.model, kModels) + files::suffix_of(reference.tasks)
               : name;
}

Record explorer_data(const ExplorerSubject& subject) {
    const files::Library all = library();
    Record files = explorer_files();
    std::vector<std::string> models = described_models(all);
    std::vector<std::string> clusters = all.clusters();
    if (!subject.model.empty() && std::find(models.begin(), models.end(), subject.model) == models.end()) {
        models.insert(models.begin(), subject.model);
        const fs::path file = files::model_reference(subject.model, files::command_line()).model;
        if (files::is_path(file.string())) {
            add_own_file({file.parent_path(), file.filename(), own_folder(kModels)}, files);
        }
    }
    if (files::is_path(subject.machine)) {
        clusters.insert(clusters.begin(), subject.machine);
        add_own_file(
            {fs::path(subject.machine).parent_path(), fs::path(subject.machine).filename(), own_folder(kMachines)},
            files);
    }
    Record::List machines;
    for (const std::string& name : clusters) {
        if (const cluster::Cluster cluster = read_machine(name);
            !cluster.of_published_runs || name == subject.machine) {
            machines.push_back(machine_record(name, cluster));
        }
    }
    return {{"version", kVersion},
            {"models", reports::list_of(models, model_record)},
            {"machines", machines},
            {"strategies", all.strategies()},
            {"frameworks", all.frameworks()},
            {"time_parts", parts_record<step::TimePart>(step::kTimeParts,
                                                        [](step::TimePart part) { return reports::label(part, {}); })},
            {"memory_parts",
             parts_record<step::MemoryPart>(step::kMemoryParts,
                                            [](step::MemoryPart part) { return std::string(reports::label(part)); })},
            {"files", files}};
}

}  // namespace dodona::cli
