// Options as values: every command lists its own, the parser and `--help` know no more.
#pragma once

#include <string>
#include <vector>

namespace dodona::cli {

struct Option {
    std::string names;        ///< "-p,--gpus"
    std::string value;        ///< how help calls the value: "N"; empty for a switch
    std::string description;  ///< lines after the first are aligned below it
    std::string group = "Options";
    bool repeats = false;
    std::string old_name = {};  ///< "--chunks": an earlier name that is still read, and not in `--help`

    /// "--gpus": what faults and values go by.
    [[nodiscard]] std::string long_name() const { return names.substr(names.find("--")); }
};

struct Positional {
    std::string name;  ///< "MODEL"
    std::string description;
    bool required = true;
    bool many = false;
};

class Arguments;

struct Command {
    std::string name;
    std::string summary;
    std::string usage;  ///< options that it does not go without: "--machine M --gpus N"
    std::vector<Positional> positionals;
    std::vector<Option> options;
    std::string examples;  ///< below the options in `--help`
    int (*run)(Arguments& arguments) = nullptr;
    std::string program;  ///< not empty: the command is this program, which gets all its words
};

}  // namespace dodona::cli
