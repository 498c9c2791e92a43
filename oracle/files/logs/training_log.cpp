#include "files/logs/training_log.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "files/logs/log_form.hpp"
#include "files/logs/log_lines.hpp"
#include "files/logs/log_number.hpp"

namespace dodona::files {

namespace {

/// What the lines of a log have said so far.
struct ReadLines {
    const StepForm* form = nullptr;  ///< of the first line of a step: others do not count
    PrintedOnce once;
    std::vector<double> seconds;
    std::vector<std::optional<Bytes>> memory =
        std::vector<std::optional<Bytes>>(memory_forms().size());  ///< by its form: the most of all lines
    std::map<double, std::map<double, double>> bars;               ///< total of a progress bar -> step -> seconds
};

[[noreturn]] void cannot_tell(const Location& where, const StepForm& form, const char* what) {
    fail(where,
         fmt::format("{} prints {} a second, and not {}", form.software,
                     form.meaning == StepMeaning::samples_per_second ? "samples" : "tokens", what),
         "keep the lines that it prints at its start, or give the time of a step: --observed 1.23s");
}

/// The HF Trainer's rate has three decimals: where the number of all steps is known and agrees with the rate, the time of
/// all steps says more.
double seconds_of_step(std::string_view line, double rate, const PrintedOnce& once) {
    constexpr double kRounding = 0.0005;
    const auto runtime = number_after(line, "train_runtime");
    const bool agrees = runtime && once.steps && std::abs(*once.steps / runtime->value - rate) <= kRounding;
    return agrees ? runtime->value / *once.steps : 1 / rate;
}

double seconds_of(std::string_view line, const StepForm& form, const PrintedOnce& once, const Location& where) {
    const double number = number_after(line, form.key)->value;
    if (number <= 0) {
        return 0;
    }
    switch (form.meaning) {
        case StepMeaning::milliseconds: return number / 1e3;
        case StepMeaning::seconds: return number;
        case StepMeaning::steps_per_second: return seconds_of_step(line, number, once);
        case StepMeaning::samples_per_second:
            if (!once.batch) {
                cannot_tell(where, form, "the batch");
            }
            return *once.batch / number;
        case StepMeaning::tokens_per_second_of_gpu:
            if (!once.batch || !once.sequence || !once.gpus) {
                cannot_tell(where, form, "batch, sequence length and device mesh");
            }
            return *once.batch * *once.sequence / (*once.gpus * number);
    }
    return number;
}

void read_line(std::string_view line, const Location& where, ReadLines& read) {
    read_once(line, read.once);
    const StepForm* here = step_form(line);
    if (here != nullptr && (read.form == nullptr || here == read.form)) {
        read.form = here;
        if (const double seconds = seconds_of(line, *here, read.once, where); seconds > 0) {
            read.seconds.push_back(seconds);
        }
    }
    if (const auto bar = bar_step(line)) {
        read.bars[bar->total][bar->step] = bar->seconds;
    }
    for (std::size_t i = 0; i < memory_forms().size(); ++i) {
        const MemoryForm& form = memory_forms()[i];
        const auto number =
            line.find(form.marker) == std::string_view::npos ? std::nullopt : number_after(line, form.key);
        if (number) {
            read.memory[i] = std::max(read.memory[i].value_or(Bytes{}), Bytes::of_base(number->value * form.unit));
        }
    }
}

double percentile(const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

std::optional<std::int64_t> whole_number(std::optional<double> value) {
    constexpr double kMax = 1e12;
    return value && *value >= 1 && *value < kMax ? std::optional(std::llround(*value)) : std::nullopt;
}

/// Where no line says the time of a step: what the progress bar with the most steps said.
void take_bars(ReadLines& read) {
    const auto most = std::max_element(read.bars.begin(), read.bars.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.size(), a.first) < std::pair(b.second.size(), b.first);
    });
    if (most != read.bars.end()) {
        for (const auto& [step, seconds] : most->second) {
            read.seconds.push_back(seconds);
        }
    }
}

/// `read` has at least one time.
TrainingLog summarised(ReadLines read) {
    TrainingLog log;
    log.software = read.form == nullptr ? kBarSoftware : read.form->software;
    std::vector<double>& times = read.seconds;
    log.warm_up = times.size() < 3 ? 0 : std::max<std::size_t>(1, times.size() / 10);
    times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(log.warm_up));
    std::sort(times.begin(), times.end());
    log.steps = times.size();
    log.median = Seconds::of_base(percentile(times, 0.5));
    log.low = Seconds::of_base(percentile(times, 0.1));
    log.high = Seconds::of_base(percentile(times, 0.9));
    for (std::size_t i = 0; i < read.memory.size() && !log.memory; ++i) {
        if (read.memory[i] && memory_forms()[i].software == log.software) {
            log.memory = read.memory[i];
            log.memory_kind = memory_forms()[i].kind;
        }
    }
    log.batch = whole_number(read.once.batch);
    log.sequence = whole_number(read.once.sequence);
    log.gpus = whole_number(read.once.gpus);
    return log;
}

}  // namespace

TrainingLog read_training_log(const std::string& text, const std::string& name) {
    const Text file = read_log_text(text, name, "keep its last steps");
    ReadLines read;
    for (std::size_t i = 0; i < file.source->lines.size(); ++i) {
        const Location where{file.source, static_cast<int>(i) + 1, 1, 1};
        for (const std::string_view line : overprinted(file.source->lines[i])) {
            read_line(line, where, read);
        }
    }
    if (read.seconds.empty()) {
        take_bars(read);
    }
    if (read.seconds.empty()) {
        fail({file.source, 0, 0, 1}, "no line of a step that dodona knows",
             "it reads the logs of " + join(logged_software()));
    }
    return summarised(std::move(read));
}

TrainingLog load_training_log(const std::string& path, const Location& where) {
    return read_training_log(load_bytes(path, path, where), path);
}

}  // namespace dodona::files
