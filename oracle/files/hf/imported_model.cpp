#include "files/hf/imported_model.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/ranges.hpp"
#include "files/hf/condition.hpp"
#include "files/hf/config.hpp"
#include "files/hf/layer_runs.hpp"

namespace dodona::files {

namespace {

using graph::AttributeValue;
using LayerValues = std::map<std::string, AttributeValue>;

/// An architecture with its parameters set, written out as a model file.
class ModelWriter {
public:
    ModelWriter(const Document& architecture, const ReadConfig& config, Scope scope)
        : architecture_(architecture), config_(config), scope_(std::move(scope)) {}

    /// Parameters, input, blocks and layers.
    std::string body() {
        const std::string layers = written_layers();
        std::string blocks;
        for (const auto& [name, lines] : blocks_) {
            blocks += fmt::format("  {}:\n    layers:\n{}\n", name, lines);
        }
        const std::string input = written_input();
        return fmt::format("parameters:\n{}\ninput:\n{}\n{}{}layers:\n{}", written_parameters(), input,
                           blocks.empty() ? "" : "blocks:\n", blocks, layers);
    }

private:
    /// A value as the model file has it: flags and words are written, numbers and how a layer is implemented stay
    /// expressions over parameters.
    std::string value(const std::string& key, const Node& node, const Scope& scope) {
        if (node.kind == Node::Kind::list) {
            const auto items =
                mapped<std::string>(node.items, [&](const auto& item) { return value(key, *item, scope); });
            return "[" + join(items) + "]";
        }
        if (node.quoted) {
            return '"' + node.text + '"';
        }
        if (key == "tied") {
            return node.text;
        }
        if (key == "weights") {  // of layers with one value of the parameter
            return node.text + "_" + text_of(scope.value({.text = node.text, .quoted = false, .where = node.where}));
        }
        const bool is_comparison = node.text.find_first_of("<>=") != std::string::npos;
        const AttributeValue meaning = scope.value({.text = node.text, .quoted = false, .where = node.where});
        if (is_comparison) {
            return text_of(meaning) == "0" ? "false" : "true";
        }
        if (key == "bias" || key == "sinks") {  // flags, which may be the numbers 1 and 0
            const std::string flag = text_of(meaning);
            return flag == "1" ? "true" : flag == "0" ? "false" : flag;
        }
        const bool is_own = names_own(node.text);
        const bool is_number =
            std::holds_alternative<std::int64_t>(meaning.value) || std::holds_alternative<double>(meaning.value);
        const bool is_parameter = scope.find(node.text) != nullptr;
        const bool stays = key == "implementation" || key == "frozen" || (is_number && !is_own);
        if (!stays && (is_parameter || is_own)) {
            return text_of(meaning);
        }
        note_parameters(node.text);
        return node.text;
    }

    /// Whether an expression has a parameter that differs from layer to layer: its value is written.
    [[nodiscard]] bool names_own(const std::string& text) const {
        return std::any_of(layer_parameters_.begin(), layer_parameters_.end(), [&](const std::string& own) {
            const auto is_word = [&](std::size_t at) {
                return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
            };
            for (std::size_t at = text.find(own); at != std::string::npos; at = text.find(own, at + 1)) {
                if (!is_word(at + own.size()) && (at == 0 || !is_word(at - 1))) {
                    return true;
                }
            }
            return false;
        });
    }

    /// Names of parameters in an expression, and those that they are computed from.
    void note_parameters(const std::string& text) {
        std::string word;
        for (const char c : text + " ") {
            if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
                word += c;
                continue;
            }
            if (!word.empty() && scope_.find(word) != nullptr && used_.insert(word).second &&
                config_.parameters.find(word) == nullptr) {
                note_parameters(default_of(word));
            }
            word.clear();
        }
    }

    [[nodiscard]] std::string default_of(const std::string& parameter) const {
        return text_at(*child(*architecture_.root, "parameters"), parameter);
    }

