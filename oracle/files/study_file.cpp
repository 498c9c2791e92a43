#include "files/study_file.hpp"

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>
#include <utility>

#include "base/ranges.hpp"
#include "files/description_keys.hpp"
#include "files/number.hpp"
#include "files/read_description.hpp"
#include "files/scope.hpp"

namespace dodona::files {

namespace {

using trials::Parameter;
using trials::Study;

constexpr const char* kSpaceHelp = "such as space: {epochs: [10, 20], lr: {from: 1e-4, to: 0.1, scale: log}}";

void read_range(const Value& value, Parameter& parameter) {
    Fields fields(value);
    const Value from = fields.require("from", "from: 1e-4");
    const Value to = fields.require("to", "to: 0.1");
    parameter.from = from.number({});
    parameter.to = to.number({});
    if (const Value scale = fields.find("scale")) {
        parameter.logarithmic = scale.choice({"uniform", "log"}) == 1;
    }
    if (const Value whole = fields.find("whole")) {
        parameter.whole = whole.flag();
    }
    fields.finish();
    if (from && to && parameter.from >= parameter.to) {
        to.error(fmt::format("is not above from: {}", shortest(parameter.from)));
    } else if (from && parameter.logarithmic && parameter.from <= 0) {
        from.error("a range in the logarithm starts above 0");
    }
}

/// A parameter without values and range would be one of nothing: faults have been noted then.
Parameter read_parameter(const Fields::Member& member) {
    Parameter parameter{.name = member.key};
    if (!is_identifier(member.key)) {
        member.value.error("not a name for a parameter", "parameters have letters, digits and `_`");
    } else if (member.key == trials::kCores || member.key == trials::kGpus) {
        member.value.error("the name is taken: it is how many a trial runs on", "another name");
    }
    if (member.value.is_mapping()) {
        read_range(member.value, parameter);
        return parameter;
    }
    std::set<std::string> seen;
    for (const Value& item : member.value.is_list() ? member.value.list() : std::vector<Value>{member.value}) {
        parameter.values.push_back(item.text());
        if (item.is_scalar() && !seen.insert(item.node().text).second) {
            item.error(fmt::format("\"{}\" is listed twice", item.node().text));
        }
    }
    if (parameter.values.empty()) {
        member.value.error("no values", "a list such as [32, 64], or {from: 1, to: 10}");
    }
    return parameter;
}

void read_space(const Value& value, Study& study) {
    Fields fields(value, kSpaceHelp);
    append(study.space, fields.rest(), [](const Fields::Member& member) { return read_parameter(member); });
    if (fields.mapping() && study.space.empty()) {
        value.error("no parameters", kSpaceHelp);
    }
}

const Parameter* find(const Study& study, const std::string& name) {
    return found_in(study.space, &Parameter::name, name);
}

std::vector<std::string> names_known(const Study& study) {
    auto names = mapped<std::string>(study.space, &Parameter::name);
    names.emplace_back(trials::kCores);
    names.emplace_back(trials::kGpus);
    return names;
}

/// An expression over parameters with numbers.
std::optional<Expression> read_expression(const Value& value, const Study& study) {
    if (!value || value.text().empty()) {
        return std::nullopt;
    }
    try {
        Expression expression = Expression::parse(value.text(), value.node().inside());
        for (const std::string& name : expression.names()) {
            const Parameter* parameter = find(study, name);
            const std::vector<std::string> known = names_known(study);
            if (std::find(known.begin(), known.end(), name) == known.end()) {
                value.error(fmt::format("unknown name \"{}\"{}", name, did_you_mean(name, known)),
                            "known here: " + join_some(known));
            }
            for (const std::string& one : parameter != nullptr ? parameter->values : std::vector<std::string>{}) {
                if (std::holds_alternative<NotANumber>(decimal_from(one))) {
                    value.error(fmt::format("{} has the value \"{}\", which is no number", name, one));
                    break;
                }
            }
        }
        return expression;
    } catch (const InputError& error) {
        absorb(value.faults(), error, value.path());
        return std::nullopt;
    }
}

void read_set(const Value& value, Study& study) {
    if (!value) {
        return;
    }
    Fields fields(value);
    for (const Fields::Member& member : fields.rest()) {
        const std::string text = member.value.text();
        study.set.emplace_back(member.key, text);
        if (find(study, text) == nullptr) {
            static_cast<void>(read_expression(member.value, study));
        }
    }
}

void check_command(const Value& value, const Study& study) {
    std::vector<std::string> known(trials::kRunNames.begin(), trials::kRunNames.end());
    append(known, study.space, &Parameter::name);
    for (const std::string& name : trials::names_in(study.command)) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            value.error(fmt::format("{{{}}} is no parameter{}", name, did_you_mean(name, known)),
                        fmt::format("known: {}; {{{{NAME}}}} stays as it is, in single braces", join_some(known)));
        }
    }
}

