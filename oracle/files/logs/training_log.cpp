#include "files/logs/training_log.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "files/text.hpp"

namespace dodona::files {

namespace {

/// What the number after a key is.
enum class Meaning { milliseconds, seconds, steps_per_second, samples_per_second, tokens_per_second_of_gpu };

/// A line of a step: it has the marker, and the number after the key.
struct LogForm {
    std::string_view software;
    std::string_view marker;
    std::string_view key;
    Meaning meaning;
    std::string_view memory;  ///< the key of device memory; empty: none
    double memory_unit = 0;   ///< bytes
};

constexpr double kGib = 1024.0 * 1024 * 1024;

/// Sources: megatron/training/training.py, training_log; nemo/lightning/pytorch/callbacks and NeMo 1's progress bar;
/// torchtitan/components/metrics.py; deepspeed/utils/timer.py; nanotron/trainer.py; transformers/trainer_utils.py,
/// speed_metrics; MaxText/metric_logger.py; composer/loggers/console_logger.py and callbacks/{speed,memory}_monitor.py.
constexpr std::array kForms{
    LogForm{"Megatron-LM",
            "elapsed time per iteration (ms):", "elapsed time per iteration (ms):", Meaning::milliseconds, "", 0},
    LogForm{"nanotron", "elapsed_time_per_iteration_ms:", "elapsed_time_per_iteration_ms:", Meaning::milliseconds, "",
            0},
    LogForm{"NeMo", "train_step_timing in s", "train_step_timing in s", Meaning::seconds, "", 0},
    LogForm{"MaxText", "completed step:", "seconds:", Meaning::seconds, "", 0},
    LogForm{"torchtitan", "tps:", "tps:", Meaning::tokens_per_second_of_gpu, "memory:", kGib},
    LogForm{"DeepSpeed", "CurrSamplesPerSec=", "CurrSamplesPerSec=", Meaning::samples_per_second,
            "MaxMemAllocated=", kGib},
    LogForm{"Composer", "throughput/batches_per_sec:", "throughput/batches_per_sec:", Meaning::steps_per_second, "", 0},
    LogForm{"HF Trainer", "train_steps_per_second", "train_steps_per_second", Meaning::steps_per_second, "", 0},
};

/// The number after a key: blanks, `=`, `:` and quotes may stand between; 1,234 and nanotron's 1.23K are numbers.
std::optional<double> number_after(std::string_view line, std::string_view key) {
    const std::size_t found = line.find(key);
    if (key.empty() || found == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view rest = line.substr(found + key.size());
    rest = rest.substr(std::min(rest.find_first_not_of(" \t=:'\"."), rest.size()));
    std::string digits;
    std::size_t at = 0;
    for (; at < rest.size() && digits.size() < 40; ++at) {
        const char c = rest[at];
        const bool is_exponent =
            (c == 'e' || c == 'E') && !digits.empty() && at + 1 < rest.size() &&
            (std::isdigit(static_cast<unsigned char>(rest[at + 1])) != 0 || rest[at + 1] == '-' || rest[at + 1] == '+');
        const bool is_sign =
            (c == '-' || c == '+') && !digits.empty() && (digits.back() == 'e' || digits.back() == 'E');
        const bool is_grouping =
            c == ',' && at + 1 < rest.size() && std::isdigit(static_cast<unsigned char>(rest[at + 1])) != 0;
        if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || is_exponent || is_sign) {
            digits += c;
        } else if (!is_grouping) {
            break;
        }
    }
    double value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (read.ec != std::errc() || digits.empty()) {
        return std::nullopt;
    }
    const char suffix = at < rest.size() ? rest[at] : ' ';
    return value * (suffix == 'K' ? 1e3 : suffix == 'M' && rest.substr(at, 2) != "MB" ? 1e6 : 1);
}

/// Numbers that some logs print once, and that a time follows from.
struct Once {
    std::optional<double> batch;
    std::optional<double> sequence;
    std::optional<double> gpus;
};

void read_once(std::string_view line, Once& once) {
    const auto take = [&](std::optional<double>& value, std::string_view key) {
        if (const auto number = number_after(line, key)) {
            value = number;
        }
    };
    take(once.batch, "global batch size ");     // torchtitan: "with local batch size 8, global batch size 64"
    take(once.batch, "train_batch_size ....");  // DeepSpeed's print of its configuration
    take(once.sequence, "sequence length ");
    take(once.gpus, "world_size=");
    take(once.gpus, "world size: ");
    const std::size_t mesh = line.find("-D device mesh with");
    const std::size_t sizes = mesh == std::string_view::npos ? mesh : line.find("], [", mesh);
    if (sizes != std::string_view::npos) {  // torchtitan: "Building 2-D device mesh with ['dp_shard', 'tp'], [8, 4]"
        double product = 1;
        std::string_view rest = line.substr(sizes + 4);
        for (std::size_t at = 0; at < rest.size() && rest[at] != ']';) {
            double value = 0;
            const auto read = std::from_chars(rest.data() + at, rest.data() + rest.size(), value);
            if (read.ec == std::errc()) {
                product *= value;
                at = static_cast<std::size_t>(read.ptr - rest.data());
            } else {
                ++at;
            }
        }
        once.gpus = product;
    }
}

const LogForm* form_of(std::string_view line) {
    const auto found = std::find_if(kForms.begin(), kForms.end(), [&](const LogForm& form) {
        return line.find(form.marker) != std::string_view::npos && number_after(line, form.key);
    });
    return found == kForms.end() ? nullptr : &*found;
}

[[noreturn]] void cannot_tell(const Location& where, const LogForm& form, const char* what) {
    fail(where,
         fmt::format("{} prints {} {}, and not {}", form.software,
                     form.meaning == Meaning::samples_per_second ? "samples" : "tokens", "a second", what),
         "keep the lines that it prints at its start, or give the time of a step: --observed 1.23s");
}

double seconds_of(const LogForm& form, double number, const Once& once, const Location& where) {
    switch (form.meaning) {
        case Meaning::milliseconds: return number / 1e3;
        case Meaning::seconds: return number;
        case Meaning::steps_per_second: return 1 / number;
        case Meaning::samples_per_second:
            if (!once.batch) {
                cannot_tell(where, form, "the batch");
            }
            return *once.batch / number;
        case Meaning::tokens_per_second_of_gpu:
            if (!once.batch || !once.sequence || !once.gpus) {
                cannot_tell(where, form, "batch, sequence length and device mesh");
            }
            return *once.batch * *once.sequence / (*once.gpus * number);
    }
    return number;
}

double percentile(const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

}  // namespace

TrainingLog read_training_log(std::string text, const std::string& name) {
    const Text read = read_text(std::move(text), name, {.is = "the text of a log", .too_large = "keep its last steps"});
    const LogForm* form = nullptr;
    Once once;
    TrainingLog log;
    std::vector<double> times;
    for (std::size_t i = 0; i < read.source->lines.size(); ++i) {
        const std::string_view line = read.source->lines[i];
        read_once(line, once);
        const LogForm* here = form_of(line);
        if (here == nullptr || (form != nullptr && here != form)) {
            continue;
        }
        form = here;
        const Location where{read.source, static_cast<int>(i) + 1, 1, 1};
        const double number = *number_after(line, form->key);
        const double seconds = number > 0 ? seconds_of(*form, number, once, where) : 0;
        if (seconds > 0) {
            times.push_back(seconds);
        }
        if (const auto memory = number_after(line, form->memory)) {
            const Bytes bytes = Bytes::of_base(*memory * form->memory_unit);
            log.memory = log.memory ? std::max(*log.memory, bytes) : bytes;
        }
    }
    if (times.empty()) {
        std::vector<std::string> known;
        for (const LogForm& one : kForms) {
            known.emplace_back(one.software);
        }
        fail({read.source, 0, 0, 1}, "no line of a step that dodona knows", "it reads the logs of " + join(known));
    }
    log.software = form->software;
    log.warm_up = times.size() < 3 ? 0 : std::max<std::size_t>(1, times.size() / 10);
    times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(log.warm_up));
    std::sort(times.begin(), times.end());
    log.steps = times.size();
    log.median = Seconds::of_base(percentile(times, 0.5));
    log.low = Seconds::of_base(percentile(times, 0.1));
    log.high = Seconds::of_base(percentile(times, 0.9));
    return log;
}

TrainingLog load_training_log(const std::string& path, const Location& where) {
    return read_training_log(load_bytes(path, path, where), path);
}

}  // namespace dodona::files
