#include "files/hf/condition.hpp"

#include <string_view>

#include <fmt/format.h>

#include "base/ranges.hpp"

namespace dodona::files {

using graph::AttributeValue;

namespace {

constexpr std::string_view kHas = " has ";

}  // namespace

std::string text_of(const AttributeValue& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value.value)) {
        return std::to_string(*whole);
    }
    if (const auto* decimal = std::get_if<double>(&value.value)) {
        return fmt::format("{}", *decimal);
    }
    if (const auto* flag = std::get_if<bool>(&value.value)) {
        return *flag ? "true" : "false";
    }
    const auto* word = std::get_if<std::string>(&value.value);
    return word == nullptr ? "" : *word;
}

const Node* child(const Node& mapping, const std::string& key) {
    for (const Node::Member& member : mapping.members) {
        if (member.key == key) {
            return member.value.get();
        }
    }
    return nullptr;
}

std::string text_at(const Node& mapping, const std::string& key) {
    const Node* node = child(mapping, key);
    return node == nullptr ? "" : node->text;
}

bool holds(const Node& condition, const Scope& scope) {
    if (condition.kind == Node::Kind::list) {
        return all_of(condition.items, [&](const auto& item) { return holds(*item, scope); });
    }
    std::string text = condition.text;
    const bool is_negated = text.starts_with("not ");
    text = is_negated ? text.substr(4) : text;
    for (const char* comparison : {" == ", " != "}) {
        const std::size_t at = text.find(comparison);
        const AttributeValue* left = at == std::string::npos ? nullptr : scope.find(text.substr(0, at));
        if (left != nullptr && std::holds_alternative<std::string>(left->value)) {
            return ((text_of(*left) == text.substr(at + 4)) == (comparison[1] == '=')) != is_negated;
        }
    }
    if (const std::size_t at = text.find(kHas); at != std::string::npos) {
        const AttributeValue* words = scope.find(text.substr(0, at));
        std::string all = words == nullptr ? "" : text_of(*words);
        std::replace_if(
            all.begin(), all.end(), [](char c) { return c == '.' || c == ' '; }, '_');
        const bool has = ('_' + all + '_').find('_' + text.substr(at + kHas.size()) + '_') != std::string::npos;
        return has != is_negated;
    }
    const AttributeValue value = scope.value({.text = text, .quoted = false, .where = condition.where});
    const std::string is = text_of(value);
    return (is == "true" || is == "1") != is_negated;
}

}  // namespace dodona::files