    /// Entries of a list whose `when` holds, one a line.
    std::string entries(const Node& list, const Scope& scope, const std::string& indent) {
        std::map<std::string, std::string> stands_in;  // for the entries that are left out
        std::set<std::string> written;
        std::string lines;
        std::string last;    // written
        std::string before;  // what an entry without `from` takes
        for (const auto& item : list.items) {
            const std::string name = text_at(*item, "name");
            const Node* when = child(*item, "when");
            if (when != nullptr && !holds(*when, scope)) {
                if (!written.contains(name)) {
                    before = stands_in[name] = substitute(*item, stands_in, before);
                }
                continue;
            }
            const bool is_implied = child(*item, "from") == nullptr && before != last && before != "input";
            stands_in.erase(name);
            written.insert(name);
            lines += indent + entry(*item, scope, stands_in, is_implied ? before : "");
            last = before = name;
        }
        return lines;
    }

    /// What is taken in place of an entry that is left out.
    static std::string substitute(const Node& item, const std::map<std::string, std::string>& stands_in,
                                  const std::string& before) {
        std::string name = text_at(item, "else");
        if (const Node* from = child(item, "from"); name.empty() && from != nullptr) {
            name = from->kind == Node::Kind::list ? from->items.front()->text : from->text;
        }
        name = name.empty() ? (before.empty() ? "input" : before) : name;
        const auto found = stands_in.find(name);
        return found == stands_in.end() ? name : found->second;
    }

    std::string entry(const Node& item, const Scope& scope, const std::map<std::string, std::string>& stands_in,
                      const std::string& implied) {
        if (const Node* last = child(item, "last")) {
            note_parameters(last->text);
            return fmt::format("- {{name: {}, block: {}, repeat: {}{}}}\n", text_at(item, "name"), last_kind_,
                               last->text, frozen_of(item, scope));
        }
        const auto taken = [&](const std::string& name) {
            const auto found = stands_in.find(name);
            return called(found == stands_in.end() ? name : found->second);
        };
        if (child(item, "each") != nullptr) {
            std::vector<std::string> reads;
            if (const Node* from = child(item, "from")) {
                append(reads, from->items, [&](const auto& name) { return taken(name->text); });
            }
            return each_layer(item, scope, reads);
        }
        std::vector<std::string> parts;
        for (const Node::Member& member : item.members) {
            const Node& node = *member.value;
            const bool is_never =
                member.key == "frozen" && text_of(scope.value({node.text, false, node.where})) == "never";
            if (member.key == "when" || member.key == "else" || member.key == "prefix" || is_never) {
                continue;
            }
            if (member.key == "from") {
                std::vector<std::string> names;
                append(names, node.items, [&](const auto& from) { return taken(from->text); });
                parts.push_back("from: " +
                                (node.kind == Node::Kind::list ? "[" + join(names) + "]" : taken(node.text)));
            } else if (member.key == "name") {
                parts.push_back("name: " + called(node.text));
            } else if (member.key == "op" || member.key == "role" || member.key == "block") {
                parts.push_back(member.key + ": " + node.text);
            } else {
                parts.push_back(member.key + ": " + value(member.key, node, scope));
            }
            if (member.key == "op" && !implied.empty()) {
                parts.push_back("from: " + called(implied));
            }
        }
        return "- {" + join(parts) + "}\n";
    }

    /// What an entry is called in the file: a stack of layers as its last entry.
    [[nodiscard]] std::string called(const std::string& name) const {
        const auto found = ends_.find(name);
        return found == ends_.end() ? name : found->second;
    }

    std::string written_layers() { return entries(*child(*architecture_.root, "layers"), scope_, "  "); }

