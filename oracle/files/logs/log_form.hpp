// How training software prints its steps: which lines say what. A form is a file software/*/NAME.log.yaml.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "files/logs/log_number.hpp"

namespace dodona::files {

/// What the number in a line of a step is.
enum class LoggedStep : std::uint8_t {
    milliseconds,
    seconds,
    steps_per_second,
    samples_per_second,
    tokens_per_second_of_gpu
};
inline constexpr std::array kLoggedStepTable{
    Enumerator(LoggedStep::milliseconds, "milliseconds", "of a step"),
    Enumerator(LoggedStep::seconds, "seconds", "of a step"),
    Enumerator(LoggedStep::steps_per_second, "steps_per_second", "a rate"),
    Enumerator(LoggedStep::samples_per_second, "samples_per_second", "of all devices; the log prints the batch"),
    Enumerator(LoggedStep::tokens_per_second_of_gpu, "tokens_per_second_of_gpu",
               "of one device; the log prints batch, sequence length and devices")};
constexpr const auto& enumerators(LoggedStep /*type*/) { return kLoggedStepTable; }

/// What a line about device memory counts.
enum class LoggedMemory : std::uint8_t { reserved, allocated };
inline constexpr std::array kLoggedMemoryTable{
    Enumerator(LoggedMemory::reserved, "reserved", "by the allocator, with what it cannot use"),
    Enumerator(LoggedMemory::allocated, "allocated", "tensors")};
constexpr const auto& enumerators(LoggedMemory /*type*/) { return kLoggedMemoryTable; }
constexpr std::string_view name(LoggedMemory memory) { return name_of(memory); }

/// Parts of a step that software times apart.
enum class LoggedPart : std::uint8_t { passes, gradients, parameters, optimizer };
inline constexpr std::array kLoggedPartTable{
    Enumerator(LoggedPart::passes, "passes", "forward and backward, with the communication in them"),
    Enumerator(LoggedPart::gradients, "gradients", "their reduction, as far as it is exposed"),
    Enumerator(LoggedPart::parameters, "parameters", "their all-gather, as far as it is exposed"),
    Enumerator(LoggedPart::optimizer, "optimizer", "the update")};
constexpr const auto& enumerators(LoggedPart /*type*/) { return kLoggedPartTable; }
constexpr std::string_view name(LoggedPart part) { return name_of(part); }

/// What a log says once of its job.
enum class LoggedJob : std::uint8_t { batch, sequence, gpus, steps };
inline constexpr std::array kLoggedJobTable{Enumerator(LoggedJob::batch, "batch", "samples of a step"),
                                            Enumerator(LoggedJob::sequence, "sequence", "tokens of a sample"),
                                            Enumerator(LoggedJob::gpus, "gpus", "devices"),
                                            Enumerator(LoggedJob::steps, "steps", "of the whole run")};
constexpr const auto& enumerators(LoggedJob /*type*/) { return kLoggedJobTable; }

struct StepForm {
    std::string line;   ///< text that the line has; empty: no other than `after`
    std::string after;  ///< text before the number
    LoggedStep is = LoggedStep::seconds;
};

struct MemoryForm {
    std::string line;
    std::string after;
    Bytes unit;
    LoggedMemory is = LoggedMemory::reserved;
};

struct PartForm {
    std::string after;
    LoggedPart is = LoggedPart::passes;
};

/// Time of a part on the fastest and on the slowest rank.
struct LoggedPartTime {
    LoggedPart is = LoggedPart::passes;
    Seconds shortest, longest;
};

struct JobForm {
    std::string line;
    std::string after;
    LoggedJob is = LoggedJob::batch;
    std::vector<std::string> product_of;  ///< the product of the numbers after these, which come after `after`
    std::string product_until;            ///< the product of all numbers before this
};

struct LogForm {
    std::string name;
    std::string source;
    std::string software;  ///< as its users call it
    std::vector<StepForm> steps;
    std::vector<MemoryForm> memory;  ///< the better ones first
    std::vector<JobForm> job;
    std::vector<PartForm> parts;  ///< lines below those of their step
};

/// Numbers that logs print once, and that a time may follow from.
struct LoggedNumbers {
    std::optional<double> batch;
    std::optional<double> sequence;
    std::optional<double> gpus;
    std::optional<double> steps;  ///< of the whole run
};

/// The number of a line; nothing where the line is not of this form.
template <class Form>
std::optional<LogNumber> number_in(std::string_view line, const Form& form) {
    return line.find(form.line) == std::string_view::npos ? std::nullopt : number_after(line, form.after);
}

/// "forward-backward .....: (26094.39, 26095.09)", milliseconds of the fastest and the slowest rank, or one number.
std::optional<LoggedPartTime> part_in(std::string_view line, const PartForm& form);

/// Takes up what a line says of the job in any of these forms.
void read_job(std::string_view line, std::span<const LogForm> forms, LoggedNumbers& numbers);

/// " 30%|███  | 240/800 [25:30<59:20,  6.36s/it]", a line of a progress bar of tqdm.
struct BarStep {
    double step = 0;
    double total = 0;
    double seconds = 0;  ///< of a step, as the bar averages them
};
inline constexpr std::string_view kBarSoftware = "tqdm";

/// Nothing where the line is none of a bar of steps: those of evaluations and of files are not.
std::optional<BarStep> bar_step(std::string_view line);

}  // namespace dodona::files
