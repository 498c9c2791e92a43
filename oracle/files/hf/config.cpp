#include "files/hf/config.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ranges.hpp"
#include "base/small_letters.hpp"
#include "files/aliases.hpp"
#include "files/hf/condition.hpp"
#include "files/number.hpp"

namespace dodona::files {

namespace {

/// `values: {other: itself}`: any text, as it is.
constexpr std::string_view kItself = "itself";

constexpr std::string_view kEachItem = "*.";

/// The word for an item that has no such member.
constexpr const char* kNone = "none";

const std::array<std::string, 2> kTruths{"true", "false"};

using graph::AttributeValue;

bool is_null(const Node& node) {
    return node.kind == Node::Kind::null || (!node.quoted && node.kind == Node::Kind::scalar && node.text == "null");
}

/// A member; where the key is "outer.inner", the member `inner` of the mapping `outer`, or an item of a list by its number;
/// where it is "outer.*.inner", the list of what each item of the list `outer` has as `inner`, or the word none.
std::optional<Node::Member> member_at(const Node& node, const std::string& key) {
    if (const Node::Member* whole = node.member(key)) {
        return *whole;
    }
    if (key.starts_with(kEachItem) && node.kind == Node::Kind::list) {
        Node list{.kind = Node::Kind::list, .where = node.where};
        for (const auto& item : node.items) {
            const auto member = member_at(*item, key.substr(kEachItem.size()));
            const Node none{.kind = Node::Kind::scalar, .text = kNone, .where = item->where};
            list.items.push_back(member && !is_null(*member->value) ? member->value : std::make_shared<Node>(none));
        }
        return Node::Member{.key = key, .where = node.where, .value = std::make_shared<Node>(list)};
    }
    const auto number = whole_from(key);
    if (const auto* at = std::get_if<std::int64_t>(&number); at != nullptr && node.kind == Node::Kind::list) {
        const auto item = static_cast<std::size_t>(*at);
        return item < node.items.size() ? std::optional(Node::Member{
                                              .key = key, .where = node.items[item]->where, .value = node.items[item]})
                                        : std::nullopt;
    }
    const std::size_t dot = key.find('.');
    const Node::Member* outer = dot == std::string::npos ? nullptr : node.member(key.substr(0, dot));
    return outer == nullptr ? std::nullopt : member_at(*outer->value, key.substr(dot + 1));
}

/// "3,4,5" as a list.
Node split_at_commas(const Node& word) {
    Node list{.kind = Node::Kind::list, .where = word.where};
    for (std::size_t at = 0; at < word.text.size();) {
        const std::size_t end = std::min(word.text.find(',', at), word.text.size());
        const Node item{.kind = Node::Kind::scalar, .text = word.text.substr(at, end - at), .where = word.where};
        list.items.push_back(std::make_shared<Node>(item));
        at = end + 1;
    }
    return list;
}

/// Says the architecture: a key of transformers, or of diffusers. Null where a mapping has neither.
const Node::Member* architecture_key(const Node& mapping) {
    const Node::Member* type = mapping.member("model_type");
    return type != nullptr ? type : mapping.member("_class_name");
}

/// Null, false, an empty list: what means "none".
bool is_none(const Node& node) {
    return is_null(node) || (node.kind == Node::Kind::list && node.items.empty()) ||
           (node.kind == Node::Kind::mapping && node.members.empty()) ||
           (node.kind == Node::Kind::scalar && (node.text == "false" || node.text.empty()));
}

/// Whether an unknown key may be an extent: "none" and fractions, which are rates and scales, are not.
bool may_change_shapes(const Node& node) {
    const bool is_fraction = node.kind == Node::Kind::scalar && !node.quoted &&
                             node.text.find_first_of(".eE") != std::string::npos &&
                             std::holds_alternative<double>(decimal_from(node.text));
    return !is_none(node) && !is_fraction;
}

std::optional<decltype(AttributeValue::value)> number_of(const std::string& text) {
    const auto whole = whole_from(text);
    if (const auto* number = std::get_if<std::int64_t>(&whole)) {
        return *number;
    }
    const auto decimal = decimal_from(text);
    const auto* number = std::get_if<double>(&decimal);
    return number == nullptr ? std::nullopt : std::optional<decltype(AttributeValue::value)>(*number);
}

const Written* meaning_of(const Meanings& meanings, const std::string& word) {
    const auto found = std::find_if(meanings.begin(), meanings.end(), [&](const auto& m) { return m.first == word; });
    return found == meanings.end() ? nullptr : &found->second;
}

/// "true" or "false" for the words of YAML and Python that say so; empty for others.
std::string truth_of(const std::string& text) {
    constexpr std::array kTrue{"true", "True", "TRUE", "yes", "Yes", "on", "On", "1"};
    constexpr std::array kFalse{"false", "False", "FALSE", "no", "No", "off", "Off", "0", "none", "None", "null"};
    return contains(kTrue, text) ? "true" : contains(kFalse, text) ? "false" : "";
}

std::vector<std::string> words_of(const Meanings& meanings) {
    std::vector<std::string> words;
    for (const auto& [word, meaning] : meanings) {
        words.push_back(word);
    }
    return words;
}

std::optional<AttributeValue> chosen(const std::vector<Choice>& choices, const Scope& scope) {
    const auto* choice = found_in(choices, [&](const Choice& c) { return c.when == nullptr || holds(*c.when, scope); });
    return choice == nullptr ? std::nullopt : std::optional(scope.value(choice->is));
}

using Layers = std::vector<std::map<std::string, AttributeValue>>;

class ConfigReader {
public:
    ConfigReader(Document& config, const Family& family, UnknownKeys unknown, Scope known)
        : config_(config), family_(family), unknown_(unknown) {
        read_.parameters = std::move(known);
        const auto nested = family.nested.empty() ? std::nullopt : member_at(*config.root, family.nested);
        body_ = nested && nested->value->kind == Node::Kind::mapping ? nested->value.get() : config.root.get();
        if (body_ != config.root.get()) {
            leave_out_parts(*config.root, "");
            const std::size_t dot = family.nested.rfind('.');
            if (dot != std::string::npos) {
                leave_out_parts(*member_at(*config.root, family.nested.substr(0, dot))->value,
                                family.nested.substr(0, dot + 1));
            }
        }
    }

