// JSON and simple YAML -> Node, in the place of yaml-cpp (files/yaml_tree.cpp), which the module is built without: `dodona
// explorer` writes the files of models and machines as JSON. A text in quotes is one; {"=": text} is a scalar that stands
// without quotes in YAML, which a reader may take for a name or an expression. Of YAML there is what the readers of networks
// and scripts write: keys and items in lines, brackets, texts with and without quotes, comments.
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "files/yaml_tree.hpp"

namespace dodona::files {

namespace {

constexpr std::string_view kUnquoted = "=";
constexpr std::size_t kNowhere = std::string::npos;

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
        const std::size_t column = next();
        auto node = in_lines(column, 1);
        if (next() != kNowhere) {
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
        fail(here(), what,
             "a page reads JSON, and YAML without anchors, tags and texts of several lines; the program all");
    }

    void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

    /// The column of the next word, over comments and ends of lines.
    std::size_t next() {
        for (skip_blanks(); at_ < text_.size() && text_[at_] == '#'; skip_blanks()) {
            at_ = std::min(text_.find('\n', at_), text_.size());
        }
        here();
        return at_ < text_.size() ? at_ - line_begin_ : kNowhere;
    }

    /// Whether a blank or the end of a line comes at a place.
    [[nodiscard]] bool is_blank(std::size_t at) const {
        return at >= text_.size() || text_[at] == ' ' || text_[at] == '\n' || text_[at] == '\r';
    }
    [[nodiscard]] bool is_item() const { return text_[at_] == '-' && is_blank(at_ + 1); }

    /// A text without quotes. In brackets it ends where these and commas do.
    std::string unquoted(bool in_brackets) {
        const std::size_t begin = at_;
        for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
            const char c = text_[at_];
            const bool ends = (c == ':' && is_blank(at_ + 1)) || (c == '#' && at_ > begin && text_[at_ - 1] == ' ') ||
                              (in_brackets && (c == ',' || c == ']' || c == '}'));
            if (ends) {
                break;
            }
        }
        const std::size_t last = text_.find_last_not_of(" \r", at_ - 1);
        return begin == at_ ? std::string() : text_.substr(begin, last + 1 - begin);
    }

    /// The value that begins at a column: keys or items one below the other, or one value.
    std::shared_ptr<const Node> in_lines(std::size_t column, std::size_t depth) {
        if (column == kNowhere) {
            return node(Node::Kind::null);
        }
        if (std::string_view("{[\"'").find(text_[at_]) != std::string_view::npos) {
            return value(depth);
        }
        const std::size_t begin = at_;
        unquoted(false);
        const bool is_key = at_ < text_.size() && text_[at_] == ':';
        at_ = begin;
        return is_item() ? items_in_lines(column, depth) : is_key ? keys_in_lines(column, depth) : word(false);
    }

    /// Behind a key or a dash: the rest of the line, or lines farther in.
    std::shared_ptr<const Node> behind(std::size_t column, bool of_key, std::size_t depth) {
        const int line = here().line;
        const std::size_t inside = next();
        const bool is_here = here().line == line;
        if (!is_here && (inside == kNowhere || inside < column || (inside == column && !(of_key && is_item())))) {
            auto none = std::make_shared<Node>();
            none->kind = Node::Kind::null;
            none->where = {source_, line, 1, 1};
            return none;
        }
        if (is_here && of_key && std::string_view("{[\"'").find(text_[at_]) == std::string_view::npos) {
            return word(false);
        }
        return in_lines(inside, depth + 1);
    }

    std::shared_ptr<const Node> items_in_lines(std::size_t column, std::size_t depth) {
        auto made = node(Node::Kind::list);
        while (next() == column && is_item()) {
            ++at_;
            made->items.push_back(behind(column, false, depth));
            count(*made, *made->items.back());
        }
        return made;
    }

    std::shared_ptr<const Node> keys_in_lines(std::size_t column, std::size_t depth) {
        auto made = node(Node::Kind::mapping);
        std::map<std::string, int> lines;
        while (next() == column && !is_item()) {
            const Location where = here();
            const std::string key = unquoted(false);
            require(':');
            add_member(*made, lines, {key, where, behind(column, true, depth)});
        }
        return made;
    }

    void add_member(Node& mapping, std::map<std::string, int>& lines, Node::Member member) {
        count(mapping, *member.value);
        if (!lines.emplace(member.key, member.where.line).second) {
            faults_->error(member.where, fmt::format("{}: repeated key", member.key), "keep one of the two");
            return;
        }
        mapping.members.push_back(std::move(member));
    }

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

    /// Between single quotes a quote is doubled, and nothing else is escaped.
    std::string quoted() {
        const char quote = text_[at_++];
        const bool is_single = quote == '\'';
        std::string all;
        while (at_ < text_.size() && (text_[at_] != quote || (is_single && text_.compare(at_, 2, "''") == 0))) {
            const char c = text_[at_++];
            at_ += c == quote ? 1 : 0;
            all += c == '\\' && !is_single ? escaped() : std::string(1, c);
        }
        require(quote);
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
        return c == '{' ? mapping(depth) : c == '[' ? list(depth) : c == '"' || c == '\'' ? text() : word(true);
    }

    std::shared_ptr<const Node> text() {
        auto made = node(Node::Kind::scalar);
        const std::size_t begin = at_;
        made->text = quoted();
        made->quoted = true;
        made->where.length = static_cast<int>(at_ - begin);
        return made;
    }

    /// A text without quotes: a number, true, false, null, a name.
    std::shared_ptr<const Node> word(bool in_brackets) {
        auto made = node(Node::Kind::scalar);
        made->text = unquoted(in_brackets);
        if (made->text.empty() || std::string_view("|>&*!%@").find(made->text.front()) != std::string_view::npos) {
            error("expected a value here");
        }
        made->where.length = static_cast<int>(made->text.size());
        if (made->text == "null" || made->text == "~") {
            made->kind = Node::Kind::null;
            made->text.clear();
        }
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
            const bool has_quotes = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
            const std::string key = has_quotes ? quoted() : unquoted(true);
            require(':');
            add_member(*made, lines, {key, where, value(depth + 1)});
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
