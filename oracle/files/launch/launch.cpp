#include "files/launch/launch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "files/hf/condition.hpp"
#include "files/hf/config.hpp"
#include "files/hf/imported_model.hpp"
#include "files/launch/launch_text.hpp"
#include "files/launch/references.hpp"
#include "files/launch/stage_layout.hpp"

namespace dodona::files {

namespace {

/// Whether a setting says nothing: logs and files of defaults have what is off as well.
bool is_off(const Node& value) {
    constexpr std::array kOff{"", "false", "False", "null", "None"};
    return value.kind == Node::Kind::null || (value.kind == Node::Kind::scalar && contains(kOff, value.text));
}

std::set<std::string> keys_of(const Target& target) {
    std::set<std::string> all(target.keys.ignored.begin(), target.keys.ignored.end());
    for (const ConfigKey& key : target.keys.keys) {
        all.insert(key.names.begin(), key.names.end());
    }
    all.insert(target.recognised_by.begin(), target.recognised_by.end());
    all.insert(target.files.begin(), target.files.end());
    all.insert(target.configurations.begin(), target.configurations.end());
    all.insert(target.degrees.begin(), target.degrees.end());
    return all;
}

/// A key as the target spells it: flags of scripts are keys of YAML with other dashes.
std::string spelled(const std::string& key, const std::set<std::string>& known) {
    std::string dashed = key;
    std::replace(dashed.begin(), dashed.end(), '_', '-');
    return !known.contains(key) && known.contains(dashed) ? dashed : key;
}

/// `spelled`, or with underscores for dashes, which make no script one of a target whose files are YAML.
std::string spelled_either(const std::string& key, const std::set<std::string>& known) {
    std::string underscored = key;
    std::replace(underscored.begin(), underscored.end(), '-', '_');
    const std::string dashed = spelled(key, known);
    return !known.contains(dashed) && known.contains(underscored) ? underscored : dashed;
}

constexpr std::size_t kWrapperOwn = 2;  ///< settings of its own by which a wrapper is known
constexpr std::size_t kSureOwn = 3;     ///< settings of its own by which any other target is

/// Counts by which a file looks like one of a target.
struct Fit {
    const Target* target = nullptr;
    bool is_started = false;           ///< the script starts it by name
    std::size_t own = 0;               ///< settings by which the target is recognised
    std::size_t base = 0;              ///< where it has some of its own: those of the target that it is like
    std::size_t known = 0;             ///< settings that it knows
    std::vector<std::string> unknown;  ///< settings that it does not know