    ReadConfig run() {
        for (const ConfigKey& key : family_.keys) {
            read_key(key);
        }
        if (!config_.faults.has_errors()) {
            for (const SetParameter& set : family_.set) {
                if (const auto value = chosen(set.choices, read_.parameters)) {
                    read_.parameters.set(set.parameter, *value);
                }
            }
            read_layers();
        }
        report_beside();
        report_rest();
        report_parts();
        throw_faults(config_);
        return std::move(read_);
    }

private:
    std::optional<Node::Member> find(const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            asked_.push_back(name);
            asked_.push_back(name.substr(0, name.find('.')));
        }
        for (const Node* mapping : {body_, static_cast<const Node*>(config_.root.get())}) {  // nested, or beside it
            for (const std::string& name : names) {
                std::optional<Node::Member> member = member_at(*mapping, name);
                if (member && !is_null(*member->value) && !is_unset(*member->value)) {
                    member->key = name;
                    return member;
                }
            }
        }
        return std::nullopt;
    }

    /// A setting of a program that is there and empty: `quantization: ""`.
    [[nodiscard]] bool is_unset(const Node& node) const {
        return unknown_ == UnknownKeys::listed && node.kind == Node::Kind::scalar && node.text.empty();
    }

    void read_key(const ConfigKey& key) {
        std::optional<Node::Member> member = find(key.names);
        if (member && key.is_count && member->value->kind == Node::Kind::list) {
            read_.parameters.set(key.parameter,
                                 {static_cast<std::int64_t>(member->value->items.size()), member->where});
            return;
        }
        if (member && member->value->kind == Node::Kind::list && is_of_layers(member->key)) {
            member.reset();  // read layer by layer
        }
        if (member && key.is_checked) {
            check_accepted(key, *member);
        }
        if (key.parameter.empty()) {
            return;
        }
        if (member) {
            read_.parameters.set(key.parameter, value_of(key, Value(*member->value, member->key, config_.faults)));
        } else if (const auto& otherwise = key.of_part && body_ != config_.root.get() ? key.of_part : key.otherwise) {
            if (!config_.faults.has_errors()) {
                read_.parameters.set(key.parameter, read_.parameters.value(*otherwise));
            }
        } else {
            config_.faults.error(config_.root->where, fmt::format("{}: missing", key.names.front()),
                                 unknown_ == UnknownKeys::listed
                                     ? fmt::format("{} asks for it", family_.name)
                                     : fmt::format("a config.json of {} has it", family_.name));
        }
    }

