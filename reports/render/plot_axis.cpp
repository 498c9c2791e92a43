#include "reports/render/plot_axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "reports/document/component_colours.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

struct NumberOf {
    std::optional<double> operator()(std::monostate) const { return std::nullopt; }
    std::optional<double> operator()(const std::string&) const { return std::nullopt; }
    std::optional<double> operator()(Count count) const { return static_cast<double>(count.value); }
    std::optional<double> operator()(Number number) const { return number.value; }
    std::optional<double> operator()(Large number) const { return number.value; }
    std::optional<double> operator()(Percent share) const { return share.ratio; }
    std::optional<double> operator()(Duration duration) const { return duration.time.in(unit::second); }
    std::optional<double> operator()(const Rate& rate) const { return rate.per_second; }
    std::optional<double> operator()(const Cost& cost) const { return cost.money.in(Money::of_base(1)); }
    template <Dimensions D>
    std::optional<double> operator()(Quantity<D> quantity) const {
        return quantity.in(Quantity<D>::of_base(1));
    }
};

struct Range {
    double lo = std::numeric_limits<double>::infinity();
    double hi = -std::numeric_limits<double>::infinity();
    void take(const Value& value) {
        if (const auto number = number_of(value); number && std::isfinite(*number)) {
            lo = std::min(lo, *number);
            hi = std::max(hi, *number);
        }
    }
};

/// 1, 2 or 5 times a power of ten: the least of them that is no less than `step`.
double round_step(double step) {
    const double power = std::pow(10.0, std::floor(std::log10(step)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= step * (1 - 1e-9)) {
            return factor * power;
        }
    }
    return 10 * power;
}

void set_linear(PlotAxis& axis, std::size_t most_ticks) {
    const double per = axis.unit.per;
    const double span = std::max(axis.hi / per, 1e-12);
    const double step = round_step(span / static_cast<double>(std::max<std::size_t>(most_ticks, 2) - 1));
    axis.lo = 0;
    for (int i = 0; i * step <= span * (1 + 1e-9); ++i) {
        axis.ticks.push_back(i * step * per);
    }
}

/// 1, 2 and 5 times powers of ten, for an axis with hardly a power of ten on it; round steps where those are too few.
std::vector<double> ticks_within_decades(double lo, double hi) {
    std::vector<double> ticks;
    for (double tick = round_step(lo); tick <= hi * (1 + 1e-9); tick = round_step(1.5 * tick)) {
        ticks.push_back(tick);
    }
    if (ticks.size() < 2 && lo < hi) {
        ticks.clear();
        const double step = round_step((hi - lo) / 4);
        for (double i = std::ceil(lo / step - 1e-9); i * step <= hi * (1 + 1e-9); ++i) {
            ticks.push_back(i * step);
        }
    }
    return ticks;
}

/// Powers of `base`, every n-th where there would be too many; the ends are padded so that points are not on the edge.
/// Values that hardly vary are drawn flat: ticks of a narrower range would have equal labels over each other.
void set_logarithmic(PlotAxis& axis, double base, std::size_t most_ticks) {
    constexpr double kNarrowest = 1.25;
    const double wider = std::sqrt(std::max(1.0, kNarrowest * axis.lo / axis.hi));
    axis.lo /= wider;
    axis.hi *= wider;
    const auto exponent = [base](double value) { return std::log(value) / std::log(base); };
    const int first = static_cast<int>(std::ceil(exponent(axis.lo) - 1e-9));
    const int last = static_cast<int>(std::floor(exponent(axis.hi) + 1e-9));
    const int every = std::max(1, (last - first) / static_cast<int>(std::max<std::size_t>(most_ticks, 2)) + 1);
    for (int i = first; i <= last; i += every) {
        axis.ticks.push_back(std::pow(base, i));
    }
    constexpr std::size_t kFew = 3;
    if (base == 10 && axis.ticks.size() < kFew) {
        axis.ticks = ticks_within_decades(axis.lo, axis.hi);
    }
    if (axis.ticks.empty()) {
        axis.ticks = {axis.lo};
    }
    const double pad = std::pow(std::max(axis.hi / axis.lo, 1.5), 0.04);
    axis.lo /= pad;
    axis.hi *= pad;
}

const Value& first_value(const Chart& chart) {
    for (const Series& series : chart.series) {
        for (const Cell& cell : series.points) {
            if (number_of(cell.value)) {
                return cell.value;
            }
        }
    }
    static const Value none;
    return none;
}

double stack_height(const Chart& chart, std::size_t x) {
    return sum_of<double>(chart.series,
                          [&](const Series& series) { return number_of(series.points[x].value).value_or(0); });
}

}  // namespace

