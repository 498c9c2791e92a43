// `dodona simulate`: the step of one plan, played task by task.
#include "cli/commands.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/whole_file.hpp"
#include "cli/asked_plan.hpp"
#include "cli/chakra.hpp"
#include "cli/exchange_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/next.hpp"
#include "cli/note.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/question.hpp"
#include "exchange/simulated_exchange.hpp"
#include "files/document.hpp"
#include "questions/simulate/simulate.hpp"
#include "reports/collect/exchange_report.hpp"
#include "reports/collect/simulation_trace.hpp"
#include "reports/render/chrome_trace.hpp"
#include "reports/render/gzip.hpp"
#include "step/predict.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> simulate_command_options() {
    std::vector<Option> all = asked_plan_options();
    const files::Description& own = files::description<questions::simulate::Options>();
    append(all, question_options(own, "Simulation", false));
    all.push_back({"--trace", "FILE",
                   "the timeline as Chrome JSON, for ui.perfetto.dev and its like;\n"
                   "compressed if FILE ends in .gz",
                   "Simulation"});
    append(all, chakra_options());
    all.push_back(exchange_option());
    append(all, question_options(own, "Lengths", false));
    append(all, question_options(own, "Noise", false));
    append(all, output_options());
    return all;
}

/// The only exchange to play; none without --exchange.
std::optional<exchange::Exchange> read_exchange_to_play(Arguments& arguments) {
    std::vector<exchange::Exchange> exchanges = read_exchanges(arguments);
    if (exchanges.size() > 1) {
        arguments.fault("--exchange", "one exchange at a time is played",
                        "one name; `dodona predict --exchange all` compares them");
    }
    for (const char* other : {"--order", "--trace", "--study", "--network", "--chakra", "--lengths"}) {
        if (!exchanges.empty() && arguments.has(other)) {
            arguments.fault(other, "it is of the plan's own step", "leave it out with --exchange");
        }
    }
    return exchanges.empty() ? std::nullopt : std::optional(std::move(exchanges.front()));
}

reports::Document play_with(const exchange::Exchange& exchange, const questions::OnePlan& asked,
                            const std::optional<play::NoiseSettings>& noise) {
    const Workload& workload = asked.workload;
    const step::Prediction prediction = step::predict(workload.graph, workload.cluster, asked.plan);
    if (!prediction.runs) {
        return reports::prediction_document(workload.subject, prediction);
    }
    const exchange::Replicas replicas =
        exchange::replicas_of(workload.graph, workload.cluster, prediction, files::command_line());
    const exchange::ReplicaExchange made =
        exchange::replica_exchange(exchange, workload.cluster, replicas, asked.plan.batch);
    exchange::PlayedSettings settings;
    if (noise) {
        settings = {.steps = noise->steps, .seed = noise->seed, .noise = noise->sources};
    }
    const exchange::PlayedExchange played = exchange::play_exchange(made, workload.cluster, replicas, settings);
    return reports::played_exchange_document(workload.subject, {prediction, made, played});
}

/// With progress on a terminal and Ctrl-C.
questions::simulate::Answer with_progress(const questions::simulate::Question& question) {
    listen_for_interrupt();
    ProgressLine line("steps");
    questions::simulate::Answer answer = questions::simulate::ask(question, [&](std::int64_t begun, std::int64_t all) {
        line.show(begun, all);
        return !interrupted();
    });
    line.clear();
    if (interrupted()) {
        note("stopped; what was finished is reported");
    }
    return answer;
}

int run_simulate(Arguments& arguments) {
    const Output output = read_output(arguments);
    const std::string trace = arguments.has("--trace") ? writable_file(arguments, "--trace") : "";
    questions::simulate::Options options;
    read_options(arguments, files::description<questions::simulate::Options>(), &options);
    add_faults(arguments, questions::simulate::contradictions(options));
    const ChakraTraces chakra = read_chakra(arguments);
    const std::optional<exchange::Exchange> exchange = read_exchange_to_play(arguments);
    questions::OnePlan one = read_asked_plan(arguments);
    if (exchange) {
        write(output,
              play_with(*exchange, one, questions::simulate::noise_settings(options, one.workload.cluster.device)));
        return kAnswered;
    }
    const questions::simulate::Question question =
        complete(arguments, questions::simulate::question(std::move(one), options));
    const questions::simulate::Answer answer = with_progress(question);
    if (!trace.empty()) {
        const std::string text = reports::chrome_trace(reports::simulation_trace(answer.subject, answer.step));
        write_whole(trace, trace.ends_with(".gz") ? reports::gzipped(text) : text);
    }
    if (!chakra.folder.empty() && !write_chakra(chakra, question.one.workload, answer.step)) {
        return kInterrupted;
    }
    reports::Document document = questions::simulate::document(answer);
    const plan::Plan& plan = question.one.plan;
    add_next(document, arguments, "simulate",
             {{"predict"},
              {"plan", {{"--gpus", std::to_string(plan.devices())}, {"--batch", std::to_string(plan.batch)}}},
              {"limits", {{"--gpus", std::to_string(plan.devices())}, {"--batch", std::to_string(plan.batch)}}}});
    write(output, document);
    return interrupted() ? kInterrupted : kAnswered;
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
                "Examples:\n"
                "  dodona simulate gpt3-175b --machine selene --gpus 64 --batch 64 \\\n"
                "      --strategy megatron-sequence --mesh tensor=8,pipeline=8 \\\n"
                "      --schedule interleaved-1f1b --virtual-stages 3 --recompute selective --trace step.json.gz\n"
                "  dodona simulate resnet50 --machine abci --gpus 16 --strategy data \\\n"
                "      --exchange async-parameter-servers --noise '{on: compute, deviation: 0.1}'",
            .run = run_simulate,
            .answer = files::description<questions::simulate::Answer>};
}

}  // namespace dodona::cli
