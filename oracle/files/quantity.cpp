#include "files/quantity.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/decimal.hpp"
#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "files/number.hpp"
#include "files/text.hpp"

namespace dodona::files {

namespace {

constexpr Dimensions kTime{.second = 1};
constexpr Dimensions kSize{.byte = 1};
constexpr Dimensions kWork{.flop = 1};
constexpr Dimensions kBandwidth{.second = -1, .byte = 1};
constexpr Dimensions kRate{.second = -1, .flop = 1};
constexpr Dimensions kPower{.second = -1, .joule = 1};

struct Unit {
    std::string_view name;
    Dimensions dimensions;
    double scale;
    bool written = false;  ///< by Dodona itself
};

constexpr Unit kUnits[] = {
    {"ns", kTime, 1e-9, true},
    {"us", kTime, 1e-6, true},
    {"ms", kTime, 1e-3, true},
    {"s", kTime, 1, true},
    {"min", kTime, 60},
    {"h", kTime, 3600},
    {"d", kTime, 86400},
    {"B", kSize, 1, true},
    {"kB", kSize, 1e3, true},
    {"MB", kSize, 1e6, true},
    {"GB", kSize, 1e9, true},
    {"TB", kSize, 1e12, true},
    {"PB", kSize, 1e15, true},
    {"KiB", kSize, 0x1p10, true},
    {"MiB", kSize, 0x1p20, true},
    {"GiB", kSize, 0x1p30, true},
    {"TiB", kSize, 0x1p40, true},
    {"B/s", kBandwidth, 1, true},
    {"kB/s", kBandwidth, 1e3, true},
    {"MB/s", kBandwidth, 1e6, true},
    {"GB/s", kBandwidth, 1e9, true},
    {"TB/s", kBandwidth, 1e12, true},
    {"MiB/s", kBandwidth, 0x1p20},
    {"GiB/s", kBandwidth, 0x1p30},
    {"TiB/s", kBandwidth, 0x1p40},
    {"Mb/s", kBandwidth, 1e6 / 8},
    {"Gb/s", kBandwidth, 1e9 / 8},
    {"Tb/s", kBandwidth, 1e12 / 8},
    {"FLOP", kWork, 1, true},
    {"GFLOP", kWork, 1e9, true},
    {"TFLOP", kWork, 1e12, true},
    {"PFLOP", kWork, 1e15, true},
    {"FLOP/s", kRate, 1, true},
    {"GFLOP/s", kRate, 1e9, true},
    {"TFLOP/s", kRate, 1e12, true},
    {"PFLOP/s", kRate, 1e15, true},
    {"EFLOP/s", kRate, 1e18, true},
    {"W", kPower, 1, true},
    {"kW", kPower, 1e3, true},
};

constexpr QuantityKind kQuantityKinds[] = {
    {kTime, "a duration", "9 us", "_s"},
    {kSize, "a size", "16 GiB", "_bytes"},
    {kWork, "an amount of arithmetic", "2 TFLOP", "_flop"},
    {kBandwidth, "a bandwidth", "50 GB/s", "_bytes_per_s"},
    {kRate, "an arithmetic rate", "312 TFLOP/s", "_flop_per_s"},
    {kPower, "a power", "700 W", "_w"},
};

/// The most that a quantity may be, in base units: beyond what there is by orders of magnitude, and far from where numbers
/// overflow. 32 million years; a yottabyte; a zettabyte a second.
constexpr double most_of(Dimensions dimensions) {
    return dimensions == kTime        ? 1e15
           : dimensions == kSize      ? 1e24
           : dimensions == kBandwidth ? 1e21
           : dimensions == kPower     ? 1e12
                                      : 1e30;
}

/// The least that a quantity above nothing may be, likewise: a femtosecond, a millionth of a byte, a byte in 11 days.
constexpr double least_of(Dimensions dimensions) { return dimensions == kTime ? 1e-15 : 1e-6; }

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

NotAQuantity unknown_unit(std::string_view text, std::string_view unit, Dimensions due) {
    const std::vector<std::string> names = units_of(due);
    auto near = mapped_where<std::string>(
        names, [&](const std::string& name) { return lower(name) == lower(unit); },
        [](const std::string& name) { return '"' + name + '"'; });
    const std::string suggestion =
        near.empty() ? did_you_mean(unit, names) : fmt::format("; did you mean {}?", join(near, " or "));
    return {fmt::format("unknown unit \"{}\" in \"{}\"{}", unit, text, suggestion),
            fmt::format("units of {}: {}", quantity_kind(due).name, join(names))};
}

/// How many characters of the text are its number.
std::size_t number_length(std::string_view text) {
    double ignored = 0;
    const auto result = decimal_at(text.data(), text.data() + text.size(), ignored);
    return static_cast<std::size_t>(result.ptr - text.data());
}

/// The shortest number that, times the scale, is the same number of base units.
std::optional<std::string> exact_number(double base_units, double scale) {
    const auto is_exact = [&](const std::string& text) {
        const auto read = decimal_from(text);
        const auto* const number = std::get_if<double>(&read);
        return number != nullptr && *number * scale == base_units;
    };
    if (std::string text = shortest(base_units / scale); is_exact(text)) {
        return text;
    }
    for (int digits = 14; digits <= 17; ++digits) {
        if (std::string text = fmt::format("{:.{}g}", base_units / scale, digits); is_exact(text)) {
            return text;
        }
    }
    return std::nullopt;
}

}  // namespace

const QuantityKind& quantity_kind(Dimensions dimensions) {
    const auto* const kind = std::find_if(std::begin(kQuantityKinds), std::end(kQuantityKinds),
                                          [&](const QuantityKind& k) { return k.dimensions == dimensions; });
    check(kind != std::end(kQuantityKinds), "a quantity of a dimension that files do not know");
    return *kind;
}

std::span<const QuantityKind> quantity_kinds() { return kQuantityKinds; }

std::vector<std::string> units_of(Dimensions dimensions) {
    return mapped_where<std::string>(
        kUnits, [&](const Unit& unit) { return unit.dimensions == dimensions; }, &Unit::name);
}

std::string quantity_text(double base_units, Dimensions dimensions, int digits) {
    struct Candidate {
        std::string number;
        const Unit* unit = nullptr;
        bool is_handy = false;  ///< from 1 to 999
        /// Characters, of which a number that is not handy costs two more.
        [[nodiscard]] std::size_t length() const { return number.size() + (is_handy ? 0 : 2); }
    };
    const bool is_count = dimensions == kSize || dimensions == kWork;
    std::optional<Candidate> best;
    for (const Unit& unit : kUnits) {
        const double number = base_units / unit.scale;
        if (!unit.written || unit.dimensions != dimensions || (base_units == 0 && unit.scale != 1)) {
            continue;
        }
        const bool is_rounded = digits > 0 && !(is_count && std::floor(base_units) == base_units);
        const auto text = is_rounded ? fmt::format("{:.{}g}", number, digits) : exact_number(base_units, unit.scale);
        if (!text) {
            continue;
        }
        const Candidate candidate{*text, &unit, number >= 1 && number < 1000};
        const bool is_better =
            !best || (is_rounded && candidate.is_handy != best->is_handy ? candidate.is_handy
                                                                         : candidate.length() < best->length());
        if (is_better) {
            best = candidate;
        }
    }
    check(best.has_value(), "a quantity without a unit to write it in");
    return fmt::format("{} {}", best->number, best->unit->name);
}

std::variant<double, NotAQuantity> base_units_from(std::string_view text, Dimensions due) {
    const QuantityKind& kind = quantity_kind(due);
    const std::string how = fmt::format("write a number and a unit: {}", kind.example);
    const std::size_t length = number_length(text);
    if (length == 0) {
        return NotAQuantity{fmt::format("\"{}\" is not {}", text, kind.name), how};
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
        return NotAQuantity{
            fmt::format("\"{}\" is {}; expected {}", text, quantity_kind(unit->dimensions).name, kind.name),
            fmt::format("units of {}: {}", kind.name, join(units_of(due)))};
    }
    const double value = std::get<double>(number) * unit->scale;
    if (!(std::abs(value) <= most_of(due)) || (std::get<double>(number) != 0 && std::abs(value) < least_of(due))) {
        return NotAQuantity{fmt::format("\"{}\" is out of range", text), how};
    }
    return value;
}

}  // namespace dodona::files
