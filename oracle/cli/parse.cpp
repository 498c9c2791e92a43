#include "cli/parse.hpp"

#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace dodona::cli {

namespace {

/// A command as CLI11 sees it. Every value is a text: CLI11's own conversions speak too poorly.
struct App {
    CLI::App cli;
    Arguments::Values values;
    std::map<std::string, bool> switches;
};

std::unique_ptr<App> app_of(const Command& command) {
    auto app = std::make_unique<App>();
    app->cli.name("dodona " + command.name);
    app->cli.description(command.summary);
    app->cli.allow_extras();
    app->cli.set_help_flag("-h,--help", "print this and stop");
    app->cli.get_formatter()->column_width(34);
    app->cli.get_formatter()->label("Positionals", "Arguments");
    app->cli.footer("\n" + command.examples);
    for (const Positional& positional : command.positionals) {
        CLI::Option* option =
            app->cli.add_option(positional.name, app->values[positional.name], positional.description);
        option->type_name(" ");
        option->expected(positional.required ? 1 : 0, positional.many ? 1 << 20 : 1);
        option->required(false);
    }
    for (const Option& option : command.options) {
        const std::string name = option.long_name();
        CLI::Option* made = nullptr;
        if (option.value.empty()) {
            made = app->cli.add_flag(option.names, app->switches[name], option.description);
        } else {
            made = app->cli.add_option(option.names, app->values[name], option.description);
            made->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->type_name(option.value);
        }
        made->group(option.group);
    }
    return app;
}

std::vector<std::string> option_names(const Command& command) {
    std::vector<std::string> names{"--help"};
    for (const Option& option : command.options) {
        names.push_back(option.long_name());
    }
    return names;
}

bool takes(const Command& command, const std::string& name) {
    const std::vector<std::string> names = option_names(command);
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

std::string without_value(const std::string& word) { return word.substr(0, word.find('=')); }

void report_unknown_option(const Command& command, const std::string& typed, std::span<const Command> commands,
                           Diagnostics& faults) {
    const std::string name = without_value(typed);
    const std::vector<std::string> names = option_names(command);
    const std::string near = nearest(name, names);
    std::string help = near.empty() ? fmt::format("`dodona {} --help` lists the options", command.name)
                                    : fmt::format("did you mean {}?", near);
    for (const Command& other : commands) {
        if (near.empty() && takes(other, name)) {
            help = fmt::format("`dodona {}` takes {}", other.name, name);
            break;
        }
    }
    faults.error({}, fmt::format("unknown option {}", as_typed(name)), help);
}

void report_extras(const Command& command, const std::vector<std::string>& extras, std::span<const Command> commands) {
    Diagnostics faults;
    for (const std::string& word : extras) {
        if (is_option(word)) {
            report_unknown_option(command, word, commands, faults);
        }
    }
    // A word that follows an unknown option is most likely its value.
    if (!extras.empty() && !faults.has_errors()) {
        std::string usage = "dodona " + command.name;
        for (const Positional& positional : command.positionals) {
            usage += " " + positional.name;
        }
        faults.error({}, fmt::format("unexpected argument {}", as_typed(extras.front())), "usage: " + usage + " ...");
    }
    faults.throw_if_errors();
}

/// `--gpus --batch 8`: CLI11 takes --batch for the value of --gpus.
void report_missing_values(const Command& command, const Arguments::Values& values) {
    Diagnostics faults;
    for (const auto& [name, typed] : values) {
        for (const std::string& value : typed) {
            if (is_option(value) && takes(command, without_value(value))) {
                faults.error({}, fmt::format("{}: a value is missing before {}", name, as_typed(value)));
            }
        }
    }
    faults.throw_if_errors();
}

/// CLI11's messages start with the option.
[[noreturn]] void report(const Command& command, const CLI::ParseError& error) {
    const std::string message = error.what();
    const std::string name = message.substr(0, message.find_first_of(": "));
    for (const Option& option : command.options) {
        if (option.long_name() == name) {
            fail({}, option.value.empty() ? name + ": takes no value" : name + ": a value is missing",
                 option.value.empty() ? "" : fmt::format("write {} {}", name, option.value));
        }
    }
    fail({}, "the command line cannot be read", fmt::format("`dodona {} --help` shows how", command.name));
}

}  // namespace

Arguments parse(const Command& command, const std::vector<std::string>& words, std::span<const Command> commands) {
    const std::unique_ptr<App> app = app_of(command);
    try {
        app->cli.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& error) {
        report(command, error);
    }
    report_extras(command, app->cli.remaining(), commands);
    report_missing_values(command, app->values);
    for (const auto& [name, given] : app->switches) {
        if (given) {
            app->values[name] = {"yes"};
        }
    }
    return Arguments(app->values);
}

std::string help(const Command& command) { return app_of(command)->cli.help(); }

}  // namespace dodona::cli
