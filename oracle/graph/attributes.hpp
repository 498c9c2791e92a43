// Attributes of a layer from the model file, with types and locations. Unread attributes are errors.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/diagnostic.hpp"

namespace dodona::graph {

/// A value after evaluation of expressions.
struct AttributeValue {
    std::variant<std::int64_t, double, bool, std::string, std::vector<std::int64_t>> value;
    Location where;
};

/// Reads attributes by name and records which were read. Faults are added to the diagnostics.
class Attributes {
public:
    Attributes(std::string layer, Location where, std::map<std::string, AttributeValue> values,
               Diagnostics& diagnostics);

    /// Whole numbers. A missing attribute without fallback is an error; 1 is then returned so that reading can
    /// continue.
    std::int64_t positive(const std::string& key);
    std::int64_t positive(const std::string& key, std::int64_t fallback);
    std::int64_t not_negative(const std::string& key, std::int64_t fallback);
    /// One number for all `count` dimensions, or a list of `count` numbers.
    std::vector<std::int64_t> per_dimension(const std::string& key, std::size_t count, std::int64_t fallback,
                                            bool required, std::int64_t least);
    /// A number that need not be whole, `least` or more.
    double decimal(const std::string& key, double fallback, double least);
    bool flag(const std::string& key, bool fallback);
    std::string word(const std::string& key, const std::vector<std::string>& choices, const std::string& fallback);
    std::string text(const std::string& key);  ///< free text, empty if missing
    /// A list of whole numbers of any length. A single number is a list of one; a missing attribute is an error.
    std::vector<std::int64_t> list(const std::string& key, std::int64_t least);

    [[nodiscard]] bool has(const std::string& key) const;
    void error(const std::string& message, const std::string& help = {});
    void error_at(const std::string& key, const std::string& message, const std::string& help = {});
    /// Reports every attribute that was not read, with a suggestion among those that were.
    void report_unread();

private:
    const AttributeValue* ask(const std::string& key);
    std::int64_t at_least(std::int64_t least, const std::string& key, std::optional<std::int64_t> fallback);

    std::string layer_;
    Location where_;
    std::map<std::string, AttributeValue> values_;
    std::vector<std::string> asked_;
    Diagnostics* diagnostics_;
};

}  // namespace dodona::graph
