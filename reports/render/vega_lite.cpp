#include "reports/render/vega_lite.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "reports/document/component_colours.hpp"
#include "reports/document/number_format.hpp"
#include "reports/render/plot_axis.hpp"

namespace dodona::reports {

namespace {

constexpr const char* kVegaLiteSchema = "https://vega.github.io/schema/vega-lite/v6.json";
constexpr int kChartHeight = 320;

Record values_of(Record::List list) { return {{"values", Record(std::move(list))}}; }

Record tooltip(const std::string& x_title) {
    return Record::List{
        {{"field", "x"}, {"title", x_title}}, {{"field", "s"}, {"title", "of"}}, {{"field", "t"}, {"title", "value"}}};
}

/// Labels of series and their colours; every layer has it, so that all share one legend.
Record colour_encoding(const std::vector<std::string>& labels, const std::vector<std::string>& colours) {
    return {{"field", "s"},
            {"type", "nominal"},
            {"scale", {{"domain", labels}, {"range", colours}}},
            {"legend", {{"title", nullptr}, {"orient", "bottom"}, {"labelLimit", 300}}}};
}

Record colour_encoding(const Chart& chart) {
    std::vector<std::string> labels;
    std::vector<std::string> hex;
    const std::vector<SeriesColour> colours = series_colours(chart);
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
        labels.push_back(chart.series[i].label);
        hex.push_back(colours[i].hex);
    }
    return colour_encoding(labels, hex);
}

std::string titled(const std::string& title, const PlotUnit& unit) {
    return unit.name.empty() ? title : fmt::format("{} [{}]", title, unit.name);
}

/// Of a quantitative axis; `field`: of the data.
Record position(const char* field, const PlotAxis& axis, const std::string& title, const char* format) {
    const double per = axis.unit.per;
    return {{"field", field},
            {"type", "quantitative"},
            {"title", title},
            {"scale",
             {{"type", axis.logarithmic ? "log" : "linear"},
              {"domain", Record::List{axis.lo / per, axis.hi / per}},
              {"nice", false}}},
            {"axis",
             {{"values", list_of(axis.ticks, [per](double tick) { return Record(tick / per); })},
              {"format", format},
              {"labelOverlap", true}}}};
}

/// SI prefixes, but not of fractions: "120m" of an hour would be read as minutes or metres.
std::string tick_format(const PlotAxis& axis) {
    const bool has_fraction = std::any_of(axis.ticks.begin(), axis.ticks.end(), [&](double tick) {
        const double shown = std::abs(tick / axis.unit.per);
        return shown > 0 && shown < 1;
    });
    return has_fraction ? ".6~g" : ".3~s";
}

Record::List points_of(const Chart& chart, const Series& series, double per) {
    Record::List values;
    for (std::size_t i = 0; i < chart.x.size(); ++i) {
        const auto x = number_of(chart.x[i].value);
        const auto y = number_of(series.points[i].value);
        if (!x || !y || (chart.logarithmic && *y <= 0)) {
            continue;
        }
        Record value{{"x", *x}, {"y", *y / per}, {"s", series.label}, {"t", text(series.points[i])}};
        if (series.points[i].interval) {
            value["lo"] = number_of(series.points[i].interval->lo).value_or(*y) / per;
            value["hi"] = number_of(series.points[i].interval->hi).value_or(*y) / per;
        }
        values.push_back(std::move(value));
    }
    return values;
}

/// Crosses lie over the lines that they are compared with.
Record mark_of(const Series& series) {
    if (series.stroke == Stroke::none && series.like.empty()) {
        return {{"type", "point"}, {"shape", "circle"}, {"size", 50}, {"filled", true}, {"opacity", 0.9}};
    }
    switch (series.stroke) {
        case Stroke::dashed:
            return {{"type", "line"}, {"strokeDash", Record::List{4, 4}}, {"strokeWidth", 1.5}, {"clip", true}};
        case Stroke::none:
            return {{"type", "point"}, {"shape", "cross"}, {"size", 90}, {"filled", true}, {"opacity", 1}};
        default: return {{"type", "line"}, {"point", {{"size", 40}}}, {"strokeWidth", 2}};
    }
}

Record lines_spec(const Chart& chart) {
    const PlotAxis x = x_axis(chart, 13);
    const PlotAxis y = y_axis(chart, 7);
    const std::string y_title = titled(chart.y_title, y.unit);
    const Record x_encoding = position("x", x, chart.x_title, ",d");
    Record layers = no_elements();
    // Intervals lie below all lines.
    for (const Series& series : chart.series) {
        Record::List values = points_of(chart, series, y.unit.per);
        std::erase_if(values, [](const Record& value) {
            const auto& fields = std::get<Record::Fields>(value.of());
            return fields.back().key != "hi";
        });
        if (!values.empty()) {
            layers.push_back({{"data", values_of(std::move(values))},
                              {"mark", {{"type", "area"}, {"opacity", 0.13}}},
                              {"encoding",
                               {{"x", x_encoding},
                                {"y", position("lo", y, y_title, tick_format(y).c_str())},
                                {"y2", {{"field", "hi"}}},
                                {"color", colour_encoding(chart)}}}});
        }
    }
    for (const Series& series : chart.series) {
        Record::List values = points_of(chart, series, y.unit.per);
        if (!values.empty()) {
            layers.push_back({{"data", values_of(std::move(values))},
                              {"mark", mark_of(series)},
                              {"encoding",
                               {{"x", x_encoding},
                                {"y", position("y", y, y_title, tick_format(y).c_str())},
                                {"color", colour_encoding(chart)},
                                {"tooltip", tooltip(chart.x_title)}}}});
        }
    }
    return layers;
}

Record stacked_spec(const Chart& chart) {
    const PlotAxis y = y_axis(chart, 7);
    Record::List values;
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
        for (std::size_t i = 0; i < chart.x.size(); ++i) {
            const double part = number_of(chart.series[s].points[i].value).value_or(0);
            if (part > 0) {
                values.push_back({{"x", text(chart.x[i])},
                                  {"y", part / y.unit.per},
                                  {"s", chart.series[s].label},
                                  {"o", s},
                                  {"t", text(chart.series[s].points[i])}});
            }
        }
    }
    Record names = list_of(chart.x, [](const Cell& cell) { return Record(text(cell)); });
    Record y_encoding = position("y", y, titled(chart.y_title, y.unit), "~r");
    y_encoding["stack"] = "zero";
    Record layers = no_elements();
    layers.push_back({{"data", values_of(std::move(values))},
                      {"mark", {{"type", "bar"}}},
                      {"encoding",
                       {{"x",
                         {{"field", "x"},
                          {"type", "ordinal"},
                          {"sort", nullptr},
                          {"title", chart.x_title},
                          {"scale", {{"domain", names}}},
                          {"axis", {{"labelAngle", 0}, {"labelOverlap", true}}}}},
                        {"y", y_encoding},
                        {"color", colour_encoding(chart)},
                        {"order", {{"field", "o"}, {"type", "quantitative"}}},
                        {"tooltip", tooltip(chart.x_title)}}}});
    if (chart.level) {
        const double level = number_of(chart.level->value.value).value_or(0) / y.unit.per;
        const Record datum =
            values_of({{{"y", level}, {"t", fmt::format("{} {}", chart.level->label, text(chart.level->value))}}});
        layers.push_back({{"data", datum},
                          {"mark", {{"type", "rule"}, {"strokeWidth", 1.5}, {"color", "#888888"}}},
                          {"encoding", {{"y", position("y", y, titled(chart.y_title, y.unit), "~r")}}}});
        if (!is_above_stacks(chart, *chart.level)) {
            return layers;
        }
        layers.push_back({{"data", datum},
                          {"mark",
                           {{"type", "text"},
                            {"align", "right"},
                            {"baseline", "bottom"},
                            {"x", "width"},
                            {"dy", -3},
                            {"color", "#888888"}}},
                          {"encoding",
                           {{"y", position("y", y, titled(chart.y_title, y.unit), "~r")},
                            {"text", {{"field", "t"}, {"type", "nominal"}}}}}});
    }
    return layers;
}

