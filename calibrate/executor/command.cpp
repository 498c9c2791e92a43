#include "calibrate/executor/command.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "calibrate/executor/executor.hpp"
#include "calibrate/executor/lstm.hpp"
#include "cli/exit_code.hpp"
#include "cli/note.hpp"
#include "cli/output.hpp"
#include "cli/threads.hpp"
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
    all.push_back(
        {.names = "--rounds", .value = "N", .description = "over all settings; 20 without it", .group = group});
    all.push_back({.names = "--passes",
                   .value = "N",
                   .description = "of the network with a setting in a round; 5 without it",
                   .group = group});
    for (Option& option : output_options()) {
        all.push_back(std::move(option));
    }
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
    std::vector<std::vector<Seconds>> of_grid;  ///< in the order of the prediction's grid
    std::vector<Seconds> of_dynamic;
};

Times measured_times(const questions::threads::Answer& asked, Lstm& lstm, int rounds, int passes) {
    const threads::OperatorGraph& graph = asked.question.operators;
    const threads::Prediction& answer = *asked.prediction;
    const std::vector<std::size_t> order = by_depth(graph);
    const RunPart run = [&](std::size_t cell, std::int64_t part, std::int64_t parts) {
        lstm.run_part(cell, part, parts);
    };
    const auto add = [&](std::vector<Seconds>& times, const std::vector<RunSection>& sections) {
        const std::vector<Seconds> more = run_passes(graph, order, sections, run, passes);
        times.insert(times.end(), more.begin(), more.end());
    };
    const std::vector<RunSection> dynamic = sections_of(answer, graph);
    Times all{.of_grid = std::vector<std::vector<Seconds>>(answer.grid.size()), .of_dynamic = {}};
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < answer.grid.size(); ++i) {
            add(all.of_grid[i], {{{0, order.size()}, answer.grid[i].setting}});
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

int run_executor(Arguments& arguments) {
    const Output output = read_output(arguments);
    const auto rounds = static_cast<int>(arguments.count("--rounds", kMaxRounds).value_or(20));
    const auto passes = static_cast<int>(arguments.count("--passes", kMaxRounds).value_or(5));
    questions::threads::Answer asked = questions::threads::ask(with_own_cells(read_threads_question(arguments)));
    questions::threads::Question& question = asked.question;
    if (asked.prediction) {
        const threads::Prediction& prediction = *asked.prediction;
        Lstm lstm(lstm_shape(question.operators), kSeed);
        const Times times = measured_times(asked, lstm, rounds, passes);
        for (std::size_t i = 0; i < prediction.grid.size(); ++i) {
            question.measured.push_back(threads::measured_setting(prediction.grid[i].setting, times.of_grid[i]));
        }
        const threads::MeasuredSetting dynamic = threads::measured_setting({}, times.of_dynamic);
        question.whole_grid = true;
        question.measured_with = fmt::format("arenas of oneTBB, {} of {} passes each; dynamic took {} ({} predicted)",
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
                "  dodona-threads lstm.yaml --machine here.yaml --most 4",
            .run = run_executor};
}

}  // namespace dodona::calibrate