std::optional<double> number_of(const Value& value) { return std::visit(NumberOf{}, value); }

PlotUnit unit_of(const Value& value, double most) {
    if (std::holds_alternative<Bytes>(value)) {
        constexpr double kGiB = 0x1p30;
        constexpr double kMiB = 0x1p20;
        return most >= kGiB ? PlotUnit{kGiB, "GiB"} : PlotUnit{kMiB, "MiB"};
    }
    if (std::holds_alternative<Percent>(value)) {
        return {0.01, "%"};
    }
    if (std::holds_alternative<Seconds>(value)) {
        return most >= 1 ? PlotUnit{1, "s"} : most >= 1e-3 ? PlotUnit{1e-3, "ms"} : PlotUnit{1e-6, "us"};
    }
    return {};
}

double PlotAxis::place(double value) const {
    return logarithmic ? std::log(value / lo) / std::log(hi / lo) : (value - lo) / (hi - lo);
}

std::string PlotAxis::tick_text(double tick) const {
    const double value = tick / unit.per;
    constexpr double kMany = 1e4;
    if (value >= 1e6) {
        return fmt::format("{:.3g}M", value / 1e6);
    }
    return value >= kMany ? fmt::format("{:.3g}k", value / 1e3) : fmt::format("{:.4g}", value);
}

PlotAxis x_axis(const Chart& chart, std::size_t most_ticks) {
    Range range;
    for (const Cell& cell : chart.x) {
        range.take(cell.value);
    }
    PlotAxis axis{
        .logarithmic = chart.logarithmic && range.lo > 0, .lo = range.lo, .hi = range.hi, .ticks = {}, .unit = {}};
    if (axis.logarithmic) {
        set_logarithmic(axis, 2, most_ticks);
    } else {
        set_linear(axis, most_ticks);
    }
    return axis;
}

PlotAxis y_axis(const Chart& chart, std::size_t most_ticks) {
    Range range;
    if (chart.form == ChartForm::stacked) {
        for (std::size_t x = 0; x < chart.x.size(); ++x) {
            range.take(Number{stack_height(chart, x)});
        }
    }
    for (const Series& series : chart.series) {
        for (const Cell& cell : series.points) {
            range.take(cell.value);
            if (cell.interval) {
                range.take(cell.interval->lo);
                range.take(cell.interval->hi);
            }
        }
    }
    if (chart.level) {
        range.take(chart.level->value.value);
    }
    const Value& like = first_value(chart);
    PlotAxis axis{.logarithmic = chart.logarithmic && range.lo > 0,
                  .lo = range.lo,
                  .hi = range.hi,
                  .ticks = {},
                  .unit = unit_of(like, range.hi)};
    if (axis.logarithmic) {
        set_logarithmic(axis, 10, most_ticks);
    } else {
        const bool is_share = std::holds_alternative<Percent>(like);
        axis.hi = is_share ? 1 : axis.hi * 1.02;
        set_linear(axis, most_ticks);
    }
    return axis;
}

PlotAxis time_axis(Seconds end, std::size_t most_ticks) {
    PlotAxis axis{.logarithmic = false,
                  .lo = 0,
                  .hi = end.in(unit::second),
                  .ticks = {},
                  .unit = unit_of(end, end.in(unit::second))};
    set_linear(axis, most_ticks);
    return axis;
}

std::vector<SeriesColour> series_colours(const Chart& chart) {
    std::vector<SeriesColour> colours;
    std::size_t turn = 0;
    for (const Series& series : chart.series) {
        const auto like = find_if(
            chart.series, [&](const Series& other) { return !series.like.empty() && other.label == series.like; });
        const auto place = static_cast<std::size_t>(like - chart.series.begin());
        if (place < colours.size()) {
            colours.push_back(colours[place]);
            continue;
        }
        const ComponentColour& colour =
            series.component.empty() ? kSeriesColours[turn++ % kSeriesColours.size()] : colour_of(series.component);
        colours.push_back({std::string(colour.hex), colour.terminal});
    }
    return colours;
}

bool is_drawn(const Chart& chart) {
    return chart.form != ChartForm::table && !chart.x.empty() && number_of(first_value(chart)).has_value();
}

bool is_above_stacks(const Chart& chart, const Level& level) {
    for (std::size_t x = 0; x < chart.x.size(); ++x) {
        if (stack_height(chart, x) > number_of(level.value.value).value_or(0)) {
            return false;
        }
    }
    return true;
}

}  // namespace dodona::reports
