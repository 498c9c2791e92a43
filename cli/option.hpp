// Options as values: every command lists its own; parser, `--help`, completion and man page read the same lists.
#pragma once

#include <string>
#include <vector>

#include "base/ranges.hpp"
#include "files/description.hpp"

namespace dodona::cli {

/// What comes with dodona and completes a value.
enum class Names { none, models, machines, devices, strategies, frameworks, exchanges };

/// Whether an option may be given several times.
inline constexpr bool kOnce = false;
inline constexpr bool kRepeats = true;

/// Rows of tables list its members in this order, the first four mostly.
struct Option {
    std::string names;        ///< "-p,--gpus"
    std::string value;        ///< how help calls the value: "N", or all choices "a|b"; empty for a switch
    std::string description;  ///< lines after the first are aligned below it
    std::string group = "Options";
    bool repeats = kOnce;
    Names completes = Names::none;
    std::string old_name = {};  ///< "--chunks": an earlier name that is still read, and not in `--help`
    bool takes_more = false;    ///< words than `value` lists

    /// "--gpus": what faults and values go by.
    [[nodiscard]] std::string long_name() const { return names.substr(names.find("--")); }
    [[nodiscard]] bool takes_value() const { return !value.empty(); }
    [[nodiscard]] bool is_called(const std::string& name) const {
        return name == long_name() || (!name.empty() && (name + "," == names.substr(0, 3) || name == old_name));
    }
};

/// Those of these names, in their order.
inline std::vector<Option> options_named(std::vector<Option> all, const std::vector<std::string>& names) {
    std::erase_if(all, [&](const Option& option) { return !contains(names, option.long_name()); });
    return all;
}

struct Positional {
    std::string name;  ///< "MODEL"
    std::string description;
    bool required = true;
    bool many = false;
    Names completes = Names::none;
};

class Arguments;

struct Command {
    std::string program = "dodona";  ///< that it is a command of
    std::string name;
    std::string summary;
    std::string usage;  ///< options that it does not go without: "--machine M --gpus N"
    std::vector<Positional> positionals;
    std::vector<Option> options;
    std::string examples;  ///< below the options in `--help`
    int (*run)(Arguments& arguments) = nullptr;
    const files::Description& (*answer)() = nullptr;        ///< its JSON; null: not described
    const files::Description& (*other_answer)() = nullptr;  ///< ... with an option that asks something else
    std::string handed_to;  ///< not empty: another program does it, which gets all its words

    /// Null where it has no such option.
    [[nodiscard]] const Option* option(const std::string& called) const {
        for (const Option& one : options) {
            if (one.is_called(called)) {
                return &one;
            }
        }
        return nullptr;
    }
};

}  // namespace dodona::cli
