#include "files/framework_file.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "files/fields.hpp"
#include "files/heading.hpp"

namespace dodona::files {

namespace {

/// `{value: 38 us, lo: 30 us, hi: 45 us, source: "..."}`; without lo and hi the value is taken as exact.
plan::Framework::Number read_number(const Value& value, const plan::FrameworkParameterKind& kind) {
    const auto base = [&](const Value& number, double fallback) {
        return kind.is_time ? number.quantity(Sign::not_negative, Seconds::of_base(fallback)).in(unit::second)
                            : number.number({.least = kind.least, .most = kind.most}, fallback);
    };
    plan::Framework::Number number;
    if (!value.is_mapping()) {
        value.error("a value needs its source", fmt::format("write {}: {{value: ..., source: \"...\"}}", kind.word));
        return number;
    }
    Fields fields(value);
    number.value = base(fields.require("value", std::string(kind.meaning)), kind.neutral);
    const Value lo = fields.find("lo");
    const Value hi = fields.find("hi");
    number.lo = base(lo, number.value);
    number.hi = base(hi, number.value);
    if (const Value bounds = fields.find("bounds")) {
        const std::vector<Value> ends = bounds.list();
        if (ends.size() == 2) {
            number.bounds = {base(ends[0], kind.least), base(ends[1], kind.most)};
        }
        if (!number.bounds || number.bounds->least > number.value || number.value > number.bounds->most ||
            number.bounds->least >= number.bounds->most) {
            bounds.error("two bounds are due, with the value between them", "bounds: [least, most]");
        }
    }
    number.source = fields.require("source", "where the value comes from").text();
    if (number.lo > number.value || number.hi < number.value) {
        value.error("the value lies outside of its own interval", "lo <= value <= hi");
    }
    if (kind.is_time && number.value > kind.most) {
        value.error(fmt::format("{} s is more than {} s", number.value, kind.most));
    }
    fields.finish();
    return number;
}

}  // namespace

std::string framework_to_yaml(const plan::Framework& framework, const std::string& indent) {
    const auto quoted = [](std::string text) {
        for (std::size_t at = 0; (at = text.find_first_of("\\\"", at)) != std::string::npos; at += 2) {
            text.insert(at, 1, '\\');
        }
        return "\"" + text + "\"";
    };
    std::string text =
        fmt::format("{0}framework: {1}\n{0}source: {2}\n", indent, framework.name.empty() ? "observed" : framework.name,
                    quoted(framework.source.empty() ? "moved to fit observed steps" : framework.source));
    if (!framework.summary.empty()) {
        text += fmt::format("{}summary: {}\n", indent, quoted(framework.summary));
    }
    const auto list = [&](const char* key, const std::vector<std::string>& words) {
        if (!words.empty()) {
            std::vector<std::string> written;
            std::transform(words.begin(), words.end(), std::back_inserter(written), quoted);
            text += fmt::format("{}{}: [{}]\n", indent, key, join(written));
        }
    };
    if (!framework.memory.empty()) {
        text += fmt::format("{}memory: {}\n", indent, framework.memory);
    }
    list("fitted_to", framework.fitted_to);
    list("usual_for", framework.usual_for);
    text += fmt::format("{}spread: {{value: {:.3g}, source: \"what is left after the fit, groups held out\"}}\n",
                        indent, framework.spread);
    text += indent + "parameters:\n";
    for (const plan::FrameworkParameterKind& kind : plan::kFrameworkParameters) {
        const plan::Framework::Number& number = framework.numbers[static_cast<std::size_t>(kind.parameter)];
        if (number.source.empty()) {
            continue;
        }
        const auto in_unit = [&](double value) {
            return !kind.is_time      ? fmt::format("{:.4g}", value)
                   : kind.most < 0.01 ? fmt::format("{:.4g} us", value * 1e6)
                                      : fmt::format("{:.4g} ms", value * 1e3);
        };
        text += fmt::format("{}  {}: {{value: {}, lo: {}, hi: {}", indent, kind.word, in_unit(number.value),
                            in_unit(std::min(number.lo, number.value)), in_unit(std::max(number.hi, number.value)));
        if (number.bounds) {
            text += fmt::format(", bounds: [{}, {}]", in_unit(number.bounds->least), in_unit(number.bounds->most));
        }
        text += fmt::format(", source: {}}}\n", quoted(number.source));
    }
    return text;
}

plan::Framework read_inline_framework(const Value& value) {
    plan::Framework framework;
    Fields fields(value);
    const Heading heading = read_heading(fields, "framework");
    framework.name = heading.name;
    framework.source = heading.source;
    framework.summary = fields.find("summary").text();
    framework.fitted_to = fields.find("fitted_to").texts();
    framework.memory = fields.find("memory").text();
    framework.usual_for = fields.find("usual_for").texts();
    framework.spread = fields.find("spread").bare().number({.least = 0, .most = 1}, 0);
    Fields parameters(fields.find("parameters"));
    for (const plan::FrameworkParameterKind& kind : plan::kFrameworkParameters) {
        if (const Value number = parameters.find(std::string(kind.word))) {
            framework.number(kind.parameter) = read_number(number, kind);
        }
    }
    parameters.finish();
    fields.finish();
    return framework;
}

plan::Framework read_framework(Document document) {
    plan::Framework framework = read_inline_framework(Value(*document.root, "", document.faults));
    throw_faults(document);
    return framework;
}

}  // namespace dodona::files
