#include "files/launch/shell_branches.hpp"

#include <algorithm>
#include <optional>

#include "files/number.hpp"

namespace dodona::files {

namespace {

/// Words between blanks, without quotes; `[` and `;` are words of their own.
std::vector<std::string> shell_words(const std::string& text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (c == '"' || c == '\'') {
            continue;
        }
        if (c == ' ' || c == '\t' || c == '\r' || c == ';') {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    words.erase(std::remove(words.begin(), words.end(), ""), words.end());
    return words;
}

bool is_plain_word(const std::string& word) {
    return word.find('$') == std::string::npos && word.find('`') == std::string::npos;
}

std::optional<bool> compared_words(const std::string& left, const std::string& how, const std::string& right) {
    if (how == "=" || how == "==") {
        return left == right;
    }
    if (how == "!=") {
        return left != right;
    }
    const auto a = whole_from(left);
    const auto b = whole_from(right);
    const auto* x = std::get_if<std::int64_t>(&a);
    const auto* y = std::get_if<std::int64_t>(&b);
    if (x == nullptr || y == nullptr) {
        return std::nullopt;
    }
    const int order = *x < *y ? -1 : *x > *y ? 1 : 0;
    const std::vector<std::pair<std::string, bool>> all{{"-eq", order == 0}, {"-ne", order != 0}, {"-gt", order > 0},
                                                        {"-lt", order < 0},  {"-ge", order >= 0}, {"-le", order <= 0}};
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == how; });
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

/// Result of `[ a = b ]`, `[[ a == b ]]`, `[ a -gt 4 ]`; none: not known.
std::optional<bool> test_holds(const std::string& condition) {
    std::vector<std::string> words = shell_words(condition);
    const bool is_test = words.size() == 5 && (words.front() == "[" || words.front() == "[[");
    if (!is_test || !is_plain_word(words[1]) || !is_plain_word(words[3])) {
        return std::nullopt;
    }
    return compared_words(words[1], words[2], words[3]);
}

bool starts_with_word(const std::string& text, const std::string& word) {
    return text.starts_with(word) &&
           (text.size() == word.size() || std::string(" \t;[").find(text[word.size()]) != std::string::npos);
}

/// `if [ $A = b ]; then X=1; else X=2; fi` as the lines that it could be; empty where a line is none.
std::vector<std::string> parts_of_if(const std::string& line) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    if (!starts_with_word(line.substr(begin), "if")) {
        return {};
    }
    std::vector<std::string> parts(1);
    char quote = 0;
    for (const char c : line) {
        if (quote == 0 && c == ';') {
            parts.emplace_back();
            continue;
        }
        quote = quote == 0 && (c == '"' || c == '\'') ? c : quote == c ? 0 : quote;
        parts.back() += c;
    }
    const bool is_whole = std::any_of(parts.begin() + 1, parts.end(), [](const std::string& part) {
        return starts_with_word(part.substr(std::min(part.find_first_not_of(" \t"), part.size())), "fi");
    });
    return is_whole ? parts : std::vector<std::string>{};
}

}  // namespace

bool ShellBranches::is_of_arguments(std::string word) const {
    std::erase_if(word, [](char c) { return c == '$' || c == '{' || c == '}'; });
    return !word.empty() && (word == option_ || word.find_first_not_of("0123456789") == std::string::npos);
}

void ShellBranches::choose(const std::string& condition) {
    Branch& branch = open_.back();
    const std::optional<bool> is = test_holds(put_in_(condition));
    branch.runs = !branch.settled && is.value_or(true);
    branch.settled = branch.settled || is.value_or(false);
}

void ShellBranches::match(const std::string& patterns) {
    Branch& branch = open_.back();
    branch.runs = !branch.settled;
    if (branch.settled || !is_plain_word(branch.word)) {
        branch.runs = branch.runs && !is_of_arguments(branch.word);
        return;
    }
    bool is = false;
    std::string pattern;
    for (const char c : patterns + "|") {
        if (c != '|') {
            pattern += c;
            continue;
        }
        const std::vector<std::string> words = shell_words(pattern);
        is = is || (words.size() == 1 && (words.front() == "*" || words.front() == branch.word));
        pattern.clear();
    }
    branch.runs = is;
    branch.settled = is;
}

std::string ShellBranches::running(const std::string& line) {
    if (const std::vector<std::string> parts = parts_of_if(line); !parts.empty()) {
        std::string all;  // in its columns
        for (const std::string& part : parts) {
            const std::size_t from = all.size();
            all += running(part);
            all.resize(from + part.size(), ' ');
            all += ';';
        }
        return all;
    }
    const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    const std::string text = line.substr(begin);
    const auto rest = [&](std::size_t from) {  // in its columns
        return runs() && from != std::string::npos ? std::string(begin + from, ' ') + text.substr(from) : std::string();
    };
    const std::size_t then = text.find("then");
    const std::size_t behind = then == std::string::npos ? then : then + 4;
    if (starts_with_word(text, "if")) {
        open_.push_back({.outer = runs(), .word = {}});
        choose(text.substr(2, then == std::string::npos ? then : then - 2));
        return rest(behind);
    }
    if (const std::size_t at = text.find("getopts "); at != std::string::npos) {
        const std::vector<std::string> words = shell_words(text.substr(at));
        option_ = words.size() > 2 ? words[2] : option_;
    }
    if (starts_with_word(text, "case")) {
        const std::size_t in = text.find(" in");
        const std::vector<std::string> words =
            shell_words(put_in_(text.substr(4, in == std::string::npos ? in : in - 4)));
        open_.push_back(
            {.is_case = true, .outer = runs(), .runs = false, .word = words.size() == 1 ? words.front() : "$"});
        return "";
    }
    if (open_.empty()) {
        return line;
    }
    if (starts_with_word(text, "fi") || starts_with_word(text, "esac")) {
        open_.pop_back();
        return "";
    }
    if (!open_.back().is_case) {
        if (starts_with_word(text, "elif")) {
            choose(text.substr(4, then == std::string::npos ? then : then - 4));
            return rest(behind);
        }
        if (starts_with_word(text, "else")) {
            open_.back().runs = !open_.back().settled;
            return rest(4);
        }
        return starts_with_word(text, "then") ? rest(4) : rest(0);
    }
    const std::size_t close = text.find(')');
    if (!open_.back().runs && close != std::string::npos && text.find('(') >= close) {
        match(text.substr(0, close));
        std::string runs_here = rest(close + 1);
        if (text.find(";;") != std::string::npos) {
            open_.back().runs = false;
        }
        return runs_here.substr(0, runs_here.find(";;"));
    }
    std::string runs_here = rest(0);
    if (text.find(";;") != std::string::npos) {
        open_.back().runs = false;
    }
    return runs_here.substr(0, runs_here.find(";;"));
}

}  // namespace dodona::files
