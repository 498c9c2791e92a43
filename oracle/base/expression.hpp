// Small arithmetic expressions in user files: `4*hidden`, `round_up(50257, 128*8)`, `extent/ways >= window`.
//
// Grammar: comparison ('>=' '>' '<=' '<' '==' '!='), + - * / %, parentheses, names, whole and decimal numbers, and the
// functions min, max, ceil, floor, round_up(value, multiple). A comparison is 1 or 0.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace dodona {

class Expression {
public:
    /// Throws InputError at `where`, with the column of the fault.
    static Expression parse(std::string_view text, const Location& where);

    /// `lookup` returns the value of a name, or nullopt if it is unknown. Throws InputError for unknown names, with a
    /// suggestion from `known`, for division by zero, and for results that are not finite.
    [[nodiscard]] double evaluate(const std::function<std::optional<double>(std::string_view)>& lookup,
                                  std::span<const std::string> known = {}) const;

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] std::vector<std::string> names() const;

    struct Node;

private:
    std::string text_;
    Location where_;
    std::shared_ptr<const Node> root_;
};

}  // namespace dodona
