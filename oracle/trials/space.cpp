#include "trials/space.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/check.hpp"
#include "simulate/noise.hpp"
#include "simulate/random_bits.hpp"

namespace dodona::trials {

namespace {

/// The value at `share` of the parameter's range, in [0, 1).
std::string value_at(const Parameter& parameter, double share) {
    if (!parameter.is_range()) {
        const auto count = parameter.values.size();
        return parameter.values[std::min(count - 1, static_cast<std::size_t>(share * static_cast<double>(count)))];
    }
    const double from = parameter.logarithmic ? std::log(parameter.from) : parameter.from;
    const double to = parameter.logarithmic ? std::log(parameter.to) : parameter.to;
    const double drawn = from + share * (to - from);
    const double value = parameter.logarithmic ? std::exp(drawn) : drawn;
    return parameter.whole ? fmt::format("{:.0f}", std::round(value)) : fmt::format("{:.6g}", value);
}

/// Numbers below `count` in an order that is drawn.
std::vector<std::size_t> shuffled(std::size_t count, simulate::Draws& draws) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) {
        std::swap(order[i - 1],
                  order[std::min(i - 1, static_cast<std::size_t>(draws.uniform() * static_cast<double>(i)))]);
    }
    return order;
}

std::vector<Settings> grid(const std::vector<Parameter>& space) {
    const std::optional<std::size_t> count = combinations(space);
    check(count && *count <= kMaxTrials, "a grid needs values, and no more trials than there may be");
    std::vector<Settings> trials(*count);
    for (std::size_t trial = 0; trial < *count; ++trial) {
        std::size_t rest = trial;
        for (std::size_t p = space.size(); p-- > 0;) {
            const std::vector<std::string>& values = space[p].values;
            trials[trial].insert(trials[trial].begin(), {space[p].name, values[rest % values.size()]});
            rest /= values.size();
        }
    }
    return trials;
}

}  // namespace

std::optional<std::size_t> combinations(const std::vector<Parameter>& space) {
    std::size_t count = 1;
    for (const Parameter& parameter : space) {
        if (parameter.is_range()) {
            return std::nullopt;
        }
        count = std::min(kMaxTrials + 1, count * parameter.values.size());
    }
    return count;
}

std::vector<Settings> draw_trials(const std::vector<Parameter>& space, const Draw& draw) {
    if (draw.sampling == Sampling::grid) {
        return grid(space);
    }
    std::vector<Settings> trials(draw.count);
    for (std::size_t p = 0; p < space.size(); ++p) {
        simulate::Draws draws(simulate::random_bits(draw.seed, p));
        const bool stratified = draw.sampling == Sampling::latin_hypercube;
        const std::vector<std::size_t> parts = stratified ? shuffled(draw.count, draws) : std::vector<std::size_t>{};
        for (std::size_t trial = 0; trial < draw.count; ++trial) {
            const double share = draws.uniform();
            const double part = stratified ? static_cast<double>(parts[trial]) : 0;
            const double at = stratified ? (part + share) / static_cast<double>(draw.count) : share;
            trials[trial].emplace_back(space[p].name, value_at(space[p], at));
        }
    }
    return trials;
}

const std::string* value_of(const Settings& settings, std::string_view parameter) {
    for (const auto& setting : settings) {
        if (setting.first == parameter) {
            return &setting.second;
        }
    }
    return nullptr;
}

std::string text(const Settings& settings) {
    std::string all;
    for (const auto& [name, value] : settings) {
        all += (all.empty() ? "" : " ") + name + "=" + value;
    }
    return all;
}

}  // namespace dodona::trials
