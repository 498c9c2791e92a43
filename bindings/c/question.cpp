#include "bindings/c/question.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cli/program.hpp"
#include "files/fields.hpp"

namespace dodona::bindings {

namespace {

using files::Node;
using files::Value;

/// Options that say where an answer goes and how it looks.
constexpr std::array<std::string_view, 7> kOfOutput{"--format", "--json",  "--output", "--brief",
                                                    "--quiet",  "--width", "--color"};

bool is_of_output(const std::string& option) { return contains(kOfOutput, option); }

/// A command whose answer is JSON can be asked.
bool can_be_asked(const cli::Command& command) {
    return command.handed_to.empty() && command.option("--format") != nullptr;
}

/// Null where there is none.
const cli::Command* command_named(const Value& value) {
    if (!value) {
        return nullptr;
    }
    const std::string name = value.text();
    std::vector<std::string> names;
    for (const cli::Command& command : cli::commands()) {
        if (can_be_asked(command)) {
            names.push_back(command.name);
            if (command.name == name) {
                return &command;
            }
        }
    }
    value.error(fmt::format("\"{}\" cannot be asked{}", name, did_you_mean(name, names)), "commands: " + join(names));
    return nullptr;
}

/// The text of a number, a word, true or false.
std::string scalar(const Value& value) {
    if (!value.is_scalar()) {
        value.error("expected a number or a text");
        return {};
    }
    return value.node().text;
}

/// The values that an option is given with: none where it is left out.
std::vector<std::string> values_of(const Value& value, const cli::Option& option) {
    std::vector<std::string> values;
    if (value.is_list()) {
        append(values, value.list(), [](const Value& item) { return scalar(item); });
    } else if (value.is_mapping()) {
        for (const files::Fields::Member& member : files::Fields(value).rest()) {
            values.push_back(member.key + "=" + scalar(member.value));
        }
    } else if (value && value.node().kind != Node::Kind::null) {
        values.push_back(scalar(value));
    }
    if (option.repeats || values.size() < 2) {
        return values;
    }
    return {join(values, ",")};
}

void add_option(const cli::Command& command, const files::Fields::Member& member, std::vector<std::string>& words) {
    std::string name = "--" + member.key;
    std::replace(name.begin(), name.end(), '_', '-');
    const cli::Option* option = command.option(name);
    if (option == nullptr || is_of_output(option->long_name())) {
        auto names = mapped_where<std::string>(
            command.options, [](const cli::Option& one) { return !is_of_output(one.long_name()); },
            [](const cli::Option& one) { return one.long_name().substr(2); });
        member.value.error(option == nullptr
                               ? fmt::format("`{}` has no such option{}", command.name, did_you_mean(member.key, names))
                               : "the answer is returned, as JSON");
        return;
    }
    for (const std::string& value : values_of(member.value, *option)) {
        if (option->takes_value()) {
            words.push_back(option->long_name() + "=" + value);
        } else if (value == "true") {
            words.push_back(option->long_name());
        } else if (value != "false") {
            member.value.error("true or false", fmt::format("{} has no value", option->long_name()));
        }
    }
}

}  // namespace

Question read_question(files::Document document) {
    const Value root(*document.root, "", document.faults);
    files::Fields fields(root);
    Question question;
    question.command = command_named(fields.require("command"));
    const std::vector<std::string> arguments = fields.find("arguments").texts();
    const Value options = fields.find("options");
    if (question.command != nullptr && options) {
        for (const files::Fields::Member& member : files::Fields(options).rest()) {
            add_option(*question.command, member, question.words);
        }
    }
    fields.finish();
    throw_faults(document);
    question.words.emplace_back("--format=json");
    question.words.emplace_back("--");
    question.words.insert(question.words.end(), arguments.begin(), arguments.end());
    return question;
}

}  // namespace dodona::bindings