    AttributeValue value_of(const ConfigKey& key, const Value& value) {
        const AttributeValue one{std::int64_t{1}, value.where()};
        if (key.is_words && !value.is_mapping()) {
            const auto& items = value.node().items;  // of a list, or of a flag with several values
            std::vector<std::string> words;
            std::transform(items.begin(), items.end(), std::back_inserter(words),
                           [](const auto& item) { return item->text; });
            if (items.empty() && value.is_scalar()) {
                words.push_back(value.node().text);
            }
            return {words.empty() ? "none" : fmt::format("{}", fmt::join(words, ",")), value.where()};
        }
        if (value.is_list() && (key.is_list ? is_equal(value.node()) : is_alike(value.node()))) {
            return value_of(key, value.list().front());
        }
        if (const Written* of_all = value.is_list() ? meaning_of(key.values, join(value.texts())) : nullptr) {
            return config_.faults.has_errors() ? one : read_.parameters.value(*of_all);
        }
        if (!value.is_scalar()) {
            value.error(key.values.empty() ? "expected a whole number" : "expected a word or a number");
            return one;
        }
        const std::string& text = value.node().text;
        std::string words;  // of a flag with several: --fsdp "full_shard offload"
        for (const auto& item : value.node().items) {
            words += (words.empty() ? "" : " ") + item->text;
        }
        const Written* all = meaning_of(key.values, words);
        if (const Written* meaning = all != nullptr ? all : meaning_of(key.values, text)) {
            return config_.faults.has_errors() ? one : read_.parameters.value(*meaning);
        }
        if (const Written* meaning = meaning_of(key.values, truth_of(text))) {
            return config_.faults.has_errors() ? one : read_.parameters.value(*meaning);
        }
        if (const Written* meaning = meaning_of(key.values, "other")) {
            if (meaning->text == kItself) {
                return {text, value.where()};
            }
            return config_.faults.has_errors() ? one : read_.parameters.value(*meaning);
        }
        if (const Written* flag = meaning_of(key.values, "true"); flag != nullptr && unknown_ == UnknownKeys::listed) {
            // `--sequence-parallel train.py`: the flag has no value. Nearly a truth is a slip: Tru.
            if (const std::string near = did_you_mean(small_letters(text), kTruths); !near.empty()) {
                value.error(fmt::format("{} is neither true nor false{}", text, near));
                return one;
            }
            return read_.parameters.value(*flag);
        }
        if (text == "true" || text == "false") {
            if (!key.otherwise || (key.otherwise->text != "true" && key.otherwise->text != "false")) {
                value.error("expected a whole number");
            }
            return {text == "true", value.where()};
        }
        const bool is_number = std::holds_alternative<std::int64_t>(whole_from(text)) && key.otherwise &&
                               key.otherwise->text.find_first_of("0123456789") != std::string::npos;
        if (!key.values.empty() && !is_number) {
            const std::vector<std::string> words = words_of(key.values);
            value.error(fmt::format("{} is not known here{}", text, did_you_mean(text, words)),
                        "known: " + join(words));
            return one;
        }
        if (key.otherwise && key.otherwise->text.starts_with("0.")) {  // a rate
            return {value.number(kShare), value.where()};
        }
        if (key.otherwise && key.otherwise->text.find('.') != std::string::npos) {  // an amount
            return {value.number(kPositive), value.where()};
        }
        return {value.whole(key.least, kMaxWhole), value.where()};
    }

