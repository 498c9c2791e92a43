// Enumerations with one table each: the name of every value in files, options and reports, and what it means.
//
//   enum class Routing { minimal, valiant };
//   inline constexpr std::array kRoutingTable{
//       Enumerator(Routing::minimal, "minimal", "only over the links between the two groups"),
//       Enumerator(Routing::valiant, "valiant", "over any third group")};
//   constexpr const auto& enumerators(Routing) { return kRoutingTable; }
//
// name_of, names_of, value_of, values_of and value_names derive from the table that `enumerators` returns for the type.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona {

template <class Enum>
struct Enumerator {
    constexpr Enumerator(Enum value_, std::string_view name_, std::string_view meaning_,
                         std::string_view former_name_ = {})
        : value(value_), name(name_), meaning(meaning_), former_name(former_name_) {}

    Enum value;
    std::string_view name;
    std::string_view meaning;      ///< one sentence without capital and full stop, for references and help
    std::string_view former_name;  ///< still read; empty: none
};

/// An enumeration with a table.
template <class Enum>
concept Enumerated = requires(Enum value) {
    { enumerators(value)[0] } -> std::same_as<const Enumerator<Enum>&>;
};

template <Enumerated Enum>
constexpr std::span<const Enumerator<Enum>> table_of() {
    return enumerators(Enum{});
}

template <Enumerated Enum>
constexpr const Enumerator<Enum>& enumerator_of(Enum value) {
    for (const Enumerator<Enum>& row : table_of<Enum>()) {
        if (row.value == value) {
            return row;
        }
    }
    throw InternalError("a value of an enumeration without a row in its table");
}

template <Enumerated Enum>
constexpr std::string_view name_of(Enum value) {
    return enumerator_of(value).name;
}

template <Enumerated Enum>
constexpr std::optional<Enum> value_of(std::string_view name) {
    for (const Enumerator<Enum>& row : table_of<Enum>()) {
        if (row.name == name || (!row.former_name.empty() && row.former_name == name)) {
            return row.value;
        }
    }
    return std::nullopt;
}

/// The names of all values, in the order of the table.
template <Enumerated Enum>
std::vector<std::string> value_names() {
    return mapped<std::string>(table_of<Enum>(), [](const Enumerator<Enum>& row) { return row.name; });
}

template <Enumerated Enum>
std::vector<std::string> names_of(const std::vector<Enum>& values) {
    return mapped<std::string>(values, [](const Enum value) { return name_of(value); });
}

/// The values of a table.
template <class Enum, std::size_t N>
constexpr std::array<Enum, N> values_of(const std::array<Enumerator<Enum>, N>& table) {
    std::array<Enum, N> values{};
    for (std::size_t i = 0; i < N; ++i) {
        values[i] = table[i].value;
    }
    return values;
}

}  // namespace dodona