void check_draw(Fields& fields, const Study& study) {
    const bool is_grid = study.draw.sampling == trials::Sampling::grid;
    const std::optional<std::size_t> combinations = trials::combinations(study.space);
    if (is_grid && !combinations) {
        const auto range = std::find_if(study.space.begin(), study.space.end(),
                                        [](const Parameter& parameter) { return parameter.is_range(); });
        fields.find("space").error(fmt::format("{} is a range, of which there is no grid", range->name),
                                   "add sampling: latin-hypercube, or random, and count: N");
    } else if (is_grid && *combinations > trials::kMaxTrials) {
        fields.find("space").error(fmt::format("a grid of more than {} trials", trials::kMaxTrials),
                                   "add sampling: latin-hypercube, or random, and count: N");
    } else if (!is_grid && study.draw.count == 0) {
        fields.mapping().error(fmt::format("sampling {} needs count", name(study.draw.sampling)), "count: 50");
    }
}

/// Reads what depends on the parameters, which stand in the file in any order.
void check_study(Fields& fields, Study& study, const Reading& /*reading*/) {
    if (!fields.mapping()) {
        return;
    }
    if (const Value space = fields.find("space")) {
        read_space(space, study);
    } else {
        fields.mapping().error("missing key space", kSpaceHelp);
    }
    if (fields.mapping().faults().has_errors()) {
        return;  // what follows asks for the parameters
    }
    study.time = read_expression(fields.find("time"), study);
    study.samples = read_expression(fields.find("samples"), study);
    study.epochs = read_expression(fields.find("epochs"), study);
    study.batch = read_expression(fields.find("batch"), study);
    read_set(fields.find("set"), study);
    check_draw(fields, study);
    check_command(fields.find("command"), study);
    for (const char* key : {"samples", "epochs", "batch"}) {
        const Value value = fields.find(key);
        if (study.model.empty() && value) {
            value.error("it is of a model, and there is none", "add model: NAME, or leave it out");
        } else if (!study.model.empty() && !value) {
            fields.mapping().error(fmt::format("the time of a model needs {}", key),
                                   fmt::format("{}: a number, or an expression over the parameters", key));
        }
    }
    if (!study.model.empty() && study.time) {
        fields.find("time").error("the model says the time already", "leave one of the two out");
    }
}

/// Its reader is this file's: it depends on the parameters.
Key expression_key(std::string_view name, std::string_view meaning) {
    return optional_as({OwnType{"an expression", R"({"type": ["string", "number"]})"}}, name, meaning,
                       {.default_text = "none"});
}

constexpr const char* kSpaceSchema = R"({
  "type": "object",
  "minProperties": 1,
  "additionalProperties": {
    "anyOf": [
      {"type": ["string", "number", "boolean"]},
      {"type": "array", "minItems": 1, "items": {"type": ["string", "number", "boolean"]}},
      {
        "type": "object",
        "required": ["from", "to"],
        "additionalProperties": false,
        "properties": {
          "from": {"type": "number"},
          "to": {"type": "number"},
          "scale": {"enum": ["uniform", "log"]},
          "whole": {"type": "boolean"}
        }
      }
    ]
  }
})";

