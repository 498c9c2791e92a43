// `dodona limits`: how far each strategy goes, and what sets it.
#include "cli/commands.hpp"

#include "cli/exchange_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/growth.hpp"
#include "cli/interrupt.hpp"
#include "cli/job_space.hpp"
#include "cli/next.hpp"
#include "cli/note.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/question.hpp"
#include "cli/workload.hpp"
#include "questions/limits/limits.hpp"
#include "reports/collect/exchange_rules_report.hpp"

namespace dodona::cli {

namespace {

namespace limits = questions::limits;

std::vector<Option> limits_command_options() {
    std::vector<Option> all = workload_options();
    for (Option& option : all) {
        if (option.long_name() == "--gpus") {
            option.description = "consider up to N, and say whether N works; default: all that the\nmachine has";
        }
    }
    const files::Description& own = files::description<limits::Options>();
    add_growth_options(all, question_options(own, "Job", false));
    all.push_back(exchange_option());
    append(all, question_options(own, "Rules without a machine", false));
    append(all, job_space_options(false));
    append(all, output_options());
    return all;
}

template <class Question>
auto with_progress(const Question& question) {
    listen_for_interrupt();
    ProgressLine line("numbers of GPUs");
    auto found = limits::ask(question, [&](std::int64_t seen, std::int64_t all) {
        line.show(seen, all);
        return !interrupted();
    });
    line.clear();
    if (interrupted()) {
        note("stopped; larger numbers of GPUs were not searched");
    }
    return found;
}

/// Whose replicas are most: the strategy asked for, or data parallelism.
plan::Strategy strategy_to_scale(Arguments& arguments) {
    const std::vector<std::string> names = arguments.list("--strategy");
    if (names.size() > 1) {
        arguments.fault("--strategy", "one strategy at a time is scaled with exchanges", "--strategy data");
    }
    plan::Strategy strategy =
        read_strategy(names.empty() ? "data" : taken_as(arguments, files::NameOf::strategy, names.front()));
    strategy.considered = {};
    return strategy;
}

/// Exit code 1 if nothing fits.
int run_exchange_limits(Arguments& arguments, const Output& output, Workload workload, const search::Growth& growth,
                        const limits::Options& options) {
    // Before the question: GCC 12 destroys members twice where an initializer of an aggregate throws.
    std::vector<exchange::Exchange> exchanges = read_exchanges(arguments);
    plan::Strategy strategy = strategy_to_scale(arguments);
    limits::ExchangeQuestion question{.workload = std::move(workload),
                                      .space = {},
                                      .growth = growth,
                                      .strategy = std::move(strategy),
                                      .exchanges = std::move(exchanges)};
    question.efficiency = options.efficiency.value_or(question.efficiency);
    question.space = job_space(arguments, question.workload);
    arguments.throw_if_faults();
    const reports::ExchangeScaling scaling = with_progress(question);
    write(output, reports::exchange_scaling_document(question.workload.subject, scaling));
    return interrupted() ? kInterrupted : scaling.points.empty() ? kNo : kAnswered;
}

int run_overhead(Arguments& arguments, const Output& output, const limits::Options& options) {
    if (arguments.has("MODEL") || arguments.has("--machine")) {
        arguments.fault("--overhead", "with a model and a machine the overhead is predicted",
                        "leave them out, or this");
    }
    arguments.throw_if_faults();
    write(output, reports::overhead_document(*options.overhead, *options.efficiency));
    return kAnswered;
}

int run_layer_groups(Arguments& arguments, const Output& output) {
    const std::string model = model_asked(
        arguments, arguments.required_text("MODEL", "a built-in model (`dodona models` lists them) or a file"));
    const std::int64_t nodes = arguments.required_count("--gpus", "how many nodes: --gpus 64").value_or(1);
    const std::int64_t batch = arguments.required_count("--batch", "samples of all nodes: --batch 256").value_or(1);
    const auto parameters = model_parameters(arguments);
    arguments.throw_if_faults();
    const graph::Graph graph = read_network(model, parameters, arguments.place("MODEL"));
    write(output, reports::groups_document({model, nodes, batch}, exchange::layer_groups(graph, nodes, batch)));
    return kAnswered;
}

int run_limits(Arguments& arguments) {
    const Output output = read_output(arguments);
    limits::Options options;
    read_options(arguments, files::description<limits::Options>(), &options);
    add_faults(arguments, limits::contradictions(options));
    if (options.overhead) {
        return run_overhead(arguments, output, options);
    }
    const bool with_exchange = arguments.has("--exchange");
    if (options.efficiency && !with_exchange) {
        arguments.fault("--efficiency", "of what is missing", "add --overhead 0.1, or --exchange all-reduce");
    }
    if (options.layer_groups) {
        return run_layer_groups(arguments, output);
    }
    options.gpus = arguments.count("--gpus");
    options.growth.batch = arguments.count("--batch");
    Workload workload = read_workload(arguments);
    const search::Growth growth = complete(arguments, limits::growth(options, workload.graph, workload.cluster));
    if (with_exchange) {
        return run_exchange_limits(arguments, output, std::move(workload), growth, options);
    }
    search::Space space = job_space(arguments, workload);
    arguments.throw_if_faults();
    const search::LimitsAnswer answer = with_progress(limits::Question{.workload = std::move(workload),
                                                                       .space = std::move(space),
                                                                       .growth = growth,
                                                                       .settings = settings_given(arguments)});
    reports::Document document = limits::document(answer);
    const std::optional<std::int64_t> fewest = limits::fewest_that_fit(answer);
    if (fewest) {
        const std::string gpus = std::to_string(*fewest);
        add_next(document, arguments, "limits",
                 {{"report", {{"--gpus", ""}}},
                  {"plan", {{"--gpus", gpus}}},
                  {"largest", {{"--gpus", gpus}, {"--batch", ""}}, " batch"}});
    }
    write(output, document);
    return interrupted() ? kInterrupted : fewest ? kAnswered : kNo;
}

}  // namespace

Command limits_command() {
    return question_command({.heading = limits::heading(),
                             .usage = "--machine M",
                             .options = limits_command_options(),
                             .run = run_limits,
                             .answer = files::description<search::LimitsAnswer>});
}

}  // namespace dodona::cli
