#include "cli/question.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "cli/words.hpp"
#include "files/money.hpp"
#include "files/read_description.hpp"

namespace dodona::cli {

namespace {

std::string option_name(const files::Key& key) {
    std::string name = "--" + key.name;
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

/// Names that a value may have; empty: any.
std::vector<std::string> choices_of(const files::ValueType& type) {
    if (const auto* const optional = std::get_if<files::OptionalType>(&type.type)) {
        return choices_of(*optional->element);
    }
    if (const auto* const text = std::get_if<files::TextType>(&type.type)) {
        return text->form != nullptr && text->form->choices != nullptr ? text->form->choices()
                                                                       : std::vector<std::string>{};
    }
    std::vector<std::string> names;
    if (const auto* const one_of = std::get_if<files::EnumType>(&type.type)) {
        append(names, one_of->choices, &files::EnumType::Choice::name);
    }
    return names;
}

/// What is typed of a text with this form: "$2.5" is an amount, or a price of an hour.
std::string text_meant(const files::ValueType& written, const std::string& typed) {
    const auto* const text = std::get_if<files::TextType>(&written.type);
    if (text == nullptr || (text->form != &files::kAmountForm && text->form != &files::kRateForm)) {
        return typed;
    }
    const std::string money = money_meant(typed);
    const bool has_no_time = text->form == &files::kRateForm && money.find('/') == std::string::npos &&
                             std::holds_alternative<files::Amount>(files::amount_from(money));
    return money + (has_no_time ? "/h" : "");
}

/// A part of what was typed, as files have such a value.
void read_as_in_files(Arguments& arguments, const std::string& option, const files::ConvertedType& type, void* member,
                      const std::string& typed) {
    static const std::filesystem::path here;
    static const files::Openers none;
    const files::Node node{
        .kind = files::Node::Kind::scalar, .text = text_meant(*type.written, typed), .where = arguments.place(option)};
    Diagnostics faults;
    files::read_value({type}, files::Value(node, option, faults), member, {here, none});
    arguments.take(faults);
}

/// One value that was typed, into the member.
struct ReadValue {
    Arguments& arguments;
    const std::string& option;
    void* member;
    bool repeats = false;

    void operator()(const files::WholeType& type) const {
        const bool none = type.range.least == 0 && arguments.text(option) == "0";
        const double most = type.range.most;
        const auto limit = std::isfinite(most) ? static_cast<std::int64_t>(most) : kMaxCount;
        type.set(member, none ? 0 : arguments.count(option, limit).value_or(1));
    }
    void operator()(const files::NumberType& type) const {
        const files::Range& range = type.range;
        const bool none = range.least == 0 && !range.without_least && arguments.text(option) == "0";
        const auto read = std::isfinite(range.most) ? arguments.ratio(option, range.least)
                          : none                    ? std::optional<double>(0)
                                                    : arguments.amount(option);
        *static_cast<double*>(member) = read.value_or(1);
    }
    void operator()(const files::QuantityType& type) const {
        if (type.dimensions == Dimensions{.byte = 1}) {
            set(type, arguments.size(option));
        } else if (type.dimensions == Dimensions{.second = 1}) {
            set(type, arguments.duration(option));
        } else if (type.dimensions == Dimensions{.second = -1, .byte = 1}) {
            set(type, arguments.bandwidth(option));
        } else {
            check(type.dimensions == Dimensions{.second = -1, .joule = 1}, "no option has such a dimension");
            set(type, arguments.power(option));
        }
    }
    void operator()(const files::EnumType& type) const {
        const std::vector<std::string> names = choices_of({type});
        if (const auto word = arguments.word(option, names)) {
            type.set(member, static_cast<std::size_t>(std::find(names.begin(), names.end(), *word) - names.begin()));
        }
    }
    void operator()(const files::TextType& type) const {
        const std::vector<std::string> names = choices_of({type});
        *static_cast<std::string*>(member) =
            (names.empty() ? arguments.text(option) : arguments.word(option, names)).value_or("");
    }
    void operator()(const files::FlagType& /*type*/) const { *static_cast<bool*>(member) = true; }
    void operator()(const files::OptionalType& type) const {
        std::visit(ReadValue{arguments, option, type.emplace(member)}, type.element->type);
    }
    /// Each given by itself, or between commas.
    void operator()(const files::ListType& type) const {
        if (std::holds_alternative<files::WholeType>(type.element->type)) {
            for (const std::int64_t count : arguments.counts(option)) {
                std::get<files::WholeType>(type.element->type).set(type.append(member), count);
            }
            return;
        }
        check(std::holds_alternative<files::TextType>(type.element->type), "no option has such a list");
        for (const std::string& word : repeats ? arguments.all(option) : arguments.list(option)) {
            *static_cast<std::string*>(type.append(member)) = word;
        }
    }
    /// Each "KEY=VALUE", or a value alone.
    void operator()(const files::MapType& type) const {
        for (const std::string& typed : arguments.all(option)) {
            const std::size_t equals = typed.rfind('=');
            const std::string key = equals == std::string::npos ? "" : typed.substr(0, equals);
            read_as_in_files(arguments, option, std::get<files::ConvertedType>(type.element->type),
                             type.insert(member, key, arguments.place(option)), typed.substr(equals + 1));
        }
    }
    void operator()(const files::ConvertedType& type) const {
        if (const auto typed = arguments.text(option)) {
            read_as_in_files(arguments, option, type, member, *typed);
        }
    }
    template <class Other>
    void operator()(const Other& /*type*/) const {
        check(false, "no command has such an option");
    }

private:
    template <class Amount>
    void set(const files::QuantityType& type, const std::optional<Amount>& read) const {
        type.set(member, read.value_or(Amount{}).in(Amount::of_base(1)));
    }
};

}  // namespace

std::vector<Option> question_options(const files::Description& described, const std::string& group, bool others) {
    std::vector<Option> all;
    for (const files::Key& key : described.keys) {
        if (!others && key.group != group) {
            continue;
        }
        const std::string value = key.value_text.empty() ? join(choices_of(key.type), "|") : key.value_text;
        all.push_back({option_name(key), value, key.meaning, key.group.empty() ? group : key.group,
                       key.repeats || std::holds_alternative<files::MapType>(key.type.type)});
    }
    return all;
}

void read_options(Arguments& arguments, const files::Description& described, void* options) {
    for (const files::Key& key : described.keys) {
        if (const std::string option = option_name(key); arguments.has(option)) {
            std::visit(ReadValue{arguments, option, key.member(options), key.repeats}, key.type.type);
        }
    }
}

void add_faults(Arguments& arguments, const questions::Faults& faults) {
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
}

Command question_command(QuestionCommand of) {
    return {.name = of.heading.name,
            .summary = of.heading.summary,
            .usage = std::move(of.usage),
            .positionals = {{.name = "MODEL", .description = "a built-in model or a file", .completes = Names::models}},
            .options = std::move(of.options),
            .examples = of.heading.examples,
            .run = of.run,
            .answer = of.answer};
}

Command plan_question(const questions::Heading& heading, const files::Description& options, int (*run)(Arguments&)) {
    std::vector<Option> all = asked_plan_options();
    append(all, question_options(options, heading.options));
    append(all, output_options());
    return question_command({.heading = heading,
                             .usage = "--machine M --gpus N (--strategy A --mesh AXIS=SIZE,... | --plan FILE)",
                             .options = std::move(all),
                             .run = run});
}

}  // namespace dodona::cli
