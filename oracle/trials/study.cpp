#include "trials/study.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/decimal.hpp"
#include "base/ranges.hpp"

namespace dodona::trials {

namespace {

/// A text without braces, or a name that stood in them.
struct Piece {
    std::string text;
    bool is_name = false;
};

/// The length of the name that follows; 0: none does.
std::size_t name_length(std::string_view text) {
    std::size_t length = 0;
    while (length < text.size() &&
           (text[length] == '_' || std::isalpha(static_cast<unsigned char>(text[length])) != 0 ||
            (length > 0 && std::isdigit(static_cast<unsigned char>(text[length])) != 0))) {
        ++length;
    }
    return length;
}

/// {NAME} is a name, {{NAME}} the text {NAME}; ${NAME} and other braces are the shell's.
std::vector<Piece> pieces_of(std::string_view text) {
    std::vector<Piece> pieces{{}};
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool twice = text.substr(i).starts_with("{{");
        const std::size_t first = i + (twice ? 2 : 1);
        const std::size_t length = text[i] == '{' && first < text.size() ? name_length(text.substr(first)) : 0;
        const std::string_view closing = twice ? "}}" : "}";
        const bool of_shell = i > 0 && text[i - 1] == '$';
        if (length == 0 || of_shell || !text.substr(first + length).starts_with(closing)) {
            pieces.back().text += text[i];
            continue;
        }
        const std::string name(text.substr(first, length));
        if (twice) {
            pieces.back().text += "{" + name + "}";
        } else {
            pieces.push_back({name, true});
            pieces.push_back({});
        }
        i = first + length + closing.size() - 1;
    }
    return pieces;
}

}  // namespace

double evaluate(const Expression& expression, const Settings& settings, std::int64_t cores, std::int64_t gpus) {
    std::vector<std::string> known{kCores, kGpus};
    append(known, settings, [](const auto& setting) { return setting.first; });
    const auto lookup = [&](std::string_view name) -> std::optional<double> {
        if (const std::string* text = value_of(settings, name)) {
            double value = 0;
            const auto read = decimal_at(text->data(), text->data() + text->size(), value);
            return read.ec == std::errc{} ? std::optional(value) : std::nullopt;
        }
        return name == kCores  ? std::optional(static_cast<double>(cores))
               : name == kGpus ? std::optional(static_cast<double>(gpus))
                               : std::nullopt;
    };
    return expression.evaluate(lookup, known);
}

std::string shell_quoted(const std::string& text) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("._/:=+,@%-").find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) {
        return text;
    }
    std::string quoted = "'" + concatenated(text, [](const char c) { return c == '\'' ? "'\\''" : std::string(1, c); });
    return quoted + "'";
}

std::string filled(const std::string& text, const Settings& settings, const Settings& more) {
    std::string all;
    for (const Piece& piece : pieces_of(text)) {
        if (!piece.is_name) {
            all += piece.text;
            continue;
        }
        const std::string* value = value_of(settings, piece.text);
        value = value != nullptr ? value : value_of(more, piece.text);
        if (value == nullptr) {
            std::vector<std::string> known;
            for (const Settings* some : {&settings, &more}) {
                append(known, *some, [](const auto& setting) { return setting.first; });
            }
            fail({},
                 fmt::format("{{{}}} in the command is no parameter{}", piece.text, did_you_mean(piece.text, known)),
                 fmt::format("known: {}; {{{{NAME}}}} stays as it is, in single braces", join_some(known)));
        }
        all += shell_quoted(*value);
    }
    return all;
}

std::vector<std::string> names_in(const std::string& text) {
    return mapped_where<std::string>(pieces_of(text), &Piece::is_name, &Piece::text);
}

}  // namespace dodona::trials