    /// Whether a list has an entry for each layer, all of them the same.
    [[nodiscard]] bool is_alike(const Node& list) const {
        const AttributeValue* layers = read_.parameters.find("layers");
        const auto* count = layers == nullptr ? nullptr : std::get_if<std::int64_t>(&layers->value);
        return count != nullptr && list.items.size() == static_cast<std::size_t>(*count) && is_equal(list);
    }

    /// Whether a list has entries, all of them the same.
    [[nodiscard]] static bool is_equal(const Node& list) {
        return !list.items.empty() && std::all_of(list.items.begin(), list.items.end(), [&](const auto& item) {
            return item->kind == Node::Kind::scalar && item->text == list.items.front()->text;
        });
    }

    void check_accepted(const ConfigKey& key, const Node::Member& member) {
        const Node& node = *member.value;
        const auto accepts = [&](const std::string& text) { return contains(key.accepted, text); };
        const bool is_setting = unknown_ == UnknownKeys::listed && node.kind == Node::Kind::scalar;
        const std::string truth = is_setting ? truth_of(node.text) : "";
        const bool is_accepted =
            node.kind == Node::Kind::scalar && (accepts(node.text) || (!truth.empty() && accepts(truth)));
        if (is_accepted || (key.accepted.empty() && (is_none(node) || truth == "false"))) {
            return;
        }
        const std::string is = node.kind == Node::Kind::scalar ? node.text : "what it holds";
        if (unknown_ == UnknownKeys::listed) {
            const std::string name = member.key.starts_with('$') ? "" : member.key + " ";  // of a command: itself
            read_.not_modelled.push_back(
                fmt::format("{}{}{}", name, is, key.because.empty() ? "" : ": " + key.because));
            return;
        }
        config_.faults.error(
            member.where,
            fmt::format("{}: {} is not modelled{}", member.key, is, key.because.empty() ? "" : ": " + key.because),
            key.accepted.empty() ? "such networks need a model file of their own: docs/files.md"
                                 : "modelled: " + join(key.accepted));
    }

    void read_layers() {
        for (const EachLayer& each : family_.each_layer) {
            for (const std::string& stack : each.of) {
                read_layers_of(stack, each);
            }
        }
    }

    void read_layers_of(const std::string& stack, const EachLayer& each) {
        const AttributeValue* count = read_.parameters.find(stack);
        const auto* layers = count == nullptr ? nullptr : std::get_if<std::int64_t>(&count->value);
        if (unknown_ == UnknownKeys::listed && (layers == nullptr || *layers == 0)) {
            return;  // a launch that does not spell its network out
        }
        if (layers == nullptr || *layers < 1 || *layers > kMaxConfigLayers) {
            if (!read_.layers.contains(stack)) {
                config_.faults.error(body_->where, fmt::format("more than {} layers", kMaxConfigLayers));
                read_.layers[stack] = {};
            }
            return;
        }
        Layers& of_stack = read_.layers[stack];
        of_stack.resize(static_cast<std::size_t>(*layers));
        const std::optional<Node::Member> list = each.keys.empty() ? std::nullopt : find(each.keys);
        const bool is_number = list && list->value->kind == Node::Kind::scalar && is_key(list->key);
        !list || is_none(*list->value) || is_number ? compute(each, of_stack) : take(each, *list, of_stack);
    }

    /// Whether a key may be a list with an entry for each layer.
    [[nodiscard]] bool is_of_layers(const std::string& key) const {
        return any_of(family_.each_layer, [&](const EachLayer& each) { return contains(each.keys, key); });
    }

    [[nodiscard]] bool is_key(const std::string& name) const {
        return any_of(family_.keys, [&](const ConfigKey& key) { return key.names.front() == name; });
    }

