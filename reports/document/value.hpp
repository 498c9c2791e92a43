// What a report shows in a cell: a value with its unit, its interval and its mark. Renderers make the text of it.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/estimate.hpp"
#include "base/quantity.hpp"

namespace dodona::reports {

/// A whole number, shown with all its digits: 25,557,032.
struct Count {
    constexpr explicit Count(std::integral auto number) : value(static_cast<std::int64_t>(number)) {}
    std::int64_t value = 0;
};
/// Three significant digits: 1.16.
struct Number {
    double value = 0;
};
/// A large number in words: 175 billion.
struct Large {
    double value = 0;
};
struct Percent {
    double ratio = 0;
    bool sign = false;  ///< +3.2 %
};
/// Of a run: days, hours, minutes. Times of a step are `Seconds`.
struct Duration {
    Seconds time;
};
/// 184,000 tokens/s.
struct Rate {
    double per_second = 0;
    std::string of;  ///< "tokens"
};
struct Cost {
    Money money;
    std::string currency;
};

using Value = std::variant<std::monostate, std::string, Count, Number, Large, Percent, Seconds, Duration, Bytes,
                           BytesPerSecond, FlopPerSecond, Flop, Rate, Cost>;

/// What a row of a ranking is, beside its value.
enum class Mark {
    none,
    answer,   ///< the row that answers the question: "> 384"
    tied,     ///< not distinguishable from the first: "~2"
    unknown,  ///< not searched: "?"
};

struct Interval {
    Value lo, hi;
};

struct Cell {
    Value value;
    std::optional<Interval> interval;
    Mark mark = Mark::none;

    Cell() = default;
    template <class T>
    requires(!std::convertible_to<T, std::string_view> && std::constructible_from<Value, T>)
        Cell(T of, Mark row_mark = Mark::none)
        : value(std::move(of)), mark(row_mark) {}
    Cell(std::string text) : value(std::move(text)) {}
    Cell(std::string_view text) : value(std::string(text)) {}
    Cell(const char* text) : value(std::string(text)) {}
    /// Of a step.
    Cell(const Estimate& time) : value(time.value) {
        if (time.lo < time.hi) {
            interval = Interval{time.lo, time.hi};
        }
    }
};

/// A text with a mark: the name of the machine that is the answer.
inline Cell marked(std::string text, Mark mark) {
    Cell cell(std::move(text));
    cell.mark = mark;
    return cell;
}

/// Of a run: in days and hours.
inline Cell duration_cell(const Estimate& time) {
    Cell cell(Duration{time.value});
    if (time.lo < time.hi) {
        cell.interval = Interval{Duration{time.lo}, Duration{time.hi}};
    }
    return cell;
}

}  // namespace dodona::reports