Key space_key() {
    Key key = optional_as({OwnType{"`{name: values}`", kSpaceSchema}}, "space",
                          "The parameters, in order, each with a list of values (`[32, 64]`) or a range (`{from: 1e-4, "
                          "to: 0.1, scale: log}`, `whole: true` for whole numbers). Of a grid the first changes "
                          "slowest.");
    key.default_text = "required";
    return key;
}

Key set_key() {
    Key key = optional_as({OwnType{"`{name: expression}`", R"({"type": "object"})"}}, "set",
                          "Parameters of the model's file, as expressions over those of the space.");
    key.default_text = "none";
    return key;
}

void check_result(Fields& fields, trials::Result& result, const Reading& /*reading*/) {
    if (!fields.mapping()) {
        return;
    }
    if (result.pattern.empty() == result.key.empty()) {
        fields.mapping().error("a result is found by a pattern or by a key", "pattern: \"accuracy: ([0-9.]+)\"");
    } else if (!result.pattern.empty()) {
        try {
            if (std::regex(result.pattern).mark_count() != 1) {
                fields.find("pattern").error("not one group",
                                             "a pair of parentheses around the number, (?:...) for others");
            }
        } catch (const std::regex_error&) {
            fields.find("pattern").error("no regular expression", "such as \"accuracy: ([0-9.]+)\"");
        }
    }
}

}  // namespace

template <>
const Description& description<trials::Result>() {
    static const Description described{
        .noun = "result of a trial",
        .summary =
            "Where the number stands that trials are compared by. The last one that is found counts; with "
            "`--early-stop` each one is a report of the trial's next step.",
        .keys = {optional<&trials::Result::pattern>(
                     "pattern", "A regular expression of ECMAScript with one group around the number.",
                     {.default_text = "none"}),
                 optional<&trials::Result::key>("key", "Instead, the name of a number in JSON, in any object.",
                                                {.default_text = "none"}),
                 optional<&trials::Result::file>("file", "The file that it stands in, in the trial's folder.",
                                                 {.default_text = "its log"}),
                 optional<&trials::Result::best>("best", "Which is best.")},
        .check = checked<trials::Result, check_result>,
        .defaults = default_of<trials::Result>};
    return described;
}

template <>
const Description& description<Study>() {
    static const Description described{
        .noun = "study",
        .summary =
            "The settings that many trials try, what one takes, and the command that runs one: for `dodona trials`. "
            "Expressions are over the parameters that are numbers, `cores` and `gpus` (of one trial).",
        .keys = {file_name<&Study::name>("trials"), optional<&Study::source>("source", "Where the numbers come from."),
                 space_key(),
                 optional<&Study::draw, &trials::Draw::sampling>("sampling", "How trials are drawn from the space."),
                 optional<&Study::draw, &trials::Draw::count>(
                     "count", "Trials that are drawn; a grid has all.",
                     {.range = {.least = 1, .most = static_cast<double>(trials::kMaxTrials)}}),
                 optional<&Study::draw, &trials::Draw::seed>("seed", "Of the draws.", {.range = at_least(0)}),
                 expression_key("time", "Seconds that one trial takes: `12 * epochs / cores`."),
                 optional<&Study::model>("model",
                                         "A network whose training is a trial; its time follows from machine, "
                                         "`samples`, `epochs` and `batch`."),
                 expression_key("samples", "Of one epoch."), expression_key("epochs", "Of one trial."),
                 expression_key("batch", "Samples a step, all GPUs of a trial together."), set_key(),
                 optional<&Study::overhead>("overhead",
                                            "Of each trial, beside its training: start of the program, data."),
                 optional<&Study::command>("command",
                                           "What runs one trial, for a shell: `{NAME}` stands for a parameter, "
                                           "`{trial}`, `{folder}`, `{cores}`, `{gpus}`, `{gpu_ids}`, `{node}`."),
                 optional<&Study::result>("result", "The number that a trial is for, as its command prints it.")},
        .file_kind = "trials",
        .check = checked<Study, check_study>,
        .defaults = default_of<Study>};
    return described;
}

trials::Study read_study(Document document) { return read_file<Study>(std::move(document)); }

}  // namespace dodona::files
