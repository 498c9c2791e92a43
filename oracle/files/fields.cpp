#include "files/fields.hpp"

#include <algorithm>

#include "base/ranges.hpp"
#include "files/number.hpp"

namespace dodona::files {

namespace {

std::string_view kind_of(const Node& node) {
    switch (node.kind) {
        case Node::Kind::null: return "nothing";
        case Node::Kind::scalar: return "a single value";
        case Node::Kind::list: return "a list";
        case Node::Kind::mapping: return "a mapping";
    }
    return "";
}

std::string in_words(const Range& range) {
    std::string text;
    if (range.least > -std::numeric_limits<double>::infinity()) {
        text = fmt::format("{} {}", range.without_least ? "more than" : "at least", range.least);
    }
    if (range.most < std::numeric_limits<double>::infinity()) {
        text += fmt::format("{}{} {}", text.empty() ? "" : " and ", range.without_most ? "less than" : "at most",
                            range.most);
    }
    return text;
}

bool holds(const Range& range, double value) {
    return (range.without_least ? value > range.least : value >= range.least) &&
           (range.without_most ? value < range.most : value <= range.most);
}

bool is_annotation(const std::string& key) { return key == "source" || key == "note"; }

}  // namespace

void Value::error(std::string_view message, std::string help) const {
    faults_->error(where(), path_.empty() ? std::string(message) : fmt::format("{}: {}", path_, message),
                   std::move(help));
}

bool Value::require_scalar(std::string_view due) const {
    if (node_ == nullptr) {
        return false;
    }
    if (node_->kind == Node::Kind::null) {
        error(fmt::format("no value; expected {}", due));
        return false;
    }
    if (node_->kind != Node::Kind::scalar) {
        error(fmt::format("expected {}, not {}", due, kind_of(*node_)));
        return false;
    }
    return true;
}

std::string Value::text() const {
    if (!require_scalar("text")) {
        return {};
    }
    if (node_->text.find_first_not_of(" \t\n") == std::string::npos) {
        error("empty text");
    }
    return node_->text;
}

bool Value::flag(bool fallback) const {
    if (!require_scalar("true or false")) {
        return fallback;
    }
    if (node_->text != "true" && node_->text != "false") {
        error(fmt::format("\"{}\" is neither true nor false", node_->text));
        return fallback;
    }
    return node_->text == "true";
}

Value Value::bare() const {
    if (!is_mapping()) {
        return *this;
    }
    Fields fields(*this);
    const Value value = fields.require("value", "{value: …, source: …}");
    fields.finish();
    return value;
}

std::int64_t Value::whole(std::int64_t least, std::int64_t most, std::int64_t fallback) const {
    const Value value = bare();
    if (!value.require_scalar("a whole number")) {
        return fallback;
    }
    const auto read = whole_from(value.node().text);
    if (const auto* fault = std::get_if<NotANumber>(&read)) {
        const bool is_variable = value.node().text.find('$') != std::string::npos;
        value.error(fmt::format("\"{}\" {}", value.node().text, fault->why),
                    is_variable ? "what runs gives it a value: write one there" : "counts are plain digits: 64");
        return fallback;
    }
    const auto number = std::get<std::int64_t>(read);
    if (number < least || number > most) {
        value.error(fmt::format("{} must be {} {}", number, number < least ? "at least" : "at most",
                                number < least ? least : most));
        return fallback;
    }
    return number;
}

double Value::number(const Range& range, double fallback) const {
    const Value value = bare();
    if (!value.require_scalar("a number")) {
        return fallback;
    }
    const auto read = decimal_from(value.node().text);
    if (const auto* fault = std::get_if<NotANumber>(&read)) {
        value.error(fmt::format("\"{}\" {}", value.node().text, fault->why), "write a plain number: 0.04");
        return fallback;
    }
    const double number = std::get<double>(read);
    if (!holds(range, number)) {
        value.error(fmt::format("{} must be {}", value.node().text, in_words(range)));
        return fallback;
    }
    return number;
}

double Value::base_units(Dimensions due, Sign sign, double fallback) const {
    const Value value = bare();
    if (!value.require_scalar("a number and a unit")) {
        return fallback;
    }
    const auto read = base_units_from(value.node().text, due);
    if (const auto* fault = std::get_if<NotAQuantity>(&read)) {
        value.error(fault->message, fault->help);
        return fallback;
    }
    const double number = std::get<double>(read);
    if (number < 0 || (number == 0 && sign == Sign::positive)) {
        value.error(fmt::format("\"{}\" must be {}", value.node().text,
                                sign == Sign::positive ? "more than zero" : "zero or more"));
        return fallback;
    }
    return number;
}

std::size_t Value::choice(const std::vector<std::string>& choices, std::size_t fallback) const {
    if (!require_scalar("a word")) {
        return fallback;
    }
    const auto found = std::find(choices.begin(), choices.end(), node_->text);
    if (found == choices.end()) {
        error(fmt::format("unknown word \"{}\"{}", node_->text, did_you_mean(node_->text, choices)),
              fmt::format("accepted here: {}", join(choices)));
        return fallback;
    }
    return static_cast<std::size_t>(found - choices.begin());
}

std::vector<Value> Value::list() const {
    std::vector<Value> values;
    if (node_ == nullptr) {
        return values;
    }
    if (node_->kind != Node::Kind::list) {
        error(fmt::format("expected a list, not {}", kind_of(*node_)), "write [a, b], or one `- ` a line");
        return values;
    }
    for (std::size_t i = 0; i < node_->items.size(); ++i) {
        values.emplace_back(*node_->items[i], fmt::format("{}[{}]", path_, i), *faults_);
    }
    return values;
}

std::vector<std::string> Value::texts() const {
    std::vector<std::string> texts;
    if (is_list()) {
        append(texts, list(), [](const Value& value) { return value.text(); });
    } else if (node_ != nullptr) {
        texts.push_back(text());
    }
    return texts;
}

Fields::Fields(const Value& mapping, std::string help) : mapping_(mapping) {
    if (mapping_ && !mapping_.is_mapping()) {
        mapping_.error(fmt::format("expected a mapping, not {}", kind_of(mapping_.node())),
                       help.empty() ? "write `key: value`" : std::move(help));
        mapping_ = Value();
    }
}

std::string Fields::path_of(const std::string& key) const {
    return mapping_.path().empty() ? key : fmt::format("{}.{}", mapping_.path(), key);
}

Value Fields::find(const std::string& key) {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) {
        asked_.push_back(key);
    }
    return at(key);
}

