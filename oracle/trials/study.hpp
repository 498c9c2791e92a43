// A study: the space of settings that trials try, what each trial takes, and the command that runs one.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/expression.hpp"
#include "base/quantity.hpp"
#include "trials/reports.hpp"
#include "trials/space.hpp"

namespace dodona::trials {

/// The names that expressions of a study know beside its parameters: what one trial runs on.
inline constexpr const char* kCores = "cores";
inline constexpr const char* kGpus = "gpus";

/// The names that a command knows beside the parameters, and a launcher too, which also knows kCommandName.
inline constexpr std::array<std::string_view, 6> kRunNames{"trial", "folder", kCores, kGpus, "gpu_ids", "node"};
inline constexpr std::string_view kCommandName = "command";

/// Expressions are over parameters with numbers, kCores and kGpus.
struct Study {
    std::string name;
    std::string source;  ///< may be empty
    std::vector<Parameter> space;
    Draw draw;
    std::optional<Expression> time;     ///< seconds of one trial; none: from the model, or observed
    std::string model;                  ///< a network of the oracle; empty: none
    std::optional<Expression> samples;  ///< of one epoch
    std::optional<Expression> epochs;
    std::optional<Expression> batch;  ///< of one trial, all its GPUs together
    /// Parameters of the model's file: an expression, or the name of a parameter whose values are words.
    std::vector<std::pair<std::string, std::string>> set;
    Seconds overhead;     ///< of each trial, before and after training: start of the program, data, last evaluation
    std::string command;  ///< with {NAME} for parameters and for what a run knows; empty: none
    std::optional<Result> result;
};

/// The value of an expression for a trial on so many cores and GPUs. Throws InputError for what is no number.
double evaluate(const Expression& expression, const Settings& settings, std::int64_t cores, std::int64_t gpus);

/// One word of a shell's command line.
std::string shell_quoted(const std::string& text);

/// A command with {NAME} replaced by the value of the trial, or of `more`, each as one word of the shell. Throws
/// InputError for other names. {{NAME}} is the text {NAME}; ${NAME} and braces around anything else are the shell's.
std::string filled(const std::string& text, const Settings& settings, const Settings& more);

/// The names in braces, in order.
std::vector<std::string> names_in(const std::string& text);

}  // namespace dodona::trials
