#include "cli/goodput.hpp"

#include <cmath>

#include <fmt/format.h>

#include "cli/asked_plan.hpp"
#include "cli/exit_code.hpp"
#include "cli/goodput_options.hpp"
#include "cli/next.hpp"
#include "cli/output.hpp"
#include "questions/goodput/goodput.hpp"
#include "reports/collect/prediction_report.hpp"
#include "reports/document/number_format.hpp"
#include "step/predict.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> goodput_command_options() {
    std::vector<Option> all = asked_plan_options();
    append(all, goodput_options());
    append(all, output_options());
    return all;
}

/// A fault where a background write would not end before the next begins.
void check_interval(Arguments& arguments, const reliability::Goodput& answer) {
    const Seconds shortest = reliability::shortest_interval(answer.conditions);
    const Seconds step = answer.prediction.step.value;
    if (answer.chosen().rule == reliability::IntervalRule::asked && answer.chosen().interval < shortest) {
        arguments.fault(
            "--checkpoint-every",
            fmt::format("{} is less than a checkpoint takes in the background, {}",
                        reports::text(answer.chosen().interval), reports::text(answer.conditions.background)),
            fmt::format("{:.0f} steps or more", std::ceil(shortest / step)));
    }
    arguments.throw_if_faults();
}

int run_goodput(Arguments& arguments) {
    const Output output = read_output(arguments);
    const GoodputSettings settings = read_goodput_settings(arguments);
    auto [workload, plan] = read_asked_plan(arguments);
    const reliability::GoodputQuestion question = goodput_question(arguments, settings, workload);
    const step::Prediction prediction = step::predict(workload.graph, workload.cluster, plan);
    const reports::Subject subject{workload.model, workload.machine};
    if (!prediction.runs) {
        write(output, reports::prediction_document(subject, prediction));
        return kNo;
    }
    const reliability::Goodput answer = reliability::goodput(workload.graph, workload.cluster, prediction, question);
    check_interval(arguments, answer);
    reports::Document document = questions::goodput::document(subject, answer);
    add_next(document, arguments, "goodput",
             {{"predict"},
              {"simulate"},
              {"plan", {{"--gpus", std::to_string(plan.devices())}, {"--batch", std::to_string(plan.batch)}}}});
    write(output, document);
    return answer.plays ? kAnswered : kNo;
}

}  // namespace

Command goodput_command() {
    return {.name = "goodput",
            .summary = "what failures and checkpoints leave of a run's time; days, energy and cost of a run",
            .usage = "--machine M (--strategy A --mesh AXIS=SIZE,... | --plan FILE)",
            .positionals = {{.name = "MODEL", .description = "a built-in model or a file", .completes = Names::models}},
            .options = goodput_command_options(),
            .examples =
                "The options of a plan are those of `dodona predict`.\n\n"
                "Examples:\n"
                "  dodona goodput llama-3.1-405b --machine dgx-h100 --gpus 16384 --batch 2048 \\\n"
                "      --strategy megatron-sequence --mesh tensor=8,pipeline=16,data=128 \\\n"
                "      --storage-write 2GB/s --system-write 2TB/s --tokens 1.5e13\n"
                "  dodona goodput resnet50 --machine abci --gpus 256 --strategy data --epochs 90 \\\n"
                "      --checkpoint-writers rank0 --checkpoint-every epoch --mtbf 1826d/node \\\n"
                "      --storage-write 1GB/s",
            .run = run_goodput,
            .answer = files::description<reliability::Goodput>};
}

}  // namespace dodona::cli
