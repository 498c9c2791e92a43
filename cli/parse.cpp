#include "cli/parse.hpp"

#include <algorithm>
#include <istream>
#include <map>
#include <sstream>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "base/ranges.hpp"
#include "base/read_file.hpp"
#include "cli/app.hpp"
#include "cli/help.hpp"
#include "cli/space_options.hpp"
#include "cli/words.hpp"
#include "graph/task.hpp"

namespace dodona::cli {

namespace {

/// Values of a positional that takes many: more than a command line has words.
constexpr int kMany = 1 << 24;

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

/// "--gpus" of "--gpus=8", "-p" of "-p8".
std::string option_in(const std::string& word) { return word.substr(0, word.starts_with("--") ? word.find('=') : 2); }

std::vector<std::string> long_names(const Command& command) {
    return mapped<std::string>(command.options, [](const Option& option) { return option.long_name(); });
}

/// "--tp": an axis, which other programs take as an option.
bool is_usual_axis(const std::string& option) {
    const std::vector<std::string> axes{"tensor", "pipeline", "data", "context", "expert", "expert_tensor"};
    if (!option.starts_with("--")) {
        return false;
    }
    const std::string axis = axis_meant(option.substr(2), axes);
    return means_virtual_stages(axis) || std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// A command that takes what this one does not; empty: there is none.
std::string taken_elsewhere(const std::string& name, std::span<const Command> commands) {
    const auto* other = found_in(commands, [&](const Command& c) { return c.option(name) != nullptr; });
    return other == nullptr ? "" : fmt::format("`{} {}` takes {}", other->program, other->name, name);
}

/// "--gpus N: GPUs that train together" for what other programs call --nodes, "--fixed zero=..." for a setting of plans
/// in a search; empty: it is neither.
std::string option_of_other_programs(const Command& command, const std::string& name) {
    std::vector<std::string> names = long_names(command);
    const bool has_settings = command.option("--fixed") != nullptr;
    if (has_settings) {
        names.insert(names.end(), {"--recompute", "--micro-batch"});
    }
    const std::string called = option_called(name, names);
    const std::string option = called.empty() ? name : called;
    if (const Option* known = command.option(option)) {
        return fmt::format("write {} {}: {}", option, known->value,
                           known->description.substr(0, known->description.find_first_of(";\n")));
    }
    const std::string setting = option.starts_with("--") ? option.substr(2) : "";
    return has_settings && plan_setting_of(setting) ? fmt::format("write --fixed {}=VALUE", setting) : "";
}

std::string unknown_option_help(const Command& command, const std::string& name, std::span<const Command> commands) {
    const char* const takes_axes = command.option("--mesh") != nullptr    ? "--mesh"
                                   : command.option("--fixed") != nullptr ? "--fixed"
                                                                          : nullptr;
    if (takes_axes != nullptr && is_usual_axis(name)) {
        return fmt::format("write {} {}=N", takes_axes, name.substr(2));
    }
    if (std::string other = option_of_other_programs(command, name); !other.empty()) {
        return other;
    }
    if (name == "--model" && !command.positionals.empty() && command.positionals.front().name == "MODEL") {
        return "the model is no option: " + usage(command);
    }
    std::vector<std::string> names = long_names(command);
    names.insert(names.begin(), {"--help", "--config"});
    if (const std::string near = nearest(name, names); !near.empty()) {
        return fmt::format("did you mean {}?", near);
    }
    const auto part = std::find_if(names.begin(), names.end(), [&](const std::string& one) {
        constexpr std::size_t kMin = std::string_view("--seq").size();
        return std::min(one.size(), name.size()) >= kMin && (name.starts_with(one) || one.starts_with(name));
    });
    if (part != names.end()) {
        return fmt::format("did you mean {}?", *part);
    }
    const std::vector<std::string> tasks = value_names<graph::Task>();
    if (command.option("--task") != nullptr && std::find(tasks.begin(), tasks.end(), name.substr(2)) != tasks.end()) {
        return fmt::format("write --task {}", name.substr(2));
    }
    const std::string other = taken_elsewhere(name, commands);
    return other.empty() ? fmt::format("`{} {} --help` lists the options", command.program, command.name) : other;
}

/// What CLI11 takes from one command line. Faults are kept by the word that they are about.
struct Line {
    const Command& command;
    std::span<const Command> commands;
    const std::vector<std::string>& typed;
    std::vector<std::string> left{typed.rbegin(), typed.rend()};  ///< CLI11 takes them from the end
    std::vector<bool> is_taken = std::vector<bool>(typed.size());
    std::map<std::size_t, Diagnostic> faults = {};  ///< those of a file behind those of words
    bool in_file = false;                           ///< CLI11 is past the words
    std::string section = {};                       ///< of the file
    Arguments::Values values = {};
    Arguments::Places places = {};
    std::vector<std::pair<std::string, std::string>> refused = {};  ///< options, and why none takes their value

    void fault(std::size_t word, const std::string& message, const std::string& help = {}) {
        faults.try_emplace(word, Diagnostic{Severity::error, {}, message, help});
    }
    void fault(const Location& where, const std::string& message, const std::string& help = {}) {
        faults.try_emplace(typed.size() + static_cast<std::size_t>(where.line),
                           Diagnostic{Severity::error, where, message, help});
    }
    std::string take(const CLI::App& app, const CLI::Option& option, const std::string& given);
    void check_choice(const CLI::Option& option, const std::string& value);
    std::vector<std::string> plain_words(const CLI::App& app);
};

/// Called by CLI11 for each value that it gives to an option, right after it took the word. CLI11 takes the next word
/// whatever it is, also behind `--name=`, and more of `-n=value` than its value: here that is put right.
std::string Line::take(const CLI::App& app, const CLI::Option& option, const std::string& given) {
    const std::string name = option.get_name();
    if (in_file) {
        if (option.get_expected_min() > 0 || given == "true") {
            values[name].push_back(given);
        }
        return given;
    }
    std::string value = given;
    std::size_t at = typed.size() - left.size() - 1;
    is_taken[at] = true;
    if (option.get_expected_min() == 0) {
        if (option.check_name(typed[at])) {
            values[name] = {at + 1 < typed.size() ? typed[at + 1] : ""};  // `--help` asks for it
        } else {
            fault(at, name + ": takes no value");
        }
        return given;
    }
    if (given != typed[at]) {
        value.erase(0, value.starts_with('=') && !typed[at].starts_with("--") ? 1 : 0);
    } else {
        const std::string& before = typed[--at];
        const bool is_empty = before.starts_with("--") && before.ends_with('=');
        const bool is_missing = !is_empty && is_option(given) && app.get_option_no_throw(option_in(given)) != nullptr;
        is_taken[at] = true;
        if (is_empty || is_missing) {
            value.clear();
            is_taken[at + 1] = false;
            left.push_back(given);
        }
        if (is_missing) {
            fault(at, fmt::format("{}: a value is missing before {}", name, as_typed(given)));
            return value;
        }
    }
    values[name].push_back(value);
    return value;
}

void Line::check_choice(const CLI::Option& option, const std::string& value) {
    const std::string all = option.get_type_name();
    const std::vector<std::string> choices = choices_in(all);
    const Option* listed = command.option(option.get_name());
    const bool has_others = static_cast<std::size_t>(std::count(all.begin(), all.end(), '|')) + 1 != choices.size();
    if (!value.empty() && !choices.empty() && !has_others && !listed->takes_more && !choice_meant(value, choices)) {
        refused.emplace_back(option.get_name(), no_choice(value, choices));
    }
}

/// Words that are no option's. Those that look like an option are faults; known ones are left only behind one.
std::vector<std::string> Line::plain_words(const CLI::App& app) {
    std::vector<std::string> plain;
    bool marked = false;
    for (std::size_t i = 0; i < typed.size(); ++i) {
        if (is_taken[i]) {
            continue;
        }
        if (!marked && typed[i] == "--") {
            marked = true;
        } else if (!marked && is_option(typed[i])) {
            const std::string name = option_in(typed[i]);
            if (app.get_option_no_throw(name) == nullptr) {
                fault(i, "unknown option " + as_typed(name), unknown_option_help(command, name, commands));
            }
        } else {
            plain.push_back(typed[i]);
        }
    }
    return plain;
}

/// The file of --config. CLI11 reads each of its lines alone, so that faults have their place.
class OptionFile : public CLI::ConfigTOML {
public:
    OptionFile(Line& line, const CLI::App& app) : line_(line), app_(app) {}

    std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

private:
    struct Entry {
        CLI::ConfigItem item;
        Location where;
        std::string value;        ///< as it is written
        bool in_section = false;  ///< of the command, which goes before what is said for all
        bool repeats = false;
    };
    void take_line(const std::string& text, const Location& where, std::vector<Entry>& kept) const;
    [[nodiscard]] const Command* command_named(const std::string& name, const Location& where) const;
    bool resolve(const Command& command, Entry& entry) const;
    void fault(const Entry& entry, const std::string& message, const std::string& help = {}) const {
        line_.fault(entry.where, entry.item.name + ": " + message, help);
    }

    Line& line_;
    const CLI::App& app_;
};

std::string trimmed(std::string text) {
    CLI::detail::trim(text);
    return text;
}

/// What is behind "=", without a comment.
std::string value_in(const std::string& text) {
    const std::size_t begin = std::min(text.find('='), text.size() - 1) + 1;
    return trimmed(text.substr(begin, text.find('#', begin) - begin));
}

/// Whether a quote or a list goes on behind the end of a value.
bool is_open(const std::string& value) {
    const bool is_quoted = value.starts_with('"') || value.starts_with('\'');
    return is_quoted ? std::count(value.begin(), value.end(), value.front()) % 2 != 0
                     : value.starts_with('[') && !value.ends_with(']');
}

/// Called by CLI11 when the words are read. It takes what is not typed; of the same option what comes first.
std::vector<CLI::ConfigItem> OptionFile::from_config(std::istream& input) const {
    line_.in_file = true;
    Source read{.name = line_.values["--config"].back(), .lines = {}};
    for (std::string line; std::getline(input, line);) {
        read.lines.push_back(line);
    }
    const auto source = std::make_shared<const Source>(std::move(read));
    std::vector<Entry> kept;
    for (std::size_t i = 0; i < source->lines.size(); ++i) {
        std::string text = trimmed(source->lines[i]);
        if (text.empty() || text.front() == '#' || text.front() == ';') {
            continue;
        }
        const Location where{.source = source,
                             .line = static_cast<int>(i) + 1,
                             .column = static_cast<int>(source->lines[i].find(text.front())) + 1,
                             .length = static_cast<int>(trimmed(text.substr(0, text.find('='))).size())};
        while (value_in(text).starts_with('[') && is_open(value_in(text)) && i + 1 < source->lines.size()) {
            text = text.substr(0, text.find('=') + 1) + value_in(text) + trimmed(source->lines[++i]);
        }
        take_line(text, where, kept);
    }
    std::stable_partition(kept.begin(), kept.end(), [](const Entry& one) { return one.in_section; });
    std::vector<CLI::ConfigItem> taken;
    for (Entry& entry : kept) {
        if (app_.get_option(entry.item.name)->empty()) {
            line_.places.try_emplace(entry.item.name, entry.where);
        }
        taken.push_back(std::move(entry.item));
    }
    return taken;
}

/// A section, or an option with its value.
void OptionFile::take_line(const std::string& text, const Location& where, std::vector<Entry>& kept) const {
    const bool is_section = text.front() == '[';
    std::istringstream stream(is_section ? trimmed(text.substr(0, text.find('#'))) : text);
    std::vector<CLI::ConfigItem> read = CLI::ConfigTOML::from_config(stream);
    const std::string value = value_in(text);
    const bool is_nothing = is_section ? !stream.str().ends_with(']') : read.empty() || read.front().name.empty();
    if (is_nothing || (!is_section && is_open(value))) {
        line_.fault(where, is_nothing ? "this is no option" : "a quote or a list is not closed",
                    "write name = value, or [COMMAND] above options of one command; # begins a comment");
        return;
    }
    const auto named = std::max_element(
        read.begin(), read.end(), [](const auto& a, const auto& b) { return a.parents.size() < b.parents.size(); });
    const std::string parents = named == read.end() ? "" : join(named->parents, " ");
    if (is_section) {
        line_.section = parents;
        static_cast<void>(command_named(parents, where));
        return;
    }
    const std::string of = line_.section + (line_.section.empty() || parents.empty() ? "" : " ") + parents;
    const Command* command = command_named(of, parents.empty() ? Location{} : where);
    Entry entry{.item = std::move(*named), .where = where, .value = value, .in_section = !of.empty()};
    if (command == nullptr || !command->handed_to.empty() || !resolve(*command, entry) || command != &line_.command) {
        return;
    }
    auto* before = found_in(
        kept, [&](const Entry& one) { return one.item.name == entry.item.name && one.in_section == entry.in_section; });
    if (before == nullptr) {
        kept.push_back(std::move(entry));
    } else if (entry.repeats) {
        before->item.inputs.insert(before->item.inputs.end(), entry.item.inputs.begin(), entry.item.inputs.end());
    } else {
        fault(entry, fmt::format("given again, after line {}", before->where.line), "give it once");
    }
}

/// Null where there is none, which is a fault if it is at a place.
const Command* OptionFile::command_named(const std::string& name, const Location& where) const {
    if (name.empty() || name == line_.command.name) {
        return &line_.command;
    }
    std::vector<std::string> names;
    for (const Command& command : line_.commands) {
        if (command.name == name) {
            return &command;
        }
        names.push_back(command.name);
    }
    if (where.source != nullptr) {
        line_.fault(where, fmt::format("{} is no command{}", as_typed(name), did_you_mean(name, names)),
                    "[COMMAND] stands above options of one command");
    }
    return nullptr;
}

/// The entry with the name of its option, and a value for each time that it would be typed. False: it has a fault.
bool OptionFile::resolve(const Command& command, Entry& entry) const {
    std::vector<std::string>& inputs = entry.item.inputs;
    std::string key = entry.item.name;
    std::replace(key.begin(), key.end(), '_', '-');
    const Option* option = command.option("--" + key);
    const auto positional = std::find_if(command.positionals.begin(), command.positionals.end(),
                                         [&](const Positional& one) { return CLI::detail::to_lower(one.name) == key; });
    if (option == nullptr && positional == command.positionals.end()) {
        std::vector<std::string> names = long_names(command);
        std::for_each(names.begin(), names.end(), [](std::string& name) { name.erase(0, 2); });
        const std::string other = taken_elsewhere("--" + key, line_.commands);
        fault(
            entry, "unknown option" + did_you_mean(key, names),
            other.empty() ? fmt::format("`{} {} --help all` lists the options", command.program, command.name) : other);
        return false;
    }
    const bool is_switch = option != nullptr && !option->takes_value();
    const bool is_list = entry.value.starts_with('[');
    if (is_switch && (inputs.size() != 1 || (inputs[0] != "true" && inputs[0] != "false"))) {
        fault(entry, as_typed(entry.value) + " is neither true nor false");
        return false;
    }
    if (!is_switch && entry.value.empty()) {
        fault(entry, "a value is missing", fmt::format("write {} = VALUE", key));
        return false;
    }
    entry.item.parents.clear();
    entry.item.name = option == nullptr ? positional->name : option->long_name();
    entry.repeats = option == nullptr ? positional->many : option->repeats;
    if (!entry.repeats || !is_list) {
        inputs = {join(inputs, is_list || entry.value.find(',') != std::string::npos ? "," : " ")};
    }
    return true;
}

/// What CLI11 left in the App, with the faults that were found on the way.
Arguments arguments_of(Line& line, const CLI::App& app) {
    const std::vector<std::string> plain = line.plain_words(app);
    if (const auto asked = line.values.find("--help"); asked != line.values.end()) {
        return Arguments({*asked});
    }
    Diagnostics faults;
    for (const auto& [word, fault] : line.faults) {
        faults.error(fault.where, fault.message, fault.help);
    }
    // Words that are too many may be values of unknown options, so these come first.
    faults.throw_if_errors();
    const std::vector<Positional>& positionals = line.command.positionals;
    if (const std::size_t room = positionals.size();
        plain.size() > room && (positionals.empty() || !positionals.back().many)) {
        fail({},
             room == 0
                 ? fmt::format("unexpected argument {}", as_typed(plain[0]))
                 : fmt::format("unexpected argument {} after {}", as_typed(plain[room]), as_typed(plain[room - 1])),
             "usage: " + usage(line.command));
    }
    for (const Positional& positional : positionals) {
        const CLI::Option* read = app.get_option(positional.name);
        if (!read->empty()) {
            line.values[positional.name] = read->results();
        }
    }
    Arguments arguments(std::move(line.values), std::move(line.places));
    static_cast<void>(arguments.text("--config"));
    for (const auto& [name, why] : line.refused) {
        arguments.refuse(name, why);
    }
    return arguments;
}

}  // namespace

std::vector<std::string> choices_in(const std::string& value) {
    std::vector<std::string> choices = CLI::detail::split(value, '|');
    const auto is_word = [](const std::string& choice) {
        return none_of(choice, [](char c) { return (c >= 'A' && c <= 'Z') || c == '=' || c == ','; });
    };
    const bool has_choices = choices.size() > 1;
    std::erase_if(choices, [&](const std::string& choice) { return !has_choices || !is_word(choice); });
    return choices;
}

std::shared_ptr<CLI::App> app_of(const Command& command) {
    auto app = std::make_shared<CLI::App>(command.summary, command.program + " " + command.name);
    app->footer(command.examples);
    app->allow_extras();
    app->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    for (const Positional& positional : command.positionals) {
        app->add_option(positional.name, positional.description)->expected(positional.many ? kMany : 1);
    }
    for (const Option& option : command.options) {
        const std::string names = option.names + (option.old_name.empty() ? "" : "," + option.old_name);
        CLI::Option* added = option.takes_value() ? app->add_option(names, option.description)->type_name(option.value)
                                                  : app->add_flag(names, option.description);
        added->group(option.group);
    }
    app->set_config("--config", "",
                    "options from a file: lines name = value, below [COMMAND] for\n"
                    "that command only; what is typed goes before it")
        ->type_name("FILE");
    return app;
}

Arguments parse(const Command& command, const std::vector<std::string>& words, std::span<const Command> commands) {
    Line line{.command = command, .commands = commands, .typed = words};
    const auto app = app_of(command);
    app->config_formatter(std::make_shared<OptionFile>(line, *app));
    for (CLI::Option* option : app->get_options()) {
        if (option->nonpositional()) {
            option->trigger_on_parse();
            option->transform([&, option](const std::string& value) { return line.take(*app, *option, value); });
            option->check([&, option](const std::string& value) {
                if (option == app->get_config_ptr() &&
                    !value.empty()) {  // CLI11 would wait for a pipe, and read a device
                    check_regular(value, as_typed(value), {});
                    static_cast<void>(read_file(value, as_typed(value), {}, 0));
                }
                line.check_choice(*option, value);
                return std::string();
            });
        }
    }
    try {
        app->parse(line.left);
    } catch (const CLI::CallForHelp&) {
    } catch (const CLI::ArgumentMismatch&) {  // the last word is an option without its value
        const CLI::Option* option = app->get_option_no_throw(option_in(words.back()));
        if (words.back().ends_with('=')) {
            Arguments others = parse(command, {words.begin(), words.end() - 1}, commands);
            others.give(option->get_name(), "", true);
            return others;
        }
        line.is_taken.back() = true;
        line.fault(words.size() - 1, option->get_name() + ": a value is missing",
                   fmt::format("write {} {}", option->get_name(), option->get_type_name()));
    }
    return arguments_of(line, *app);
}

}  // namespace dodona::cli
