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
    app->cli.allow_extras();
    app->cli.set_help_flag();
    for (const Positional& positional : command.positionals) {
        CLI::Option* made = app->cli.add_option(positional.name, app->values[positional.name]);
        if (&positional == &command.positionals.back()) {
            made->expected(0, 1 << 20);  // as many as come: what is too many is told better here
        } else {
            made->expected(1)->allow_extra_args(false);
        }
    }
    for (const Option& option : command.options) {
        const std::string name = option.long_name();
        if (option.value.empty()) {
            app->cli.add_flag(option.names, app->switches[name]);
        } else {
            const std::string names = option.names + (option.old_name.empty() ? "" : "," + option.old_name);
            CLI::Option* made = app->cli.add_option(names, app->values[name]);
            made->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        }
    }
    return app;
}

std::string usage(const Command& command) {
    std::string line = "dodona " + command.name;
    for (const Positional& positional : command.positionals) {
        line += positional.required ? " " + positional.name : " [" + positional.name + "]";
        line += positional.many ? " ..." : "";
    }
    return line + (command.usage.empty() ? "" : " " + command.usage) + (command.options.empty() ? "" : " [OPTIONS]");
}

/// A name, and its description in a column of its own, below the name where that is long.
std::string help_line(const std::string& name, const std::string& description) {
    constexpr std::size_t kColumn = 34;
    std::string line = "  " + name;
    line += line.size() + 2 > kColumn ? "\n" + std::string(kColumn, ' ') : std::string(kColumn - line.size(), ' ');
    for (const char c : description) {
        line += c;
        line += c == '\n' ? std::string(kColumn, ' ') : "";
    }
    return line + "\n";
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
    return std::find(names.begin(), names.end(), name) != names.end() ||
           std::any_of(command.options.begin(), command.options.end(),
                       [&](const Option& option) { return !name.empty() && option.old_name == name; });
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

void report_unknown_words(const Command& command, const App& app, std::span<const Command> commands) {
    Diagnostics faults;
    for (const std::string& word : app.cli.remaining()) {
        if (is_option(word)) {
            report_unknown_option(command, word, commands, faults);
        }
    }
    // A word that follows an unknown option is most likely its value: no fault of its own.
    faults.throw_if_errors();
    for (const Positional& positional : command.positionals) {
        const std::vector<std::string>& typed = app.values.at(positional.name);
        if (!positional.many && typed.size() > 1) {
            faults.error({}, fmt::format("unexpected argument {} after {}", as_typed(typed[1]), as_typed(typed[0])),
                         "usage: " + usage(command));
        }
    }
    faults.throw_if_errors();
}

void report_switches_with_values(const Command& command, const std::vector<std::string>& words) {
    for (const Option& option : command.options) {
        for (const std::string& word : words) {
            if (option.value.empty() && word.starts_with(option.long_name() + "=")) {
                fail({}, option.long_name() + ": takes no value");
            }
        }
    }
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
        if (option.long_name() == name || (!name.empty() && option.old_name == name)) {
            fail({}, name + ": a value is missing", fmt::format("write {} {}", name, option.value));
        }
    }
    fail({}, "the command line cannot be read", fmt::format("`dodona {} --help` shows how", command.name));
}

}  // namespace

Arguments parse(const Command& command, const std::vector<std::string>& words, std::span<const Command> commands) {
    report_switches_with_values(command, words);
    const std::unique_ptr<App> app = app_of(command);
    try {
        app->cli.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError& error) {
        report(command, error);
    }
    report_unknown_words(command, *app, commands);
    report_missing_values(command, app->values);
    for (const auto& [name, given] : app->switches) {
        if (given) {
            app->values[name] = {"yes"};
        }
    }
    return Arguments(app->values);
}

std::string help(const Command& command) {
    std::string text = fmt::format("{}\n\nUsage: {}\n", command.summary, usage(command));
    for (const Positional& positional : command.positionals) {
        text += help_line(positional.name, positional.description);
    }
    std::string group;
    for (const Option& option : command.options) {
        if (option.group != group) {
            group = option.group;
            text += fmt::format("\n{}:\n", group);
        }
        const bool is_short = option.names.find(',') != std::string::npos;
        std::string names = is_short ? option.names : "    " + option.names;
        names.replace(names.find(',') == std::string::npos ? names.size() : names.find(','), is_short ? 1 : 0,
                      is_short ? ", " : "");
        text += help_line(names + (option.value.empty() ? "" : " " + option.value), option.description);
    }
    return text + "\n" + command.examples + "\n";
}

}  // namespace dodona::cli
