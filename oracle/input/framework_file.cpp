#include "input/framework_file.hpp"

#include "input/fields.hpp"
#include "input/heading.hpp"

namespace dodona::input {

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

plan::Framework read_framework(Document document) {
    plan::Framework framework;
    const Value root(*document.root, "", document.faults);
    Fields fields(root);
    const Heading heading = read_heading(fields, "framework");
    framework.name = heading.name;
    framework.source = heading.source;
    framework.summary = fields.find("summary").text();
    framework.usual_for = fields.find("usual_for").texts();
    framework.spread = fields.find("spread").bare().number({.least = 0, .most = 1}, 0);
    Fields parameters(fields.find("parameters"));
    for (const plan::FrameworkParameterKind& kind : plan::kFrameworkParameters) {
        if (const Value value = parameters.find(std::string(kind.word))) {
            framework.number(kind.parameter) = read_number(value, kind);
        }
    }
    parameters.finish();
    fields.finish();
    throw_faults(document);
    return framework;
}

}  // namespace dodona::input
