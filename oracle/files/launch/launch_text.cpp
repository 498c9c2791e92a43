#include "files/launch/launch_text.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace dodona::files {

namespace {

constexpr std::size_t kMostPrinted = 5'000;  ///< settings of a log

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

}  // namespace

Document flattened(Document document) {
    auto flat = std::make_shared<Node>();
    flat->kind = Node::Kind::mapping;
    flat->where = document.root->where;
    flatten(*document.root, "", *flat);
    document.root = std::move(flat);
    return document;
}

Document read_printed(std::string text, const std::string& name) {
    const Text read =
        read_text(std::move(text), name, {.is = "the text of a log", .too_large = "keep its first lines"});
    auto root = std::make_shared<Node>();
    root->kind = Node::Kind::mapping;
    root->where = {read.source, 0, 0, 1};
    std::set<std::string> known;
    for (std::size_t i = 0; i < read.source->lines.size() && root->members.size() < kMostPrinted; ++i) {
        const std::string& line = read.source->lines[i];
        const std::size_t dots = line.find(" ...");
        const std::size_t end = dots == std::string::npos ? dots : line.find_first_not_of('.', dots + 1);
        if (end == std::string::npos || line[end] != ' ') {
            continue;
        }
        std::string key(trimmed(std::string_view(line).substr(0, dots)));
        key = key.substr(key.find_last_of(" :]") + 1);  // what a launcher puts before the line
        std::replace(key.begin(), key.end(), '_', '-');
        std::string value(trimmed(std::string_view(line).substr(end)));
        std::erase_if(value, [](char c) { return std::string_view("[]'\"").find(c) != std::string_view::npos; });
        auto node = std::make_shared<Node>();
        node->kind = value.empty() || value == "None" ? Node::Kind::null : Node::Kind::scalar;
        node->text = value == "True" ? "true" : value == "False" ? "false" : value;
        node->where = {read.source, static_cast<int>(i) + 1, static_cast<int>(end) + 2, static_cast<int>(value.size())};
        if (known.insert(key).second) {
            root->members.push_back({key, node->where, std::move(node)});
        }
    }
    Document document;
    document.source = read.source;
    document.root = std::move(root);
    return document;
}

Document read_launch_text(std::string text, const std::string& name) {
    if (name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json")) {
        return flattened(parse_document(std::move(text), name));
    }
    if (name.ends_with(".log") || name.ends_with(".out")) {
        return read_printed(std::move(text), name);
    }
    return name.ends_with(".toml") ? read_toml(std::move(text), name) : read_shell(std::move(text), name);
}

}  // namespace dodona::files
