// JSON -> Node, in the place of yaml-cpp (files/yaml_tree.cpp), which the module is built without: `dodona explorer` writes the
// files of models and machines as JSON. A text in quotes is one; {"=": text} is a scalar that stands without quotes in YAML,
// which a reader may take for a name or an expression.
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "files/yaml_tree.hpp"

namespace dodona::files {

namespace {

constexpr std::string_view kUnquoted = "=";

/// A code point as UTF-8.
std::string utf8(std::uint32_t code) {
    const auto byte = [](std::uint32_t bits) { return static_cast<char>(static_cast<unsigned char>(bits)); };
    if (code < 0x80) {
        return {byte(code)};
    }
    const std::string last{byte(0x80U | (code & 0x3FU))};
    if (code < 0x800) {
        return byte(0xC0U | code >> 6U) + last;
    }
    const std::string middle{byte(0x80U | (code >> 6U & 0x3FU))};
    if (code < 0x10000) {
        return byte(0xE0U | code >> 12U) + middle + last;
    }
    return std::string{byte(0xF0U | code >> 18U), byte(0x80U | (code >> 12U & 0x3FU))} + middle + last;
}

class JsonTree {
public:
    JsonTree(const std::string& text, std::shared_ptr<const Source> source, Diagnostics& faults)
        : text_(text), source_(std::move(source)), faults_(&faults) {}

    std::shared_ptr<const Node> root() {
        auto node = value(1);
        skip_blanks();
        if (at_ < text_.size()) {
            error("something behind the end");
        }
        return node;
    }

private:
    Location here() {
        for (; seen_ < at_; ++seen_) {
            if (text_[seen_] == '\n') {
                ++line_;
                line_begin_ = seen_ + 1;
            }
        }
        return {source_, line_, static_cast<int>(at_ - line_begin_) + 1, 1};
    }

    [[noreturn]] void error(const std::string& what) {
        fail(here(), what, "this is JSON: texts and keys in double quotes, commas between values");
    }

    void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

    bool accept(char c) {
        skip_blanks();
        const bool is_there = at_ < text_.size() && text_[at_] == c;
        at_ += is_there ? 1 : 0;
        return is_there;
    }

    void require(char c) {
        if (!accept(c)) {
            error(fmt::format("expected `{}` here", c));
        }
    }

    std::uint32_t hexadecimal() {
        std::uint32_t code = 0;
        for (int digit = 0; digit < 4; ++digit, ++at_) {
            const std::size_t value =
                at_ < text_.size() ? std::string_view("0123456789abcdefABCDEF").find(text_[at_]) : std::string::npos;
            if (value == std::string::npos) {
                error("expected four hexadecimal digits here");
            }
            code = code * 16 + static_cast<std::uint32_t>(value < 16 ? value : value - 6);
        }
        return code;
    }

    std::string escaped() {
        const char c = at_ < text_.size() ? text_[at_++] : ' ';
        if (c != 'u') {
            constexpr std::string_view kWritten = "\"\\/bfnrt";
            constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
            const std::size_t which = kWritten.find(c);
            if (which == std::string_view::npos) {
                error("an unknown escape");
            }
            return {kMeant[which]};
        }
        std::uint32_t code = hexadecimal();
        if (code >= 0xD800 && code < 0xDC00 && text_.compare(at_, 2, "\\u") == 0) {
            at_ += 2;
            code = 0x10000 + ((code - 0xD800) << 10U) + (hexadecimal() - 0xDC00);
        }
        return utf8(code);
    }

    std::string quoted() {
        require('"');
        std::string all;
        while (at_ < text_.size() && text_[at_] != '"') {
            const char c = text_[at_++];
            all += c == '\\' ? escaped() : std::string(1, c);
        }
        require('"');
        return all;
    }

    std::shared_ptr<Node> node(Node::Kind kind) {
        skip_blanks();
        auto made = std::make_shared<Node>();
        made->kind = kind;
        made->where = here();
        if (++nodes_ > kMaxNodes) {
            fail(made->where, fmt::format("more than {} values in one file", kMaxNodes));
        }
        return made;
    }

    std::shared_ptr<const Node> value(std::size_t depth) {
        skip_blanks();
        if (depth > kDeepest) {
            fail(here(), fmt::format("nested more than {} deep", kDeepest));
        }
        const char c = at_ < text_.size() ? text_[at_] : ' ';
        return c == '{' ? mapping(depth) : c == '[' ? list(depth) : c == '"' ? text() : word();
    }

    std::shared_ptr<const Node> text() {
        auto made = node(Node::Kind::scalar);
        const std::size_t begin = at_;
        made->text = quoted();
        made->quoted = true;
        made->where.length = static_cast<int>(at_ - begin);
        return made;
    }

    /// A number, true, false or null.
    std::shared_ptr<const Node> word() {
        auto made = node(Node::Kind::scalar);
        const std::size_t end = std::min(text_.find_first_of(" \t\r\n,:[]{}\"", at_), text_.size());
        made->text = text_.substr(at_, end - at_);
        if (made->text.empty()) {
            error("expected a value here");
        }
        made->where.length = static_cast<int>(end - at_);
        made->kind = made->text == "null" ? Node::Kind::null : Node::Kind::scalar;
        at_ = end;
        return made;
    }

    std::shared_ptr<const Node> list(std::size_t depth) {
        auto made = node(Node::Kind::list);
        require('[');
        for (bool more = !accept(']'); more; more = !accept(']')) {
            if (!made->items.empty()) {
                require(',');
            }
            made->items.push_back(value(depth + 1));
            count(*made, *made->items.back());
        }
        return made;
    }

    std::shared_ptr<const Node> mapping(std::size_t depth) {
        auto made = node(Node::Kind::mapping);
        std::map<std::string, int> lines;
        require('{');
        for (bool more = !accept('}'); more; more = !accept('}')) {
            if (!lines.empty()) {
                require(',');
            }
            skip_blanks();
            const Location where = here();
            const std::string key = quoted();
            require(':');
            auto member = value(depth + 1);
            if (!lines.emplace(key, where.line).second) {
                faults_->error(where, fmt::format("{}: repeated key", key), "keep one of the two");
                continue;
            }
            count(*made, *member);
            made->members.push_back({key, where, std::move(member)});
        }
        if (made->members.size() == 1 && made->members.front().key == kUnquoted) {
            made->kind = Node::Kind::scalar;
            made->text = made->members.front().value->text;
            made->members.clear();
        }
        return made;
    }

    static void count(Node& whole, const Node& part) {
        whole.size += part.size;
        whole.depth = std::max(whole.depth, part.depth + 1);
    }

    const std::string& text_;
    std::shared_ptr<const Source> source_;
    Diagnostics* faults_;
    std::size_t at_ = 0;
    std::size_t seen_ = 0;  ///< up to where lines are counted
    std::size_t line_begin_ = 0;
    int line_ = 1;
    std::size_t nodes_ = 0;
};

}  // namespace

std::shared_ptr<const Node> parse_yaml(const std::string& text, const std::shared_ptr<const Source>& source,
                                       Diagnostics& faults) {
    return JsonTree(text, source, faults).root();
}

}  // namespace dodona::files
