#include "lab/executor/command.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cli/exit_code.hpp"
#include "cli/note.hpp"
#include "cli/output.hpp"
#include "cli/threads.hpp"
#include "lab/executor/emulated.hpp"
#include "lab/executor/executor.hpp"
#include "lab/executor/lstm.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::calibrate {

using namespace cli;

namespace {

using threads::Setting;

constexpr std::int64_t kMaxRounds = 100'000;
constexpr std::uint32_t kSeed = 1;

std::vector<Option> executor_options() {
    const std::string group = "Measured";
    std::vector<Option> all = threads_options();
    std::erase_if(all, [](const Option& option) { return option.long_name() == "--measured"; });
    all.push_back({"--rounds", "N", "over all settings; 20 without it", group});
    all.push_back({"--passes", "N", "of the network with a setting in a round; 5 without it", group});
    all.push_back({"--emulate", "X",
                   "operators sleep X times as long as predicted: for CPUs of more cores than this\n"
                   "machine's; of any network",
                   group});
    append(all, output_options());
    return all;
}

std::vector<std::size_t> by_depth(const threads::OperatorGraph& graph) {
    const std::vector<std::size_t> depths = graph.depths();
    std::vector<std::size_t> order(graph.operators.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return depths[a] < depths[b]; });
    return order;
}

/// The sections of dynamic, as places in the order by depth.
std::vector<RunSection> sections_of(const threads::Prediction& answer, const threads::OperatorGraph& graph) {
    const std::vector<std::int64_t> widths = graph.widths();
    std::vector<RunSection> all;
    std::size_t depth = 0;
    std::size_t place = 0;
    for (const threads::Section& section : answer.sections) {
        const std::size_t from = place;
        for (std::size_t i = 0; i < section.depths; ++i) {
            place += static_cast<std::size_t>(widths[depth++]);
        }
        all.push_back({{from, place}, section.setting});
    }
    return all;
}

/// All passes of every setting, and of dynamic.
struct Times {
    std::vector<std::vector<Seconds>> of_settings;
    std::vector<Seconds> of_dynamic;
};

Times measured_times(const questions::threads::Answer& asked, const std::vector<Setting>& settings, const RunPart& run,
                     int rounds, int passes) {
    const threads::OperatorGraph& graph = asked.question.operators;
    const threads::Prediction& answer = *asked.prediction;
    const std::vector<std::size_t> order = by_depth(graph);
    const auto add = [&](std::vector<Seconds>& times, const std::vector<RunSection>& sections) {
        const std::vector<Seconds> more = run_passes(graph, order, sections, run, passes);
        times.insert(times.end(), more.begin(), more.end());
    };
    const std::vector<RunSection> dynamic = sections_of(answer, graph);
    Times all{.of_settings = std::vector<std::vector<Seconds>>(settings.size()), .of_dynamic = {}};
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < settings.size(); ++i) {
            add(all.of_settings[i], {{{0, order.size()}, settings[i]}});
        }
        add(all.of_dynamic, dynamic);
    }
    return all;
}

/// Cells are divided here, and arenas have no lock and do not spin: neither how libraries divide kernels nor what they
/// lose with more threads than cores is of this executor.
questions::threads::Question with_own_cells(questions::threads::Question question) {
    question.costs.crowding.clear();
    question.costs.oversubscription = question.known.oversubscription.value_or(0);
    question.works = threads::divided_evenly(std::move(question.works));
    return question;
}

/// All settings of the grid, or those that leave each thread a core.
std::vector<Setting> settings_of(const questions::threads::Answer& asked, bool within_cores) {
    std::vector<Setting> all;
    for (const threads::Timed& one : asked.prediction->grid) {
        if (!within_cores || questions::threads::within(one.setting, asked.question.costs.cores)) {
            all.push_back(one.setting);
        }
    }
    return all;
}

std::vector<Seconds> divided(std::vector<Seconds> times, double by) {
    for (Seconds& time : times) {
        time = (1 / by) * time;
    }
    return times;
}

int run_executor(Arguments& arguments) {
    const Output output = read_output(arguments);
    const auto rounds = static_cast<int>(arguments.count("--rounds", kMaxRounds).value_or(20));
    const auto passes = static_cast<int>(arguments.count("--passes", kMaxRounds).value_or(5));
    const auto emulated = arguments.count("--emulate", kMaxRounds);
    questions::threads::Question read = read_threads_question(arguments);
    questions::threads::Answer asked =
        questions::threads::ask(emulated ? std::move(read) : with_own_cells(std::move(read)));
    questions::threads::Question& question = asked.question;
    if (asked.prediction) {
        const threads::Prediction& prediction = *asked.prediction;
        const auto slower = static_cast<double>(emulated.value_or(1));
        EmulatedOperators sleeping(question.operators, question.works, question.costs, slower);
        std::optional<Lstm> lstm;
        if (!emulated) {
            lstm.emplace(lstm_shape(question.operators), kSeed);
        }
        const RunPart run = [&](std::size_t number, std::int64_t part, std::int64_t parts) {
            if (lstm) {
                lstm->run_part(number, part, parts);
            } else if (part == 0) {
                sleeping.run(number, parts);
            }
        };
        const std::vector<Setting> settings = settings_of(asked, emulated.has_value());
        const Times times = measured_times(asked, settings, run, rounds, passes);
        for (std::size_t i = 0; i < settings.size(); ++i) {
            question.measured.push_back(threads::measured_setting(settings[i], divided(times.of_settings[i], slower)));
        }
        const threads::MeasuredSetting dynamic = threads::measured_setting({}, divided(times.of_dynamic, slower));
        question.whole_grid = true;
        question.measured_with =
            fmt::format("arenas of oneTBB, {}{} of {} passes each; dynamic took {} ({} predicted)",
                        emulated ? fmt::format("operators that sleep {} times as long as predicted, ", *emulated) : "",
                        reports::counted(rounds, "round"), passes, reports::text(dynamic.median),
                        reports::text(prediction.dynamic));
    }
    write(output, questions::threads::document(asked));
    return asked.prediction ? kAnswered : kNo;
}

}  // namespace

Command executor_command() {
    return {.name = "dodona-threads",
            .summary = "runs an LSTM with every setting of workers and threads, beside the prediction",
            .usage = "--machine M",
            .positionals = {{.name = "MODEL", .description = "a file with one LSTM", .completes = Names::models}},
            .options = executor_options(),
            .examples =
                "A worker is a thread with an arena of oneTBB. The machine is this one, as `dodona calibrate\n"
                "--backend cpu` wrote it.\n\n"
                "Examples:\n"
                "  dodona-threads lstm.yaml --machine here.yaml --most 4\n"
                "  dodona-threads lstm.yaml --machine theta --cores 48 --emulate 300 --rounds 1 --passes 1",
            .run = run_executor};
}

}  // namespace dodona::calibrate