    void compute(const EachLayer& each, Layers& layers) {
        if (each.otherwise.empty()) {
            config_.faults.error(body_->where, fmt::format("{}: missing", each.keys.front()),
                                 "it says what each layer is, and nothing else does");
            return;
        }
        Scope scope = read_.parameters;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            scope.set("layer", {static_cast<std::int64_t>(i), each.otherwise.front().is.where});
            for (const auto& [parameter, value] : layers[i]) {
                scope.set(parameter, value);
            }
            if (const auto value = chosen(each.otherwise, scope)) {
                layers[i][each.parameter] = *value;
            }
        }
    }

    void take(const EachLayer& each, const Node::Member& member, Layers& layers) {
        const bool is_word = each.is_among && member.value->kind == Node::Kind::scalar;
        const Node words_as_list = is_word ? split_at_commas(*member.value) : Node{};
        const Value value(is_word ? words_as_list : *member.value, member.key, config_.faults);
        const std::vector<Value> items = value.is_scalar() && !each.is_among ? std::vector<Value>{} : value.list();
        if (each.is_among) {
            const auto meaning = [&](bool is_listed) -> AttributeValue {
                const Written* is = meaning_of(each.values, is_listed ? "true" : "false");
                return is == nullptr ? AttributeValue{is_listed, value.where()} : read_.parameters.value(*is);
            };
            for (auto& layer : layers) {
                layer[each.parameter] = meaning(false);
            }
            for (const Value& item : items) {
                const std::int64_t first = each.first;
                const auto at = static_cast<std::size_t>(item.whole(first, kMaxWhole, first) - first);
                if (at >= layers.size()) {
                    item.error(fmt::format("there is no such layer: they count from {} to {}", first,
                                           static_cast<std::int64_t>(layers.size()) - 1 + first));
                } else {
                    layers[at][each.parameter] = meaning(true);
                }
            }
            return;
        }
        auto entries =
            mapped<std::string>(items, [](const Value& item) { return item.is_scalar() ? item.node().text : ""; });
        if (value.is_scalar()) {  // "M-M*": a letter for each
            for (const char letter : value.node().text) {
                entries.emplace_back(1, letter);
            }
        }
        if (each.repeats ? entries.empty() : entries.size() != layers.size()) {
            value.error(fmt::format("{} entries for {} layers", entries.size(), layers.size()));
            return;
        }
        const std::vector<std::string> words = words_of(each.values);
        const bool are_numbers = words.empty() || words == std::vector<std::string>{kNone};
        std::int64_t turn = 0;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const std::size_t at = i % entries.size();
            const std::string& entry = entries[at];
            const Value& place = items.empty() ? value : items[at];
            const Written* meaning = meaning_of(each.values, entry);
            meaning = meaning == nullptr ? meaning_of(each.values, "other") : meaning;
            if (meaning != nullptr) {
                layers[i][each.parameter] = read_.parameters.value(*meaning);
            } else if (const auto number = number_of(entry); number && are_numbers) {
                layers[i][each.parameter] = {*number, place.where()};
            } else {
                place.error(fmt::format("{} is not modelled{}", entry, did_you_mean(entry, words)),
                            are_numbers ? "modelled: numbers" : "modelled: " + join(words));
                continue;
            }
            AttributeValue& read = layers[i][each.parameter];
            const AttributeValue* turns = read_.parameters.find(each.turns);
            if (turns != nullptr && text_of(read) != "0") {
                read = {1 + turn++ % std::get<std::int64_t>(turns->value), place.where()};
            }
        }
    }

    /// Parts of `mapping`, whose keys begin with `path`, that are neither the language model nor an encoder that is read.
    void leave_out_parts(const Node& mapping, const std::string& path) {
        for (const Node::Member& member : mapping.members) {
            const bool is_part = member.value->kind == Node::Kind::mapping && member.key.ends_with("_config");
            if (is_part && !is_read(path + member.key)) {
                read_.left_out.push_back(path + member.key);
            }
        }
    }

    /// Keys beside a nested mapping are of the other parts, or of all.
    void report_beside() {
        if (body_ == config_.root.get()) {
            return;
        }
        for (const Node::Member& member : config_.root->members) {
            const bool is_asked = std::find(asked_.begin(), asked_.end(), member.key) != asked_.end();
            const bool is_part = member.value->kind == Node::Kind::mapping && member.key.ends_with("_config");
            if (!is_asked && !is_part && !is_read(member.key) && !is_type(member.key)) {
                read_.ignored.push_back(member.key);
            }
        }
    }

    void report_rest() {
        for (const Node::Member& member : body_->members) {
            if (std::find(asked_.begin(), asked_.end(), member.key) != asked_.end() || is_type(member.key)) {
                continue;
            }
            if (std::find(family_.left_out.begin(), family_.left_out.end(), member.key) != family_.left_out.end()) {
                if (!is_none(*member.value) && member.value->text != "0") {
                    read_.left_out.push_back(member.key);
                }
                continue;
            }
            const bool is_ignored = member.key.starts_with("_") || contains(family_.ignored, member.key);
            if (!is_ignored && unknown_ == UnknownKeys::listed) {
                if (!is_none(*member.value)) {  // logs print what is off as well
                    read_.unknown.push_back(member.key);
                }
                continue;
            }
            if (is_ignored || !may_change_shapes(*member.value)) {
                read_.ignored.push_back(member.key);
                continue;
            }
            config_.faults.error(
                member.where,
                fmt::format("{}: unknown key, which may change shapes{}", member.key, did_you_mean(member.key, asked_)),
                fmt::format("models/hf/families/{}.yaml says what the keys of a {} mean; if it changes "
                            "no shape, remove it from the file",
                            family_.name, family_.name));
        }
    }

    /// Whether a key of the whole config, or a path of keys, holds the language model or one of its encoders.
    [[nodiscard]] bool is_read(const std::string& key) const {
        const auto holds = [&](const std::string& path) { return path == key || path.starts_with(key + "."); };
        return holds(family_.nested) || std::any_of(family_.parts.begin(), family_.parts.end(), holds);
    }

    /// Keys of the encoders that no family asks for.
    void report_parts() {
        for (const std::string& path : family_.parts) {
            if (const auto part = member_at(*config_.root, path)) {
                report_part(path, *part);
            }
        }
    }

    void report_part(const std::string& path, const Node::Member& part) {
        for (const Node::Member& member : part.value->members) {
            const std::string key = path + "." + member.key;
            const bool is_known =
                std::any_of(asked_.begin(), asked_.end(),
                            [&](const std::string& name) { return name == key || name.starts_with(key + "."); }) ||
                member.key.starts_with("_") || !may_change_shapes(*member.value) ||
                contains(family_.part_ignored, member.key);
            if (!is_known) {
                config_.faults.error(
                    member.where,
                    fmt::format("{}: unknown key, which may change shapes{}", key, did_you_mean(key, asked_)),
                    "models/hf/families says what the keys of encoders of images mean; if it changes no "
                    "shape, remove it from the file");
            }
        }
    }

    Document& config_;
    const Family& family_;
    UnknownKeys unknown_;
    const Node* body_ = nullptr;
    ReadConfig read_;
    std::vector<std::string> asked_;
};

}  // namespace

