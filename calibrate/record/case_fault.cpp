#include "calibrate/record/case_fault.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/precision.hpp"
#include "base/ranges.hpp"

namespace dodona::calibrate {

namespace {

using namespace std::string_view_literals;

constexpr std::array kWords{"algorithm"sv, "collective"sv, "directory"sv, "engine"sv,    "format"sv,
                            "from"sv,      "kernel"sv,     "kind"sv,      "layout"sv,    "level"sv,
                            "load"sv,      "operation"sv,  "operator"sv,  "optimizer"sv, "pattern"sv,
                            "precision"sv, "resource"sv,   "to"sv,        "direction"sv};
constexpr std::array kExtents{"input"sv, "window"sv, "stride"sv, "pad"sv, "dilation"sv};
constexpr std::array kDirections{"forward"sv, "backward"sv, "backward-input"sv, "backward-weight"sv};
/// What is computed divides by these. Shares of a network's extents are fractions.
constexpr std::array kPositive{"m"sv,       "n"sv,     "k"sv,       "batch"sv,    "images"sv,  "channels"sv,
                               "filters"sv, "heads"sv, "queries"sv, "kv_heads"sv, "keys"sv,    "head"sv,
                               "samples"sv, "gates"sv, "inputs"sv,  "cells"sv,    "elements"sv};
constexpr std::array kCounts{"groups"sv,  "ranks"sv, "ranks_per_node"sv, "writers"sv,
                             "threads"sv, "block"sv, "passes"sv};
constexpr double kMax = 1e18;  ///< of any number: well within whole numbers of 64 bits
constexpr std::int64_t kMaxExtent = 1'000'000'000;

struct Needed {
    std::string_view benchmark;
    std::vector<std::string_view> parameters;
};

const std::vector<Needed>& needed() {
    static const std::vector<Needed> all{
        {"matmul", {"m", "n", "k"}},
        {"convolution", {"images", "channels", "filters", "input", "window"}},
        {"attention", {"heads", "queries", "keys", "head"}},
        {"recurrent", {"samples", "gates", "inputs"}},
        {"stream", {"bytes"}},
        {"compression", {"kernel", "elements"}},
        {"collective", {"collective", "bytes"}},
        {"send", {"bytes"}},
        {"file", {"operation"}},
        {"checkpoint", {"operation", "format"}},
    };
    return all;
}

/// Numbers between x; nothing where it is no such list.
std::optional<std::vector<std::int64_t>> extents_of(std::string_view text) {
    std::vector<std::int64_t> all;
    for (const char* at = text.data(); all.empty() || at < text.data() + text.size();) {
        std::int64_t extent = 0;
        const auto [next, fault] = std::from_chars(at, text.data() + text.size(), extent);
        const bool is_end = next == text.data() + text.size();
        const bool goes_on = !is_end && *next == 'x' && next + 1 != text.data() + text.size();
        if (fault != std::errc{} || extent < 0 || extent > kMaxExtent || (!is_end && !goes_on)) {
            return std::nullopt;
        }
        all.push_back(extent);
        at = is_end ? next : next + 1;
    }
    return all;
}

std::string word_fault(std::string_view name, const std::string& word) {
    if (contains(kExtents, name) && !extents_of(word)) {
        return fmt::format("\"{}\" is \"{}\", not extents such as 56x56", name, word);
    }
    if (name == "precision" && !precision_from(word)) {
        return fmt::format("\"{}\" is no precision", word);
    }
    if (name == "direction" && !contains(kDirections, word)) {
        return fmt::format("\"{}\" is no direction: forward, backward, backward-input or backward-weight", word);
    }
    return {};
}

std::string number_fault(std::string_view name, double value) {
    if (!(value >= 0 && value <= kMax)) {
        return fmt::format("\"{}\" is {}, not between 0 and 1e18", name, value);
    }
    return {};
}

/// What nothing can be divided by.
bool is_too_few(std::string_view name, const Parameter& parameter) {
    const double* value = std::get_if<double>(&parameter);
    return value != nullptr && ((*value == 0 && contains(kPositive, name)) || (*value < 1 && contains(kCounts, name)));
}

std::string parameter_fault(std::string_view name, const Parameter& value) {
    const std::string* word = std::get_if<std::string>(&value);
    const bool is_word = contains(kWords, name) || contains(kExtents, name);
    if (is_word != (word != nullptr)) {
        return fmt::format("\"{}\" is {}", name, is_word ? "a number, and has to be a word" : "no number");
    }
    return word != nullptr ? word_fault(name, *word) : number_fault(name, std::get<double>(value));
}

/// A convolution whose window is wider than what it slides over, or does not move.
std::string window_fault(const Case& of) {
    const auto list = [&](std::string_view name, const char* otherwise) {
        return *extents_of(of.word(name, otherwise));
    };
    const std::vector<std::int64_t> input = list("input", "1");
    const std::vector<std::int64_t> window = list("window", "1");
    const std::vector<std::int64_t> stride = list("stride", "1");
    const std::vector<std::int64_t> pad = list("pad", "0");
    const std::vector<std::int64_t> dilation = list("dilation", "1");
    const auto at = [](const std::vector<std::int64_t>& all, std::size_t i) {
        return i < all.size() ? all[i] : all[0];
    };
    for (std::size_t i = 0; i < input.size(); ++i) {
        if (input[i] < 1 || at(window, i) < 1 || at(stride, i) < 1 || at(dilation, i) < 1) {
            return "an extent of 0";
        }
        const double span = static_cast<double>(at(dilation, i)) * static_cast<double>(at(window, i) - 1) + 1;
        if (span > static_cast<double>(input[i] + 2 * at(pad, i))) {
            return "the window is wider than its input";
        }
    }
    return {};
}

}  // namespace

std::string case_fault(const Case& of) {
    for (const auto& [name, value] : of.parameters) {
        if (std::string fault = parameter_fault(name, value); !fault.empty()) {
            return fault;
        }
    }
    return {};
}

std::string measured_case_fault(const Case& of) {
    for (const auto& [name, value] : of.parameters) {
        if (is_too_few(name, value)) {
            return fmt::format("\"{}\" is {}", name, of.number(name));
        }
    }
    const auto needs = std::ranges::find_if(needed(), [&](const Needed& row) { return row.benchmark == of.benchmark; });
    if (needs == needed().end()) {
        return {};
    }
    for (const std::string_view name : needs->parameters) {
        if (!of.has(name)) {
            return fmt::format("a case of {} needs \"{}\"", of.benchmark, name);
        }
    }
    return of.benchmark == "convolution" ? window_fault(of) : "";
}

}  // namespace dodona::calibrate
