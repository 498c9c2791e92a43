#include "calibrate/noise/pattern.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::calibrate {

namespace {

struct Kind {
    Load load;
    char letter;
    std::string_view name;
};

constexpr std::array kKinds{Kind{Load::memory, 'M', "memory"}, Kind{Load::network, 'N', "network"},
                            Kind{Load::files, 'I', "io"}, Kind{Load::cpu, 'C', "cpu"},
                            Kind{Load::silence, 'S', "silence"}};
constexpr double kLongest = 86'400;

const Kind& kind_of(Load load) {
    return *std::find_if(kKinds.begin(), kKinds.end(), [=](const Kind& kind) { return kind.load == load; });
}

[[noreturn]] void wrong(const Location& where, std::size_t at, std::size_t length, const std::string& message) {
    Location place = where;
    place.column += static_cast<int>(at);
    place.length = static_cast<int>(length);
    fail(place, message,
         "a pattern is letters with seconds, such as M2S2: M memory, N network, I files, C CPU, S silence");
}

}  // namespace

char letter(Load load) { return kind_of(load).letter; }

std::string_view name(Load load) { return kind_of(load).name; }

Seconds NoisePattern::cycle() const { return sum_of<Seconds>(phases, &Phase::duration); }

NoisePattern::Now NoisePattern::at(Seconds since) const {
    const Seconds whole = cycle();
    check(whole > Seconds{}, "a pattern has no duration");
    Seconds end = std::floor(since / whole) * whole;
    for (const Phase& phase : phases) {
        end += phase.duration;
        if (since < end) {
            return {.load = phase.load, .until = end};
        }
    }
    return {.load = phases.back().load, .until = end};  // rounding put `since` on the end itself
}

bool NoisePattern::has(Load load) const {
    return std::any_of(phases.begin(), phases.end(), [=](const Phase& phase) { return phase.load == load; });
}

NoisePattern pattern_from(std::string_view text, const Location& where) {
    NoisePattern pattern;
    for (std::size_t at = 0; at < text.size();) {
        const auto kind = std::ranges::find_if(kKinds, [&](const Kind& each) { return each.letter == text[at]; });
        if (kind == kKinds.end()) {
            wrong(where, at, 1, fmt::format("\"{}\" is no kind of load", text[at]));
        }
        double seconds = 0;
        const char* const begin = text.data() + at + 1;
        const auto [end, fault] = std::from_chars(begin, text.data() + text.size(), seconds, std::chars_format::fixed);
        if (fault != std::errc{} || !(seconds > 0) || seconds > kLongest) {
            wrong(where, at, 1,
                  fmt::format("{} needs a number of seconds after it, above 0 and up to a day", text[at]));
        }
        pattern.phases.push_back({.load = kind->load, .duration = seconds * 1_s});
        at = static_cast<std::size_t>(end - text.data());
    }
    if (pattern.phases.empty()) {
        wrong(where, 0, 1, "a pattern without phases");
    }
    return pattern;
}

}  // namespace dodona::calibrate
