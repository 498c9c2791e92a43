// The lines of a log as programs printed them, without the marks that terminals and launchers add.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace dodona::calibrate {

struct LogWord {
    std::string_view text;
    int column = 1;
};

class LogLine {
public:
    /// Colours, underlines and the marks of launchers ("[1,0]<stdout>:", "0: ", "> ") become blanks: columns stay.
    LogLine(std::string_view raw, int number);

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] int number() const { return number_; }
    /// Between white space; good while the line lives.
    [[nodiscard]] std::vector<LogWord> words() const;
    /// Columns that two blanks or a tab separate: "Avg Latency(us)" is one.
    [[nodiscard]] std::vector<LogWord> cells() const;
    /// Blanks for a tag that starts the line, and for what it repeats in brackets: "[0]  8388608 ... -1[0] 420.1". Tags
    /// that differ in letters and digits only are alike.
    void leave_out(std::string_view tag);
    [[nodiscard]] bool blank() const { return text_.find_first_not_of(" \t\r") == std::string::npos; }

private:
    std::string text_;
    int number_;
};

class LogText {
public:
    /// Throws InputError for what is no text and for what is too large.
    LogText(std::string_view text, const std::string& name);

    [[nodiscard]] const std::vector<LogLine>& lines() const { return lines_; }
    /// The same without a tag before lines.
    [[nodiscard]] LogText without(std::string_view tag) const;
    [[nodiscard]] Location whole() const { return {source_, 0, 0, 1}; }
    [[nodiscard]] Location at(const LogLine& line) const;
    [[nodiscard]] Location at(const LogLine& line, const LogWord& word) const;

private:
    std::shared_ptr<const Source> source_;
    std::vector<LogLine> lines_;
};

/// A number as a program printed it, and half a unit of its last digit: how far rounding may have moved it.
struct Printed {
    double value = 0;
    double half_step = 0;
};
/// None for what is no number, "N/A", "nan" and "inf" among it.
std::optional<Printed> printed(std::string_view text);

/// A number without sign, point and exponent.
std::optional<std::int64_t> whole(std::string_view text);

/// All whole numbers in a text, in order: "[2, 2]".
std::vector<std::int64_t> numbers_in(std::string_view text);

}  // namespace dodona::calibrate
