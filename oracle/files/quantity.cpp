#include "files/quantity.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "files/number.hpp"
#include "files/text.hpp"

namespace dodona::files {

namespace {

constexpr Dimensions kTime{.second = 1};
constexpr Dimensions kSize{.byte = 1};
constexpr Dimensions kWork{.flop = 1};
constexpr Dimensions kBandwidth{.second = -1, .byte = 1};
constexpr Dimensions kRate{.second = -1, .flop = 1};

struct Unit {
    std::string_view name;
    Dimensions dimensions;
    double scale;
};

constexpr Unit kUnits[] = {
    {"ns", kTime, 1e-9},
    {"us", kTime, 1e-6},
    {"ms", kTime, 1e-3},
    {"s", kTime, 1},
    {"min", kTime, 60},
    {"h", kTime, 3600},
    {"d", kTime, 86400},
    {"B", kSize, 1},
    {"kB", kSize, 1e3},
    {"MB", kSize, 1e6},
    {"GB", kSize, 1e9},
    {"TB", kSize, 1e12},
    {"PB", kSize, 1e15},
    {"KiB", kSize, 0x1p10},
    {"MiB", kSize, 0x1p20},
    {"GiB", kSize, 0x1p30},
    {"TiB", kSize, 0x1p40},
    {"B/s", kBandwidth, 1},
    {"kB/s", kBandwidth, 1e3},
    {"MB/s", kBandwidth, 1e6},
    {"GB/s", kBandwidth, 1e9},
    {"TB/s", kBandwidth, 1e12},
    {"MiB/s", kBandwidth, 0x1p20},
    {"GiB/s", kBandwidth, 0x1p30},
    {"TiB/s", kBandwidth, 0x1p40},
    {"Mb/s", kBandwidth, 1e6 / 8},
    {"Gb/s", kBandwidth, 1e9 / 8},
    {"Tb/s", kBandwidth, 1e12 / 8},
    {"FLOP", kWork, 1},
    {"GFLOP", kWork, 1e9},
    {"TFLOP", kWork, 1e12},
    {"PFLOP", kWork, 1e15},
    {"FLOP/s", kRate, 1},
    {"GFLOP/s", kRate, 1e9},
    {"TFLOP/s", kRate, 1e12},
    {"PFLOP/s", kRate, 1e15},
    {"EFLOP/s", kRate, 1e18},
};

struct Sort {
    Dimensions dimensions;
    std::string_view name;     ///< with its article
    std::string_view example;  ///< what to write
};

constexpr Sort kSorts[] = {
    {kTime, "a duration", "9 us"},
    {kSize, "a size", "16 GiB"},
    {kWork, "an amount of arithmetic", "2 TFLOP"},
    {kBandwidth, "a bandwidth", "50 GB/s"},
    {kRate, "an arithmetic rate", "312 TFLOP/s"},
};

const Sort& sort_of(Dimensions dimensions) {
    const auto* const sort =
        std::find_if(std::begin(kSorts), std::end(kSorts), [&](const Sort& s) { return s.dimensions == dimensions; });
    check(sort != std::end(kSorts), "a quantity of a dimension that files do not know");
    return *sort;
}

std::vector<std::string> units_of(Dimensions dimensions) {
    std::vector<std::string> names;
    for (const Unit& unit : kUnits) {
        if (unit.dimensions == dimensions) {
            names.emplace_back(unit.name);
        }
    }
    return names;
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

NotAQuantity unknown_unit(std::string_view text, std::string_view unit, Dimensions due) {
    const std::vector<std::string> names = units_of(due);
    std::vector<std::string> near;
    for (const std::string& name : names) {
        if (lower(name) == lower(unit)) {
            near.push_back('"' + name + '"');
        }
    }
    const std::string suggestion =
        near.empty() ? did_you_mean(unit, names) : fmt::format("; did you mean {}?", join(near, " or "));
    return {fmt::format("unknown unit \"{}\" in \"{}\"{}", unit, text, suggestion),
            fmt::format("units of {}: {}", sort_of(due).name, join(names))};
}

/// How many characters of the text are its number.
std::size_t number_length(std::string_view text) {
    double ignored = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), ignored);
    return static_cast<std::size_t>(result.ptr - text.data());
}

}  // namespace

std::variant<double, NotAQuantity> base_units_from(std::string_view text, Dimensions due) {
    const Sort& sort = sort_of(due);
    const std::string how = fmt::format("write a number and a unit: {}", sort.example);
    const std::size_t length = number_length(text);
    if (length == 0) {
        return NotAQuantity{fmt::format("\"{}\" is not {}", text, sort.name), how};
    }
    const auto number = decimal_from(text.substr(0, length));
    if (const auto* fault = std::get_if<NotANumber>(&number)) {
        return NotAQuantity{fmt::format("\"{}\" {}", text, fault->why), how};
    }
    const std::string_view name = trimmed(text.substr(length));
    if (name.empty()) {
        return NotAQuantity{fmt::format("\"{}\" has no unit", text), how};
    }
    if (name.find_first_of("_.,0123456789") != std::string_view::npos) {
        return NotAQuantity{fmt::format("\"{}\" does not start with a plain number", text), how};
    }
    const auto* const unit =
        std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& u) { return u.name == name; });
    if (unit == std::end(kUnits)) {
        return unknown_unit(text, name, due);
    }
    if (unit->dimensions != due) {
        return NotAQuantity{fmt::format("\"{}\" is {}, but {} is due", text, sort_of(unit->dimensions).name, sort.name),
                            fmt::format("units of {}: {}", sort.name, join(units_of(due)))};
    }
    const double value = std::get<double>(number) * unit->scale;
    if (!std::isfinite(value)) {
        return NotAQuantity{fmt::format("\"{}\" is out of range", text), how};
    }
    return value;
}

}  // namespace dodona::files
