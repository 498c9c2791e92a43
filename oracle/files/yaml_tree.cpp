#include "files/yaml_tree.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/check.hpp"

namespace dodona::files {

namespace {

Location located(const std::shared_ptr<const Source>& source, const YAML::Mark& mark) {
    if (mark.line < 0 || static_cast<std::size_t>(mark.line) >= source->lines.size()) {
        return {source, 0, 0, 1};
    }
    return {source, mark.line + 1, mark.column + 1, 1};
}

/// Characters from `begin` to the end of what starts there, on this line: a quoted text or a bracketed collection. No
/// more than a message shows.
int closed_length(std::string_view line, std::size_t begin) {
    constexpr std::size_t kMaxShown = 200;
    line = line.substr(0, begin + kMaxShown);
    int open = 0;
    char quote = 0;
    for (std::size_t i = begin; i < line.size(); ++i) {
        const char c = line[i];
        if (quote != 0) {
            i += quote == '"' && c == '\\' ? 1 : 0;
            quote = c == quote ? 0 : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else {
            open += c == '[' || c == '{' ? 1 : 0;
            open -= c == ']' || c == '}' ? 1 : 0;
        }
        if (quote == 0 && open == 0) {
            return static_cast<int>(i - begin) + 1;
        }
    }
    return std::max(1, static_cast<int>(line.size()) - static_cast<int>(begin));
}

/// How much to underline of what starts at `where`.
void measure(Location& where, const std::string& plain) {
    if (where.line == 0) {
        return;
    }
    const std::string& line = where.source->lines[static_cast<std::size_t>(where.line) - 1];
    const std::size_t begin = static_cast<std::size_t>(where.column) - 1;
    if (begin >= line.size()) {
        return;
    }
    if (std::string_view("\"'[{").find(line[begin]) != std::string_view::npos) {
        where.length = closed_length(line, begin);
    } else if (!plain.empty() && line.compare(begin, plain.size(), plain) == 0) {
        where.length = static_cast<int>(plain.size());
    }
}

Location alias(const std::shared_ptr<const Source>& source, const YAML::Mark& mark) {
    Location where = located(source, mark);
    if (where.line > 0) {
        const std::string& line = source->lines[static_cast<std::size_t>(where.line) - 1];
        const std::size_t star = std::min(static_cast<std::size_t>(where.column) - 1, line.size());
        where.length = static_cast<int>(std::min(line.find_first_of(" ,]}", star), line.size()) - star);
    }
    return where;
}

/// Whether a quote that opens at `where` closes: yaml-cpp takes the end of the file for one.
bool is_closed(const Location& where) {
    if (where.line == 0) {
        return true;
    }
    const std::vector<std::string>& lines = where.source->lines;
    auto row = static_cast<std::size_t>(where.line) - 1;
    auto column = static_cast<std::size_t>(where.column) - 1;
    const char quote = column < lines[row].size() ? lines[row][column] : ' ';
    if (quote != '"' && quote != '\'') {
        return true;
    }
    for (++column; row < lines.size(); ++row, column = 0) {
        const std::string& line = lines[row];
        for (; column < line.size(); ++column) {
            const bool is_doubled = quote == '\'' && line.compare(column, 2, "''") == 0;
            if (is_doubled || (quote == '"' && line[column] == '\\')) {
                ++column;
            } else if (line[column] == quote) {
                return true;
            }
        }
    }
    return false;
}

class TreeBuilder final : public YAML::EventHandler {
public:
    TreeBuilder(std::shared_ptr<const Source> source, Diagnostics& faults)
        : source_(std::move(source)), faults_(&faults) {}

    /// The whole document, once it is read.
    [[nodiscard]] std::shared_ptr<const Node> root() const {
        if (complex_key_) {
            fail(*complex_key_, "a key that is a list or a mapping", "keys are plain words: `name: value`");
        }
        return root_;
    }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (started_) {
            fail(located(source_, mark), "a second document starts here",
                 "a file holds one document: remove `---` and what belongs to the other");
        }
        started_ = true;
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        auto node = make(Node::Kind::null, mark, {}, "");
        if (!open_.empty() && open_.back().has_key) {
            node->where = open_.back().key_where;
        }
        add(node, anchor);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        auto node = make(Node::Kind::scalar, mark, tag, value);
        node->text = value;
        node->quoted = tag == "!";
        if (node->quoted && !is_closed(node->where)) {
            fail(node->where, "a quoted text that never ends", "close the quote");
        }
        add(node, anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) {
            fail(alias(source_, mark), "an alias inside what it stands for", "write the value out");
        }
        if (open_.empty() || is_key()) {
            fail(alias(source_, mark), "an alias as a key", "keys are plain words");
        }
        place(found->second);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        start(make(Node::Kind::list, mark, tag, ""), anchor);
    }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        start(make(Node::Kind::mapping, mark, tag, ""), anchor);
    }
    void OnSequenceEnd() override { end(); }
    void OnMapEnd() override { end(); }

private:
    struct Open {
        std::shared_ptr<Node> node;
        YAML::anchor_t anchor = 0;
        bool has_key = false;
        bool repeated = false;
        std::string key;
        Location key_where;
        std::map<std::string, int> lines;  ///< key -> line of its first occurrence
    };

