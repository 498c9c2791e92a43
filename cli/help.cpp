#include "cli/help.hpp"

#include <algorithm>
#include <array>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cli/app.hpp"
#include "cli/files.hpp"
#include "reports/render/text_layout.hpp"

namespace dodona::cli {

namespace {

/// Lines of `--help`, where a command has more options than fit; all are in `--help all`.
constexpr std::int64_t kHelpLines = 30;
constexpr std::size_t kHelpWidth = 100;
/// Where descriptions start.
constexpr std::size_t kHelpColumn = 34;

/// A name, and its description in a column of its own, below the name where that is long. A long list of choices is broken
/// between them.
std::string help_line(const std::string& name, std::string description) {
    std::string line = "  " + name;
    std::size_t begin = 0;  // of its last line
    while (line.size() - begin > kHelpWidth && line.rfind('|', begin + kHelpWidth - 1) != std::string::npos) {
        begin = line.rfind('|', begin + kHelpWidth - 1) + 1;
        line.insert(begin, "\n" + std::string(10, ' '));
        ++begin;
    }
    line += begin > 0 || line.size() + 2 > kHelpColumn ? "\n" + std::string(kHelpColumn, ' ')
                                                       : std::string(kHelpColumn - line.size(), ' ');
    std::replace(description.begin(), description.end(), '\n', ' ');
    for (const std::string& part : reports::lines_of(description, kHelpWidth - kHelpColumn)) {
        line += (line.ends_with(' ') ? "" : "\n" + std::string(kHelpColumn, ' ')) + part;
    }
    return line + "\n";
}

/// What most questions need; a command's other options are in `--help all`.
constexpr std::array<std::string_view, 39> kCommonOptions{
    "--machine", "--gpus",      "--batch",         "--seq",       "--strategy",    "--save",   "--why-not",
    "--plan",    "--mesh",      "--zero",          "--recompute", "--micro-batch", "--format", "--output",
    "--brief",   "--tokens",    "--deadline",      "--budget",    "--price",       "--find",   "--all",
    "--models",  "--machines",  "--batch-per-gpu", "--model",     "--precision",   "--export", "--from",
    "--cores",   "--tolerance", "--task",          "--explain",   "--fixed",       "--trace",  "--quick",
    "--backend", "--import",    "--compare",       "--from-site"};

using Options = std::vector<const CLI::Option*>;

Options options_of(const CLI::App& app) {
    return app.get_options(
        [&](const CLI::Option* option) { return option->nonpositional() && option != app.get_help_ptr(); });
}

Options positionals_of(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

bool is_rare(const CLI::Option* option) { return !contains(kCommonOptions, option->get_name()); }

/// "-p, " or nothing.
std::string short_name(const CLI::Option& option) {
    return option.get_snames().empty() ? "" : "-" + option.get_snames().front() + ", ";
}

/// "-p, --gpus N".
std::string whole_name(const CLI::Option& option) {
    const std::string value = option.get_type_name();
    return fmt::format("{:>4}{}{}{}", short_name(option), option.get_name(), value.empty() ? "" : " ", value);
}

/// The name with one word for a long list of choices.
std::string brief_name(const CLI::Option& option) {
    const std::string whole = whole_name(option);
    const std::string value = option.get_type_name();
    const std::size_t first = value.find('|');
    if (2 + whole.size() + 2 <= kHelpColumn || first == std::string::npos) {
        return whole;
    }
    return whole.substr(0, whole.size() - value.size() + first) + "|...";
}

/// Calls `heading` for each group, in the order in which they begin, and `line` for the options in it.
template <class Heading, class Line>
void each_option(const CLI::App& app, Heading heading, Line line) {
    std::vector<std::string> groups;
    const Options options = options_of(app);
    for (const CLI::Option* option : options) {
        if (std::find(groups.begin(), groups.end(), option->get_group()) == groups.end()) {
            groups.push_back(option->get_group());
        }
    }
    for (const std::string& group : groups) {
        heading(group);
        for (const CLI::Option* option : options) {
            if (option->get_group() == group) {
                line(*option);
            }
        }
    }
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

/// "Examples:" and each of them, with the lines that it goes on in, without what else is said there.
std::vector<std::string> examples_in(const std::string& footer) {
    std::vector<std::string> examples;
    bool goes_on = false;
    for (std::size_t at = footer.find("Examples:\n"); at != std::string::npos && at < footer.size();) {
        const std::size_t end = std::min(footer.find('\n', at), footer.size());
        const std::string line = footer.substr(at, end - at);
        if (!goes_on) {
            examples.emplace_back();
        }
        examples.back() += line + "\n";
        goes_on = line.ends_with('\\');
        at = end + 1;
    }
    return examples;
}

class HelpText : public CLI::Formatter {
public:
    explicit HelpText(std::string usage) : usage_(std::move(usage)) {}

    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        const std::string top = fmt::format("{}\n\n{}\n", app->get_description(),
                                            reports::wrapped("Usage: " + usage_, kHelpWidth, "              "));
        std::string all = top;
        for (const CLI::Option* positional : positionals_of(*app)) {
            all += help_line(positional->get_name(), positional->get_description());
        }
        each_option(
            *app, [&](const std::string& group) { all += "\n" + group + ":\n"; },
            [&](const CLI::Option& option) { all += help_line(whole_name(option), option.get_description()); });
        all += "\n" + app->get_footer() + "\n";
        return mode == CLI::AppFormatMode::All || lines_of(all) <= kHelpLines ? all : top + common(*app, top, name);
    }

private:
    /// The common options, a line each, and as many examples as kHelpLines leave room for.
    [[nodiscard]] static std::string common(const CLI::App& app, const std::string& top, const std::string& name) {
        std::string text;
        for (const CLI::Option* positional : positionals_of(app)) {
            text += help_line(positional->get_name(), brief(positional->get_description()));
        }
        text += "\n";
        const Options options = options_of(app);
        for (const CLI::Option* option : options) {
            text += is_rare(option) ? "" : help_line(brief_name(*option), brief(option->get_description()));
        }
        const auto rare = std::count_if(options.begin(), options.end(), is_rare);
        text += fmt::format("\n`{} --help all` says more, and lists {} more options.\n\n", name, rare);
        const std::vector<std::string> examples = examples_in(app.get_footer());
        for (std::size_t i = 0; i < examples.size(); ++i) {
            const bool is_first = i < 2;  // after "Examples:"
            if (is_first || lines_of(top + text + examples[i]) <= kHelpLines) {
                text += examples[i];
            }
        }
        return text;
    }

    std::string usage_;
};

/// Text as roff prints it back: no escapes, no requests, and dashes that can be copied.
std::string roff(const std::string& text) {
    std::string all;
    bool at_line_start = true;
    for (const char c : text) {
        if (at_line_start && (c == '.' || c == '\'')) {
            all += "\\&";
        }
        all += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
        at_line_start = c == '\n';
    }
    return all;
}

std::string tagged(const std::string& tag, const std::string& text) {
    return fmt::format(".TP\n{}\n{}\n", tag, roff(text));
}

std::string option_tag(const CLI::Option& option) {
    const std::string letter =
        option.get_snames().empty() ? "" : fmt::format("\\fB\\-{}\\fR, ", option.get_snames().front());
    const std::string value = option.get_type_name();
    return fmt::format("{}\\fB{}\\fR{}", letter, roff(option.get_name()),
                       value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(value)));
}

std::vector<std::string> names_that_come_with_dodona(Names names) {
    switch (names) {
        case Names::none: return {};
        case Names::models: return library().models();
        case Names::machines: return library().clusters();
        case Names::devices: return library().devices();
        case Names::strategies: return library().strategies();
        case Names::frameworks: return library().frameworks();
        case Names::exchanges: return library().exchanges();
    }
    return {};
}

}  // namespace

std::string usage(const Command& command) {
    std::string line = command.program + " " + command.name;
    for (const Positional& positional : command.positionals) {
        line += positional.required ? " " + positional.name : " [" + positional.name + "]";
        line += positional.many ? " ..." : "";
    }
    return line + (command.usage.empty() ? "" : " " + command.usage) + " [OPTIONS]";
}

std::string help(const Command& command, HelpOf options) {
    const auto app = app_of(command);
    app->formatter(std::make_shared<HelpText>(usage(command)));
    return app->help("", options == HelpOf::all ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal);
}

std::string man_section(const Command& command) {
    if (!command.handed_to.empty()) {
        return fmt::format(".SS \"dodona {0}\"\n{1}. \\fBdodona {0} \\-\\-help\\fR lists its options.\n", command.name,
                           roff(command.summary));
    }
    const auto app = app_of(command);
    std::string all = fmt::format(".SS \"{}\"\n{}.\n", roff(usage(command)), roff(app->get_description()));
    for (const CLI::Option* positional : positionals_of(*app)) {
        all += tagged(fmt::format("\\fI{}\\fR", roff(positional->get_name())), positional->get_description());
    }
    each_option(
        *app, [&](const std::string& group) { all += fmt::format(".PP\n\\fB{}\\fR\n", roff(group)); },
        [&](const CLI::Option& option) { all += tagged(option_tag(option), option.get_description()); });
    return all + fmt::format(".PP\n.nf\n{}\n.fi\n", roff(app->get_footer()));
}

std::vector<std::string> candidates(const Command& command, std::vector<std::string> words) {
    const std::string last = words.back();
    words.pop_back();
    const auto app = app_of(command);
    try {
        std::vector<std::string> left(words.rbegin(), words.rend());
        app->parse(left);
    } catch (const CLI::Error&) {  // `--help`, an option without its value, a file that is not there
    }
    const bool is_behind = !words.empty() && words.back().starts_with("-");
    const CLI::Option* before = is_behind ? app->get_option_no_throw(words.back()) : nullptr;
    std::vector<std::string> all;
    Names names = Names::none;
    if (before != nullptr && before->get_expected_min() > 0) {
        all = choices_in(before->get_type_name());
        const Option* option = command.option(before->get_name());
        names = option == nullptr ? Names::none : option->completes;
    } else if (last.starts_with("-")) {
        for (const CLI::Option* option : options_of(*app)) {
            const Option* known = command.option(option->get_name());
            if (option->empty() || (known != nullptr && known->repeats)) {
                all.push_back(option->get_name());
            }
        }
        all.emplace_back("--help");
    } else {
        for (const Positional& positional : command.positionals) {
            if (positional.many || app->get_option(positional.name)->empty()) {
                names = positional.completes;
                break;
            }
        }
    }
    append(all, names_that_come_with_dodona(names));
    std::erase_if(all, [&](const std::string& word) { return !word.starts_with(last); });
    return all;
}

}  // namespace dodona::cli
