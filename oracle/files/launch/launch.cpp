#include "files/launch/launch.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "files/hf/condition.hpp"
#include "files/hf/config.hpp"
#include "files/hf/imported_model.hpp"

namespace dodona::files {

namespace {

bool has(const Node& settings, const std::string& key) {
    return std::any_of(settings.members.begin(), settings.members.end(),
                       [&](const Node::Member& member) { return member.key == key; });
}

/// The target most of whose own settings a file has; null where it has none.
const Target* recognised(const Document& settings, const std::vector<Target>& targets) {
    const Target* best = nullptr;
    std::ptrdiff_t most = 0;
    for (const Target& target : targets) {
        const auto found = target.options.empty()
                               ? 0
                               : std::count_if(target.recognised_by.begin(), target.recognised_by.end(),
                                               [&](const std::string& key) { return has(*settings.root, key); });
        if (found > most) {
            most = found;
            best = &target;
        }
    }
    return best;
}

/// The file of settings that a command is given: `deepspeed train.py --deepspeed ds.json`.
std::string named_file(const Node& flags) {
    for (const Node::Member& member : flags.members) {
        for (const char* ending : {".json", ".yaml", ".yml", ".toml"}) {
            if (member.value->kind == Node::Kind::scalar && member.value->text.ends_with(ending)) {
                return member.value->text;
            }
        }
    }
    return "";
}

const Target& recognise(const Document& settings, const std::vector<Target>& targets) {
    if (const Target* target = recognised(settings, targets)) {
        return *target;
    }
    std::vector<std::string> read;
    for (const Target& target : targets) {
        if (!target.options.empty()) {
            read.push_back(target.keys.name);
        }
    }
    const std::string file = named_file(*settings.root);
    fail({settings.source, 0, 0, 1}, "no settings of a launcher that dodona knows",
         file.empty() ? "it reads those of " + join(read)
                      : fmt::format("it names {}, whose settings `--from {}` reads", file, file));
}

/// Settings that name an option of the target that is not there are absent; nested keys are not.
std::string option_text(const TargetOption& option, const Scope& scope) {
    constexpr std::int64_t kMaxWords = 100'000;
    if (!option.times.empty()) {
        const graph::AttributeValue* times = scope.find(option.times);
        const std::int64_t* count = times == nullptr ? nullptr : std::get_if<std::int64_t>(&times->value);
        const auto size =
            static_cast<std::size_t>(count == nullptr ? 0 : std::clamp<std::int64_t>(*count, 0, kMaxWords));
        return join(std::vector<std::string>(size, filled(option.values.front().text, scope)), ",");
    }
    std::vector<std::string> words;
    for (const ConditionalText& text : option.values) {
        if (text.when == nullptr || holds(*text.when, scope)) {
            words.push_back(filled(text.text, scope));
            if (!option.is_list) {
                return words.front();
            }
        }
    }
    return words.empty() && option.is_list ? "none" : join(words, ",");
}

}  // namespace

bool is_launch(const Document& settings, const std::vector<Target>& targets) {
    return recognised(settings, targets) != nullptr;
}

Launch read_launch(Document settings, const std::vector<Target>& targets, std::int64_t gpus, bool with_model,
                   const std::filesystem::path& architectures) {
    const Target& target = recognise(settings, targets);
    Scope known;
    known.set("gpus_typed", {gpus, settings.root->where});
    const std::string name = settings.source->name;
    const ReadConfig read = read_config(settings, target.keys, UnknownKeys::listed, std::move(known));
    Launch launch{.target = target.keys.name,
                  .options = {},
                  .model = {},
                  .ignored = read.ignored,
                  .unknown = read.unknown,
                  .not_modelled = read.not_modelled};
    const graph::AttributeValue* devices = read.parameters.find("gpus");
    if (devices != nullptr && text_of(*devices) == "0") {
        fail({settings.source, 0, 0, 1}, "it does not say on how many GPUs", "--gpus N");
    }
    if (!target.framework.empty()) {
        launch.options.emplace_back("--framework", target.framework);
    }
    for (const TargetOption& option : target.options) {
        if (const std::string value = option_text(option, read.parameters); !value.empty()) {
            launch.options.emplace_back(option.option, value);
        }
    }
    const graph::AttributeValue* layers = read.parameters.find("layers");
    if (with_model && !target.keys.architecture.empty() && layers != nullptr && text_of(*layers) != "0") {
        launch.model = written_model({.name = "launched", .source = name + ", as " + target.keys.name + " reads it"},
                                     target.keys.architecture, read, architectures);
    }
    const graph::AttributeValue* sequence = read.parameters.find("sequence");
    if (launch.model.empty() && !target.keys.architecture.empty() && sequence != nullptr) {
        launch.options.emplace_back("--set", "sequence=" + text_of(*sequence));
    }
    return launch;
}

}  // namespace dodona::files