Record whole_spec(const std::string& description, int height, Record layers) {
    return {{"$schema", kVegaLiteSchema},
            {"description", description},
            {"width", "container"},
            {"height", height},
            {"layer", std::move(layers)}};
}

}  // namespace

Record vega_lite(const Chart& chart) {
    return whole_spec(chart.title, kChartHeight,
                      chart.form == ChartForm::stacked ? stacked_spec(chart) : lines_spec(chart));
}

Record vega_lite(const TimelineChart& chart) {
    constexpr int kRowHeight = 22;
    constexpr double kDigits = 1e6;  // of the axis: enough for the finest bar that can be seen
    const PlotAxis time = time_axis(chart.end, 9);
    const auto scaled = [&](Seconds at) {
        return std::round(at.in(unit::second) / time.hi * kDigits) / kDigits * time.hi / time.unit.per;
    };
    std::vector<std::string> components;
    std::vector<std::string> colours;
    Record::List values;
    for (const TimelineBar& bar : chart.bars) {
        if (std::find(components.begin(), components.end(), bar.component) == components.end()) {
            components.push_back(bar.component);
            colours.emplace_back(colour_of(bar.component).hex);
        }
        values.push_back({{"r", chart.rows.at(bar.row)},
                          {"a", scaled(bar.start)},
                          {"b", scaled(bar.start + bar.duration)},
                          {"s", bar.component},
                          {"l", bar.label}});
    }
    Record x = position("a", time, titled("time", time.unit), "~r");
    Record layers = no_elements();
    layers.push_back(
        {{"data", values_of(std::move(values))},
         {"params",
          Record::List{
              {{"name", "zoom"},
               {"select", {{"type", "interval"}, {"encodings", Record::List{"x"}}, {"zoom", "wheel![event.shiftKey]"}}},
               {"bind", "scales"}}}},
         {"mark", {{"type", "bar"}, {"clip", true}}},
         {"encoding",
          {{"x", x},
           {"x2", {{"field", "b"}}},
           {"y",
            {{"field", "r"},
             {"type", "ordinal"},
             {"sort", nullptr},
             {"title", nullptr},
             {"scale", {{"domain", chart.rows}}}}},
           {"color", colour_encoding(components, colours)},
           {"tooltip", Record::List{{{"field", "r"}, {"title", "of"}},
                                    {{"field", "l"}, {"title", "task"}},
                                    {{"field", "a"}, {"title", "from"}, {"format", "~r"}},
                                    {{"field", "b"}, {"title", "to"}, {"format", "~r"}}}}}}});
    return whole_spec(chart.title, kRowHeight * static_cast<int>(chart.rows.size()), std::move(layers));
}

}  // namespace dodona::reports