bool is_type(const std::string& key) { return key == "model_type" || key == "_class_name"; }

bool is_config(const Document& document) {
    return document.root->kind == Node::Kind::mapping && document.root->member("model") == nullptr &&
           architecture_key(*document.root) != nullptr;
}

namespace {

const std::vector<std::string>& types_of(const Family& family, const std::string& key) {
    return key == "model_type" ? family.model_types : family.class_names;
}

std::vector<std::string> known_types(const std::vector<Family>& families, const std::string& key) {
    std::vector<std::string> known;
    for (const Family& family : families) {
        if (family.refusal.empty()) {
            known.insert(known.end(), types_of(family, key).begin(), types_of(family, key).end());
        }
    }
    std::sort(known.begin(), known.end());
    return known;
}

/// A number or a part more is another network, not a slip of spelling: "gemma4" is no "gemma".
bool may_be_misspelt(const std::string& type, const std::string& known) {
    const auto marks = [](std::string word) {
        std::erase_if(word, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
        return word;
    };
    return marks(type) == marks(known);
}

[[noreturn]] void fail_unknown(const Node::Member& type, const std::string& word, const std::vector<Family>& families) {
    const std::vector<std::string> known = known_types(families, type.key);
    const auto misspelt =
        filtered<std::string>(known, [&](const std::string& spelt) { return may_be_misspelt(word, spelt); });
    const auto of_its_stem = filtered<std::string>(
        known, [&](const std::string& spelt) { return !word.empty() && name_stem(spelt) == name_stem(word); });
    const std::string related =
        of_its_stem.empty()
            ? ""
            : fmt::format("known of {}: {}; ", word.substr(0, name_stem(word).size()), join(of_its_stem));
    fail(type.value->where,
         fmt::format("{}: unknown architecture \"{}\"{}", type.key, word, did_you_mean(word, misspelt)),
         fmt::format("{}models/hf/families has all {} that are known; describe others in a model file: docs/files.md",
                     related, known.size()));
}

/// The family of the `model_type` or `_class_name` of a mapping.
const Family& family_of_mapping(const Node& mapping, const std::vector<Family>& families) {
    const Node::Member* type = architecture_key(mapping);
    if (type == nullptr) {
        fail(mapping.where, "model_type: missing", "it says the family of the network");
    }
    const Node& node = *type->value;
    const std::string word = node.kind == Node::Kind::scalar ? node.text : "";
    const auto family = std::find_if(families.begin(), families.end(), [&](const Family& f) {
        const std::vector<std::string>& types = types_of(f, type->key);
        return std::find(types.begin(), types.end(), word) != types.end();
    });
    if (family == families.end()) {
        fail_unknown(*type, word, families);
    }
    if (!family->refusal.empty()) {
        fail(node.where, fmt::format("{}: {} is not modelled: {}", type->key, word, family->refusal),
             "describe it in a model file of its own: docs/files.md");
    }
    return *family;
}

}  // namespace

namespace {

/// The language model with the encoders of the same config that families read.
Family with_encoders(Family language, const Node& config, const std::vector<Family>& families) {
    const std::string type = text_at(config, "model_type");
    const auto lists = [](const std::vector<std::string>& words, const std::string& word) {
        return std::find(words.begin(), words.end(), word) != words.end();
    };
    for (const Family& encoder : families) {
        const auto part = lists(encoder.encoder_of, type) ? member_at(config, encoder.part) : std::nullopt;
        if (!part || part->value->kind != Node::Kind::mapping || lists(language.parts, encoder.part) ||
            (!encoder.part_types.empty() && !lists(encoder.part_types, text_at(*part->value, "model_type")))) {
            continue;
        }
        language.encoder += (language.encoder.empty() ? "" : ".yaml and ") + encoder.name;
        language.parts.push_back(encoder.part);
        const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
        add(language.part_ignored, encoder.part_ignored);
        add(language.keys, encoder.keys);
        add(language.set, encoder.set);
        add(language.each_layer, encoder.each_layer);
    }
    return language;
}

}  // namespace

Family family_of(const Document& config, const std::vector<Family>& families) {
    const Family& family = family_of_mapping(*config.root, families);
    if (!family.architecture.empty()) {
        return with_encoders(family, *config.root, families);
    }
    const auto part = member_at(*config.root, family.nested);
    if (!part || part->value->kind != Node::Kind::mapping) {
        fail(config.root->where, fmt::format("{}: missing", family.nested),
             fmt::format("a config.json of {} has the keys of its language model there", family.name));
    }
    Family language = family_of_mapping(*part->value, families);
    language.nested = family.nested;
    return with_encoders(std::move(language), *config.root, families);
}

ReadConfig read_config(Document& config, const Family& family, UnknownKeys unknown, Scope known) {
    return ConfigReader(config, family, unknown, std::move(known)).run();
}

}  // namespace dodona::files