Value Fields::find_unlisted(const std::string& key) {
    unlisted_.push_back(key);
    return at(key);
}

Value Fields::at(const std::string& key) const {
    if (!mapping_) {
        return {};
    }
    for (const Node::Member& member : mapping_.node().members) {
        if (member.key == key) {
            return {*member.value, path_of(key), mapping_.faults()};
        }
    }
    return {};
}

Value Fields::require(const std::string& key, const std::string& help) {
    Value value = find(key);
    if (mapping_ && !value) {
        missing_.push_back({key, help});
    }
    return value;
}

std::vector<Fields::Member> Fields::rest() {
    std::vector<Member> members;
    if (!mapping_) {
        return members;
    }
    for (const Node::Member& member : mapping_.node().members) {
        const auto is_key = [&](const std::string& key) { return key == member.key; };
        if (none_of(asked_, is_key) && std::none_of(unlisted_.begin(), unlisted_.end(), is_key)) {
            members.push_back({member.key, member.where, {*member.value, path_of(member.key), mapping_.faults()}});
        }
    }
    append(asked_, members, &Member::key);
    return members;
}

void Fields::finish() {
    const std::vector<std::string> accepted = asked_;
    const std::vector<Member> unknown = rest();
    for (const Missing& missing : missing_) {
        const bool is_misspelt = std::any_of(unknown.begin(), unknown.end(), [&](const Member& member) {
            return nearest(member.key, std::span(&missing.key, 1)) == missing.key;
        });
        if (!is_misspelt) {
            mapping_.faults().error(mapping_.where(), fmt::format("{}: missing", path_of(missing.key)), missing.help);
        }
    }
    missing_.clear();
    for (const Member& member : unknown) {
        if (is_annotation(member.key)) {
            static_cast<void>(member.value.text());
            continue;
        }
        mapping_.faults().error(
            member.where, fmt::format("{}: unknown key{}", path_of(member.key), did_you_mean(member.key, accepted)),
            accepted.empty() ? "no keys are accepted here" : fmt::format("accepted here: {}", join(accepted)));
    }
}

}  // namespace dodona::files
