// The settings that training software prints into its log before the first step.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "files/launch/launch_text.hpp"
#include "files/logs/log_lines.hpp"

namespace dodona::files {

namespace {

constexpr std::size_t kMaxPrinted = 5'000;  ///< settings of a log
constexpr int kMaxBlocks = 16;              ///< that may be cut off before one is whole

/// A block of JSON or YAML behind a marker. torchtitan: "Running with configs: {", before v0.1 "Running with args: {";
/// DeepSpeed: "json = {"; NeMo 1: "** Experiment configuration **", and YAML from the next line on.
struct BlockForm {
    std::string_view marker;
    bool is_json;
};
constexpr std::array kBlockForms{
    BlockForm{"Running with configs: {", true},
    BlockForm{"Running with args: {", true},
    BlockForm{"json = {", true},
    BlockForm{"** Experiment configuration **", false},
};

/// Counts braces outside strings; true once all are closed.
class Braces {
public:
    bool closed_by(std::string_view line) {
        for (const char c : line) {
            if (in_string_) {
                in_string_ = is_escaped_ || c != '"';
                is_escaped_ = !is_escaped_ && c == '\\';
            } else if (c == '"') {
                in_string_ = true;
            } else if (c == '{') {
                ++open_;
            } else if (c == '}' && --open_ == 0) {
                return true;
            }
        }
        return false;
    }

private:
    int open_ = 0;
    bool in_string_ = false;
    bool is_escaped_ = false;
};

/// Blank lines before the block keep its lines where they are in the log; lines of other processes are left out.
std::string json_block(const std::vector<std::string>& lines, std::size_t at, std::size_t column) {
    const std::string_view label = label_of(lines[at]);
    std::string block(at, '\n');
    Braces braces;
    for (std::size_t i = at; i < lines.size(); ++i) {
        std::string_view line = lines[i];
        if (label_of(line) == label) {
            line.remove_prefix(i == at ? column : label.size());
            block += line;
            if (braces.closed_by(line)) {
                return block;
            }
        }
        block += '\n';
    }
    return {};  // cut off
}

/// To the next line that is a message of the log: "[NeMo I 2026-01-01 ...".
std::string yaml_block(const std::vector<std::string>& lines, std::size_t at) {
    const std::string_view label = label_of(lines[at]);
    std::string block(at + 1, '\n');
    for (std::size_t i = at + 1; i < lines.size(); ++i) {
        std::string_view line = lines[i];
        if (label_of(line) == label) {
            line.remove_prefix(label.size());
            const bool is_message = line.starts_with('[');
            if (is_message && block.find_first_not_of(" \n") != std::string::npos) {
                return block;
            }
            block += is_message ? std::string_view() : line;
        }
        block += '\n';
    }
    return block;
}

/// The first block of settings, as mapping of keys with dots; nothing where there is none.
std::optional<Document> printed_block(const Text& log, const std::string& name) {
    const std::vector<std::string>& lines = log.source->lines;
    int blocks = 0;
    for (std::size_t i = 0; i < lines.size() && blocks < kMaxBlocks; ++i) {
        for (const BlockForm& form : kBlockForms) {
            const std::size_t found = lines[i].find(form.marker);
            if (found == std::string::npos) {
                continue;
            }
            ++blocks;
            std::string block =
                form.is_json ? json_block(lines, i, found + form.marker.size() - 1) : yaml_block(lines, i);
            if (block.find_first_not_of('\n') != std::string::npos) {
                return flattened(parse_document(std::move(block), name));
            }
        }
    }
    return std::nullopt;
}

std::string value_text(std::string_view typed) {
    std::string value(trimmed(typed));
    std::erase_if(value, [](char c) { return std::string_view("[]'\"").find(c) != std::string_view::npos; });
    return value == "True" ? "true" : value == "False" ? "false" : value;
}

/// `  name .......... value`, as Megatron-LM and DeepSpeed print; keys as they are printed.
std::vector<Node::Member> dotted_settings(const Text& log) {
    std::vector<Node::Member> settings;
    std::set<std::string> known;
    for (std::size_t i = 0; i < log.source->lines.size() && settings.size() < kMaxPrinted; ++i) {
        const std::string& line = log.source->lines[i];
        const std::size_t dots = line.find(" ..");
        const std::size_t end = dots == std::string::npos ? dots : line.find_first_not_of('.', dots + 1);
        if (end == std::string::npos || line[end] != ' ') {
            continue;
        }
        std::string key(trimmed(std::string_view(line).substr(0, dots)));
        key = key.substr(key.find_last_of(" :]") + 1);  // what a launcher puts before the line
        auto node = std::make_shared<Node>();
        node->text = value_text(std::string_view(line).substr(end));
        node->kind = node->text.empty() || node->text == "None" ? Node::Kind::null : Node::Kind::scalar;
        const int width = static_cast<int>(node->text.size());
        node->where = {log.source, static_cast<int>(i) + 1, static_cast<int>(end) + 2, width};
        if (known.insert(key).second) {
            settings.push_back({std::move(key), node->where, std::move(node)});
        }
    }
    return settings;
}

}  // namespace

Document read_printed(const std::string& text, const std::string& name) {
    // Settings are at the start of a log, however long it has become.
    const std::string_view first = std::string_view(text).substr(0, kMaxBytes);
    const std::size_t end = first.size() < text.size() ? first.rfind('\n') : first.size();
    const Text log = read_log_text(std::string(first.substr(0, end)), name, "");
    std::vector<Node::Member> dotted = dotted_settings(log);
    std::optional<Document> block = printed_block(log, name);
    auto root = std::make_shared<Node>();
    root->kind = Node::Kind::mapping;
    root->where = {log.source, 0, 0, 1};
    if (block) {
        root->members = block->root->members;
        // DeepSpeed's JSON does not say how many GPUs there are; the lines before it do.
        const auto world = std::find_if(dotted.begin(), dotted.end(),
                                        [](const Node::Member& member) { return member.key == "world_size"; });
        if (world != dotted.end()) {
            root->members.push_back(std::move(*world));
        }
    } else {
        for (Node::Member& member : dotted) {
            std::replace(member.key.begin(), member.key.end(), '_', '-');
        }
        root->members = std::move(dotted);
    }
    Document document;
    document.source = log.source;
    document.root = std::move(root);
    return document;
}

}  // namespace dodona::files