    /// The entries for all layers of a kind of block: one repeated block, or a pattern of several. `reads`: what they read
    /// if it is not the entry before; all but the first of it they read alike.
    std::string each_layer(const Node& item, const Scope& scope, const std::vector<std::string>& reads) {
        const std::string block = text_of(scope.value({text_at(item, "block"), false, item.where}));
        const std::string own = text_at(item, "prefix");  // for layers outside the model proper
        const bool is_first = own.empty() && stacks_++ == 0;
        const std::string name = text_at(item, "name");
        Stack stack{.name = name,
                    .count = text_at(item, "each"),
                    .prefix = !own.empty() ? own
                              : is_first   ? ""
                                           : name + "_",
                    .kinds = {},
                    .reads = reads,
                    .frozen = frozen_of(item, scope)};
        const auto all = static_cast<std::size_t>(std::get<std::int64_t>(scope.find(stack.count)->value));
        const auto of_stack = config_.layers.find(stack.count);
        if (of_stack == config_.layers.end()) {
            const std::string kind = is_first ? "transformer" : block;  // of a second stack, its own
            add_block(kind, block, {});
            note_parameters(stack.count);
            last_kind_ = kind;
            return "- {name: " + stack.name + ", block: " + kind + stack.from() + ", repeat: " + stack.count +
                   stack.frozen + "}\n";
        }
        std::vector<LayerValues> kinds;
        std::vector<std::size_t> of_layer;
        for (const LayerValues& layer : of_stack->second) {
            const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const LayerValues& kind) {
                return std::equal(kind.begin(), kind.end(), layer.begin(), layer.end(),
                                  [](const auto& a, const auto& b) {
                                      return a.first == b.first && text_of(a.second) == text_of(b.second);
                                  });
            });
            of_layer.push_back(static_cast<std::size_t>(same - kinds.begin()));
            if (same == kinds.end()) {
                kinds.push_back(layer);
            }
        }
        of_layer.resize(all, of_layer.back());
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            stack.kinds.push_back(stack.prefix + kind_name(kinds, i));
            add_block(stack.kinds.back(), block, kinds[i]);
        }
        last_kind_ = stack.kinds[of_layer.back()];
        return pattern(stack, layer_pattern(of_layer));
    }

    /// ", frozen: ..." of a stack whose layers may be frozen, ", weights: ..." of one whose layers share theirs.
    std::string frozen_of(const Node& item, const Scope& scope) {
        if (const Node* shared = child(item, "weights")) {
            return ", weights: " + shared->text;
        }
        const Node* frozen = child(item, "frozen");
        if (frozen == nullptr || text_of(scope.value({frozen->text, false, frozen->where})) == "never") {
            return "";
        }
        return ", frozen: " + value("frozen", *frozen, scope);
    }

    /// What layers are called for which such a parameter is false.
    inline static const std::map<std::string, std::string> kOtherwise{{"mixture", "dense"},  {"first", "later"},
                                                                      {"whole", "windowed"}, {"final", "joint"},
                                                                      {"dual", "plain"},     {"gates", "ungated"}};

    static std::string kind_name(const std::vector<LayerValues>& kinds, std::size_t index) {
        if (kinds.size() == 1) {
            return "transformer";
        }
        std::string name;
        for (const auto& [parameter, value] : kinds[index]) {
            const bool differs = any_of(
                kinds, [&, &p = parameter, &v = value](const auto& kind) { return text_of(kind.at(p)) != text_of(v); });
            if (!differs) {
                continue;
            }
            const std::string is = text_of(value);
            std::string word = parameter + "_" + is;
            const bool feeds = !kinds[index].contains("feeds") || text_of(kinds[index].at("feeds")) == "true";
            if (parameter == "feeds" || is == "none" || (parameter == "mixture" && !feeds)) {
                continue;
            }
            if (parameter == "mixer") {
                word = is;
            } else if (parameter == "seen") {
                word = is == "0" ? "global" : "local";
            } else if (is == "true" || is == "1") {
                word = parameter;
            } else if (const auto otherwise = kOtherwise.find(parameter); otherwise != kOtherwise.end()) {
                word = otherwise->second;
            }
            name += (name.empty() ? "" : "_") + word;
        }
        return name.empty() ? "feed_forward" : name;
    }

    /// Layers of one kind after another, as entries of blocks.
    struct Stack {
        std::string name;
        std::string count;   ///< the parameter that says how many they are
        std::string prefix;  ///< of the names of its entries and blocks
        std::vector<std::string> kinds;
        std::vector<std::string> reads;  ///< the first: what the next entry reads
        std::string frozen;              ///< ", frozen: ...", or nothing

        /// ", from: [...]", or nothing.
        [[nodiscard]] std::string from() const { return reads.empty() ? "" : ", from: [" + join(reads) + "]"; }

        /// An entry, which the next one reads.
        std::string run(const std::string& entry, const LayerRun& of, const std::string& repeat) {
            std::string line =
                "- {name: " + entry + ", block: " + kinds[of.kind] + from() + ", repeat: " + repeat + frozen + "}\n";
            if (!reads.empty()) {
                reads.front() = entry;
            }
            return line;
        }
    };

    std::string pattern(Stack stack, const LayerPattern& layers) {
        std::string text;
        const auto add = [&](std::string line) { text += (text.empty() ? "" : "  ") + std::move(line); };
        const auto number = [](std::size_t i, std::size_t n) { return n == 1 ? "" : "_" + std::to_string(i + 1); };
        for (std::size_t i = 0; i < layers.first.size(); ++i) {
            add(stack.run(stack.prefix + "first" + number(i, layers.first.size()), layers.first[i],
                          std::to_string(layers.first[i].count)));
        }
        if (layers.period.size() == 1) {
            const bool is_all = layers.first.empty() && layers.rest.empty();
            note_parameters(is_all ? stack.count : "");
            add(stack.run(stack.name, layers.period[0],
                          is_all ? stack.count : std::to_string(layers.periods * layers.period[0].count)));
        } else {
            add("- {name: " + stack.name + ", block: " + add_period(stack, layers.period) + stack.from() +
                fmt::format(", repeat: {}{}}}\n", layers.periods, stack.frozen));
            if (!stack.reads.empty()) {
                stack.reads.front() = stack.name;
            }
        }
        for (std::size_t i = 0; i < layers.rest.size(); ++i) {
            ends_[stack.name] = stack.prefix + "last" + number(i, layers.rest.size());
            add(stack.run(ends_[stack.name], layers.rest[i], std::to_string(layers.rest[i].count)));
        }
        return text;
    }

    /// A block of the layers that repeat; its name.
    std::string add_period(Stack stack, const std::vector<LayerRun>& period) {
        stack.frozen.clear();  // what holds for the block holds inside it
        if (!stack.reads.empty()) {
            stack.reads.front() = "input";
        }
        std::string lines;
        for (std::size_t i = 0; i < period.size(); ++i) {
            lines += "      " + stack.run(fmt::format("{}_{}", stack.kinds[period[i].kind], i + 1), period[i],
                                          std::to_string(period[i].count));
        }
        blocks_.emplace_back(stack.prefix + "period", lines);
        return blocks_.back().first;
    }

    void add_block(const std::string& name, const std::string& block, const LayerValues& values) {
        Scope scope = scope_;
        layer_parameters_.clear();
        for (const auto& [parameter, value] : values) {
            scope.set(parameter, value);
            layer_parameters_.insert(parameter);
        }
        const Node& body = *child(*child(*architecture_.root, "blocks"), block);
        blocks_.emplace_back(name, entries(*child(body, "layers"), scope, "      "));
        layer_parameters_.clear();
    }

    std::string written_input() {
        std::string text;
        for (const Node::Member& input : child(*architecture_.root, "input")->members) {
            std::vector<std::string> parts;
            const Node* when = child(*input.value, "when");
            if (when != nullptr && !holds(*when, scope_)) {
                continue;
            }
            for (const Node::Member& dimension : input.value->members) {
                if (dimension.key == "when") {
                    continue;
                }
                parts.push_back(dimension.key + ": " +
                                (dimension.key == "element" ? dimension.value->text
                                                            : value(dimension.key, *dimension.value, scope_)));
            }
            text += fmt::format("  {}: {{{}}}\n", input.key, join(parts));
        }
        return text;
    }

    /// In the order of the architecture, those that something written uses.
    std::string written_parameters() {
        std::string text;
        for (const Node::Member& member : child(*architecture_.root, "parameters")->members) {
            if (used_.contains(member.key)) {
                const AttributeValue* given = config_.parameters.find(member.key);
                text += fmt::format("  {}: {}\n", member.key, given != nullptr ? text_of(*given) : member.value->text);
            }
        }
        return text;
    }

    const Document& architecture_;
    const ReadConfig& config_;
    Scope scope_;
    std::set<std::string> used_;
    std::set<std::string> layer_parameters_;
    std::map<std::string, std::string> ends_;  ///< of a stack of layers, its last entry where that is called otherwise
    std::string last_kind_;                    ///< the block of the last layer
    int stacks_ = 0;                           ///< of layers so far
    std::vector<std::pair<std::string, std::string>> blocks_;
};

