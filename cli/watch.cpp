// `dodona watch LOG`: a running job's steps compared with the prediction of its plan.
#include "cli/commands.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/note.hpp"
#include "cli/validate_logs.hpp"
#include "files/logs/followed_log.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::cli {

namespace {

using files::LoggedPart;
using files::LoggedPartTime;
using files::LoggedStepTime;
using reports::text;

/// Prediction of a step, and of its parts as software times them.
struct Expected {
    Estimate step;
    validate::RunResult result;

    [[nodiscard]] Seconds of(LoggedPart part) const {
        using step::TimePart;
        const Seconds gradients = result.time[TimePart::gradients];
        const Seconds parameters = result.time[TimePart::parameters];
        const Seconds optimizer = result.time[TimePart::optimizer];
        switch (part) {
            case LoggedPart::gradients: return gradients;
            case LoggedPart::parameters: return parameters;
            case LoggedPart::optimizer: return optimizer;
            case LoggedPart::passes: break;
        }
        return step.value - gradients - parameters - optimizer;
    }
};

enum class Place { inside, below, above };

Place place_of(const Expected& expected, Seconds time) {
    return time > expected.step.hi ? Place::above : time < expected.step.lo ? Place::below : Place::inside;
}

/// "passes 1.92 s of 1.08 s predicted; the slowest rank takes 31.0 % longer than the fastest".
std::string slow_part(const Expected& expected, const std::vector<LoggedPartTime>& parts) {
    const auto more = [&](const LoggedPartTime& part) { return part.longest - expected.of(part.is); };
    const auto slowest =
        std::max_element(parts.begin(), parts.end(), [&](const auto& a, const auto& b) { return more(a) < more(b); });
    constexpr double kUneven = 0.05;  // ranks that differ by less are even
    std::string line = fmt::format("the slow part: {}, {} of {} predicted", name(slowest->is), text(slowest->longest),
                                   text(expected.of(slowest->is)));
    if (slowest->longest > (1 + kUneven) * slowest->shortest && slowest->shortest > Seconds{}) {
        line += fmt::format("; the slowest rank takes {} longer than the fastest",
                            reports::percent(slowest->longest / slowest->shortest - 1));
    }
    return line;
}

/// Slower kernels or communication that would explain the time; for logs that do not time parts.
std::string what_would_explain(const Expected& expected, Seconds time) {
    const Seconds more = time - expected.step.value;
    const Seconds compute = expected.result.compute();
    const Seconds communication = expected.result.communication();
    std::string line =
        fmt::format("as if kernels ran at {} of their speed", reports::percent(compute / (compute + more)));
    if (communication > 0.01 * expected.step.value) {
        line += fmt::format(", or exposed communication took {} times as long",
                            reports::three_digits((communication + more) / communication));
    }
    return line + "; the log does not time parts of a step";
}

/// Follows the steps, and says where they leave the interval and come back.
class Watch {
public:
    explicit Watch(Expected expected) : expected_(std::move(expected)) {}

    /// Steps beyond those that were seen before; the first of a run, which compiles and allocates, is not judged, nor is
    /// the last while lines of its parts may follow.
    void take(const std::vector<LoggedStepTime>& steps, bool with_last) {
        if (steps.size() < seen_) {
            fmt::print("the log starts again\n");
            seen_ = 0;
        }
        for (; seen_ + (with_last ? 0 : 1) < steps.size(); ++seen_) {
            const LoggedStepTime& step = steps[seen_];
            if (seen_ == 0 && steps.size() > 1) {
                continue;
            }
            const Place place = place_of(expected_, step.time);
            ++(place == Place::inside ? inside_ : place == Place::above ? above_ : below_);
            if (place_ != place) {
                say(seen_ + 1, step, place);
            }
            place_ = place;
        }
        std::fflush(stdout);
    }