    /// A script that starts another target with settings of its own is known by few of these.
    [[nodiscard]] bool is_wrapper() const {
        return target != nullptr && !target->commands.empty() && (is_started || own >= kWrapperOwn);
    }
    /// If few settings are the target's own, generic ones may be all that it shares with the file: it has to know
    /// half of all.
    [[nodiscard]] bool is_good() const {
        return is_started || (own > 0 && (own + base >= kSureOwn || known >= unknown.size()));
    }
    [[nodiscard]] auto rank() const { return std::tuple(is_started, is_wrapper(), own + base, known); }
};

/// The first of some commands that a script has; empty where it has none. A program may be in any folder: `../run.py`.
std::string command_of(const Node& settings, const std::vector<std::string>& commands) {
    const Node::Member* around = settings.member(kSurroundings);
    const Node::Member* words = around == nullptr ? nullptr : around->value->member(kWords);
    const auto found = std::find_if(commands.begin(), commands.end(), [&](const std::string& command) {
        const auto starts = [&](char before) {
            return words->value->text.find(before + command + " ") != std::string::npos;
        };
        return words != nullptr && (starts(' ') || (command.find_first_of(" /") == std::string::npos && starts('/')));
    });
    return found == commands.end() ? "" : *found;
}

/// The word that follows another one in the commands of a script, in any folder; empty where there is none.
std::string word_behind(const Node& words, const std::string& word) {
    const std::size_t first = words.text.rfind(" " + word + " ");
    const std::size_t at = first == std::string::npos ? words.text.rfind("/" + word + " ") : first;
    const std::size_t begin = at == std::string::npos ? at : at + word.size() + 2;
    return begin == std::string::npos ? "" : words.text.substr(begin, words.text.find(' ', begin) - begin);
}

/// Words that start a target, and those that only say what a script of it does: the words of its key `$command`.
std::vector<std::string> told_commands(const Target& target) {
    std::vector<std::string> words = target.commands;
    for (const ConfigKey& key : target.keys.keys) {
        if (key.names.front() == kCommand) {
            for (const auto& [word, meaning] : key.values) {
                words.push_back(word);
            }
        }
    }
    return words;
}

Fit fit_of(const Node& settings, const Target& target) {
    const std::set<std::string> known = keys_of(target);
    Fit fit{.target = &target, .is_started = !command_of(settings, target.commands).empty(), .unknown = {}};
    for (const Node::Member& member : settings.members) {
        const std::string key = spelled(member.key, known);
        if (is_off(*member.value) || key == kSurroundings) {
            continue;
        }
        const auto is_among = [&](const std::vector<std::string>& keys) { return contains(keys, key); };
        const bool is_base = is_among(target.base_recognised_by);
        fit.own += !is_base && is_among(target.recognised_by) ? 1 : 0;
        fit.base += is_base && target.commands.empty() ? 1 : 0;
        if (known.contains(key)) {
            ++fit.known;
        } else {
            fit.unknown.push_back(member.key);
        }
    }
    // A few settings beside those of another target make no file of it where there are none of the other's.
    if (fit.own == 0 || (fit.base == 0 && target.commands.empty() && !target.like.empty())) {
        fit.own = fit.base = 0;
    }
    return fit;
}

/// The target that a file starts, or else most of whose own settings it has, wrappers first; of equals the one that knows
/// more of it. `target` is null where it has no setting of any.
Fit recognised(const Document& settings, const std::vector<Target>& targets) {
    Fit best;
    for (const Target& target : targets) {
        if (target.recognised_by.empty()) {
            continue;
        }
        Fit fit = fit_of(*settings.root, target);
        if ((fit.is_started || fit.own > 0) && fit.rank() > best.rank()) {
            best = std::move(fit);
        }
    }
    return best;
}

/// The file of settings that a command is given: the last word that looks like one, `train.py sft.yaml`.
std::string named_file(const Node& settings) {
    const Node::Member* around = settings.member(kSurroundings);
    std::istringstream words(around == nullptr ? "" : around->value->member(kWords)->value->text);
    std::string file;
    for (std::string word; words >> word;) {
        for (const char* ending : {".json", ".yaml", ".yml", ".toml"}) {
            file = word.ends_with(ending) ? word : file;
        }
    }
    for (const Node::Member& member :
         file.empty() ? settings.members : std::vector<Node::Member>{}) {  // --config=a.yaml
        for (const char* ending : {".json", ".yaml", ".yml", ".toml"}) {
            file = member.value->kind == Node::Kind::scalar && member.value->text.ends_with(ending) ? member.value->text
                                                                                                    : file;
        }
    }
    return file;
}

const Target& recognise(const Document& settings, const std::vector<Target>& targets) {
    const Fit fit = recognised(settings, targets);
    const Location whole{settings.source, 0, 0, 1};
    if (fit.is_good()) {
        return *fit.target;
    }
    std::vector<std::string> read;
    for (const Target& target : targets) {
        if (!target.options.empty()) {
            read.push_back(target.keys.name);
        }
    }
    const std::string file = named_file(*settings.root);
    const std::string nearest =
        fit.target == nullptr
            ? ""
            : fmt::format("; nearest is {}, which does not know {} of its {} settings: {}", fit.target->keys.name,
                          fit.unknown.size(), fit.known + fit.unknown.size(), join_some(fit.unknown));
    fail(whole, "no settings of a launcher that dodona knows" + nearest,
         file.empty() ? "it reads those of " + join(read)
                      : fmt::format("it names {}, whose settings `--from {}` reads", file, file));
}

/// Whether the target has a meaning of its own for what a setting says: `--deepspeed zero3`.
bool is_word_of(const Target& target, const std::string& key, const std::string& word) {
    return std::any_of(target.keys.keys.begin(), target.keys.keys.end(), [&](const ConfigKey& one) {
        return contains(one.names, key) && std::any_of(one.values.begin(), one.values.end(),
                                                       [&](const auto& meaning) { return meaning.first == word; });
    });
}

constexpr int kMaxNamed = 16;  ///< files of settings that name one another

/// The names of files that a setting has, the one that wins first: of a list the last. Of a flag it is the first word;
/// what follows is no file of settings.
std::vector<const Node*> names_of_files(const Node& value) {
    std::vector<const Node*> names{&value};
    if (value.kind == Node::Kind::list) {
        names.clear();
        std::transform(value.items.rbegin(), value.items.rend(), std::back_inserter(names),
                       [](const auto& item) { return item.get(); });
    }
    std::erase_if(names, [](const Node* name) {  // `--deepspeed` alone only asks for it
        return name->kind != Node::Kind::scalar || is_off(*name) || name->text == "true";
    });
    return names;
}

Node::Member setting_of(std::string key, const Location& where, const Location& place_of_text, std::string text) {
    return {std::move(key), where,
            std::make_shared<const Node>(
                Node{.kind = Node::Kind::scalar, .text = std::move(text), .where = place_of_text})};
}

/// `fsdp:d4t2`, `megatron:(attn:d2t4|ffn:d1t4e2)`, of several joined by + the last: the back end as KEY.name, and each
/// degree by its letter, those of experts as KEY.ffn.e.
std::vector<Node::Member> degrees_of(const Node::Member& setting) {
    std::string text = setting.value->text;
    text.erase(0, text.rfind('+') + 1);
    std::vector<Node::Member> degrees;
    const auto add = [&](const std::string& name, std::string value) {
        degrees.push_back(setting_of(setting.key + "." + name, setting.where, setting.value->where, std::move(value)));
    };
    const std::size_t colon = text.find(':');
    if (colon != std::string::npos) {
        add("name", text.substr(0, colon));
    }
    std::string section;
    std::string word;
    std::string number;
    for (const char c : text.substr(colon == std::string::npos ? 0 : colon + 1) + "|") {
        const bool is_digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        if (!is_digit && !number.empty()) {
            add(section + std::exchange(word, {}), std::exchange(number, {}));
        }
        if (is_digit) {
            number += c;
        } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
            word += c;
        } else if (c == ':') {
            section = word == "ffn" ? "ffn." : "";
            word.clear();
        }
    }
    return degrees;
}

/// Settings that are words of a script's commands: behind a short flag, `-b 256`, or behind a command, `train.sh 8`.
/// Each is one of the long flag that it stands for.
std::vector<Node::Member> settings_behind_words(const Node::Member& around, const Target& target,
                                                const std::set<std::string>& known) {
    std::vector<Node::Member> settings;
    for (const std::string& key : known) {
        const bool is_word = key.starts_with('-') || contains(target.commands, key);
        const std::string value = is_word ? word_behind(*around.value->member(kWords)->value, key) : "";
        if (value.empty()) {
            continue;
        }
        const ConfigKey* meaning =
            found_in(target.keys.keys, [&](const ConfigKey& one) { return contains(one.names, key); });
        settings.push_back(
            setting_of(meaning == nullptr ? key : meaning->names.front(), around.where, around.where, value));
    }
    return settings;
}

/// The document with its keys as the target spells them, and with the settings of the files that it names. `depth`:
/// files that name this one.
Document with_files(Document settings, const Target& target, int depth) {
    const std::set<std::string> known = keys_of(target);
    auto root = std::make_shared<Node>(*settings.root);
    std::vector<Node::Member> more;
    std::vector<Node::Member> short_settings;
    std::shared_ptr<const Node> text_files;  ///< by name
    if (const Node::Member* around = root->member(kSurroundings)) {
        if (const std::string command = command_of(*root, told_commands(target));
            known.contains(kCommand) && !command.empty()) {
            more.push_back(setting_of(kCommand, around->where, around->where, command));
        }
        short_settings = settings_behind_words(*around, target, known);
        text_files = around->value->member(kHereDocuments)->value;
        for (const Node::Member& variable : around->value->members) {
            if (known.contains(variable.key) && root->member(variable.key) == nullptr) {
                more.push_back(variable);
            }
        }
        std::erase_if(root->members, [](const Node::Member& member) { return member.key == kSurroundings; });
    }
    for (Node::Member& member : root->members) {
        member.key = spelled_either(member.key, known);
    }
    for (Node::Member& setting : short_settings) {
        if (root->member(setting.key) == nullptr) {
            root->members.push_back(std::move(setting));
        }
    }
    for (const Node::Member& member : root->members) {
        if (std::count(target.layouts.begin(), target.layouts.end(), member.key) > 0 && !is_off(*member.value)) {
            const StageLayout layout = read_layout(*member.value);
            const auto add = [&](const char* name, std::string value) {
                more.push_back(setting_of(member.key + name, member.where, member.value->where, std::move(value)));
            };
            add(layout.has_lone_m ? ".lone_m" : ".layers", fmt::format("{}", fmt::join(layout.layers, ",")));
            add(".stages", std::to_string(layout.layers.size()));
        }
        if (contains(target.degrees, member.key) && member.value->kind == Node::Kind::scalar) {
            append(more, degrees_of(member));
        }
        const bool is_whole = std::count(target.configurations.begin(), target.configurations.end(), member.key) > 0;
        const bool is_file = is_whole || (std::count(target.files.begin(), target.files.end(), member.key) > 0 &&
                                          !is_word_of(target, member.key, member.value->text));
        for (const Node* name : is_file ? names_of_files(*member.value) : std::vector<const Node*>{}) {
            const std::filesystem::path beside =
                std::filesystem::path(settings.source->name).parent_path() / name->text;
            const std::string path = std::filesystem::exists(beside) ? beside.string() : name->text;
            // --fsdp_config '{"fsdp_version": 2}', and what a here-document of the script writes to this name.
            const Node::Member* written = text_files == nullptr ? nullptr : text_files->member(name->text);
            const bool is_written_here = written != nullptr || name->text.starts_with('{');
            if (!is_written_here && !std::filesystem::exists(path)) {
                fail(name->where, fmt::format("{}: {} is not there", member.key, name->text),
                     "its settings are part of the launch: put it beside this file, or leave the line out and give "
                     "them as options");
            }
            if (depth == kMaxNamed) {
                fail(name->where, fmt::format("{}: more than {} files name one another", member.key, kMaxNamed));
            }
            Document file =
                written != nullptr
                    ? read_launch_text(written->value->text, settings.source->name + " " +
                                                                 std::filesystem::path(name->text).filename().string())
                : is_written_here ? read_launch_text(name->text, settings.source->name + " " + member.key)
                                  : read_launch_text(load_bytes(path, path, name->where), path);
            file = is_whole ? with_files(std::move(file), target, depth + 1) : std::move(file);
            for (const Node::Member& inner : file.root->members) {
                const std::string key = is_whole ? inner.key : member.key + "." + inner.key;
                const bool is_there =
                    root->member(key) != nullptr ||
                    std::any_of(more.begin(), more.end(), [&](const Node::Member& other) { return other.key == key; });
                if (inner.key != kSurroundings && !(is_whole && is_there)) {
                    more.push_back({key, inner.where, inner.value});
                }
            }
        }
    }
    std::erase_if(root->members, [&](const Node::Member& member) {
        return contains(target.configurations, member.key) || contains(target.degrees, member.key);
    });
    root->members.insert(root->members.end(), more.begin(), more.end());
    settings.root = std::move(root);
    return settings;
}

/// `with_files`, with what settings refer to in others put in.
Document completed(Document settings, const Target& target) {
    const bool is_script = settings.root->member(kSurroundings) != nullptr;
    settings = with_files(std::move(settings), target, 0);
    settings.root = std::make_shared<const Node>(with_references(*settings.root, is_script));
    return settings;
}

/// Settings that several commands of a script give with different values: those of the last are taken.
std::vector<std::string> given_by_several_commands(const Document& settings, const Target& target) {
    const Node::Member* around = settings.root->member(kSurroundings);
    const std::set<std::string> known = keys_of(target);
    std::vector<std::string> said;
    for (const Node::Member& member :
         around == nullptr ? std::vector<Node::Member>{} : around->value->member(kGivenBefore)->value->members) {
        const std::string key = spelled_either(member.key, known);
        if (known.contains(key) && !contains(target.keys.ignored, key)) {
            said.push_back(fmt::format("{}: {} in one command of the script and {} in another: the last is counted",
                                       key, member.value->text, text_at(*settings.root, member.key)));
        }
    }
    return said;
}

/// The whole number that a parameter is; 1 where there is none, and where it is none.
std::int64_t whole_parameter(const Scope& scope, const std::string& name) {
    const graph::AttributeValue* value = scope.find(name);
    const auto* whole = value == nullptr ? nullptr : std::get_if<std::int64_t>(&value->value);
    return whole == nullptr ? 1 : std::max<std::int64_t>(1, *whole);
}

/// Settings that name an option of the target that is not there are absent; nested keys are not.
std::vector<std::string> option_words(const TargetOption& option, const Scope& scope) {
    constexpr std::int64_t kMaxWords = 100'000;
    std::vector<std::string> words;
    for (const ConditionalText& text : option.values) {
        if (text.when == nullptr || holds(*text.when, scope)) {
            const std::int64_t times = text.times.empty() ? 1 : whole_parameter(scope, text.times);
            words.insert(words.end(), static_cast<std::size_t>(std::clamp<std::int64_t>(times, 0, kMaxWords)),
                         filled(text.text, scope));
            if (!option.is_list) {
                break;
            }
        }
    }
    return words;
}

/// An option once, or --set for each of its words.
void add_option(const TargetOption& option, const Scope& scope,
                std::vector<std::pair<std::string, std::string>>& options) {
    const std::vector<std::string> words = option_words(option, scope);
    if (option.option == "--set") {
        for (const std::string& word : words) {
            options.emplace_back(option.option, word);
        }
    } else if (const std::string text = words.empty() && !option.may_be_absent ? "none" : join(words, ",");
               !text.empty()) {
        options.emplace_back(option.option, text);
    }
}

/// A number that follows from others of a launch by division.
struct Quotient {
    const char* is;
    const char* dividend;
    std::vector<const char*> divisors;
};

/// "tensor 2 x pipeline 6", those of one left out.
std::string factors_text(const std::vector<const char*>& names, const Scope& scope) {
    std::vector<std::string> factors;
    for (const char* name : names) {
        if (const std::int64_t size = whole_parameter(scope, name); size > 1) {
            factors.push_back(fmt::format("{} {}", name, size));
        }
    }
    return join(factors, " x ");
}

std::int64_t product_of(const std::vector<const char*>& names, const Scope& scope) {
    return std::accumulate(names.begin(), names.end(), std::int64_t{1}, [&](std::int64_t product, const char* name) {
        const std::int64_t size = whole_parameter(scope, name);
        return product > kMaxWhole / size ? kMaxWhole : product * size;
    });
}

/// Place at which the launch says the largest of some numbers.
Location where_largest(const std::vector<const char*>& names, const Scope& scope, Location otherwise) {
    std::int64_t largest = 1;
    for (const char* name : names) {
        const graph::AttributeValue* value = scope.find(name);
        if (value != nullptr && value->where.source != nullptr && whole_parameter(scope, name) > largest) {
            largest = whole_parameter(scope, name);
            otherwise = value->where;
        }
    }
    return otherwise;
}

/// Numbers of a launch that do not divide: the line of the largest divisor, and the fewest GPUs that its plan can have.
Diagnostics uneven(const Scope& scope, const Location& whole_file) {
    Diagnostics faults;
    const std::vector<const char*> dense{"tensor", "context", "pipeline"};
    const std::vector<const char*> experts{"expert", "expert_tensor", "pipeline"};
    const std::int64_t gpus = whole_parameter(scope, "gpus");
    const bool has_experts = whole_parameter(scope, "expert") > 1;
    for (const std::vector<const char*>& group : {dense, experts}) {
        if (gpus % product_of(group, scope) == 0 || (group == experts && !has_experts)) {
            continue;
        }
        const std::int64_t of_dense = product_of(dense, scope);
        const std::int64_t of_experts = has_experts ? product_of(experts, scope) : 1;
        const std::int64_t least = of_dense / std::gcd(of_dense, of_experts) * of_experts;
        faults.error(where_largest(group, scope, whole_file),
                     fmt::format("{} GPUs do not divide by {}", gpus, factors_text(group, scope)),
                     fmt::format("{} GPUs are the least, and its multiples{}", least,
                                 least == of_dense ? "" : ": experts need " + factors_text(experts, scope)));
        break;
    }
    const std::vector<Quotient> quotients{{"virtual_stages", "layers", {"pipeline", "layers_of_virtual"}},
                                          {"stages_of_rank", "layout_stages", {"pipeline"}},
                                          {"zero_group", "data", {"instances"}}};
    for (const Quotient& quotient : quotients) {
        const graph::AttributeValue* value = scope.find(quotient.is);
        const double* number = value == nullptr ? nullptr : std::get_if<double>(&value->value);
        if (number != nullptr && *number != std::floor(*number)) {
            faults.error(
                where_largest(quotient.divisors, scope, whole_file),
                fmt::format("{} {} do not divide by {}", quotient.dividend, whole_parameter(scope, quotient.dividend),
                            factors_text(quotient.divisors, scope)));
        }
    }
    return faults;
}

}  // namespace

