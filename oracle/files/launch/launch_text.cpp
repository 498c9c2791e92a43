#include "files/launch/launch_text.hpp"

#include <string_view>
#include <utility>

#include "files/logs/log_lines.hpp"

namespace dodona::files {

namespace {

void flatten(const Node& node, const std::string& path, Node& flat) {
    for (const Node::Member& member : node.members) {
        const std::string key = path.empty() ? member.key : path + "." + member.key;
        if (member.value->kind == Node::Kind::mapping && !member.value->members.empty()) {
            flatten(*member.value, key, flat);
        } else {
            flat.members.push_back({key, member.where, member.value});
        }
    }
}

/// Whether a text is JSON, under any file name: settings of DeepSpeed may be a file NAME.conf.
bool is_json(const std::string& text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t brace = text.find_first_not_of(kBlank);
    const std::size_t next = brace == std::string::npos ? brace : text.find_first_not_of(kBlank, brace + 1);
    return next != std::string::npos && text[brace] == '{' && text[next] == '"';
}

}  // namespace

Document flattened(Document document) {
    auto flat = std::make_shared<Node>();
    flat->kind = Node::Kind::mapping;
    flat->where = document.root->where;
    flatten(*document.root, "", *flat);
    document.root = std::move(flat);
    return document;
}

Document read_launch_text(std::string text, const std::string& name) {
    if (name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json") || is_json(text)) {
        return flattened(parse_document(std::move(text), name));
    }
    if (is_log_name(name)) {
        Document printed = read_printed(text, name);
        if (!name.ends_with(".txt") || !printed.root->members.empty()) {
            return printed;
        }
    }
    return name.ends_with(".toml") ? read_toml(std::move(text), name) : read_shell(std::move(text), name);
}

}  // namespace dodona::files
