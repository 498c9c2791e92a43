#include "files/launch/target.hpp"

#include <algorithm>

#include "files/heading.hpp"
#include "files/hf/condition.hpp"

namespace dodona::files {

namespace {

std::shared_ptr<const Node> shared_child(const Node& mapping, const std::string& key) {
    const auto found = std::find_if(mapping.members.begin(), mapping.members.end(),
                                    [&](const Node::Member& member) { return member.key == key; });
    return found == mapping.members.end() ? nullptr : found->value;
}

/// A text, {text, when}, or a list of them.
std::vector<ConditionalText> read_texts(const Value& value) {
    std::vector<ConditionalText> texts;
    if (!value) {
        return texts;
    }
    for (const Value& item : value.is_list() ? value.list() : std::vector<Value>{value}) {
        if (item.is_scalar()) {
            texts.push_back({item.node().text});
        } else {
            texts.push_back(
                {text_at(item.node(), "is"), shared_child(item.node(), "when"), text_at(item.node(), "times")});
        }
    }
    return texts;
}

TargetOption read_option(const Fields::Member& member) {
    TargetOption option{.option = member.key, .values = {}};
    if (member.value.is_mapping()) {
        option.is_list = true;
        option.values = read_texts(Fields(member.value).find("words"));
        return option;
    }
    option.values = read_texts(member.value);
    return option;
}

}  // namespace

Target read_target(Document document) {
    const Value root(*document.root, "", document.faults);
    Fields fields(root);
    Target target;
    const Heading heading = read_heading(fields, "target");
    target.keys.name = heading.name;
    target.keys.source = heading.source;
    target.version = fields.require("version").text();
    target.summary = fields.require("summary").text();
    if (const Value comment = fields.find("comment")) {
        target.comment = comment.text();
    }
    target.framework = fields.find("framework").text();
    target.instead = fields.find("instead").text();
    target.files = fields.find("files").texts();
    target.layouts = fields.find("layouts").texts();
    target.recognised_by = fields.find("recognised_by").texts();
    target.keys.architecture = fields.find("architecture").text();
    read_meanings_of_keys(fields, target.keys);
    if (const Value options = fields.find("options")) {
        for (const Fields::Member& member : Fields(options).rest()) {
            target.options.push_back(read_option(member));
        }
    }
    if (const Value searched = fields.find("searched")) {
        for (const Fields::Member& member : Fields(searched).rest()) {
            target.searched.emplace_back(member.key, member.value.text());
        }
    }
    target.lines = read_texts(fields.find("lines"));
    if (const Value refused = fields.find("refused")) {
        for (const Value& item : refused.list()) {
            target.refusals.push_back(
                {shared_child(item.node(), "when"), text_at(item.node(), "lost"), text_at(item.node(), "nearest")});
        }
    }
    fields.finish();
    throw_faults(document);
    return target;
}

std::string filled(const std::string& text, const Scope& scope) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text[at] == '{' ? text.find('}', at) : std::string::npos;
        const std::string name = end == std::string::npos ? "" : text.substr(at + 1, end - at - 1);
        if (const graph::AttributeValue* value = name.empty() ? nullptr : scope.find(name)) {
            result += text_of(*value);
            at = end + 1;
        } else {
            result += text[at++];
        }
    }
    return result;
}

}  // namespace dodona::files
