#include "reports/document/number_format.hpp"

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
            return fmt::format("{} {}", three_digits(value / scale.size), scale.name);
        }
    }
    return fmt::format("{} {}", three_digits(value / scales.back().size), scales.back().name);
}

constexpr std::array kTimes{Scale{1.0, "s"}, Scale{1e-3, "ms"}, Scale{1e-6, "us"}, Scale{1e-9, "ns"}};

}  // namespace

std::string three_digits(double value) {
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
    return std::abs(value) < 999'500 ? three_digits(value) : scaled(value, scales);
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

std::string text(Energy energy) {
    constexpr std::array scales{Scale{1e3, "GWh"}, Scale{1, "MWh"}, Scale{1e-3, "kWh"}};
    return scaled(energy.in(unit::megawatt_hour), scales);
}

std::string text(Money money, const std::string& currency) {
    return fmt::format("{} {}", large(money.in(unit::money)), currency);
}

std::string signed_percent(double ratio) {
    const bool is_small = std::abs(100 * ratio) < 0.05;  // "< 0.1 %"
    return (ratio > 0 && !is_small ? "+" : "") + percent(ratio);
}

std::string interval(const Estimate& time) { return text(Interval{time.lo, time.hi}); }

std::string counted(double count, const std::string& noun) {
    const bool needs_e = noun.ends_with("ch") || noun.ends_with("s");
    return fmt::format("{} {}{}", whole(count), noun, count == 1 ? "" : needs_e ? "es" : "s");
}

namespace {

struct ValueText {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(const std::string& words) const { return words; }
    std::string operator()(Count count) const { return whole(count.value); }
    std::string operator()(Number number) const { return three_digits(number.value); }
    std::string operator()(Large number) const { return large(number.value); }
    std::string operator()(Percent share) const {
        return share.sign ? signed_percent(share.ratio) : percent(share.ratio);
    }
    std::string operator()(Duration run) const { return duration(run.time); }
    std::string operator()(const Rate& rate) const {
        return fmt::format("{} {}/s", three_digits(rate.per_second), rate.of);
    }
    std::string operator()(const Cost& cost) const { return text(cost.money, cost.currency); }
    template <Dimensions D>
    std::string operator()(Quantity<D> quantity) const {
        return text(quantity);
    }
};

}  // namespace

std::string text(const Value& value) { return std::visit(ValueText{}, value); }

std::string text(const Interval& interval) {
    const std::string lo = text(interval.lo);
    const std::string hi = text(interval.hi);
    const std::size_t lo_unit = std::min(lo.find(' '), lo.size());
    const std::size_t hi_unit = std::min(hi.find(' '), hi.size());
    const bool same_unit = lo.substr(lo_unit) == hi.substr(hi_unit);
    return fmt::format("{} to {}", same_unit ? lo.substr(0, lo_unit) : lo, hi);
}

std::string text_with_interval(const Cell& cell) {
    return text(cell.value) +
           (cell.interval ? fmt::format(" ({:.0f} % interval {})", 100 * kIntervalLevel, text(*cell.interval)) : "");
}

std::string text(const Cell& cell) {
    const std::string value = text(cell.value);
    const std::string whole_cell = cell.interval ? fmt::format("{} ({})", value, text(*cell.interval)) : value;
    switch (cell.mark) {
        case Mark::none: return whole_cell;
        case Mark::answer: return "> " + whole_cell;
        case Mark::tied: return "~" + whole_cell;
        case Mark::unknown: return "?";
    }
    return whole_cell;
}

}  // namespace dodona::reports
