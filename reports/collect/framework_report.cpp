#include "reports/collect/framework_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "files/framework_file.hpp"
#include "reports/collect/described_record.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

/// Nearer to a bound than this share of the way between both, a fit has ended there.
constexpr double kOnBound = 0.02;

using ParameterValue = plan::Framework::Number;
using Kind = plan::FrameworkParameterKind;

const ParameterValue& number_of(const plan::Framework& framework, const Kind& kind) {
    return framework.numbers[static_cast<std::size_t>(kind.parameter)];
}

/// A value on a bound says that the data ask for more than is physical, or say nothing.
bool is_on_bound(const ParameterValue& number) {
    if (!number.bounds) {
        return false;
    }
    const double near = kOnBound * (number.bounds->most - number.bounds->least);
    return number.value - number.bounds->least < near || number.bounds->most - number.value < near;
}

KeyFigures framework_figures(const plan::Framework& framework) {
    KeyFigures all;
    const auto add_line = [&all](std::string label, std::string line) {
        all.figures.push_back({.label = std::move(label), .value = std::move(line), .note = {}});
    };
    if (!framework.usual_for.empty()) {
        const bool any = framework.usual_for == std::vector<std::string>{"*"};
        std::vector<std::string> levels;
        for (const plan::ShardLevel level : framework.usual_levels) {
            levels.push_back(zero_text(level));
        }
        add_line("default for", (any ? "models that no other framework is the default for"
                                     : "models with " + join(framework.usual_for, " or ")) +
                                    (levels.empty() ? "" : ", under strategies with " + join(levels, " or ")));
    }
    add_line("unexplained", percent(framework.spread) + " of a step, as a standard deviation");
    if (!framework.fitted_to.empty()) {
        add_line("fitted to", join(framework.fitted_to));
    }
    add_line("source", framework.source);
    return all;
}

/// "what it is: source", of each parameter that the framework has.
std::vector<std::string> meanings(const plan::Framework& framework) {
    std::vector<std::string> lines;
    for (const Kind& kind : plan::kFrameworkParameters) {
        if (const ParameterValue& number = number_of(framework, kind); !number.source.empty()) {
            lines.push_back(fmt::format("{}: {}; {}", kind.word, kind.meaning, number.source));
        }
    }
    return lines;
}

/// Value, interval and bounds of each parameter that the framework has.
Table parameter_table(const plan::Framework& framework) {
    Table table({{"parameter"},
                 {"value", Align::right},
                 {"90 % interval", Align::right},
                 {"bounds", Align::right},
                 {"neutral", Align::right},
                 {"note"}});
    for (const Kind& kind : plan::kFrameworkParameters) {
        const ParameterValue& number = number_of(framework, kind);
        if (number.source.empty()) {
            continue;
        }
        const auto range = [&](double least, double most) {
            return fmt::format("{} to {}", parameter_text(kind, least), parameter_text(kind, most));
        };
        table.row({std::string(kind.word), parameter_text(kind, number.value),
                   number.lo < number.hi ? range(number.lo, number.hi) : "",
                   number.bounds ? range(number.bounds->least, number.bounds->most) : "",
                   parameter_text(kind, kind.neutral), is_on_bound(number) ? "at its bound" : ""});
    }
    return table;
}

Record framework_record(const plan::Framework& framework) {
    Record parameters = no_elements();
    for (const Kind& kind : plan::kFrameworkParameters) {
        const ParameterValue& value = number_of(framework, kind);
        if (value.source.empty()) {
            continue;
        }
        parameters.push_back(
            {{"parameter", kind.word},
             {"unit", kind.is_time ? Record("s") : Record()},
             {"value", value.value},
             {"lo", value.lo},
             {"hi", value.hi},
             {"bounds", value.bounds ? Record(Record::List{value.bounds->least, value.bounds->most}) : Record()},
             {"on_bound", is_on_bound(value)},
             {"neutral", kind.neutral},
             {"meaning", kind.meaning},
             {"source", value.source}});
    }
    return {{"schema", "dodona/framework/1"},   {"name", framework.name},           {"summary", framework.summary},
            {"usual_for", framework.usual_for}, {"fitted_to", framework.fitted_to}, {"spread", framework.spread},
            {"parameters", parameters},         {"source", framework.source}};
}

}  // namespace

Document framework_document(const plan::Framework& framework) {
    Document document;
    set_record(document, framework_record(framework), framework);
    add(document, Headline{framework.name});
    add(document, Paragraph{framework.summary});
    add(document, framework_figures(framework));
    add(document, parameter_table(framework));
    add_section(document, {"Parameters"}, {List{meanings(framework)}});
    return document;
}

std::string framework_facts(const plan::Framework& framework) {
    return fmt::format("{} {}", framework.name, framework.summary);
}

Document frameworks_document(const std::vector<plan::Framework>& frameworks,
                             const std::vector<plan::Mechanism>& mechanisms) {
    Document document;
    Table table({{"framework"}, {"unexplained", Align::right}, {"what it is"}});
    std::vector<Record>& rows = document.rows.emplace();
    for (const plan::Framework& framework : frameworks) {
        table.row({framework.name, Percent{framework.spread}, framework.summary});
        rows.push_back(framework_record(framework));
    }
    Table added({{"mechanism"}, {"what it is"}});
    std::vector<Record> known;
    for (const plan::Mechanism& mechanism : mechanisms) {
        added.row({mechanism.name, mechanism.summary});
        known.push_back({{"name", mechanism.name}, {"summary", mechanism.summary}, {"source", mechanism.source}});
    }
    document.record = {{"schema", "dodona/frameworks/1"}, {"frameworks", rows}, {"mechanisms", known}};
    add(document, std::move(table));
    add_section(document, {"What any of them may have: --framework NAME+MECHANISM"}, {std::move(added)});
    return document;
}

}  // namespace dodona::reports
