#include "files/launch/target.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/ranges.hpp"
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

bool shares_a_name(const ConfigKey& a, const ConfigKey& b) {
    return std::any_of(a.names.begin(), a.names.end(),
                       [&](const std::string& name) { return contains(b.names, name); });
}

bool is_same(const ConfigKey& a, const ConfigKey& b) {
    return (!a.parameter.empty() && a.parameter == b.parameter) || shares_a_name(a, b);
}
bool is_same(const SetParameter& a, const SetParameter& b) { return a.parameter == b.parameter; }
bool is_same(const TargetOption& a, const TargetOption& b) { return a.option == b.option; }

/// Entries of `others`, in their order and replaced by what `own` says of the same. The rest of `own` stands first, or
/// behind what it stands behind there.
template <class T>
std::vector<T> merged(const std::vector<T>& own, const std::vector<T>& others) {
    std::vector<T> all;
    std::vector<bool> taken(own.size());
    const auto replaces = [&](const T& one) {
        return std::any_of(others.begin(), others.end(), [&](const T& other) { return is_same(one, other); });
    };
    const auto add_more = [&](std::size_t from) {
        for (std::size_t i = from; i < own.size() && !replaces(own[i]); ++i) {
            all.push_back(own[i]);
        }
    };
    add_more(0);
    for (const T& other : others) {
        const auto mine = std::find_if(own.begin(), own.end(), [&](const T& one) { return is_same(one, other); });
        if (mine == own.end()) {
            all.push_back(other);
        } else if (const auto at = static_cast<std::size_t>(mine - own.begin()); !taken[at]) {
            taken[at] = true;
            all.push_back(*mine);
            add_more(at + 1);
        }
    }
    return all;
}

void complete(Target& target, const Target& base) {
    std::vector<ConfigKey> keys = base.keys.keys;
    if (!target.commands.empty()) {  // its own words start it
        std::erase_if(keys, [](const ConfigKey& key) { return key.names.front() == kCommand; });
    }
    target.keys.keys = merged(target.keys.keys, keys);
    target.keys.set = merged(target.keys.set, base.keys.set);
    target.options = merged(target.options, base.options);
    const auto add = [](std::vector<std::string>& own, const std::vector<std::string>& others) {
        own.insert(own.end(), others.begin(), others.end());
    };
    add(target.keys.ignored, base.keys.ignored);
    target.not_modelled.insert(target.not_modelled.end(), base.not_modelled.begin(), base.not_modelled.end());
    add(target.files, base.files);
    add(target.configurations, base.configurations);
    add(target.layouts, base.layouts);
    add(target.degrees, base.degrees);
    target.base_recognised_by = base.recognised_by;
    target.keys.each_layer = target.keys.each_layer.empty() ? base.keys.each_layer : target.keys.each_layer;
    target.keys.architecture = target.keys.architecture.empty() ? base.keys.architecture : target.keys.architecture;
}

TargetOption read_option(const Fields::Member& member) {
    TargetOption option{.option = member.key, .values = {}};
    if (member.value.is_mapping()) {
        Fields fields(member.value);
        const Value words = fields.find("words");
        option.is_list = true;
        option.may_be_absent = !words;
        option.values = read_texts(words ? words : fields.find("parts"));
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
    target.tasks = fields.find("tasks").texts();
    target.like = fields.find("like").text();
    target.files = fields.find("files").texts();
    target.configurations = fields.find("configurations").texts();
    target.layouts = fields.find("layouts").texts();
    target.degrees = fields.find("degrees").texts();
    target.commands = fields.find("commands").texts();
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
    target.not_modelled = read_texts(fields.find("not_modelled"));
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

std::vector<Target> completed(std::vector<Target> targets) {
    const std::vector<Target> written = targets;
    for (Target& target : targets) {
        if (target.like.empty()) {
            continue;
        }
        const auto base = std::find_if(written.begin(), written.end(),
                                       [&](const Target& other) { return other.keys.name == target.like; });
        if (base == written.end() || !base->like.empty()) {
            fail({}, fmt::format("software: {} is like {}, which is no launcher of its own", target.keys.name,
                                 target.like));
        }
        complete(target, *base);
    }
    return targets;
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