    std::shared_ptr<Node> make(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
                               const std::string& plain) {
        auto node = std::make_shared<Node>();
        node->kind = kind;
        node->where = located(source_, mark);
        measure(node->where, plain);
        if (!tag.empty() && tag != "?" && tag != "!") {
            fail(node->where, "tags have no meaning here", "remove the word that starts with `!`");
        }
        if (++nodes_ > kMaxNodes) {
            fail(node->where, fmt::format("more than {} values in one file", kMaxNodes),
                 "write layers that repeat as a block with `repeat:`");
        }
        return node;
    }

    [[nodiscard]] bool is_key() const {
        return open_.back().node->kind == Node::Kind::mapping && !open_.back().has_key;
    }

    void start(std::shared_ptr<Node> node, YAML::anchor_t anchor) {
        if (!open_.empty() && is_key() && !complex_key_) {
            complex_key_ = node->where;  // reported at the end: often a bracket is not closed, and that is the fault
        }
        if (open_.size() >= kDeepest) {
            fail(node->where, fmt::format("nested more than {} deep", kDeepest),
                 "lists and mappings nest a few levels at most");
        }
        Open open;
        open.node = std::move(node);
        open.anchor = anchor;
        open_.push_back(std::move(open));
    }

    void end() {
        check(!open_.empty(), "yaml-cpp closes a collection that it did not open");
        Open closed = std::move(open_.back());
        open_.pop_back();
        remember(closed.node, closed.anchor);
        place(closed.node);
    }

    void add(const std::shared_ptr<Node>& node, YAML::anchor_t anchor) {
        if (!open_.empty() && is_key()) {
            take_key(*node);
            return;
        }
        remember(node, anchor);
        place(node);
    }

    void remember(const std::shared_ptr<const Node>& node, YAML::anchor_t anchor) {
        if (anchor != 0) {
            anchors_[anchor] = node;
        }
    }

    void take_key(const Node& node) {
        if (node.kind == Node::Kind::null || node.text.empty()) {
            fail(node.where, "a key without a name", "write `name: value`");
        }
        Open& open = open_.back();
        open.has_key = true;
        open.key = node.text;
        open.key_where = node.where;
        const auto [first, is_new] = open.lines.emplace(node.text, node.where.line);
        open.repeated = !is_new;
        if (!is_new) {
            faults_->error(node.where, fmt::format("{}: repeated key; first given on line {}", path(), first->second),
                           "keep one of the two");
        }
    }

    /// Puts a finished node where it belongs.
    void place(const std::shared_ptr<const Node>& node) {
        if (open_.empty()) {
            root_ = node;
            return;
        }
        Open& open = open_.back();
        if (is_key()) {
            open.has_key = true;
            open.repeated = true;
            return;
        }
        open.node->size += node->size;
        open.node->depth = std::max(open.node->depth, node->depth + 1);
        if (open.node->size > kMaxNodes || open_.size() + node->depth > kDeepest + 1) {
            fail(node->where,
                 fmt::format("aliases make this more than {} values, or more than {} deep", kMaxNodes, kDeepest),
                 "write layers that repeat as a block with `repeat:`");
        }
        if (open.node->kind == Node::Kind::list) {
            open.node->items.push_back(node);
            return;
        }
        if (!open.repeated) {
            open.node->members.push_back({open.key, open.key_where, node});
        }
        open.has_key = false;
    }

    /// Of the key just read: levels[0].bandwidth.
    [[nodiscard]] std::string path() const {
        std::string text;
        for (const Open& open : open_) {
            if (open.node->kind == Node::Kind::list) {
                text += fmt::format("[{}]", open.node->items.size());
            } else {
                text += (text.empty() ? "" : ".") + open.key;
            }
        }
        return text;
    }

