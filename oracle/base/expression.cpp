#include "base/expression.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/decimal.hpp"
#include "base/ranges.hpp"

namespace dodona {

struct Expression::Node {
    enum class Kind { number, name, negation, binary, call };
    Kind kind = Kind::number;
    double number = 0;
    std::string word;  ///< a name, an operator or a function
    Location where;
    std::vector<std::shared_ptr<const Node>> operands;
};

namespace {

using Node = Expression::Node;
using NodePtr = std::shared_ptr<const Node>;
using Lookup = std::function<std::optional<double>(std::string_view)>;

constexpr std::size_t kLongest = 1000;  ///< characters; bounds the depth of the tree
constexpr int kDeepest = 64;

struct Function {
    std::string_view name;
    std::size_t least_operands;
    std::size_t most_operands;
};

constexpr std::size_t kMany = 16;
constexpr Function kFunctions[] = {
    {"ceil", 1, 1}, {"floor", 1, 1}, {"max", 2, kMany}, {"min", 2, kMany}, {"round_up", 2, 2},
};

constexpr std::string_view kComparisons[] = {">=", "<=", "==", "!=", ">", "<"};

std::vector<std::string> function_names() { return mapped<std::string>(kFunctions, &Function::name); }

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Recursive-descent parser with one function per level of precedence.
class Parser {
public:
    Parser(std::string_view text, const Location& where) : text_(text), where_(where) {}

    NodePtr parse() {
        if (text_.size() > kLongest) {
            fail(where_, fmt::format("an expression of more than {} characters", kLongest));
        }
        NodePtr root = comparison();
        skip_blanks();
        if (at_ < text_.size()) {
            fail(here(1), fmt::format("unexpected \"{}\" in \"{}\"", text_.substr(at_, 1), text_), grammar());
        }
        return root;
    }

private:
    static std::string grammar() {
        return fmt::format("an expression has numbers, names, + - * / %, comparisons and {}", join(function_names()));
    }

    /// Location of the next `length` characters, if the text stands on one line of its source unchanged.
    [[nodiscard]] Location here(std::size_t length) const { return at(at_, length); }
    [[nodiscard]] Location at(std::size_t begin, std::size_t length) const {
        Location place = where_;
        if (place.line > 0 && static_cast<std::size_t>(place.length) >= text_.size()) {
            place.column += static_cast<int>(begin);
            place.length = static_cast<int>(length);
        }
        return place;
    }

    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
            ++at_;
        }
    }

    bool accept(std::string_view token) {
        skip_blanks();
        if (!text_.substr(at_).starts_with(token)) {
            return false;
        }
        at_ += token.size();
        return true;
    }

    NodePtr binary(std::string_view word, std::size_t begin, NodePtr left, NodePtr right) const {
        Node node;
        node.kind = Node::Kind::binary;
        node.word = word;
        node.where = at(begin, word.size());
        node.operands = {std::move(left), std::move(right)};
        return std::make_shared<const Node>(std::move(node));
    }

    NodePtr comparison() {
        NodePtr left = sum();
        for (const std::string_view word : kComparisons) {
            if (accept(word)) {
                const std::size_t begin = at_ - word.size();
                return binary(word, begin, std::move(left), sum());
            }
        }
        return left;
    }

    NodePtr sum() { return chain("+-", &Parser::product); }
    NodePtr product() { return chain("*/%", &Parser::factor); }

    NodePtr chain(std::string_view operators, NodePtr (Parser::*next)()) {
        NodePtr left = (this->*next)();
        for (;;) {
            skip_blanks();
            if (at_ >= text_.size() || operators.find(text_[at_]) == std::string_view::npos) {
                return left;
            }
            const std::size_t begin = at_++;
            NodePtr right = (this->*next)();
            left = binary(text_.substr(begin, 1), begin, std::move(left), std::move(right));
        }
    }

    NodePtr factor() {
        if (++depth_ > kDeepest) {
            fail(here(1), fmt::format("an expression nested more than {} deep", kDeepest));
        }
        NodePtr node = atom();
        --depth_;
        return node;
    }

    NodePtr atom() {
        if (accept("-")) {
            Node node;
            node.kind = Node::Kind::negation;
            node.operands = {factor()};
            return std::make_shared<const Node>(std::move(node));
        }
        if (accept("(")) {
            NodePtr inner = comparison();
            require(")");
            return inner;
        }
        skip_blanks();
        if (at_ >= text_.size()) {
            fail(here(1), text_.empty() ? "an empty expression" : fmt::format("\"{}\" ends too early", text_),
                 grammar());
        }
        if (starts_name(text_[at_])) {
            return name_or_call();
        }
        return number();
    }

    void require(std::string_view token) {
        if (!accept(token)) {
            fail(here(1), fmt::format("expected \"{}\" in \"{}\"", token, text_), grammar());
        }
    }

    NodePtr number() {
        Node node;
        node.where = here(1);
        const char* const begin = text_.data() + at_;
        const bool numeric = is_digit(*begin) || *begin == '.';
        const auto read = decimal_at(begin, text_.data() + text_.size(), node.number);
        if (!numeric || read.ec == std::errc::invalid_argument) {
            fail(here(1), fmt::format("unexpected \"{}\" in \"{}\"", text_.substr(at_, 1), text_), grammar());
        }
        const auto length = static_cast<std::size_t>(read.ptr - begin);
        if (read.ec != std::errc{}) {
            fail(here(length), fmt::format("{} is out of range", text_.substr(at_, length)));
        }
        at_ += length;
        if (at_ < text_.size() && continues_name(text_[at_])) {
            fail(here(1), fmt::format("a number cannot go on with \"{}\" in \"{}\"", text_.substr(at_, 1), text_),
                 "numbers are plain decimal digits: 50257, 0.5, 4e9");
        }
        return std::make_shared<const Node>(std::move(node));
    }

