#include "cli/question.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/check.hpp"

namespace dodona::cli {

namespace {

std::string option_name(const files::Key& key) {
    std::string name = "--" + key.name;
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

/// One value that was typed, into the member.
struct ReadValue {
    Arguments& arguments;
    const std::string& option;
    void* member;

    void operator()(const files::WholeType& type) const {
        const double most = type.range.most;
        const auto value = arguments.count(option, std::isfinite(most) ? static_cast<std::int64_t>(most) : kMostCount);
        type.set(member, value.value_or(1));
    }
    void operator()(const files::NumberType& /*type*/) const {
        *static_cast<double*>(member) = arguments.amount(option).value_or(1);
    }
    void operator()(const files::QuantityType& type) const {
        check(type.dimensions == Dimensions{.byte = 1}, "options of other dimensions are not read yet");
        type.set(member, arguments.size(option).value_or(Bytes{}).in(Bytes::of_base(1)));
    }
    void operator()(const files::OptionalType& type) const {
        std::visit(ReadValue{arguments, option, type.emplace(member)}, type.element->type);
    }
    template <class Other>
    void operator()(const Other& /*type*/) const {
        check(false, "no command has such an option");
    }
};

}  // namespace

std::vector<Option> options_of(const files::Description& described, const std::string& group) {
    std::vector<Option> all;
    for (const files::Key& key : described.keys) {
        all.push_back({option_name(key), key.value_text, key.meaning, group});
    }
    return all;
}

void read_options(Arguments& arguments, const files::Description& described, void* options) {
    for (const files::Key& key : described.keys) {
        if (const std::string option = option_name(key); arguments.has(option)) {
            std::visit(ReadValue{arguments, option, key.member(options)}, key.type.type);
        }
    }
}

void throw_faults(Arguments& arguments, const questions::Faults& faults) {
    for (const questions::Fault& fault : faults) {
        const bool is_positional = std::isupper(static_cast<unsigned char>(fault.option.front())) != 0;
        std::string option = (is_positional ? "" : "--") + fault.option;
        std::replace(option.begin(), option.end(), '_', '-');
        if (fault.message.empty()) {
            arguments.missing(option, fault.help);
        } else {
            arguments.fault(option, fault.message, fault.help);
        }
    }
    arguments.throw_if_faults();
}

Command plan_question(const questions::Heading& heading, const files::Description& options, int (*run)(Arguments&)) {
    std::vector<Option> all = asked_plan_options();
    append(all, options_of(options, heading.options));
    append(all, output_options());
    return {.name = heading.name,
            .summary = heading.summary,
            .usage = "--machine M --gpus N (--strategy A --mesh AXIS=SIZE,... | --plan FILE)",
            .positionals = {{.name = "MODEL", .description = "a built-in model or a file", .completes = Names::models}},
            .options = std::move(all),
            .examples = heading.examples,
            .run = run};
}

}  // namespace dodona::cli
