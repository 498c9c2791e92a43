#include "files/logs/training_log.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "base/read_file.hpp"
#include "files/logs/followed_log.hpp"
#include "files/logs/log_form.hpp"
#include "files/logs/log_lines.hpp"
#include "files/logs/log_number.hpp"

namespace dodona::files {

/// What the lines of a log have said so far.
struct ReadLines {
    const LogForm* software = nullptr;  ///< of the first line of a step: others do not count
    const StepForm* form = nullptr;     ///< of that line
    LoggedNumbers job;
    std::vector<LoggedStepTime> steps;
    std::map<const MemoryForm*, Bytes> memory;        ///< the most of all lines
    std::map<double, std::map<double, double>> bars;  ///< total of a progress bar -> step -> seconds
};

namespace {

[[noreturn]] void cannot_tell(const Location& where, const ReadLines& read, const char* what) {
    fail(where,
         fmt::format("{} prints {} a second, and not {}", read.software->software,
                     read.form->is == LoggedStep::samples_per_second ? "samples" : "tokens", what),
         "keep the lines that it prints at its start, or give the time of a step: --observed 1.23s");
}

/// The HF Trainer's rate has three decimals: where the number of all steps is known and agrees with the rate, the time of
/// all steps says more.
double seconds_of_step(std::string_view line, double rate, const LoggedNumbers& job) {
    constexpr double kRounding = 0.0005;
    const auto runtime = number_after(line, "train_runtime");
    const bool agrees = runtime && job.steps && std::abs(*job.steps / runtime->value - rate) <= kRounding;
    return agrees ? runtime->value / *job.steps : 1 / rate;
}

/// `number`: that of a line of `read.form`.
double seconds_of(std::string_view line, double number, const ReadLines& read, const Location& where) {
    if (number <= 0) {
        return 0;
    }
    const LoggedNumbers& job = read.job;
    switch (read.form->is) {
        case LoggedStep::milliseconds: return number / 1e3;
        case LoggedStep::seconds: return number;
        case LoggedStep::steps_per_second: return seconds_of_step(line, number, job);
        case LoggedStep::samples_per_second:
            if (!job.batch) {
                cannot_tell(where, read, "the batch");
            }
            return *job.batch / number;
        case LoggedStep::tokens_per_second_of_gpu:
            if (!job.batch || !job.sequence || !job.gpus) {
                cannot_tell(where, read, "batch, sequence length and device mesh");
            }
            return *job.batch * *job.sequence / (*job.gpus * number);
    }
    return number;
}

void read_step(std::string_view line, std::span<const LogForm> forms, const Location& where, ReadLines& read) {
    for (const LogForm& software : forms) {
        for (const StepForm& form : software.steps) {
            const auto number = number_in(line, form);
            if (!number) {
                continue;
            }
            if (read.form == nullptr) {
                read.software = &software;
                read.form = &form;
            }
            const double seconds = read.form == &form ? seconds_of(line, number->value, read, where) : 0;
            if (seconds > 0) {
                read.steps.push_back({Seconds::of_base(seconds), {}});
            }
            return;
        }
    }
}

void read_part(std::string_view line, std::span<const LogForm> forms, const Location& where, ReadLines& read) {
    read_job(line, forms, read.job);
    read_step(line, forms, where, read);
    if (!read.steps.empty()) {
        for (const PartForm& form : read.software->parts) {
            if (const auto part = part_in(line, form)) {
                read.steps.back().parts.push_back(*part);
            }
        }
    }
    if (const auto bar = bar_step(line)) {
        read.bars[bar->total][bar->step] = bar->seconds;
    }
    for (const LogForm& software : forms) {
        for (const MemoryForm& form : software.memory) {
            if (const auto number = number_in(line, form)) {
                read.memory[&form] = max(read.memory[&form], number->value * form.unit);
            }
        }
    }
}

void read_lines(const Text& file, std::span<const LogForm> forms, ReadLines& read) {
    for (std::size_t i = 0; i < file.source->lines.size(); ++i) {
        const Location where{file.source, static_cast<int>(i) + 1, 1, 1};
        for (const std::string_view part : overprinted(file.source->lines[i])) {
            read_part(part, forms, where, read);
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
            read.steps.push_back({Seconds::of_base(seconds), {}});
        }
    }
}

/// Absent where no time of a step was read.
std::optional<TrainingLog> summarised(ReadLines read) {
    if (read.steps.empty()) {
        take_bars(read);
    }
    if (read.steps.empty()) {
        return {};
    }
    TrainingLog log;
    log.software = read.software == nullptr ? kBarSoftware : read.software->software;
    auto times = mapped<double>(read.steps, [](const LoggedStepTime& step) { return step.time.in(unit::second); });
    log.every = std::move(read.steps);
    log.warm_up = times.size() < 3 ? 0 : std::max<std::size_t>(1, times.size() / 10);
    times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(log.warm_up));
    std::sort(times.begin(), times.end());
    log.steps = times.size();
    log.median = Seconds::of_base(percentile(times, 0.5));
    log.low = Seconds::of_base(percentile(times, 0.1));
    log.high = Seconds::of_base(percentile(times, 0.9));
    if (read.software != nullptr) {
        for (const MemoryForm& form : read.software->memory) {
            const auto memory = read.memory.find(&form);
            if (memory != read.memory.end() && !log.memory) {
                log.memory = memory->second;
                log.memory_kind = name(form.is);
            }
        }
    }
    log.batch = whole_number(read.job.batch);
    log.sequence = whole_number(read.job.sequence);
    log.gpus = whole_number(read.job.gpus);
    return log;
}

}  // namespace

