#include "cli/parse.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/words.hpp"

namespace dodona::cli {

namespace {

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

/// What most questions need; a command's other options are in `--help all`.
constexpr std::array<std::string_view, 31> kCommonOptions{
    "--machine", "--gpus",      "--batch",         "--seq",       "--strategy",    "--save",   "--why-not",
    "--plan",    "--mesh",      "--zero",          "--recompute", "--micro-batch", "--format", "--output",
    "--brief",   "--tokens",    "--deadline",      "--budget",    "--price",       "--find",   "--all",
    "--models",  "--machines",  "--batch-per-gpu", "--model",     "--precision",   "--export", "--from",
    "--cores",   "--tolerance", "--task"};

/// Where no more are rare than this, all are listed.
constexpr std::size_t kFewOptions = 8;

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

std::string help(const Command& command, HelpOf options) {
    std::string text = fmt::format("{}\n\nUsage: {}\n", command.summary, usage(command));
    for (const Positional& positional : command.positionals) {
        text += help_line(positional.name, positional.description);
    }
    const auto rare = static_cast<std::size_t>(std::count_if(command.options.begin(), command.options.end(), is_rare));
    const bool shows_all = options == HelpOf::all || rare < kFewOptions;
    std::string group;
    for (const Option& option : command.options) {
        if (!shows_all && is_rare(option)) {
            continue;
        }
        if (option.group != group) {
            group = option.group;
            text += fmt::format("\n{}:\n", group);
        }
        const std::string names =
            option.short_name().empty() ? "    " + option.long_name() : option.short_name() + ", " + option.long_name();
        text += help_line(names + (option.takes_value() ? " " + option.value : ""), option.description);
    }
    if (!shows_all) {
        text += fmt::format("\n`{} {} --help all` lists {} more options.\n", command.program, command.name, rare);
    }
    return text + "\n" + command.examples + "\n";
}

}  // namespace dodona::cli
