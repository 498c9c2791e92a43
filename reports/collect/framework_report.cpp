#include "reports/collect/framework_report.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "files/framework_file.hpp"
#include "reports/collect/described_record.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"
#include "validate/questions.hpp"

namespace dodona::reports {

namespace {

/// Nearer to a bound than this share of the way between both, a fit has ended there.
constexpr double kOnBound = 0.02;

using ParameterValue = plan::Framework::Number;
using Kind = plan::FrameworkParameterKind;

const ParameterValue& number_of(const plan::FrameworkNumbers& numbers, const Kind& kind) {
    return numbers[static_cast<std::size_t>(kind.parameter)];
}

/// A value on a bound says that the data ask for more than is physical, or say nothing.
bool is_on_bound(const ParameterValue& number) {
    if (!number.bounds) {
        return false;
    }
    const double near = kOnBound * (number.bounds->most - number.bounds->least);
    return number.value - number.bounds->least < near || number.bounds->most - number.value < near;
}

std::vector<std::string> zero_texts(const std::vector<plan::ShardLevel>& levels) {
    std::vector<std::string> texts;
    std::transform(levels.begin(), levels.end(), std::back_inserter(texts), zero_text);
    return texts;
}

std::string attention_text(cluster::AttentionLibrary library) {
    return fmt::format("kernels of {}, where the profile of the device has those of several", name_of(library));
}

KeyFigures framework_figures(const plan::Framework& framework) {
    KeyFigures all;
    const auto add_line = [&all](std::string label, std::string line) {
        all.figures.push_back({.label = std::move(label), .value = std::move(line), .note = {}});
    };
    if (!framework.usual_for.empty()) {
        std::vector<std::string> operators = framework.usual_for;
        const bool any = std::erase(operators, "*") > 0;
        const std::vector<std::string> levels = zero_texts(framework.usual_levels);
        add_line(
            "default for",
            (operators.empty() ? "" : "models with " + join(operators, " or ")) +
                (any && !operators.empty() ? ", and " : "") +
                (any ? "models that no other framework is the default for" : "") +
                (framework.usual_offload ? ", where something is kept in host memory and no axis splits a sample"
                                         : "") +
                (levels.empty() ? "" : ", under strategies with " + join(levels, " or ")) +
                (framework.usual_on.empty() ? "" : ", on devices of " + join(names_of(framework.usual_on), " or ")) +
                (framework.usual_with ? fmt::format(" that multiply in {}", name(*framework.usual_with)) : ""));
    }
    if (!framework.runs.empty()) {
        const std::vector<std::string> not_offloaded = plan::words(framework.cannot_offload);
        const std::string levels = join(zero_texts(framework.levels));
        add_line("can run", join(framework.runs) + (levels.empty() ? "" : "; " + levels) +
                                (not_offloaded.empty() ? "" : "; in host memory no " + join(not_offloaded, " or ")) +
                                " (" + framework.runs_source + ")");
    }
    if (!framework.otherwise.empty()) {
        add_line("otherwise", framework.otherwise + ", for the strategies that run in that");
    }
    if (!framework.schedules.empty()) {
        add_line("runs pipelines as", join(names_of(framework.schedules)));
    }
    if (!framework.deals.empty() || !framework.takes_cut) {
        add_line("cuts pipelines", (framework.deals.empty() ? "equal" : join(names_of(framework.deals), ", else ")) +
                                       (framework.takes_cut ? ", or any other cut" : ", no other cut"));
    }
    add_line("attention", attention_text(framework.attention_library));
    add_line("unexplained", percent(framework.spread) + " of a step, as a standard deviation");
    if (!framework.like.empty()) {
        add_line("like", framework.like + ", in all that its own file leaves out");
    }
    if (!framework.fitted_to.empty()) {
        add_line("fitted to",
                 join(framework.fitted_to) +
                     (framework.fitted_on.empty() ? "" : "; on devices of " + join(names_of(framework.fitted_on))) +
                     (framework.fitted_level ? "; up to " + zero_text(*framework.fitted_level) : "") +
                     (framework.fitted_expert_nodes
                          ? fmt::format("; experts on {} at most", counted(*framework.fitted_expert_nodes, "node"))
                          : ""));
    }
    add_line("source", framework.source);
    return all;
}

/// "what it is: source", of each parameter that has a value.
std::vector<std::string> meanings(const plan::FrameworkNumbers& numbers) {
    std::vector<std::string> lines;
    for (const Kind& kind : plan::kFrameworkParameters) {
        if (const ParameterValue& number = number_of(numbers, kind); !number.source.empty()) {
            lines.push_back(fmt::format("{}: {}; {}", kind.word, kind.meaning, number.source));
        }
    }
    return lines;
}

/// Value, interval and bounds of each parameter that has a value.
Table parameter_table(const plan::FrameworkNumbers& numbers) {
    Table table({{"parameter"},
                 {"value", Align::right},
                 {"90 % interval", Align::right},
                 {"bounds", Align::right},
                 {"neutral", Align::right},
                 {"note"}});
    for (const Kind& kind : plan::kFrameworkParameters) {
        const ParameterValue& number = number_of(numbers, kind);
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

Record parameter_records(const plan::FrameworkNumbers& numbers) {
    Record parameters = no_elements();
    for (const Kind& kind : plan::kFrameworkParameters) {
        const ParameterValue& value = number_of(numbers, kind);
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
    return parameters;
}

Record framework_record(const plan::Framework& framework) {
    return {{"schema", "dodona/framework/1"},
            {"name", framework.name},
            {"summary", framework.summary},
            {"runs", framework.runs},
            {"otherwise", framework.otherwise.empty() ? Record() : Record(framework.otherwise)},
            {"levels", names_of(framework.levels)},
            {"schedules", names_of(framework.schedules)},
            {"tasks", names_of(framework.tasks)},
            {"cannot_offload", plan::words(framework.cannot_offload)},
            {"exchanges_once", framework.exchanges_once},
            {"runs_source", framework.runs_source.empty() ? Record() : Record(framework.runs_source)},
            {"version_of", framework.version_of.empty() ? Record() : Record(framework.version_of)},
            {"version", framework.version.empty() ? Record() : Record(framework.version)},
            {"since", framework.since.empty() ? Record() : Record(framework.since)},
            {"usual_for", framework.usual_for},
            {"usual_tasks", names_of(framework.usual_tasks)},
            {"usual_on", names_of(framework.usual_on)},
            {"usual_with", framework.usual_with ? Record(std::string(name(*framework.usual_with))) : Record()},
            {"usual_offload", framework.usual_offload},
            {"like", framework.like.empty() ? Record() : Record(framework.like)},
            {"fitted_to", framework.fitted_to},
            {"fitted_on", names_of(framework.fitted_on)},
            {"fitted_level", framework.fitted_level ? Record(std::string(name(*framework.fitted_level))) : Record()},
            {"fitted_expert_nodes", framework.fitted_expert_nodes ? Record(*framework.fitted_expert_nodes) : Record()},
            {"spread", framework.spread},
            {"attention_library", name_of(framework.attention_library)},
            {"parameters", parameter_records(framework.numbers)},
            {"source", framework.source}};
}

/// "framework: nanotron; machine: *p5*": the rows that a condition is about.
std::string condition_text(const files::RowCondition& when) {
    std::vector<std::string> columns;
    for (const files::RowCondition::Column& column : when.columns) {
        columns.push_back(fmt::format("{}: {}", column.name, join(column.patterns, " or ")));
    }
    return columns.empty() ? "any row" : join(columns, "; ");
}

/// The rows of tables of runs that have the mechanism without being asked.
std::vector<std::string> rows_with(const plan::Mechanism& mechanism, const files::RunConventions& conventions) {
    std::vector<std::string> rows;
    if (mechanism.name == plan::kOtherSource) {
        rows.emplace_back("any row of a group that its framework was not fitted to");
    } else if (mechanism.name == plan::kUnfamiliar) {
        rows.emplace_back(
            "any such row on devices of a maker that its framework was not fitted on, or beyond the ZeRO level and "
            "nodes of experts of its fit");
    }
    for (const files::ConventionLine& line : conventions.frameworks) {
        const std::vector<std::string> named = plan::framework_reference(line.word).mechanisms;
        if (std::find(named.begin(), named.end(), mechanism.name) != named.end()) {
            rows.push_back(condition_text(line.when));
        }
    }
    for (const files::ConventionLine& line : conventions.mechanisms) {
        if (line.word == mechanism.name) {
            rows.push_back(condition_text(line.when));
        }
    }
    return rows;
}

KeyFigures mechanism_figures(const plan::Mechanism& mechanism, bool by_default) {
    KeyFigures all;
    const auto add_line = [&all](std::string label, std::string line) {
        all.figures.push_back({.label = std::move(label), .value = std::move(line), .note = {}});
    };
    add_line("asked for", fmt::format("--software NAME+{}", mechanism.name));
    add_line("default for", by_default ? "the runs below" : "nothing: only where it is asked for");
    if (mechanism.spread > 0) {
        add_line("unexplained", percent(mechanism.spread) + " of a step more, as a standard deviation");
    }
    if (!mechanism.memory.empty()) {
        add_line("memory", mechanism.memory + ", a memory profile, in place of the framework's");
    }
    if (mechanism.attention_library) {
        add_line("attention", attention_text(*mechanism.attention_library));
    }
    for (const plan::MemoryRule& rule : mechanism.rules) {
        add_line("memory", fmt::format("{} {}", name_of(rule.action), name_of(rule.tensors)));
    }
    add_line("source", mechanism.source);
    return all;
}

}  // namespace

Document framework_document(const plan::Framework& framework) {
    Document document;
    set_record(document, framework_record(framework), framework);
    add(document, Headline{framework.name});
    add(document, Paragraph{framework.summary});
    add(document, framework_figures(framework));
    add(document, parameter_table(framework.numbers));
    add_section(document, {"Parameters"}, {List{meanings(framework.numbers)}});
    return document;
}

Document mechanism_document(const plan::Mechanism& mechanism, const files::RunConventions& conventions) {
    const std::vector<std::string> rows = rows_with(mechanism, conventions);
    Document document;
    set_record(document,
               {{"schema", "dodona/mechanism/1"},
                {"name", mechanism.name},
                {"summary", mechanism.summary},
                {"default_for", rows},
                {"spread", mechanism.spread},
                {"parameters", parameter_records(mechanism.numbers)},
                {"source", mechanism.source}},
               mechanism);
    add(document, Headline{mechanism.name});
    add(document, Paragraph{mechanism.summary});
    add(document, mechanism_figures(mechanism, !rows.empty()));
    add(document, parameter_table(mechanism.numbers));
    add_section(document, {"Parameters"}, {List{meanings(mechanism.numbers)}});
    add_section(document, {"Default for rows of tables of runs, by their columns"}, {List{rows}});
    return document;
}

std::string framework_facts(const plan::Framework& framework) {
    return fmt::format("{} {}", framework.name, framework.summary);
}

Document frameworks_document(const std::vector<plan::Framework>& frameworks,
                             const std::vector<plan::Mechanism>& mechanisms) {
    Document document;
    Table table({{"software"}, {"unexplained", Align::right}, {"what it is"}});
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
    document.record = {{"schema", "dodona/software/1"}, {"software", rows}, {"mechanisms", known}};
    add(document, std::move(table));
    add_section(document, {"What any of them may have: --software NAME+MECHANISM"}, {std::move(added)});
    return document;
}

}  // namespace dodona::reports
