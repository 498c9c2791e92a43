#include "cli/parse.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/words.hpp"

namespace dodona::cli {

namespace {

/// Lines of `--help`, where a command has more options than fit; all are in `--help all`.
constexpr std::int64_t kHelpLines = 30;
constexpr std::size_t kHelpWidth = 100;
/// Where descriptions start.
constexpr std::size_t kHelpColumn = 34;

/// A name, and its description in a column of its own, below the name where that is long.
std::string help_line(const std::string& name, const std::string& description) {
    std::string line = "  " + name;
    line += line.size() + 2 > kHelpColumn ? "\n" + std::string(kHelpColumn, ' ')
                                          : std::string(kHelpColumn - line.size(), ' ');
    for (const char c : description) {
        line += c;
        line += c == '\n' ? std::string(kHelpColumn, ' ') : "";
    }
    return line + "\n";
}

/// What most questions need; a command's other options are in `--help all`.
constexpr std::array<std::string_view, 32> kCommonOptions{
    "--machine", "--gpus",      "--batch",         "--seq",       "--strategy",    "--save",   "--why-not",
    "--plan",    "--mesh",      "--zero",          "--recompute", "--micro-batch", "--format", "--output",
    "--brief",   "--tokens",    "--deadline",      "--budget",    "--price",       "--find",   "--all",
    "--models",  "--machines",  "--batch-per-gpu", "--model",     "--precision",   "--export", "--from",
    "--cores",   "--tolerance", "--task",          "--explain"};

bool is_rare(const Option& option) {
    return std::find(kCommonOptions.begin(), kCommonOptions.end(), option.long_name()) == kCommonOptions.end();
}

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

/// A word that starts with a dash: "--gpus=8", "-p8", "-p".
struct OptionWord {
    std::string name;
    std::optional<std::string> value;

    explicit OptionWord(const std::string& word) {
        const bool is_long = word.starts_with("--");
        const std::size_t end = is_long ? word.find('=') : std::min<std::size_t>(2, word.size());
        name = word.substr(0, end);
        if (end < word.size()) {
            value = word.substr(end + (word[end] == '=' ? 1 : 0));
        }
    }
};

/// "--tp": an axis, which other programs take as an option.
bool is_usual_axis(const std::string& option) {
    const std::vector<std::string> axes{"tensor", "pipeline", "data", "context", "expert", "expert_tensor"};
    if (!option.starts_with("--")) {
        return false;
    }
    const std::string axis = axis_meant(option.substr(2), axes);
    return means_virtual_stages(axis) || std::find(axes.begin(), axes.end(), axis) != axes.end();
}

std::string unknown_option_help(const Command& command, const std::string& name, std::span<const Command> commands) {
    const char* const takes_axes = command.option("--mesh") != nullptr    ? "--mesh"
                                   : command.option("--fixed") != nullptr ? "--fixed"
                                                                          : nullptr;
    if (takes_axes != nullptr && is_usual_axis(name)) {
        return fmt::format("write {} {}=N", takes_axes, name.substr(2));
    }
    std::vector<std::string> names{"--help"};
    for (const Option& option : command.options) {
        names.push_back(option.long_name());
    }
    if (const std::string near = nearest(name, names); !near.empty()) {
        return fmt::format("did you mean {}?", near);
    }
    for (const Command& other : commands) {
        if (other.option(name) != nullptr) {
            return fmt::format("`{} {}` takes {}", other.program, other.name, name);
        }
    }
    return fmt::format("`{} {} --help` lists the options", command.program, command.name);
}

/// One value for each positional, and all that is left for the last.
void assign_positionals(const Command& command, const std::vector<std::string>& words, Arguments::Values& values) {
    const std::size_t last = command.positionals.empty() ? 0 : command.positionals.size() - 1;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool is_extra = command.positionals.empty() || (i > last && !command.positionals[last].many);
        if (is_extra) {
            fail({},
                 i == 0 ? fmt::format("unexpected argument {}", as_typed(words[i]))
                        : fmt::format("unexpected argument {} after {}", as_typed(words[i]), as_typed(words[i - 1])),
                 "usage: " + usage(command));
        }
        values[command.positionals[std::min(i, last)].name].push_back(words[i]);
    }
}

}  // namespace