    std::shared_ptr<const Source> source_;
    Diagnostics* faults_;
    bool started_ = false;
    std::size_t nodes_ = 0;
    std::vector<Open> open_;
    std::optional<Location> complex_key_;
    std::map<YAML::anchor_t, std::shared_ptr<const Node>> anchors_;
    std::shared_ptr<const Node> root_;
};

struct Wording {
    std::string_view theirs;
    std::string_view message;
    std::string_view help;
};

/// yaml-cpp's sentences (exceptions.h) in our words.
constexpr Wording kWordings[] = {
    {"end of map flow not found", "expected `,` or `}` here", "a `{` before this is not closed"},
    {"end of sequence flow not found", "expected `,` or `]` here", "a `[` before this is not closed"},
    {"end of map not found", "expected `key: value` here", "keys of one mapping start in the same column"},
    {"end of sequence not found", "expected `- ` or the end of the list here",
     "entries of one list start in the same column"},
    {"illegal flow end", "a closing bracket without an opening one", "remove it"},
    {"illegal map value", "`:` where no value may start", "put text that contains `: ` in quotes"},
    {"illegal map key", "a key cannot start here", "keys of one mapping start in the same column"},
    {"illegal block entry", "`- ` where no list entry may start", "start a list on a line of its own"},
    {"illegal tab", "a tab in the indentation", "indent with blanks"},
    {"illegal EOF in scalar", "the file ends inside a quoted text", "close the quote"},
    {"illegal document indicator", "the document ends inside a quoted text", "close the quote"},
    {"unknown escape character", "unknown escape in a quoted text", "use '…' for text with backslashes"},
    {"bad character found while scanning hex", "bad escape in a quoted text", "write \\xNN or \\uNNNN"},
    {"invalid unicode", "bad escape in a quoted text", "write \\xNN or \\uNNNN"},
    {"the referenced anchor is not defined", "an alias without an anchor",
     "`*name` is YAML for an alias; put an expression that starts with `*` in quotes"},
    {"alias not found", "`*` starts an alias in YAML", "put an expression that starts with `*` in quotes"},
    {"unknown token", "a character that starts nothing in YAML", "put the text in quotes"},
};

[[noreturn]] void fail_with_syntax(const YAML::Exception& fault, const std::shared_ptr<const Source>& source) {
    Location where = located(source, fault.mark);
    if (where.line == 0 && !source->lines.empty()) {
        where.line = static_cast<int>(source->lines.size());
        where.column = static_cast<int>(source->lines.back().size()) + 1;
    }
    if (fault.msg.find("anchor is not defined") != std::string::npos) {
        where = alias(source, fault.mark);
    }
    for (const Wording& wording : kWordings) {
        if (fault.msg.find(wording.theirs) != std::string::npos) {
            fail(where, std::string(wording.message), std::string(wording.help));
        }
    }
    fail(where, "this is not YAML", "check indentation, brackets and quotes near here");
}

/// Refuses what yaml-cpp would keep in memory many times over before it says anything: brackets without end, and words
/// without end on one line or inside one bracket, which it keeps until it knows whether a key begins there.
void check_held(const std::shared_ptr<const Source>& source) {
    constexpr int kMaxOpen = 1000;
    constexpr int kMaxHeld = 400'000;
    int open = 0;
    int held = 0;
    for (std::size_t row = 0; row < source->lines.size(); ++row) {
        const std::string& line = source->lines[row];
        held = open > 0 ? held : 0;
        for (std::size_t column = 0; column < line.size(); ++column) {
            const bool opens = line[column] == '[' || line[column] == '{';
            open += opens ? 1 : 0;
            open -= line[column] == ']' || line[column] == '}' ? 1 : 0;
            held += opens || std::string_view(" ,'\"").find(line[column]) != std::string_view::npos ? 1 : 0;
            const auto here = [&] { return Location{source, static_cast<int>(row) + 1, static_cast<int>(column) + 1}; };
            if (open > kMaxOpen) {
                fail(here(), fmt::format("more than {} brackets are open here", kMaxOpen),
                     "lists and mappings nest a few levels at most");
            }
            if (held > kMaxHeld) {
                fail(here(), fmt::format("more than {} words on one line or in one bracket", kMaxHeld),
                     "no file of dodona is that long");
            }
        }
    }
}

}  // namespace

std::shared_ptr<const Node> parse_yaml(const std::string& text, const std::shared_ptr<const Source>& source,
                                       Diagnostics& faults) {
    check_held(source);
    TreeBuilder builder(source, faults);
    try {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::Exception& fault) {
        fail_with_syntax(fault, source);
    }
    return builder.root();
}

}  // namespace dodona::files