    [[nodiscard]] std::string summary() const {
        return fmt::format("{}: {} inside the interval, {} above, {} below",
                           reports::counted(inside_ + above_ + below_, "step"), inside_, above_, below_);
    }
    [[nodiscard]] bool is_inside() const { return place_ == Place::inside; }

private:
    void say(std::size_t number, const LoggedStepTime& step, Place place) {
        const char* const where = place == Place::inside  ? "inside the interval"
                                  : place == Place::above ? "above the interval"
                                                          : "below the interval: faster than predicted";
        fmt::print("step {}: {}, {}\n", number, text(step.time), where);
        if (place == Place::above) {
            fmt::print("  {}\n", step.parts.empty() ? what_would_explain(expected_, step.time)
                                                    : slow_part(expected_, step.parts));
        }
    }

    Expected expected_;
    std::size_t seen_ = 0;
    std::int64_t inside_ = 0, above_ = 0, below_ = 0;
    std::optional<Place> place_;
};

/// The prediction of the log's plan. Throws InputError.
Expected expected_of(const Arguments& arguments, const std::string& name, const files::TrainingLog& log) {
    validate::RunResult result = compared_log(arguments.with("LOG", ""), name, log);
    if (!result.predicted) {
        fail({}, fmt::format("{}: not predicted{}{}", name, result.refusal.empty() ? "" : ": ", result.refusal));
    }
    return {*result.predicted, std::move(result)};
}

void pause(Seconds time) {
    constexpr auto kSlice = std::chrono::milliseconds(100);  // an interrupt is heard within it
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(time.in(unit::second));
    while (!interrupted() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(kSlice);
    }
}

int run_watch(Arguments& arguments) {
    const std::string name = arguments.required_text("LOG", "the log of a run, which may still grow: train.log");
    const Seconds every = arguments.duration("--every").value_or(10_s);
    const bool once = arguments.has("--once");
    if (!arguments.has("--machine")) {
        arguments.missing("--machine", "the machine that the job runs on: --machine dgx-h100");
    }
    arguments.throw_if_faults();
    listen_for_interrupt();
    files::FollowedLog followed(name, library().log_forms());
    followed.look();
    std::optional<files::TrainingLog> log = followed.log();
    if (!log && !once) {
        note("{} has no step yet", name);
    }
    for (; !log && !once && !interrupted(); log = followed.log()) {
        pause(every);
        followed.look();
    }
    if (!log && interrupted()) {
        return kInterrupted;
    }
    if (!log) {
        log = library().training_log(name, {});  // says what is missing
    }
    const Expected expected = expected_of(arguments, name, *log);
    const auto next = next_lines(arguments, "watch", next_of_log(arguments, "validate", name, *log));
    fmt::print("{}: {} a step predicted, {:.0f} % interval {}; {}\n", printable(name), text(expected.step.value),
               100 * kIntervalLevel, reports::interval(expected.step), log->software);
    Watch watch(expected);
    watch.take(log->every, once);
    while (!once && !interrupted()) {
        pause(every);
        const bool has_more = followed.look();
        log = followed.log();
        watch.take(log ? log->every : std::vector<LoggedStepTime>{}, !has_more || interrupted());
    }
    fmt::print("{}\n\nNext\n", watch.summary());
    for (const std::string& line : next) {
        fmt::print("  {}\n", printable(line));
    }
    return once ? (watch.is_inside() ? kAnswered : kNo) : kInterrupted;
}

}  // namespace

Command watch_command() {
    std::vector<Option> options{
        {"--once", "", "judge what the log has now, and end: exit code 1 where its last step is outside", "Watching"},
        {"--every", "TIME", "between two looks at the log; default: 10s", "Watching"}};
    append(options, log_options());
    return {.name = "watch",
            .summary = "follow a running log: when a step leaves its interval, and which part is slow",
            .usage = "--machine M",
            .positionals = {{.name = "LOG", .description = "the log of a run, which may still grow"}},
            .options = std::move(options),
            .examples =
                "The settings that the log prints are its plan, what is typed wins, as with `dodona validate`. Times\n"
                "of parts are read where the software prints them: Megatron-LM with --timing-log-level 1.\n"
                "Ctrl-C ends it.\n\n"
                "Examples:\n"
                "  dodona watch train.log --machine dgx-h100\n"
                "  dodona watch train.log --machine dgx-h100 --from train.sh --once",
            .run = run_watch};
}

}  // namespace dodona::cli
