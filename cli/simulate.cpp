#include "cli/simulate.hpp"

#include "base/whole_file.hpp"
#include "cli/asked_plan.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "play/simulated_step.hpp"
#include "reports/collect/simulation_report.hpp"
#include "reports/collect/simulation_trace.hpp"
#include "reports/render/chrome_trace.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> simulate_command_options() {
    std::vector<Option> all = asked_plan_options();
    all.push_back({.names = "--trace",
                   .value = "FILE",
                   .description = "the timeline as Chrome JSON, for ui.perfetto.dev and its like;\n"
                                  "compressed if FILE ends in .gz",
                   .group = "Simulation"});
    for (Option& option : output_options()) {
        all.push_back(std::move(option));
    }
    return all;
}

int run_simulate(Arguments& arguments) {
    const Output output = read_output(arguments);
    const std::string trace = arguments.has("--trace") ? writable_file(arguments, "--trace") : "";
    const auto [workload, plan] = read_asked_plan(arguments);
    const play::SimulatedStep step = play::simulate_step(workload.graph, workload.cluster, plan);
    const reports::Subject subject{workload.model, workload.machine};
    if (!trace.empty()) {
        const std::string text = reports::chrome_trace(reports::simulation_trace(subject, step));
        write_whole(trace, trace.ends_with(".gz") ? reports::gzipped(text) : text);
    }
    write(output, reports::simulation_document(subject, step));
    return kAnswered;
}

}  // namespace

Command simulate_command() {
    return {.name = "simulate",
            .summary = "play the step of one plan task by task: idle time, critical path, timeline",
            .usage = "--machine M --gpus N (--strategy A --mesh AXIS=SIZE,... | --plan FILE)",
            .positionals = {{.name = "MODEL", .description = "a built-in model or a file", .completes = Names::models}},
            .options = simulate_command_options(),
            .examples =
                "The options of a plan are those of `dodona predict`, whose closed form it is compared with.\n\n"
                "Example:\n"
                "  dodona simulate gpt3-175b --machine selene --gpus 64 --batch 64 \\\n"
                "      --strategy megatron-sequence --mesh tensor=8,pipeline=8 \\\n"
                "      --schedule interleaved-1f1b --virtual-stages 3 --recompute selective --trace step.json.gz",
            .run = run_simulate};
}

}  // namespace dodona::cli
