// The settings that trials try: a space of parameters, and the trials drawn from it.
//
//   grid              every combination of the values; the first parameter changes slowest
//   random            each parameter of each trial drawn on its own
//   latin hypercube   of n trials, each parameter has one in each n-th of its range, in an order of its own
//
// A range is uniform between its ends, or uniform in the logarithm. A parameter with values stands for a range of equal
// parts, one for each value.
// Source: Bergstra and Bengio, "Random search for hyper-parameter optimization", JMLR 13 (2012); McKay, Beckman and
// Conover, "A comparison of three methods for selecting values of input variables", Technometrics 21(2), 1979.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/enumeration.hpp"

namespace dodona::trials {

enum class Sampling { grid, random, latin_hypercube };
inline constexpr std::array kSamplingTable{
    Enumerator(Sampling::grid, "grid", "every combination of the values"),
    Enumerator(Sampling::random, "random", "each parameter of each trial drawn on its own"),
    Enumerator(Sampling::latin_hypercube, "latin-hypercube", "of n trials, each parameter has one in each n-th")};
constexpr const auto& enumerators(Sampling /*type*/) { return kSamplingTable; }
constexpr std::string_view name(Sampling sampling) { return name_of(sampling); }

/// More trials than anybody runs, and few enough to be scheduled in seconds.
inline constexpr std::size_t kMaxTrials = 100'000;

struct Parameter {
    std::string name;
    std::vector<std::string> values;  ///< as they are written; empty: a range
    double from = 0;
    double to = 0;
    bool logarithmic = false;  ///< uniform in the logarithm; both ends are above 0
    bool whole = false;        ///< rounded to whole numbers

    [[nodiscard]] bool is_range() const { return values.empty(); }
};

/// The value of each parameter, in the order of the space.
using Settings = std::vector<std::pair<std::string, std::string>>;

struct Draw {
    Sampling sampling = Sampling::grid;
    std::size_t count = 0;  ///< of trials that are drawn; a grid has as many as it has
    std::uint64_t seed = 1;
};

/// Combinations of a grid; none where a parameter is a range. More than kMaxTrials count as one more than that.
std::optional<std::size_t> combinations(const std::vector<Parameter>& space);

/// The trials, in the order in which they are submitted. A grid needs parameters with values and at most kMaxTrials
/// combinations.
std::vector<Settings> draw_trials(const std::vector<Parameter>& space, const Draw& draw);

/// The value of a parameter; null where there is none of that name.
const std::string* value_of(const Settings& settings, std::string_view parameter);

/// "batch=32 epochs=10".
std::string text(const Settings& settings);

}  // namespace dodona::trials
