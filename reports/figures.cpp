#include "reports/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace dodona::reports {

namespace {

struct Scale {
    double size;
    std::string_view name;
};

/// Digits behind the point that show three significant digits of `value`, once rounded to them.
int decimals(double value) {
    if (value == 0) {
        return 0;
    }
    const double magnitude = std::floor(std::log10(std::abs(value)));
    const double step = std::pow(10.0, magnitude - 2);
    const double rounded = std::round(std::abs(value) / step) * step;
    return std::max(0, 2 - static_cast<int>(std::floor(std::log10(rounded) + 1e-9)));
}

std::string separated(std::string digits) {
    const std::size_t point = std::min(digits.find('.'), digits.size());
    const std::size_t first = digits.starts_with('-') ? 1 : 0;
    for (std::size_t at = point; at > first + 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

/// In the largest unit that gives at least one; the last unit otherwise.
template <std::size_t N>
std::string scaled(double value, const std::array<Scale, N>& scales) {
    for (const Scale& scale : scales) {
        // 0.9995: what would be printed as 1000 of the next smaller unit.
        if (std::abs(value) >= scale.size * 0.9995) {
            return fmt::format("{} {}", figure(value / scale.size), scale.name);
        }
    }
    return fmt::format("{} {}", figure(value / scales.back().size), scales.back().name);
}

constexpr std::array kTimes{Scale{1.0, "s"}, Scale{1e-3, "ms"}, Scale{1e-6, "us"}, Scale{1e-9, "ns"}};

}  // namespace

std::string figure(double value) {
    if (!std::isfinite(value)) {
        return "unlimited";
    }
    if (std::abs(value) >= 1e15) {
        return fmt::format("{:.3g}", value);
    }
    if (std::abs(value) >= 1000) {
        const double step = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 2);
        return separated(fmt::format("{:.0f}", std::round(value / step) * step));
    }
    return fmt::format("{:.{}f}", value, decimals(value));
}

std::string whole(double value) { return separated(fmt::format("{:.0f}", value)); }

std::string large(double value) {
    constexpr std::array scales{Scale{1e12, "trillion"}, Scale{1e9, "billion"}, Scale{1e6, "million"}};
    return std::abs(value) < 999'500 ? figure(value) : scaled(value, scales);
}

std::string percent(double ratio) {
    const double hundredths = 100 * ratio;
    if (hundredths != 0 && std::abs(hundredths) < 0.05) {
        return "< 0.1 %";
    }
    return fmt::format("{:.1f} %", hundredths);
}

std::string text(Seconds time) {
    const double seconds = time.in(unit::second);
    return seconds == 0 ? "0 s" : scaled(seconds, kTimes);
}

std::string duration(Seconds time) {
    constexpr std::array kRuns{Scale{86400, "d"}, Scale{3600, "h"}, Scale{60, "min"}};
    const double seconds = time.in(unit::second);
    return seconds < 60 ? text(time) : scaled(seconds, kRuns);
}

std::string text(Bytes size) {
    constexpr std::array scales{Scale{0x1p30, "GiB"}, Scale{0x1p20, "MiB"}, Scale{0x1p10, "KiB"}, Scale{1, "B"}};
    return scaled(size.in(unit::byte), scales);
}

std::string text(BytesPerSecond rate) {
    constexpr std::array scales{Scale{1e12, "TB/s"}, Scale{1e9, "GB/s"}, Scale{1e6, "MB/s"}, Scale{1, "B/s"}};
    return scaled(rate.in(unit::byte_per_second), scales);
}

std::string text(FlopPerSecond rate) {
    constexpr std::array scales{Scale{1e15, "PFLOP/s"}, Scale{1e12, "TFLOP/s"}, Scale{1e9, "GFLOP/s"},
                                Scale{1, "FLOP/s"}};
    return scaled(rate.in(unit::flop_per_second), scales);
}

std::string text(Flop work) {
    constexpr std::array scales{Scale{1e15, "PFLOP"}, Scale{1e12, "TFLOP"}, Scale{1e9, "GFLOP"}, Scale{1e6, "MFLOP"},
                                Scale{1, "FLOP"}};
    return scaled(work.in(unit::flop), scales);
}

namespace {

/// "15.2 to 20.0 s": a unit that both have is written once.
std::string from_to(const std::string& lo, const std::string& hi) {
    const std::size_t lo_unit = lo.find(' ');
    const std::size_t hi_unit = hi.find(' ');
    const bool same_unit = lo.substr(lo_unit) == hi.substr(hi_unit);
    return fmt::format("{} to {}", same_unit ? lo.substr(0, lo_unit) : lo, hi);
}

}  // namespace

std::string interval(const Estimate& time) { return from_to(text(time.lo), text(time.hi)); }

std::string durations(const Estimate& time) { return from_to(duration(time.lo), duration(time.hi)); }

std::string text(Money money, const std::string& currency) {
    return fmt::format("{} {}", large(money.in(unit::money)), currency);
}

std::string counted(std::int64_t count, const std::string& noun) {
    const bool hisses = noun.ends_with("ch") || noun.ends_with("s");
    return fmt::format("{} {}{}", whole(static_cast<double>(count)), noun, count == 1 ? "" : hisses ? "es" : "s");
}

}  // namespace dodona::reports
