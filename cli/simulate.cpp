#include "cli/simulate.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/whole_file.hpp"
#include "cli/asked_plan.hpp"
#include "cli/chakra.hpp"
#include "cli/exchange_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/length_options.hpp"
#include "cli/network.hpp"
#include "cli/noise_options.hpp"
#include "cli/output.hpp"
#include "exchange/simulated_exchange.hpp"
#include "files/document.hpp"
#include "files/library.hpp"
#include "files/text.hpp"
#include "play/played_allocator.hpp"
#include "play/simulated_step.hpp"
#include "questions/simulate/simulate.hpp"
#include "reports/collect/exchange_report.hpp"
#include "reports/collect/simulation_trace.hpp"
#include "reports/render/chrome_trace.hpp"
#include "reports/render/gzip.hpp"
#include "schedule/order_csv.hpp"
#include "schedule/schedule.hpp"
#include "step/predict.hpp"

namespace dodona::cli {

namespace {

std::string playable() {
    std::vector<std::string> names;
    for (const schedule::Schedule& schedule : schedule::schedules()) {
        if (!play::why_not_played(schedule)) {
            names.emplace_back(schedule.name);
        }
    }
    return join(names);
}

std::optional<play::OtherOrder> read_order(Arguments& arguments) {
    const std::optional<std::string> given = arguments.text("--order");
    if (!given) {
        return std::nullopt;
    }
    if (files::is_path(*given) || given->ends_with(".csv")) {
        const std::string text = files::load_bytes(*given, *given, files::command_line());
        return play::OtherOrder{
            *given, [text, name = *given](const schedule::Shape&) { return schedule::read_order(text, name); }};
    }
    const schedule::Schedule* found = schedule::find_schedule(*given);
    if (found == nullptr) {
        arguments.fault("--order", fmt::format("there is no schedule {}", as_typed(*given)),
                        "a file, or one of " + playable());
        return std::nullopt;
    }
    return play::other_order(*found);
}

std::vector<Option> simulate_command_options() {
    std::vector<Option> all = asked_plan_options();
    all.push_back({"--order", "NAME|FILE",
                   "play this schedule instead of the plan's, such as zb-h1, or a file of tasks as\n"
                   "torch.distributed.pipelining writes them (docs/schedules.md)",
                   "Simulation"});
    all.push_back({"--trace", "FILE",
                   "the timeline as Chrome JSON, for ui.perfetto.dev and its like;\n"
                   "compressed if FILE ends in .gz",
                   "Simulation"});
    all.push_back(exchange_option());
    append(all, length_options());
    append(all, network_options());
    append(all, chakra_options());
    append(all, noise_options());
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
    for (const char* other : {"--order", "--trace", "--study", "--network", "--chakra"}) {
        if (!exchanges.empty() && arguments.has(other)) {
            arguments.fault(other, "it is of the plan's own step", "leave it out with --exchange");
        }
    }
    return exchanges.empty() ? std::nullopt : std::optional(std::move(exchanges.front()));
}

/// The lengths to play; none without --lengths.
std::optional<LengthSettings> read_lengths_to_play(Arguments& arguments) {
    std::optional<LengthSettings> lengths = read_length_settings(arguments);
    for (const char* other : {"--noise", "--study", "--network", "--exchange"}) {
        if (lengths && arguments.has(other)) {
            arguments.fault(other, "steps with samples of different lengths are played without it", "one of both");
        }
    }
    return lengths;
}

/// Steps whose micro-batches are drawn.
questions::simulate::DrawnLengths drawn_lengths(const LengthSettings& settings, const Workload& workload,
                                                const play::SimulatedStep& step) {
    LengthAnswers lengths(settings, workload);
    reports::LengthsAnswer answer = lengths.of(step.prediction.plan);
    play::NoiseSettings drawn{.workers = 0};
    drawn.work = lengths.work(answer, drawn.seed);
    play::NoisySteps steps = play_noise(step, workload.cluster, drawn);
    return {std::move(answer), std::move(steps)};
}

reports::Document play_with(const exchange::Exchange& exchange, const AskedPlan& asked,
                            const std::optional<play::NoiseSettings>& noise) {
    const Workload& workload = asked.workload;
    const step::Prediction prediction = step::predict(workload.graph, workload.cluster, asked.plan);
    if (!prediction.runs) {
        return reports::prediction_document({workload.model, workload.machine}, prediction);
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
    return reports::played_exchange_document({workload.model, workload.machine}, {prediction, made, played});
}

int run_simulate(Arguments& arguments) {
    const Output output = read_output(arguments);
    const std::string trace = arguments.has("--trace") ? writable_file(arguments, "--trace") : "";
    const Network network = read_network(arguments);
    const ChakraTraces chakra = read_chakra(arguments);
    const std::optional<play::OtherOrder> order = read_order(arguments);
    std::optional<play::NoiseSettings> noise = read_noise(arguments);
    const std::optional<StudySettings> study = read_study(arguments);
    const std::optional<exchange::Exchange> exchange = read_exchange_to_play(arguments);
    const std::optional<LengthSettings> lengths = read_lengths_to_play(arguments);
    const AskedPlan asked = read_asked_plan(arguments);
    if (noise) {
        add_processor_loads(arguments, asked.workload.cluster.device, *noise);
    }
    if (exchange) {
        write(output, play_with(*exchange, asked, noise));
        return kAnswered;
    }
    const auto& [workload, plan] = asked;
    play::SimulatedStep step = play::simulate_step(workload.graph, workload.cluster, plan, order);
    if (network.flows) {
        play_on_network(network, asked, step);
    }
    if (!order) {
        step.allocator = play::play_allocator(workload.graph, workload.cluster, plan, step.fullest_stage());
    }
    const reports::Subject subject{workload.model, workload.machine};
    if (!trace.empty()) {
        const std::string text = reports::chrome_trace(reports::simulation_trace(subject, step));
        write_whole(trace, trace.ends_with(".gz") ? reports::gzipped(text) : text);
    }
    if (!chakra.folder.empty() && !write_chakra(chakra, workload, step)) {
        return kInterrupted;
    }
    questions::simulate::Answer answer{.subject = subject, .step = std::move(step), .noisy = {}, .study = {}};
    if (noise) {
        answer.noisy = play_noise(answer.step, workload.cluster, *noise);
    }
    if (study && !interrupted()) {
        answer.study = play_study(answer.step, workload, *study);
    }
    if (lengths && !interrupted()) {
        answer.lengths = drawn_lengths(*lengths, workload, answer.step);
    }
    write(output, questions::simulate::document(answer));
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
