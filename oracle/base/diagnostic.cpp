#include "base/diagnostic.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace dodona {

namespace {

constexpr std::size_t kMostDiagnosticsShown = 20;

std::string all_to_text(const std::vector<Diagnostic>& diagnostics) {
    std::string text;
    const std::size_t shown = std::min(diagnostics.size(), kMostDiagnosticsShown);
    for (std::size_t i = 0; i < shown; ++i) {
        text += to_text(diagnostics[i]);
    }
    if (shown < diagnostics.size()) {
        text += fmt::format("… and {} more\n", diagnostics.size() - shown);
    }
    return text;
}

/// Levenshtein distance with adjacent transpositions counted as one edit.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

}  // namespace

std::string to_text(const Diagnostic& diagnostic) {
    const Location& where = diagnostic.where;
    std::string text;
    if (where.source && where.line > 0) {
        text += fmt::format("{}:{}:{}: ", where.source->name, where.line, where.column);
    } else if (where.source) {
        text += fmt::format("{}: ", where.source->name);
    }
    text += fmt::format("{}: {}\n", diagnostic.severity == Severity::error ? "error" : "warning", diagnostic.message);
    const bool has_line =
        where.source && where.line > 0 && static_cast<std::size_t>(where.line) <= where.source->lines.size();
    if (has_line) {
        constexpr std::size_t kWidest = 160;
        const std::string& line = where.source->lines[static_cast<std::size_t>(where.line) - 1];
        const auto column = static_cast<std::size_t>(std::max(where.column, 1));
        if (column <= kWidest) {
            const std::string shown = line.substr(0, kWidest);
            const std::size_t room = shown.size() >= column ? shown.size() - column + 1 : 1;
            const std::size_t span = std::clamp<std::size_t>(static_cast<std::size_t>(where.length), 1, room);
            text += fmt::format("{:5} | {}\n", where.line, shown);
            text += fmt::format("      | {}^{}\n", std::string(column - 1, ' '), std::string(span - 1, '~'));
        }
    }
    if (!diagnostic.help.empty()) {
        text += fmt::format("  help: {}\n", diagnostic.help);
    }
    return text;
}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(all_to_text(diagnostics)), diagnostics_(std::move(diagnostics)) {}

void Diagnostics::error(Location where, std::string message, std::string help) {
    all_.push_back({Severity::error, std::move(where), std::move(message), std::move(help)});
}

void Diagnostics::warning(Location where, std::string message, std::string help) {
    all_.push_back({Severity::warning, std::move(where), std::move(message), std::move(help)});
}

bool Diagnostics::has_errors() const {
    return std::any_of(all_.begin(), all_.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
}

void Diagnostics::throw_if_errors() const {
    if (has_errors()) {
        throw InputError(all_);
    }
}

void fail(Location where, std::string message, std::string help) {
    throw InputError({Diagnostic{Severity::error, std::move(where), std::move(message), std::move(help)}});
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
    const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
    std::string best;
    std::size_t best_distance = limit + 1;
    for (const std::string& candidate : candidates) {
        const bool prefix = word.size() >= 3 && candidate.starts_with(word);
        const std::size_t distance = prefix ? 1 : edit_distance(word, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
    const std::string near = nearest(word, candidates);
    return near.empty() ? std::string{} : fmt::format("; did you mean \"{}\"?", near);
}

std::string join(std::span<const std::string> words, std::string_view separator) {
    return fmt::format("{}", fmt::join(words, separator));
}

std::string join_some(std::span<const std::string> words) {
    if (words.size() <= kMostNamed) {
        return join(words);
    }
    return fmt::format("{}, … ({} more)", join(words.first(kMostNamed)), words.size() - kMostNamed);
}

}  // namespace dodona