Arguments parse(const Command& command, const std::vector<std::string>& words, std::span<const Command> commands) {
    Arguments::Values values;
    std::vector<std::string> positionals;
    Diagnostics faults;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--") {
            positionals.insert(positionals.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
            break;
        }
        if (!is_option(words[i])) {
            positionals.push_back(words[i]);
            continue;
        }
        const OptionWord typed(words[i]);
        const Option* option = command.option(typed.name);
        const bool has_next = i + 1 < words.size();
        if (option == nullptr) {
            faults.error({}, fmt::format("unknown option {}", as_typed(typed.name)),
                         unknown_option_help(command, typed.name, commands));
        } else if (!option->takes_value()) {
            if (typed.value) {
                faults.error({}, option->long_name() + ": takes no value");
            }
            values[option->long_name()] = {"yes"};
        } else if (typed.value) {
            values[option->long_name()].push_back(*typed.value);
        } else if (has_next && is_option(words[i + 1]) && command.option(OptionWord(words[i + 1]).name) != nullptr) {
            faults.error({},
                         fmt::format("{}: a value is missing before {}", option->long_name(), as_typed(words[i + 1])));
        } else if (has_next) {
            values[option->long_name()].push_back(words[++i]);
        } else {
            faults.error({}, option->long_name() + ": a value is missing",
                         fmt::format("write {} {}", option->long_name(), option->value));
        }
    }
    // Words that are too many may be values of unknown options, so these come first.
    faults.throw_if_errors();
    assign_positionals(command, positionals, values);
    return Arguments(values);
}

std::string usage(const Command& command) {
    std::string line = command.program + " " + command.name;
    for (const Positional& positional : command.positionals) {
        line += positional.required ? " " + positional.name : " [" + positional.name + "]";
        line += positional.many ? " ..." : "";
    }
    return line + (command.usage.empty() ? "" : " " + command.usage) + (command.options.empty() ? "" : " [OPTIONS]");
}

namespace {

/// "-p, --gpus N".
std::string option_name(const Option& option) {
    const std::string names =
        option.short_name().empty() ? "    " + option.long_name() : option.short_name() + ", " + option.long_name();
    return names + (option.takes_value() ? " " + option.value : "");
}

std::string help_of_all(const Command& command) {
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
        text += help_line(option_name(option), option.description);
    }
    return text + "\n" + command.examples + "\n";
}

std::int64_t lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

/// The first clause of a description, on one line; a list in brackets or after a colon is left to `--help all`.
std::string brief(std::string description) {
    description = description.substr(0, description.find(';'));
    std::replace(description.begin(), description.end(), '\n', ' ');
    for (const std::string_view end : {": ", " (", ", "}) {
        if (kHelpColumn + description.size() > kHelpWidth) {
            description = description.substr(0, description.find(end));
        }
    }
    return description;
}

/// The name with one word for a long list of choices.
std::string brief_name(const Option& option) {
    const std::string whole = option_name(option);
    if (2 + whole.size() + 2 <= kHelpColumn || option.value.find('|') == std::string::npos) {
        return whole;
    }
    return whole.substr(0, whole.size() - option.value.size()) + option.value.substr(0, option.value.find('|')) +
           "|...";
}

/// "Examples:" and each of them, with the lines that it goes on in, without what else is said there.
std::vector<std::string> examples_of(const Command& command) {
    std::vector<std::string> examples;
    bool goes_on = false;
    const std::size_t start = command.examples.find("Examples:\n");
    for (std::size_t at = start; at != std::string::npos && at < command.examples.size();) {
        const std::size_t end = std::min(command.examples.find('\n', at), command.examples.size());
        const std::string line = command.examples.substr(at, end - at);
        if (!goes_on) {
            examples.emplace_back();
        }
        examples.back() += line + "\n";
        goes_on = !line.empty() && line.back() == '\\';
        at = end + 1;
    }
    return examples;
}

/// The common options, a line each, and as many examples as kHelpLines leave room for.
std::string help_of_common(const Command& command, std::size_t rare) {
    std::string text = fmt::format("{}\n\nUsage: {}\n", command.summary, usage(command));
    for (const Positional& positional : command.positionals) {
        text += help_line(positional.name, brief(positional.description));
    }
    text += "\n";
    for (const Option& option : command.options) {
        if (!is_rare(option)) {
            text += help_line(brief_name(option), brief(option.description));
        }
    }
    const std::string more = rare > 0 ? fmt::format(", and lists {} more options", rare) : "";
    text += fmt::format("\n`{} {} --help all` says more{}.\n\n", command.program, command.name, more);
    const std::vector<std::string> examples = examples_of(command);
    for (std::size_t i = 0; i < examples.size(); ++i) {
        const bool is_first = i < 2;  // after "Examples:"
        if (is_first || lines_of(text + examples[i]) <= kHelpLines) {
            text += examples[i];
        }
    }
    return text;
}

}  // namespace

std::string help(const Command& command, HelpOf options) {
    const std::string all = help_of_all(command);
    if (options == HelpOf::all || lines_of(all) <= kHelpLines) {
        return all;
    }
    const auto rare = std::count_if(command.options.begin(), command.options.end(), is_rare);
    return help_of_common(command, static_cast<std::size_t>(rare));
}

}  // namespace dodona::cli
