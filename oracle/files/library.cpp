#include "files/library.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "files/exchange_file.hpp"
#include "files/framework_file.hpp"
#include "files/hf/config.hpp"
#include "files/launch/launch_text.hpp"
#include "files/link_file.hpp"
#include "files/logs/log_file.hpp"
#include "files/machine_file.hpp"
#include "files/memory_profile_file.hpp"
#include "files/model_reference.hpp"
#include "files/plan_file.hpp"
#include "files/run_conventions.hpp"
#include "files/strategy_file.hpp"
#include "files/table_conventions.hpp"
#include "files/text.hpp"
#include "files/traced/torch_file.hpp"
#include "files/traced/traced_model.hpp"

namespace dodona::files {

namespace {

namespace fs = std::filesystem;

/// A folder with one for each training software: its files are NAME.yaml or NAME.KIND.yaml.
constexpr std::string_view kSoftware = "software";

/// The config.json of networks on the Hugging Face hub, each called NAME.json.
constexpr std::string_view kHub = "models/hub";
constexpr std::string_view kHubAddress = "https://huggingface.co/";
constexpr std::string_view kConfig = ".json";

struct BuiltInFolder {
    std::string_view kind;
    std::string_view folder;
    std::string_view list;                ///< the command that lists what is on it
    std::optional<NameOf> alias_of = {};  ///< whose aliases are understood
    std::string_view suffix = ".yaml";    ///< of its files behind their names
};

/// In the order of Library::Kind.
constexpr std::array kFolders{
    BuiltInFolder{"model", "models", "models", NameOf::model},
    BuiltInFolder{"cluster", "hardware/clusters", "machines", NameOf::cluster},
    BuiltInFolder{"device", "hardware/devices", "devices", NameOf::device},
    BuiltInFolder{"strategy", "oracle/plan/strategies", "strategies", NameOf::strategy},
    BuiltInFolder{"software", kSoftware, "software", NameOf::framework},
    BuiltInFolder{"mechanism", kSoftware, "software", {}, ".mechanism.yaml"},
    BuiltInFolder{"profile", "hardware/profiles", "machines"},
    BuiltInFolder{"link", "hardware/links", "machines"},
    BuiltInFolder{"memory profile", kSoftware, "strategies", {}, ".memory.yaml"},
    BuiltInFolder{"exchange", "oracle/exchange/exchanges", "exchanges", NameOf::exchange},
    BuiltInFolder{"target", kSoftware, "plan --export help", {}, ".target.yaml"},
    BuiltInFolder{"log", kSoftware, "validate", {}, ".log.yaml"},
};

/// The key of a framework's file that names its mechanisms.
constexpr std::string_view kWith = "with";
/// The path of a model: that of a config.json where a folder with one is named, ORG/NAME of an address of the hub.
std::string model_path(const std::string& argument) {
    std::error_code fault;
    const fs::path config = fs::path(argument) / "config.json";
    return fs::is_regular_file(config, fault)  ? config.generic_string()
           : argument.starts_with(kHubAddress) ? argument.substr(kHubAddress.size())
                                               : argument;
}

/// What an imported model is called: the folder of a config.json, the name of any other file.
std::string imported_name(const fs::path& path) {
    std::string name = path.stem().string();
    if (path.filename() == "config.json") {
        std::error_code fault;
        const fs::path whole = fs::absolute(path, fault).lexically_normal();
        name = whole.parent_path().filename().empty() ? name : whole.parent_path().filename().string();
    }
    for (char& c : name) {
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' ? c : '-';
    }
    return name;
}

/// Sources of built-ins are called by their path in the data directory.
Document open_path(const std::string& path, const fs::path& folder, const Location& where) {
    const fs::path whole = fs::path(path).is_absolute() ? fs::path(path) : folder / path;
    return load_document(whole, whole.lexically_normal().generic_string(), where);
}

Document open_network(const std::string& path, const Location& where) {
    std::error_code fault;
    if (is_hub_name(path) || !fs::exists(path, fault)) {
        fail(where, fmt::format("there is no file {}", path),
             "a network that is not built in is read from its config.json, which MODEL names, also in place of the "
             "checkpoint that a script says: ./config.json");
    }
    return open_path(path, {}, where);
}

/// The text that a file is imported as; what it names is relative to the file.
Document as_read(std::string text, const std::string& file) {
    Document read = parse_document(std::move(text), file + " (imported)");
    read.folder = fs::path(file).parent_path();
    return read;
}

/// Names of built-in files and, for each, its path below the data folder.
using BuiltInFiles = std::map<std::string, std::string>;

void add_files(const fs::path& data, const std::string& folder, std::string_view suffix, BuiltInFiles& files) {
    std::error_code fault;
    fs::directory_iterator file(data / folder, fault);
    for (; !fault && file != fs::directory_iterator(); file.increment(fault)) {
        const std::string name = file->path().filename().string();
        const bool other_kind = folder.starts_with(kSoftware) && std::count(name.begin(), name.end(), '.') !=
                                                                     std::count(suffix.begin(), suffix.end(), '.');
        if (name.ends_with(suffix) && !other_kind) {
            files.emplace(name.substr(0, name.size() - suffix.size()), folder + "/" + name);
        }
    }
}

BuiltInFiles files_of(const fs::path& data, const BuiltInFolder& built_in) {
    BuiltInFiles files;
    const std::string folder(built_in.folder);
    if (built_in.folder != kSoftware) {
        add_files(data, folder, built_in.suffix, files);
        if (built_in.alias_of == NameOf::model) {
            add_files(data, std::string(kHub), kConfig, files);
        }
        return files;
    }
    std::error_code fault;
    fs::directory_iterator software(data / folder, fault);
    for (; !fault && software != fs::directory_iterator(); software.increment(fault)) {
        add_files(data, folder + "/" + software->path().filename().string(), built_in.suffix, files);
    }
    return files;
}

/// Code of the hub may keep other activations than the software that a model file is of.
std::string stored_scores(const Library& library, const std::string& name) {
    const std::map<std::string, graph::AttributeValue> parameters = library.model(name).parameters;
    const auto attention = parameters.find("attention");
    const auto* const word =
        attention == parameters.end() ? nullptr : std::get_if<std::string>(&attention->second.value);
    return word != nullptr && *word == "materialised"
               ? "; its scores of attention are stored, --set attention=fused where they are not"
               : "";
}

/// A network as its tasks change it.
graph::NetworkSpec trained(graph::NetworkSpec spec, const ModelReference& as, const TaskedSettings& set,
                           const Location& where) {
    return as.tasks.empty() ? spec : graph::with_tasks(std::move(spec), as.tasks, set.tasks, where);
}

}  // namespace

bool is_path(const std::string& argument) {
    return argument.find('/') != std::string::npos || argument.ends_with(".yaml") || argument.ends_with(".yml") ||
           argument.ends_with(".json") || is_onnx(argument);
}

struct Library::Read {
    std::mutex mutex;
    std::map<std::string, Document> documents;
    std::map<Kind, BuiltInFiles> files;