    NodePtr name_or_call() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && continues_name(text_[at_])) {
            ++at_;
        }
        Node node;
        node.word = text_.substr(begin, at_ - begin);
        node.where = at(begin, at_ - begin);
        if (!accept("(")) {
            node.kind = Node::Kind::name;
            return std::make_shared<const Node>(std::move(node));
        }
        node.kind = Node::Kind::call;
        const auto* const function = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                                  [&](const Function& f) { return f.name == node.word; });
        if (function == std::end(kFunctions)) {
            const std::vector<std::string> names = function_names();
            fail(node.where, fmt::format("unknown function \"{}\"{}", node.word, did_you_mean(node.word, names)),
                 fmt::format("functions: {}", join(names)));
        }
        do {
            node.operands.push_back(comparison());
        } while (accept(","));
        require(")");
        if (node.operands.size() < function->least_operands || node.operands.size() > function->most_operands) {
            const bool is_exact = function->least_operands == function->most_operands;
            fail(node.where, fmt::format("{} takes {} {}value{}, not {}", node.word, function->least_operands,
                                         is_exact ? "" : "or more ", function->least_operands == 1 ? "" : "s",
                                         node.operands.size()));
        }
        return std::make_shared<const Node>(std::move(node));
    }

    std::string_view text_;
    Location where_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

class Evaluator {
public:
    Evaluator(const std::string& text, const Lookup& lookup, std::span<const std::string> known)
        : text_(text), lookup_(lookup), known_(known) {}

    [[nodiscard]] double value(const Node& node) const {
        switch (node.kind) {
            case Node::Kind::number: return node.number;
            case Node::Kind::name: return named(node);
            case Node::Kind::negation: return -value(*node.operands[0]);
            case Node::Kind::binary: return finite(node, binary(node));
            case Node::Kind::call: return finite(node, call(node));
        }
        throw InternalError("an expression node of no kind");
    }

private:
    [[nodiscard]] double named(const Node& node) const {
        const std::optional<double> found = lookup_(node.word);
        if (!found) {
            fail(node.where, fmt::format("unknown name \"{}\"{}", node.word, did_you_mean(node.word, known_)),
                 known_.empty() ? std::string{} : fmt::format("known here: {}", join(known_)));
        }
        return *found;
    }

    [[nodiscard]] double finite(const Node& node, double result) const {
        if (!std::isfinite(result)) {
            fail(node.where, fmt::format("\"{}\" is too large to compute", text_));
        }
        return result;
    }

    [[nodiscard]] double divisor(const Node& node, double result) const {
        if (result == 0) {
            fail(node.where, fmt::format("division by zero in \"{}\"", text_));
        }
        return result;
    }

    [[nodiscard]] double binary(const Node& node) const {
        const double a = value(*node.operands[0]);
        const double b = value(*node.operands[1]);
        const std::string& word = node.word;
        switch (word[0]) {
            case '+': return a + b;
            case '-': return a - b;
            case '*': return a * b;
            case '/': return a / divisor(node, b);
            case '%': return std::fmod(a, divisor(node, b));
            case '>': return word == ">=" ? (a >= b ? 1 : 0) : (a > b ? 1 : 0);
            case '<': return word == "<=" ? (a <= b ? 1 : 0) : (a < b ? 1 : 0);
            case '=': return a == b ? 1 : 0;
            case '!': return a != b ? 1 : 0;
            default: throw InternalError("an expression operator without a meaning");
        }
    }

    [[nodiscard]] double call(const Node& node) const {
        auto values = mapped<double>(node.operands, [&](const NodePtr& operand) { return value(*operand); });
        if (node.word == "ceil") {
            return std::ceil(values[0]);
        }
        if (node.word == "floor") {
            return std::floor(values[0]);
        }
        if (node.word == "max") {
            return *std::max_element(values.begin(), values.end());
        }
        if (node.word == "min") {
            return *std::min_element(values.begin(), values.end());
        }
        check(node.word == "round_up", "an expression function without a meaning");
        return std::ceil(values[0] / divisor(node, values[1])) * values[1];
    }

    const std::string& text_;
    const Lookup& lookup_;
    std::span<const std::string> known_;
};

void collect_names(const Node& node, std::vector<std::string>& names) {
    if (node.kind == Node::Kind::name && std::find(names.begin(), names.end(), node.word) == names.end()) {
        names.push_back(node.word);
    }
    for (const NodePtr& operand : node.operands) {
        collect_names(*operand, names);
    }
}

}  // namespace

Expression Expression::parse(std::string_view text, const Location& where) {
    Expression expression;
    expression.text_ = text;
    expression.where_ = where;
    expression.root_ = Parser(text, where).parse();
    return expression;
}

double Expression::evaluate(const Lookup& lookup, std::span<const std::string> known) const {
    check(root_ != nullptr, "an expression that was never parsed");
    return Evaluator(text_, lookup, known).value(*root_);
}

std::vector<std::string> Expression::names() const {
    std::vector<std::string> names;
    collect_names(*root_, names);
    return names;
}

}  // namespace dodona
