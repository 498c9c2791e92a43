// Parameters of a model file, and what a scalar means among them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "files/fields.hpp"
#include "graph/attributes.hpp"

namespace dodona::files {

/// A scalar as written in a file or after `--set`.
struct Written {
    std::string text;
    bool quoted = false;
    Location where;  ///< of the text itself, inside its quotes
};

Written written(const Value& scalar);

class Scope {
public:
    void set(const std::string& name, graph::AttributeValue value);
    [[nodiscard]] const graph::AttributeValue* find(std::string_view name) const;
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  ///< in the order set

    /// true, false, a number, the value of a parameter, an expression over parameters, or else the word itself.
    /// What looks like a number or an expression but is none throws an InputError.
    [[nodiscard]] graph::AttributeValue value(const Written& written) const;

    /// A whole number from `least` to `most`; a fault goes to the value's diagnostics and reads as `least`.
    [[nodiscard]] std::int64_t whole(const Value& value, std::int64_t least, std::int64_t most) const;

    /// true or false, or what a comparison gives; absent: false. A fault goes to the value's diagnostics.
    [[nodiscard]] bool flag(const Value& value) const;

private:
    [[nodiscard]] double arithmetic(const Written& written) const;
    [[nodiscard]] bool is_word(const std::string& text) const;

    std::vector<std::string> names_;
    std::map<std::string, graph::AttributeValue, std::less<>> values_;
};

/// Whether the text can name a parameter in an expression.
bool is_identifier(std::string_view text);

}  // namespace dodona::files
