// The part of TOML that launchers write: sections, and keys with texts, numbers, flags and lists of them.
#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "files/launch/launch_text.hpp"

namespace dodona::files {

namespace {

class TomlReader {
public:
    TomlReader(std::shared_ptr<const Source> source, Node& root) : source_(std::move(source)), root_(root) {}

    void run() {
        for (line_ = 0; line_ < source_->lines.size(); ++line_) {
            at_ = 0;
            skip_blanks();
            if (is_end()) {
                continue;
            }
            peek() == '[' ? section() : pair();
            skip_blanks();
            if (!is_end()) {
                error("something more after the value", "one `key = value` a line");
            }
        }
    }

private:
    [[nodiscard]] const std::string& line() const { return source_->lines[line_]; }
    [[nodiscard]] char peek() const { return at_ < line().size() ? line()[at_] : '\0'; }
    [[nodiscard]] bool is_end() const { return at_ >= line().size() || line()[at_] == '#'; }
    [[nodiscard]] Location here(std::size_t length = 1) const {
        return {source_, static_cast<int>(line_) + 1, static_cast<int>(at_) + 1, static_cast<int>(length)};
    }
    [[noreturn]] void error(const std::string& message, const std::string& help = {}) const {
        fail(here(), message, help);
    }
    void skip_blanks() {
        while (at_ < line().size() && std::isspace(static_cast<unsigned char>(line()[at_])) != 0) {
            ++at_;
        }
    }
    /// In a list, values may stand on lines of their own.
    void skip_lines() {
        for (skip_blanks(); is_end(); skip_blanks()) {
            if (line_ + 1 >= source_->lines.size()) {
                error("a list that never ends", "close it with `]`");
            }
            ++line_;
            at_ = 0;
        }
    }

    void section() {
        const std::size_t end = line().find(']', at_);
        const std::size_t begin = line().find_first_not_of('[', at_);
        if (end == std::string::npos || begin >= end) {
            error("a section without an end", "write [section]");
        }
        section_ = std::string(trimmed(line().substr(begin, end - begin)));
        at_ = line().find_first_not_of(']', end);
        at_ = at_ == std::string::npos ? line().size() : at_;
    }

    void pair() {
        const std::size_t equals = line().find('=', at_);
        if (equals == std::string::npos) {
            error("neither a section nor `key = value`");
        }
        const Location where = here(equals - at_);
        std::string key(trimmed(line().substr(at_, equals - at_)));
        at_ = equals + 1;
        skip_blanks();
        auto read = std::make_shared<Node>(value(0));
        key = section_.empty() ? key : section_ + "." + key;
        if (!known_.insert(key).second) {
            fail(where, fmt::format("{} is said twice", key), "leave one of them");
        }
        root_.members.push_back({key, where, std::move(read)});
    }

    Node value(std::size_t depth) {
        Node node;
        node.kind = Node::Kind::scalar;
        node.where = here();
        const char first = peek();
        if (first == '[') {
            return list(depth);
        }
        if (first == '"' || first == '\'') {
            const std::size_t end = line().find(first, at_ + 1);
            if (end == std::string::npos) {
                error("a quoted text that never ends", "close the quote");
            }
            node.text = line().substr(at_ + 1, end - at_ - 1);
            node.quoted = true;
            node.where.length = static_cast<int>(end - at_) + 1;
            at_ = end + 1;
            return node;
        }
        const std::size_t end = std::min(line().find_first_of(",]# \t", at_), line().size());
        node.text = line().substr(at_, end - at_);
        if (node.text.empty()) {
            error("a key without a value");
        }
        node.where.length = static_cast<int>(node.text.size());
        at_ = end;
        return node;
    }

    Node list(std::size_t depth) {
        if (depth >= kDeepest) {
            error(fmt::format("lists nested more than {} deep", kDeepest));
        }
        Node node;
        node.kind = Node::Kind::list;
        node.where = here();
        ++at_;
        for (skip_lines(); peek() != ']'; skip_lines()) {
            node.items.push_back(std::make_shared<Node>(value(depth + 1)));
            skip_lines();
            if (peek() == ',') {
                ++at_;
            } else if (peek() != ']') {
                error("expected `,` or `]`");
            }
        }
        ++at_;
        return node;
    }

    std::shared_ptr<const Source> source_;
    Node& root_;
    std::size_t line_ = 0;
    std::size_t at_ = 0;
    std::string section_;
    std::set<std::string> known_;
};

}  // namespace

Document read_toml(std::string text, const std::string& name) {
    Text read = read_text(std::move(text), name, {.is = "TOML text", .too_large = "leave out what is no setting"});
    auto root = std::make_shared<Node>();
    root->kind = Node::Kind::mapping;
    root->where = {read.source, 0, 0, 1};
    TomlReader(read.source, *root).run();
    Document document;
    document.source = read.source;
    document.root = std::move(root);
    return document;
}

}  // namespace dodona::files