bool is_launch(const Document& settings, const std::vector<Target>& targets) {
    return recognised(settings, targets).is_good();
}

Launch read_launch(Document settings, const std::vector<Target>& targets, std::int64_t gpus, bool with_model,
                   const std::filesystem::path& architectures) {
    const Target& target = recognise(settings, targets);
    const std::vector<std::string> given_twice = given_by_several_commands(settings, target);
    settings = completed(std::move(settings), target);
    Scope known;
    known.set("gpus_typed", {gpus, settings.root->where});
    const std::string name = settings.source->name;
    const ReadConfig read = read_config(settings, target.keys, UnknownKeys::listed, std::move(known));
    Launch launch{.target = target.keys.name,
                  .options = {},
                  .model = {},
                  .ignored = read.ignored,
                  .unknown = read.unknown,
                  .not_modelled = read.not_modelled,
                  .uneven = uneven(read.parameters, {settings.source, 0, 0, 1})};
    const graph::AttributeValue* devices = read.parameters.find("gpus");
    if (devices != nullptr && text_of(*devices) == "0") {
        fail({settings.source, 0, 0, 1}, "it does not say on how many GPUs", "--gpus N");
    }
    append(launch.not_modelled, given_twice);
    for (const ConditionalText& text : target.not_modelled) {
        if (text.when == nullptr || holds(*text.when, read.parameters)) {
            launch.not_modelled.push_back(filled(text.text, read.parameters));
        }
    }
    if (!target.framework.empty()) {
        launch.options.emplace_back("--software", target.framework);
    }
    for (const TargetOption& option : target.options) {
        add_option(option, read.parameters, launch.options);
    }
    const graph::AttributeValue* layers = read.parameters.find("layers");
    if (with_model && !target.keys.architecture.empty() && layers != nullptr && text_of(*layers) != "0") {
        launch.model = written_model({.name = "launched", .source = name + ", as " + target.keys.name + " reads it"},
                                     target.keys.architecture, read, architectures);
    }
    const graph::AttributeValue* network = read.parameters.find("network");
    if (with_model && launch.model.empty() && network != nullptr && text_of(*network) != "none") {
        launch.options.emplace_back("MODEL", text_of(*network));
    }
    const graph::AttributeValue* sequence = read.parameters.find("sequence");
    if (launch.model.empty() && !target.keys.architecture.empty() && sequence != nullptr && text_of(*sequence) != "0") {
        launch.options.emplace_back("--set", "sequence=" + text_of(*sequence));
    }
    return launch;
}

}  // namespace dodona::files