/// The parameters of the architecture with what the config says.
Scope whole_scope(const Document& architecture, const ReadConfig& config) {
    Scope scope;
    for (const Node::Member& member : child(*architecture.root, "parameters")->members) {
        const AttributeValue* given = config.parameters.find(member.key);
        const Written usual{member.value->text, member.value->quoted, member.value->inside()};
        scope.set(member.key, given != nullptr ? *given : scope.value(usual));
    }
    return scope;
}

std::string quoted(std::string text) {
    for (std::size_t at = 0; (at = text.find_first_of("\"\\", at)) != std::string::npos; at += 2) {
        text.insert(at, "\\");
    }
    return '"' + printable_line(text) + '"';
}

}  // namespace

std::string written_model(const ModelHeading& heading, const std::string& name, const ReadConfig& read,
                          const std::filesystem::path& folder) {
    const std::string file = fmt::format("architectures/{}.yaml", name);
    const Document architecture = load_document(folder / file, "models/hf/" + file, command_line());
    const std::string left_out = read.left_out.empty() ? "" : fmt::format("left_out: [{}]\n", join(read.left_out));
    return fmt::format("model: {}\nsource: {}\n{}\n{}", heading.name, quoted(heading.source), left_out,
                       ModelWriter(architecture, read, whole_scope(architecture, read)).body());
}

