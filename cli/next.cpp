#include "cli/next.hpp"

#include <optional>

#include "base/ranges.hpp"
#include "cli/program.hpp"
#include "reports/collect/next_commands.hpp"

namespace dodona::cli {

namespace {

const Command* command_named(const std::string& name) {
    const auto all = commands();
    return found_in(all, &Command::name, name);
}

/// The values of an option as the next command has them.
std::vector<std::string> values_of(const Option& option, const Command& asked, const Arguments& arguments,
                                   const NextCommand& next) {
    const std::string name = option.long_name();
    if (const auto known = next.values.find(name); known != next.values.end()) {
        return known->second.empty() ? std::vector<std::string>{} : std::vector{known->second};
    }
    const Option* typed = asked.option(name);
    const bool is_same = typed != nullptr && typed->value == option.value && option.group != "Output";
    return is_same ? arguments.all(name) : std::vector<std::string>{};
}

std::optional<std::string> line_of(const Arguments& arguments, const Command& asked, const NextCommand& next) {
    const Command* command = command_named(next.name);
    if (command == nullptr) {
        return {};
    }
    const std::string& positional = command->positionals.front().name;
    const auto given = next.values.find(positional);
    std::string subject;
    for (const std::string& word :
         given != next.values.end() ? std::vector{given->second} : arguments.all(positional)) {
        subject += word.empty() ? "" : " " + reports::shell_word(word);
    }
    const bool is_of_script = given == next.values.end() && arguments.has(positional) && arguments.has("--from") &&
                              arguments.all(positional) == arguments.all("--from");
    if (is_of_script && command->option("--from") == nullptr) {
        return {};  // it knows no script, which alone has the network
    }
    std::string line = "dodona " + next.name + subject;
    bool is_from_script = false;
    for (const Option& option : command->options) {
        for (const std::string& value : values_of(option, asked, arguments, next)) {
            is_from_script = is_from_script || option.long_name() == "--from";
            line += " " + option.long_name() + (option.takes_value() ? " " + reports::shell_word(value) : "");
        }
    }
    return subject.empty() && !is_from_script ? std::nullopt : std::optional(line + next.more);
}

}  // namespace

std::vector<std::string> next_lines(const Arguments& arguments, const std::string& asked,
                                    const std::vector<NextCommand>& next) {
    const Command* command = command_named(asked);
    std::vector<std::string> lines;
    for (const NextCommand& one : next) {
        if (const auto line = command == nullptr ? std::nullopt : line_of(arguments, *command, one)) {
            lines.push_back(*line);
        }
    }
    return lines;
}

void add_next(reports::Document& document, const Arguments& arguments, const std::string& asked,
              const std::vector<NextCommand>& next) {
    const std::vector<std::string> lines = next_lines(arguments, asked, next);
    if (auto* code = document.blocks.empty() ? nullptr : std::get_if<reports::Code>(&document.blocks.back())) {
        code->lines.insert(code->lines.end(), lines.begin(), lines.end());
    } else {
        reports::add_section(document, {"Next"}, {reports::Code{lines}});
    }
}

}  // namespace dodona::cli
