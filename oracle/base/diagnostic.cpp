#include "base/diagnostic.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "base/printable.hpp"

namespace dodona {

namespace {

constexpr std::size_t kMaxDiagnosticsShown = 20;
constexpr std::size_t kMaxDiagnostics = 500;
constexpr std::size_t kLongestName = 100;  ///< for which a near one is looked for

std::string all_to_text(const std::vector<Diagnostic>& diagnostics) {
    std::string text;
    const std::size_t shown = std::min(diagnostics.size(), kMaxDiagnosticsShown);
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

namespace {

/// The line that is at fault, with its place underlined.
std::string quoted_line(const Location& where) {
    constexpr std::size_t kWidest = 160;
    const std::string& line = where.source->lines[static_cast<std::size_t>(where.line) - 1];
    const auto column = static_cast<std::size_t>(std::max(where.column, 1));
    if (column > kWidest) {
        return {};
    }
    std::size_t end = std::min(line.size(), kWidest);
    while (end > 0 && end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) {
        --end;  // not inside a character
    }
    const std::size_t room = end >= column ? end - column + 1 : 1;
    const std::size_t span = std::clamp<std::size_t>(static_cast<std::size_t>(where.length), 1, room);
    const std::string before = column <= end ? printable(line.substr(0, column - 1)) : std::string(column - 1, ' ');
    const std::string marked = column <= end ? printable(line.substr(column - 1, span)) : " ";
    return fmt::format("{:5} | {}\n      | {}^{}\n", where.line, printable(line.substr(0, end)),
                       std::string(before.size(), ' '), std::string(marked.size() - 1, '~'));
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
    text = printable(text);
    const bool has_line =
        where.source && where.line > 0 && static_cast<std::size_t>(where.line) <= where.source->lines.size();
    if (has_line) {
        text += quoted_line(where);
    }
    if (!diagnostic.help.empty()) {
        text += printable(fmt::format("  help: {}\n", diagnostic.help));
    }
    return text;
}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(all_to_text(diagnostics)), diagnostics_(std::move(diagnostics)) {}

void Diagnostics::error(Location where, std::string message, std::string help) {
    all_.push_back({Severity::error, std::move(where), std::move(message), std::move(help)});
    if (all_.size() >= kMaxDiagnostics) {
        throw InputError(all_);  // nobody mends so many at once, and each costs time and memory
    }
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
    if (word.size() > kLongestName) {
        return best;
    }
    for (const std::string& candidate : candidates) {
        const std::size_t difference =
            candidate.size() > word.size() ? candidate.size() - word.size() : word.size() - candidate.size();
        if (difference >= best_distance && !candidate.starts_with(word)) {
            continue;  // a distance is no less than that
        }
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
    if (words.size() <= kMaxNamed) {
        return join(words);
    }
    return fmt::format("{}, … ({} more)", join(words.first(kMaxNamed)), words.size() - kMaxNamed);
}

}  // namespace dodona
