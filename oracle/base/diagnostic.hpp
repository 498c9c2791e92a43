// Located diagnostics: all faults of the user's input are collected and thrown once.
//
//   x.yaml:4:3: error: nvlink.latancy: unknown key; did you mean "latency"?
//       4 |   latancy: 1.5 us
//         |   ^~~~~~~
//     help: accepted here: bandwidth, latency
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dodona {

/// A text from the user: a file, or the command line.
struct Source {
    std::string name;                ///< as the user named it
    std::vector<std::string> lines;  ///< without line ends
};

/// A position in a source. Line and column count from 1; 0 stands for the whole source.
struct Location {
    std::shared_ptr<const Source> source;
    int line = 0;
    int column = 0;
    int length = 1;  ///< characters to underline
};

enum class Severity { error, warning };

struct Diagnostic {
    Severity severity = Severity::error;
    Location where;
    std::string message;  ///< one sentence that stands alone, no capital, no full stop
    std::string help;     ///< what to do next; empty: no help
};

/// The diagnostic as text, with the source line and a caret span where the location is known.
std::string to_text(const Diagnostic& diagnostic);

/// Thrown for faults of the user's input, with all diagnostics. Exit code 2.
class InputError : public std::runtime_error {
public:
    explicit InputError(std::vector<Diagnostic> diagnostics);
    [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

private:
    std::vector<Diagnostic> diagnostics_;
};

/// Collects diagnostics until `throw_if_errors` throws them together.
class Diagnostics {
public:
    void error(Location where, std::string message, std::string help = {});
    void warning(Location where, std::string message, std::string help = {});
    [[nodiscard]] bool has_errors() const;
    [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }
    void throw_if_errors() const;

private:
    std::vector<Diagnostic> all_;
};

/// Throws a single error, for faults after which reading cannot continue.
[[noreturn]] void fail(Location where, std::string message, std::string help = {});

/// The candidate nearest to `word` by edit distance; empty if none is near enough to suggest.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// `; did you mean "x"?` for the nearest candidate, or empty.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// "a, b, c".
std::string join(std::span<const std::string> words, std::string_view separator = ", ");

/// The same with at most kMaxNamed words: "a, b, c, … (7 more)".
inline constexpr std::size_t kMaxNamed = 12;
std::string join_some(std::span<const std::string> words);

}  // namespace dodona