    /// The value of a key in one of these, read where it is not there yet.
    template <class Key, class Value, class Reader>
    Value kept(std::map<Key, Value>& values, const Key& key, const Reader& read) {
        const std::scoped_lock lock(mutex);
        const auto found = values.find(key);
        return found != values.end() ? found->second : values.emplace(key, read()).first->second;
    }
};

Library::Library(fs::path data_directory) : data_(std::move(data_directory)) {}

Library Library::remembering() const {
    Library library = *this;
    library.read_ = std::make_shared<Read>();
    return library;
}

std::map<std::string, std::string> Library::files(Kind kind) const {
    const auto list = [&] { return files_of(data_, kFolders[static_cast<std::size_t>(kind)]); };
    return read_ ? read_->kept(read_->files, kind, list) : list();
}

std::vector<std::string> Library::names(Kind kind) const {
    std::vector<std::string> names;
    for (const auto& [name, file] : files(kind)) {
        names.push_back(name);
    }
    return names;
}

std::vector<std::string> Library::models() const { return names(Kind::model); }
std::vector<std::string> Library::models_of_hub() const {
    std::vector<std::string> models;
    for (const auto& [name, file] : files(Kind::model)) {
        if (file.ends_with(kConfig)) {
            models.push_back(name);
        }
    }
    return models;
}
std::string Library::text_of_model(const std::string& name) const {
    const std::string file = files(Kind::model).at(name);
    return file + "\n" + load_bytes(data_ / file, file, command_line());
}
std::vector<std::string> Library::clusters() const { return names(Kind::cluster); }
std::vector<std::string> Library::devices() const { return names(Kind::device); }
std::vector<std::string> Library::profiles() const { return names(Kind::profile); }
std::vector<std::string> Library::links() const { return names(Kind::link); }
std::vector<std::string> Library::strategies() const { return names(Kind::strategy); }
std::vector<std::string> Library::frameworks() const { return names(Kind::framework); }
std::string Library::framework_file(const std::string& name) const { return files(Kind::framework).at(name); }
std::vector<plan::Framework> Library::all_frameworks() const {
    return mapped<plan::Framework>(frameworks(), [&](const std::string& name) { return framework(name); });
}

std::vector<std::string> Library::mechanisms() const { return names(Kind::mechanism); }
std::vector<std::string> Library::memory_profiles() const { return names(Kind::memory); }
std::vector<std::string> Library::exchanges() const { return names(Kind::exchange); }

OtherNames Library::other_names() const {
    const std::string file = "oracle/validate/names.yaml";
    std::error_code fault;
    return fs::exists(data_ / file, fault) ? read_other_names(load_document(data_ / file, file, command_line()))
                                           : OtherNames{};
}

/// The newest framework that has this other name.
std::optional<ResolvedAlias> Library::framework_called(const std::string& word) const {
    const std::vector<plan::Framework> all = all_frameworks();
    const plan::Framework* newest = nullptr;
    for (const plan::Framework& framework : all) {
        const auto& names = framework.other_names;
        const bool has_name = any_of(
            names, [&](const std::string& name) { return letters_and_digits(name) == letters_and_digits(word); });
        if (has_name && (newest == nullptr || framework.since > newest->since)) {
            newest = &framework;
        }
    }
    if (newest == nullptr) {
        return std::nullopt;
    }
    std::vector<std::string> versions;
    for (const plan::Framework& other : all) {
        if (!other.version_of.empty() && other.version_of == newest->version_of && &other != newest) {
            versions.push_back(other.name);
        }
    }
    return ResolvedAlias{newest->name, versions.empty() ? "" : fmt::format("also {}", join(versions, " and "))};
}

/// The machine that stands for a device: the first of the other names that has it.
std::optional<ResolvedAlias> Library::machine_with(const std::string& word, const OtherNames& other) const {
    const std::vector<std::string> known = names(Kind::device);
    const auto alias = files::resolve_alias(NameOf::device, word, known, other);
    const std::string& device = alias ? alias->name : word;
    if (!contains(known, device)) {
        return std::nullopt;
    }
    const auto* machine =
        found_in(other.clusters, [&](const OtherName& row) { return cluster(row.means).device.name == device; });
    return machine == nullptr ? std::nullopt : std::optional(ResolvedAlias{machine->means, machine->note});
}

std::optional<ResolvedAlias> Library::resolve_alias(NameOf kind, const std::string& word) const {
    if (kind == NameOf::model && word.starts_with(kHubAddress)) {
        const std::string name = word.substr(kHubAddress.size());
        return resolve_alias(kind, name).value_or(ResolvedAlias{name, {}});
    }
    constexpr std::array kKinds{Kind::model,    Kind::cluster,   Kind::device,
                                Kind::strategy, Kind::framework, Kind::exchange};
    const std::vector<std::string> known = names(kKinds[static_cast<std::size_t>(kind)]);
    if (std::find(known.begin(), known.end(), word) != known.end()) {
        return std::nullopt;
    }
    const OtherNames other = other_names();
    const auto is_known = [&](const std::string& name) { return contains(known, name); };
    const auto meaning = [&](const std::string& name) -> std::optional<ResolvedAlias> {
        if (is_known(name) || (is_path(name) && !(kind == NameOf::model && is_hub_name(name)))) {
            return std::nullopt;
        }
        if (const auto alias = files::resolve_alias(kind, name, known, other); alias || kind != NameOf::model) {
            return alias                       ? alias
                   : kind == NameOf::framework ? framework_called(name)
                   : kind == NameOf::cluster   ? machine_with(name, other)
                                               : alias;
        }
        for (const std::string& before : names_before_training(name)) {
            const auto alias = files::resolve_alias(kind, before, known, other);
            if (alias || is_known(before)) {
                const std::string model = alias ? alias->name : before;
                return ResolvedAlias{model, "the network of the hub that has its layers" + stored_scores(*this, model)};
            }
        }
        const Shortened longer = is_hub_name(name) ? Shortened{} : shortened_name(name, known, other);
        if (!longer.is_clear) {
            return std::nullopt;
        }
        const std::vector<std::string> others(longer.names.begin() + 1, longer.names.end());
        return ResolvedAlias{longer.names.front(), others.empty() ? "the shortest name with these words"
                                                                  : "the newest; also " + join(others)};
    };
    if (kind != NameOf::model || word.find('+') == std::string::npos) {
        return meaning(word);
    }
    const ModelReference reference = model_reference(word, {});
    std::optional<ResolvedAlias> model = meaning(reference.model);
    if (model) {
        model->name += suffix_of(reference.tasks);
    }
    return model;
}

void Library::unknown(Kind kind, const std::string& name, const Location& where) const {
    const BuiltInFolder& built_in = kFolders[static_cast<std::size_t>(kind)];
    const std::vector<std::string> known = names(kind);
    const std::string stem = name_stem(name);
    std::vector<std::string> related;
    if (kind == Kind::model) {
        related = shortened_name(name, known, other_names()).names;
    }
    const bool is_shortened = related.size() > 1;
    related.resize(is_shortened ? related.size() : 0);
    for (const std::string& one : known) {
        if (!is_shortened && stem.size() > 1 && name_stem(one) == stem) {
            related.push_back(one);
        }
    }
    const std::string all =
        known.size() <= kMaxNamed ? "built in: " + join(known)
        : is_shortened     ? fmt::format("it could be {}; `dodona {}` lists all", join_some(related), built_in.list)
        : !related.empty() ? fmt::format("of that family: {}; `dodona {}` lists all", join_some(related), built_in.list)
                           : fmt::format("{} are built in, and listed by `dodona {}`", known.size(), built_in.list);
    fail(where, fmt::format("unknown {} \"{}\"{}", built_in.kind, name, is_shortened ? "" : did_you_mean(name, known)),
         fmt::format("{}; a file of your own is given by its path: ./{}.yaml", all, name));
}

Document Library::open(Kind kind, const std::string& name_or_path, const fs::path& folder,
                       const Location& where) const {
    if (is_path(name_or_path)) {
        return open_path(name_or_path, folder, where);
    }
    const BuiltInFiles known = files(kind);
    auto found = known.find(name_or_path);
    if (found == known.end()) {
        const std::optional<NameOf> of = kFolders[static_cast<std::size_t>(kind)].alias_of;
        std::optional<ResolvedAlias> alias =
            of ? files::resolve_alias(*of, name_or_path, names(kind), other_names()) : std::nullopt;
        if (!alias && kind == Kind::framework) {
            alias = framework_called(name_or_path);
        }
        found = alias ? known.find(alias->name) : known.end();
        if (found == known.end()) {
            unknown(kind, name_or_path, where);
        }
    }
    const std::string& file = found->second;
    const auto load = [&] {
        Document document = load_document(data_ / file, file, where);
        return file.ends_with(kConfig) ? as_model(std::move(document)) : document;
    };
    return read_ ? read_->kept(read_->documents, file, load) : load();
}

Opener Library::opener(Kind kind) const {
    return [library = *this, kind](const std::string& name, const fs::path& folder, const Location& where) {
        return library.open(kind, name, folder, where);
    };
}

Opener Library::model_opener() const { return opener(Kind::model); }
MachineOpeners Library::machine_openers() const {
    return {.device = opener(Kind::device), .profile = opener(Kind::profile), .link = opener(Kind::link)};
}
Opener Library::strategy_opener() const { return opener(Kind::strategy); }
Opener Library::mechanism_opener() const { return opener(Kind::mechanism); }
Opener Library::framework_opener() const {
    return [library = *this](const std::string& reference, const fs::path& folder, const Location& where) {
        return library.open_framework(reference, folder, where);
    };
}

graph::NetworkSpec Library::model(const std::string& reference, std::span<const Setting> settings,
                                  const Location& where) const {
    const ModelReference asked = model_reference(reference, where);
    const std::vector<std::string> built_in = models();
    const bool is_built_in = std::find(built_in.begin(), built_in.end(), asked.model) != built_in.end();
    const std::string name = is_built_in ? asked.model : model_path(asked.model);
    const TaskedSettings set = settings_for(asked.tasks, settings);
    Document document = is_path(name) ? model_document(name, set.model, where) : open(Kind::model, name, {}, where);
    return trained(read_model(std::move(document), set.model, model_opener()), asked, set, where);
}

Document Library::model_document(const std::string& argument, std::span<const Setting> settings,
                                 const Location& where) const {
    const std::string path = model_path(argument);
    std::error_code fault;
    if (fs::is_directory(path, fault)) {
        fail(where, fmt::format("{}: no config.json in this folder", path),
             "a folder of Hugging Face's has one; or name a file");
    }
    if (is_onnx(path)) {
        return as_read(import_onnx(path, imported_name(path), settings, where).text, path);
    }
    Document document = open_network(path, where);
    const std::string file = document.source->name;
    if (is_torch_graph(document)) {
        return as_read(import_torch(std::move(document), imported_name(file)).text, file);
    }
    return is_config(document) ? as_model(std::move(document)) : document;
}

Document Library::as_model(Document config) const {
    const std::string file = config.source->name;
    return as_read(import_config(std::move(config), imported_name(file), data_ / "models/hf").text, file);
}

ImportedModel Library::import_model(const std::string& path, std::span<const Setting> settings,
                                    const Location& where) const {
    const std::string file = model_path(path);
    if (is_onnx(file)) {
        return import_onnx(file, imported_name(file), settings, where);
    }
    Document document = open_network(file, where);
    if (is_torch_graph(document)) {
        return import_torch(std::move(document), imported_name(file));
    }
    if (!is_config(document)) {
        fail(document.root->where, "not the config.json of a network: it has no `model_type` and no `_class_name`",
             "a config.json of Hugging Face's transformers says which architecture it is of; a graph of PyTorch has "
             "`torch_graph`");
    }
    return import_config(std::move(document), imported_name(file), data_ / "models/hf");
}

std::vector<LogForm> Library::log_forms() const {
    return mapped<LogForm>(names(Kind::log), [&](const std::string& name) {
        return read_log_form(open(Kind::log, name, {}, command_line()));
    });
}

TrainingLog Library::training_log(const std::string& path, const Location& where) const {
    return read_training_log(load_bytes(path, path, where), path, log_forms());
}

std::vector<Target> Library::targets() const {
    std::vector<Target> targets;
    for (const std::string& name : names(Kind::target)) {
        targets.push_back(read_target(open(Kind::target, name, {}, command_line())));
    }
    return completed(std::move(targets));
}

Launch Library::launch(const std::string& path, std::int64_t gpus, bool with_model) const {
    Document settings = read_launch_text(load_bytes(path, path, command_line()), path);
    return read_launch(std::move(settings), targets(), gpus, with_model, data_ / "models/hf");
}

bool Library::is_launch(const std::string& path) const {
    return files::is_launch(read_launch_text(load_bytes(path, path, command_line()), path), targets());
}

graph::NetworkSpec Library::model_from_text(std::string text, const std::string& reference,
                                            std::span<const Setting> settings) const {
    const ModelReference asked = model_reference(reference, {});
    const TaskedSettings set = settings_for(asked.tasks, settings);
    Document document = parse_document(std::move(text), asked.model);
    const Node::Member* parameters = document.root->member("parameters");
    const Node::Member* words = parameters == nullptr ? nullptr : parameters->value->member("vocabulary");
    const bool is_set = any_of(set.model, [](const Setting& one) { return one.name == "vocabulary"; });
    if (!is_set && words != nullptr && words->value->text == "0") {
        fail({}, fmt::format("{}: it does not say how many words its tokenizer knows", asked.model),
             "--set vocabulary=N, for example 128256 for that of Llama 3; Megatron's flag is --vocab-size");
    }
    return trained(read_model(std::move(document), set.model, model_opener()), asked, set, {});
}

cluster::Cluster Library::cluster(const std::string& name_or_path, const Location& where) const {
    return read_cluster(open(Kind::cluster, name_or_path, {}, where), machine_openers());
}

cluster::Link Library::link(const std::string& name_or_path, const Location& where) const {
    return read_link(open(Kind::link, name_or_path, {}, where));
}

cluster::Device Library::device(const std::string& name_or_path, const Location& where) const {
    return read_device(open(Kind::device, name_or_path, {}, where), opener(Kind::profile));
}

plan::Strategy Library::strategy(const std::string& name_or_path, const Location& where) const {
    return read_strategy(open(Kind::strategy, name_or_path, {}, where));
}

exchange::Exchange Library::exchange(const std::string& name_or_path, const Location& where) const {
    return read_exchange(open(Kind::exchange, name_or_path, {}, where));
}

/// The file of a framework, with what it leaves out from the one that it is like.
Document Library::whole_framework(const std::string& name, const fs::path& folder, const Location& where) const {
    const Document document = open(Kind::framework, name, folder, where);
    return completed_framework(document, [&](const std::string& like, const Location& named) {
        return open(Kind::framework, like, document.folder, named);
    });
}

/// The file of the framework, with the mechanisms of its reference as the value of its key `with`.
Document Library::open_framework(const std::string& reference, const fs::path& folder, const Location& where) const {
    const plan::FrameworkReference parts = plan::framework_reference(reference);
    Document document = whole_framework(parts.framework, folder, where);
    if (parts.mechanisms.empty()) {
        return document;
    }
    Node all = *document.root;
    const auto stands = find_if(all.members, [](const Node::Member& one) { return one.key == kWith; });
    Node list{.kind = Node::Kind::list, .where = where};
    if (stands != all.members.end()) {
        list.items = stands->value->items;
        all.members.erase(stands);
    }
    for (const std::string& name : parts.mechanisms) {
        list.items.push_back(open(Kind::mechanism, name, folder, where).root);
    }
    all.members.push_back({std::string(kWith), where, std::make_shared<const Node>(std::move(list))});
    document.root = std::make_shared<const Node>(std::move(all));
    return document;
}

plan::Framework Library::framework(const std::string& reference, const Location& where) const {
    plan::Framework framework = read_framework(open_framework(reference, {}, where), mechanism_opener());
    framework.reference = reference;
    return framework;
}

plan::Mechanism Library::mechanism(const std::string& name_or_path, const Location& where) const {
    return read_mechanism(open(Kind::mechanism, name_or_path, {}, where));
}

plan::MemoryProfile Library::memory_profile(const std::string& name_or_path, const Location& where) const {
    return read_memory_profile(open(Kind::memory, name_or_path, {}, where));
}

plan::Plan Library::plan(const std::string& path, const Location& where) const {
    return read_plan(open_path(path, {}, where), strategy_opener(), framework_opener(), mechanism_opener());
}

RunConventions Library::run_conventions() const {
    const std::string file = "oracle/validate/conventions.yaml";
    return read_run_conventions(load_document(data_ / file, file, command_line()));
}

TableConventions Library::table_conventions() const {
    const std::string file = "oracle/validate/tables.yaml";
    return read_table_conventions(load_document(data_ / file, file, command_line()));
}

}  // namespace dodona::files
