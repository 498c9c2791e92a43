// How training software prints its steps: which lines say what.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dodona::files {

/// What the number after the key of a line of a step is.
enum class StepMeaning { milliseconds, seconds, steps_per_second, samples_per_second, tokens_per_second_of_gpu };

/// A line of a step: it has the marker, and the number after the key.
struct StepForm {
    std::string_view software;
    std::string_view marker;
    std::string_view key;
    StepMeaning meaning;
};

/// A line about device memory: it has the marker, and the number after the key.
struct MemoryForm {
    std::string_view software;
    std::string_view marker;
    std::string_view key;
    double unit;            ///< bytes
    std::string_view kind;  ///< reserved or allocated, as tables of runs say it
};

/// Numbers that logs print once, and that a time may follow from.
struct PrintedOnce {
    std::optional<double> batch;
    std::optional<double> sequence;
    std::optional<double> gpus;
    std::optional<double> steps;  ///< of the whole run
};

/// Null where the line is not one of a step.
const StepForm* step_form(std::string_view line);

/// Of one software the better ones first.
std::span<const MemoryForm> memory_forms();

void read_once(std::string_view line, PrintedOnce& once);

/// " 30%|███  | 240/800 [25:30<59:20,  6.36s/it]", a line of a progress bar of tqdm.
struct BarStep {
    double step = 0;
    double total = 0;
    double seconds = 0;  ///< of a step, as the bar averages them
};
inline constexpr std::string_view kBarSoftware = "tqdm";

/// Nothing where the line is none of a bar of steps: those of evaluations and of files are not.
std::optional<BarStep> bar_step(std::string_view line);

/// "Megatron-LM", "nanotron", ...
std::vector<std::string> logged_software();

}  // namespace dodona::files
