#include "files/logs/log_form.hpp"

#include <algorithm>
#include <array>

#include "base/decimal.hpp"
#include "files/logs/log_number.hpp"

namespace dodona::files {

namespace {

constexpr double kMib = 1024.0 * 1024;
constexpr double kGib = 1024.0 * kMib;
constexpr double kGb = 1e9;

/// Sources: megatron/training/training.py, training_log; nemo/lightning/pytorch/callbacks and NeMo 1's progress bar;
/// torchtitan/components/metrics.py; deepspeed/utils/timer.py (the last form is that before 0.7.5);
/// nanotron/trainer.py; transformers/trainer_utils.py, speed_metrics; MaxText/metric_logger.py;
/// composer/loggers/console_logger.py and callbacks/speed_monitor.py; swift/plugin/callback.py.
constexpr std::array kStepForms{
    StepForm{"Megatron-LM",
             "elapsed time per iteration (ms):", "elapsed time per iteration (ms):", StepMeaning::milliseconds},
    StepForm{"nanotron", "elapsed_time_per_iteration_ms:", "elapsed_time_per_iteration_ms:", StepMeaning::milliseconds},
    StepForm{"NeMo", "train_step_timing in s", "train_step_timing in s", StepMeaning::seconds},
    StepForm{"MaxText", "completed step:", "seconds:", StepMeaning::seconds},
    StepForm{"torchtitan", "tps:", "tps:", StepMeaning::tokens_per_second_of_gpu},
    StepForm{"DeepSpeed", "CurrSamplesPerSec=", "CurrSamplesPerSec=", StepMeaning::samples_per_second},
    StepForm{"DeepSpeed", " SamplesPerSec=", " SamplesPerSec=", StepMeaning::samples_per_second},
    StepForm{"Composer", "throughput/batches_per_sec:", "throughput/batches_per_sec:", StepMeaning::steps_per_second},
    StepForm{"HF Trainer", "train_steps_per_second", "train_steps_per_second", StepMeaning::steps_per_second},
    StepForm{"ms-swift", "train_speed(iter/s)", "train_speed(iter/s)", StepMeaning::steps_per_second},
    StepForm{"ms-swift", "train_speed(s/it)", "train_speed(s/it)", StepMeaning::seconds},
};

/// Sources: megatron/training/utils.py, report_memory; torchtitan/components/metrics.py, max_reserved_gib;
/// deepspeed/utils/timer.py; composer/callbacks/memory_monitor.py, whose gigabytes are decimal (the last form is that
/// before 0.16); nanotron/trainer.py, human_format; swift/utils/torch_utils.py, get_max_reserved_memory.
constexpr std::array kMemoryForms{
    MemoryForm{"Megatron-LM", "memory (MB)", "| max reserved:", kMib, "reserved"},
    MemoryForm{"torchtitan", "tps:", "memory:", kGib, "reserved"},
    MemoryForm{"DeepSpeed", "MaxMemAllocated=", "MaxMemAllocated=", kGib, "allocated"},
    MemoryForm{"nanotron", "cuda_max_memory_reserved:", "cuda_max_memory_reserved:", 1, "reserved"},
    MemoryForm{"ms-swift", "memory(GiB)", "memory(GiB)", kGib, "reserved"},
    MemoryForm{"Composer", "memory/peak_reserved_mem:", "memory/peak_reserved_mem:", kGb, "reserved"},
    MemoryForm{"Composer", "memory/reserved_mem:", "memory/reserved_mem:", kGb, "reserved"},
};

enum class OnceIs { batch, sequence, gpus, steps };

struct OnceForm {
    std::string_view key;
    OnceIs is;
};

/// torchtitan: "with local batch size 8, global batch size 64, ..., sequence length 2048"; Megatron-LM: "using world
/// size: 8" and "global batch size:  64"; DeepSpeed's print of its configuration; NeMo and nanotron: in each line; HF
/// Trainer: before the first step; MaxText: its settings.
constexpr std::array kOnceForms{
    OnceForm{"global batch size", OnceIs::batch},
    OnceForm{"global_batch_size:", OnceIs::batch},
    OnceForm{"train_batch_size ..", OnceIs::batch},
    OnceForm{"Config param global_batch_size_to_train_on:", OnceIs::batch},
    OnceForm{"Total train batch size (w. parallel, distributed & accumulation) =", OnceIs::batch},
    OnceForm{"sequence length ", OnceIs::sequence},
    OnceForm{"Config param max_target_length:", OnceIs::sequence},
    OnceForm{"world_size=", OnceIs::gpus},
    OnceForm{"using world size:", OnceIs::gpus},
    OnceForm{"world_size ..", OnceIs::gpus},
    OnceForm{"Total optimization steps =", OnceIs::steps},
};

std::optional<double> PrintedOnce::*member_of(OnceIs is) {
    switch (is) {
        case OnceIs::batch: return &PrintedOnce::batch;
        case OnceIs::sequence: return &PrintedOnce::sequence;
        case OnceIs::gpus: return &PrintedOnce::gpus;
        case OnceIs::steps: return &PrintedOnce::steps;
    }
    return nullptr;
}

/// The product of the numbers of a list: "8, 4]" is 32.
double product_of_list(std::string_view rest) {
    double product = 1;
    for (std::size_t at = 0; at < rest.size() && rest[at] != ']';) {
        double value = 0;
        const auto read = decimal_at(rest.data() + at, rest.data() + rest.size(), value);
        if (read.ec == std::errc()) {
            product *= value;
            at = static_cast<std::size_t>(read.ptr - rest.data());
        } else {
            ++at;
        }
    }
    return product;
}

/// torchtitan's mesh, "Building 2-D device mesh with ['dp_shard', 'tp'], [8, 4]", or "Building device mesh with
/// parallelism: pp=1, dp_replicate=1, dp_shard=8, cp=1, tp=4, ep=1" since 2025-12.
std::optional<double> devices_of_mesh(std::string_view line) {
    constexpr std::string_view kParallelism = "device mesh with parallelism:";
    if (const std::size_t found = line.find(kParallelism); found != std::string_view::npos) {
        const std::string_view degrees = line.substr(found + kParallelism.size());
        double product = 1;
        for (const std::string_view key : {" pp=", " dp_replicate=", " dp_shard=", " cp=", " tp="}) {
            const auto degree = number_after(degrees, key);
            product *= degree ? degree->value : 1;
        }
        return product;
    }
    const std::size_t mesh = line.find("-D device mesh with");
    const std::size_t sizes = mesh == std::string_view::npos ? mesh : line.find("], [", mesh);
    if (sizes == std::string_view::npos) {
        return std::nullopt;
    }
    return product_of_list(line.substr(sizes + 4));
}

}  // namespace

const StepForm* step_form(std::string_view line) {
    const auto found = std::find_if(kStepForms.begin(), kStepForms.end(), [&](const StepForm& form) {
        return line.find(form.marker) != std::string_view::npos && number_after(line, form.key);
    });
    return found == kStepForms.end() ? nullptr : &*found;
}

std::span<const MemoryForm> memory_forms() { return kMemoryForms; }

void read_once(std::string_view line, PrintedOnce& once) {
    for (const OnceForm& form : kOnceForms) {
        if (const auto number = number_after(line, form.key); number && !number->is_rounded && number->value > 0) {
            once.*member_of(form.is) = number->value;
        }
    }
    if (const auto devices = devices_of_mesh(line)) {
        once.gpus = devices;
    }
}

namespace {

/// The number at the start of a text, and what is behind it; blanks before it are left out.
std::optional<std::pair<double, std::string_view>> leading_number(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    double value = 0;
    const auto read = decimal_at(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr == text.data() || value <= 0) {
        return std::nullopt;
    }
    return std::pair(value, text.substr(static_cast<std::size_t>(read.ptr - text.data())));
}

}  // namespace

std::optional<BarStep> bar_step(std::string_view line) {
    constexpr std::array<std::string_view, 6> kOthers{"Loading", "Fetching", "Evaluat", "Validat", "Sanity", "Saving"};
    const std::size_t bar = line.find("%|");
    const std::size_t end = bar == std::string_view::npos ? bar : line.find("| ", bar + 2);
    if (end == std::string_view::npos || std::any_of(kOthers.begin(), kOthers.end(), [&](std::string_view word) {
            return line.substr(0, bar).find(word) != std::string_view::npos;
        })) {
        return std::nullopt;
    }
    const auto step = leading_number(line.substr(end + 2));
    const auto total = step && step->second.starts_with('/') ? leading_number(step->second.substr(1)) : std::nullopt;
    const std::size_t left = total ? total->second.find('<') : std::string_view::npos;
    const std::size_t comma = left == std::string_view::npos ? left : total->second.find(',', left);
    const auto rate = comma == std::string_view::npos ? std::nullopt : leading_number(total->second.substr(comma + 1));
    if (!rate || (!rate->second.starts_with("s/it") && !rate->second.starts_with("it/s"))) {
        return std::nullopt;
    }
    return BarStep{.step = step->first,
                   .total = total->first,
                   .seconds = rate->second.starts_with("s/it") ? rate->first : 1 / rate->first};
}

std::vector<std::string> logged_software() {
    std::vector<std::string> names;
    for (const StepForm& form : kStepForms) {
        if (std::find(names.begin(), names.end(), form.software) == names.end()) {
            names.emplace_back(form.software);
        }
    }
    names.emplace_back(kBarSoftware);
    return names;
}

}  // namespace dodona::files