TrainingLog read_training_log(const std::string& text, const std::string& name, std::span<const LogForm> forms) {
    const Text file = read_log_text(text, name, "keep its last steps");
    ReadLines read;
    read_lines(file, forms, read);
    std::optional<TrainingLog> log = summarised(std::move(read));
    if (!log) {
        auto known = mapped<std::string>(forms, &LogForm::software);
        known.emplace_back(kBarSoftware);
        fail({file.source, 0, 0, 1}, "no line of a step that dodona knows", "it reads the logs of " + join(known));
    }
    return std::move(*log);
}

FollowedLog::FollowedLog(std::string path, std::vector<LogForm> forms)
    : path_(std::move(path)), forms_(std::move(forms)), read_(std::make_unique<ReadLines>()) {}

FollowedLog::~FollowedLog() = default;

bool FollowedLog::look() {
    std::error_code gone;
    if (at_ > 0 && !std::filesystem::exists(path_, gone)) {
        return false;
    }
    check_regular(path_, path_, {});
    if (std::filesystem::file_size(path_, gone) < at_) {
        *read_ = {};
        at_ = 0;
        unfinished_.clear();
    }
    std::ifstream file(path_, std::ios::binary);
    if (!file) {
        static_cast<void>(load_bytes(path_, path_, {}));  // says why
    }
    file.seekg(static_cast<std::streamoff>(at_));
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    std::string piece(kPiece, '\0');
    const std::uintmax_t before = at_;
    for (std::size_t count = kPiece; count == kPiece; at_ += count) {
        file.read(piece.data(), kPiece);
        count = static_cast<std::size_t>(file.gcount());
        unfinished_.append(piece, 0, count);
        // Progress bars end in a carriage return.
        const std::size_t end = unfinished_.find_last_of("\r\n") + 1;
        if (end > 0 || unfinished_.size() > kMaxBytes) {
            read_lines(read_log_text(unfinished_.substr(0, end > 0 ? end : std::string::npos), path_,
                                     "a line of a log is shorter"),
                       forms_, *read_);
            unfinished_.erase(0, end);
        }
    }
    return at_ > before;
}

std::optional<TrainingLog> FollowedLog::log() const { return summarised(*read_); }

}  // namespace dodona::files
