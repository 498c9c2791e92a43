#include "reports/framework.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "reports/figures.hpp"
#include "reports/words.hpp"

namespace dodona::reports {

namespace {

/// Nearer to a bound than this share of the way between both, a fit has ended there.
constexpr double kOnBound = 0.02;

using Number = plan::Framework::Number;
using Kind = plan::FrameworkParameterKind;

const Number& number_of(const plan::Framework& framework, const Kind& kind) {
    return framework.numbers[static_cast<std::size_t>(kind.parameter)];
}

/// A value on a bound says that the data ask for more than is physical, or say nothing.
bool is_on_bound(const Number& number) {
    if (!number.bounds) {
        return false;
    }
    const double near = kOnBound * (number.bounds->most - number.bounds->least);
    return number.value - number.bounds->least < near || number.bounds->most - number.value < near;
}

std::vector<std::string> facts(const plan::Framework& framework) {
    std::vector<std::string> lines;
    if (!framework.summary.empty()) {
        lines.push_back(framework.summary);
    }
    if (!framework.usual_for.empty()) {
        const bool any = framework.usual_for == std::vector<std::string>{"*"};
        lines.push_back("taken unasked for " + (any ? std::string("networks that no other is usual for")
                                                    : "networks with " + join(framework.usual_for, " or ")));
    }
    lines.push_back(
        fmt::format("leaves unexplained: {} of a step, as a standard deviation", percent(framework.spread)));
    if (!framework.fitted_to.empty()) {
        lines.push_back("fitted to: " + join(framework.fitted_to));
    }
    lines.push_back("source: " + framework.source);
    return lines;
}

/// "what it is: source", of each parameter that the framework has.
std::vector<std::string> meanings(const plan::Framework& framework) {
    std::vector<std::string> lines;
    for (const Kind& kind : plan::kFrameworkParameters) {
        if (const Number& number = number_of(framework, kind); !number.source.empty()) {
            lines.push_back(fmt::format("{}: {}; {}", kind.word, kind.meaning, number.source));
        }
    }
    return lines;
}

}  // namespace

Table parameter_table(const plan::Framework& framework) {
    Table table({{"parameter"},
                 {"value", Align::right},
                 {"90 % interval", Align::right},
                 {"bounds", Align::right},
                 {"adds nothing at", Align::right},
                 {"note"}});
    for (const Kind& kind : plan::kFrameworkParameters) {
        const Number& number = number_of(framework, kind);
        if (number.source.empty()) {
            continue;
        }
        const auto range = [&](double least, double most) {
            return fmt::format("{} to {}", parameter_text(kind, least), parameter_text(kind, most));
        };
        table.row({std::string(kind.word), parameter_text(kind, number.value),
                   number.lo < number.hi ? range(number.lo, number.hi) : "",
                   number.bounds ? range(number.bounds->least, number.bounds->most) : "",
                   parameter_text(kind, kind.neutral), is_on_bound(number) ? "on its bound" : ""});
    }
    return table;
}

Record framework_record(const plan::Framework& framework) {
    Record parameters = no_elements();
    for (const Kind& kind : plan::kFrameworkParameters) {
        const Number& value = number_of(framework, kind);
        if (value.source.empty()) {
            continue;
        }
        parameters.push_back(
            {{"parameter", kind.word},
             {"unit", kind.is_time ? Record("s") : Record()},
             {"value", value.value},
             {"lo", value.lo},
             {"hi", value.hi},
             {"bounds",
              value.bounds ? Record::array({value.bounds->least, value.bounds->most}) : Record()},
             {"on_bound", is_on_bound(value)},
             {"neutral", kind.neutral},
             {"meaning", kind.meaning},
             {"source", value.source}});
    }
    return {{"schema", "dodona/framework/1"},   {"name", framework.name},
            {"summary", framework.summary},     {"usual_for", framework.usual_for},
            {"fitted_to", framework.fitted_to}, {"spread", framework.spread},
            {"parameters", parameters},         {"source", framework.source}};
}

std::string framework_text(const plan::Framework& framework, Style style) {
    std::string all = painted(style, Paint::bold, framework.name) + "\n";
    for (const std::string& line : facts(framework)) {
        all += "  " + wrapped(line, 96, "    ") + "\n";
    }
    all += "\n" + parameter_table(framework).to_text(style) + "\n";
    for (const std::string& line : meanings(framework)) {
        all += "  " + wrapped(line, 96, "    ") + "\n";
    }
    return all;
}

std::string framework_markdown(const plan::Framework& framework) {
    std::string all = "**" + framework.name + "**\n\n";
    for (const std::string& line : facts(framework)) {
        all += "- " + line + "\n";
    }
    all += "\n" + parameter_table(framework).to_markdown() + "\n";
    for (const std::string& line : meanings(framework)) {
        all += "- " + line + "\n";
    }
    return all;
}

Record frameworks_record(const std::vector<plan::Framework>& frameworks) {
    Record document{{"schema", "dodona/frameworks/1"}, {"frameworks", no_elements()}};
    for (const plan::Framework& framework : frameworks) {
        document["frameworks"].push_back(framework_record(framework));
    }
    return document;
}

Table frameworks_table(const std::vector<plan::Framework>& frameworks) {
    Table table({{"framework"}, {"unexplained", Align::right}, {"what it is"}});
    for (const plan::Framework& framework : frameworks) {
        table.row({framework.name, percent(framework.spread), framework.summary});
    }
    return table;
}

}  // namespace dodona::reports