namespace {

void add_types(const Node& node, std::vector<std::string>& types) {
    for (const Node::Member& member : node.members) {
        if (is_type(member.key) && !member.value->text.empty()) {
            types.push_back(member.value->text);
        }
        add_types(*member.value, types);
    }
}

/// Reads the families that the config names; all where these fail, for a fault with the nearest.
Family family_among(const Document& config, const std::filesystem::path& folder) {
    std::vector<std::string> types;
    add_types(*config.root, types);
    try {
        return family_of(config, load_families(folder, types));
    } catch (const InputError&) {
        return family_of(config, load_families(folder));
    }
}

}  // namespace

ImportedModel import_config(Document config, const std::string& name, const std::filesystem::path& folder) {
    const Family family = family_among(config, folder);
    const ReadConfig read = read_config(config, family);
    const auto listed = [](const char* what, const std::vector<std::string>& keys) {
        return keys.empty() ? std::string() : fmt::format("; {}: {}", what, join(keys));
    };
    const std::string ignored = listed("keys that change no shape", read.ignored);
    const std::string files = family.name + (family.encoder.empty() ? "" : ".yaml and " + family.encoder);
    const ModelHeading heading{
        .name = name,
        .source = fmt::format("{}, as models/hf/families/{}.yaml reads it{}", config.source->name, files, ignored)};
    std::string text = written_model(heading, family.architecture, read, folder);
    return {.text = std::move(text), .family = files, .ignored = read.ignored, .left_out = read.left_out};
}

}  // namespace dodona::files
