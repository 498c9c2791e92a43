#include "cli/limits.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "cli/exchange_limits.hpp"
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
#include "cli/workload.hpp"
#include "questions/limits/limits.hpp"
#include "reports/collect/exchange_rules_report.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> limits_command_options() {
    std::vector<Option> all = workload_options();
    for (Option& option : all) {
        if (option.long_name() == "--gpus") {
            option.description = "consider up to N, and say whether N works; default: all that the\nmachine has";
        }
    }
    add_growth_options(all);
    all.push_back(exchange_option());
    all.push_back({"--overhead", "R",
                   "how many GPUs keep --efficiency where one GPU has this overhead over\n"
                   "its compute, without a model and a machine",
                   "Rules without a machine"});
    all.push_back({"--efficiency", "A", "to keep with --overhead, or with --exchange: 0.8", "Rules without a machine"});
    all.push_back({"--layer-groups", "",
                   "for each layer, in how many groups --gpus nodes exchange least with --batch,\n"
                   "and arithmetic over bytes; without a machine",
                   "Rules without a machine"});
    append(all, job_space_options(false));
    append(all, output_options());
    return all;
}

search::Growth growth_of(Arguments& arguments, const Workload& workload) {
    search::Growth growth = usual_growth(workload);
    growth.asked = arguments.count("--gpus");
    const auto batch = arguments.count("--batch");
    const auto each = arguments.count("--batch-per-gpu");
    if (batch && each) {
        arguments.fault("--batch-per-gpu", "--batch says that all GPUs share one batch",
                        "give --batch for strong scaling or --batch-per-gpu for weak scaling");
    }
    if (batch || each) {
        growth.batch = batch;
    }
    growth.samples_per_device = each.value_or(growth.samples_per_device);
    if (growth.asked) {
        check_devices(arguments, workload.cluster, *growth.asked);
    }
    return growth;
}

search::LimitsAnswer with_progress(const questions::limits::Question& question) {
    listen_for_interrupt();
    ProgressLine line("numbers of GPUs");
    auto found = questions::limits::ask(question, [&](std::int64_t seen, std::int64_t all) {
        line.show(seen, all);
        return !interrupted();
    });
    line.clear();
    if (interrupted()) {
        note("stopped; larger numbers of GPUs were not searched");
    }
    return found;
}

int run_overhead(Arguments& arguments, const Output& output) {
    const bool has_none = arguments.text("--overhead") == "0";
    const double overhead = has_none ? 0 : arguments.amount("--overhead").value_or(1);
    const double efficiency = arguments.amount("--efficiency").value_or(1);
    if (!arguments.has("--efficiency")) {
        arguments.missing("--efficiency", "the efficiency to keep: --efficiency 0.8");
    } else if (efficiency > 1) {
        arguments.fault("--efficiency", "it is more than 1", "a share of ideal speed-up: 0.8");
    }
    if (arguments.has("MODEL") || arguments.has("--machine")) {
        arguments.fault("--overhead", "with a model and a machine the overhead is predicted",
                        "leave them out, or this");
    }
    arguments.throw_if_faults();
    write(output, reports::overhead_document(overhead, efficiency));
    return kAnswered;
}

int run_layer_groups(Arguments& arguments, const Output& output) {
    const std::string model = model_asked(
        arguments, arguments.required_text("MODEL", "a built-in model (`dodona models` lists them) or a file"));
    const std::int64_t nodes = arguments.required_count("--gpus", "how many nodes: --gpus 64").value_or(1);
    const std::int64_t batch = arguments.required_count("--batch", "samples of all nodes: --batch 256").value_or(1);
    const auto parameters = model_parameters(arguments);
    arguments.throw_if_faults();
    const graph::Graph graph = read_network(model, parameters, library(), arguments.place("MODEL"));
    write(output, reports::groups_document({model, nodes, batch}, exchange::layer_groups(graph, nodes, batch)));
    return kAnswered;
}

int run_limits(Arguments& arguments) {
    const Output output = read_output(arguments);
    if (arguments.has("--overhead")) {
        return run_overhead(arguments, output);
    }
    const bool with_exchange = arguments.has("--exchange");
    if (arguments.has("--efficiency") && !with_exchange) {
        arguments.fault("--efficiency", "of what is missing", "add --overhead 0.1, or --exchange all-reduce");
    }
    if (arguments.has("--layer-groups")) {
        return run_layer_groups(arguments, output);
    }
    Workload workload = read_workload(arguments);
    const search::Growth growth = growth_of(arguments, workload);
    arguments.throw_if_faults();
    if (with_exchange) {
        return run_exchange_limits(arguments, output, workload, growth);
    }
    search::Space space = job_space(arguments, workload);
    arguments.throw_if_faults();
    const search::LimitsAnswer answer = with_progress({.subject = {workload.model, workload.machine},
                                                       .graph = std::move(workload.graph),
                                                       .cluster = std::move(workload.cluster),
                                                       .space = std::move(space),
                                                       .growth = growth,
                                                       .settings = settings_given(arguments)});
    reports::Document document = questions::limits::document(answer);
    if (questions::limits::any_fits(answer)) {
        add_next(document, arguments, "limits",
                 {{"report", {{"--gpus", ""}}},
                  {arguments.has("--gpus") ? "plan" : "size"},
                  {arguments.has("--gpus") ? "largest" : "", {{"--batch", ""}}, " batch"}});
    }
    write(output, document);
    return interrupted() ? kInterrupted : questions::limits::any_fits(answer) ? kAnswered : kNo;
}

}  // namespace

Command limits_command() {
    return {.name = "limits",
            .summary = "how many GPUs each strategy can use, what limits it, and how many pay off",
            .usage = "--machine M",
            .positionals = {{.name = "MODEL", .description = "a built-in model or a file", .completes = Names::models}},
            .options = limits_command_options(),
            .examples =
                "Exit code 1: no strategy takes the GPUs asked for; or none fits at all.\n\n"
                "Examples:\n"
                "  dodona limits resnet50 --machine abci\n"
                "  dodona limits resnet50 --machine abci --strategy filter --gpus 128\n"
                "  dodona limits gpt3-175b --machine selene --strategy megatron-sequence --batch 1536\n"
                "  dodona limits resnet50 --machine abci --exchange all-reduce,d-psgd --efficiency 0.9\n"
                "  dodona limits --overhead 0.1 --efficiency 0.8\n"
                "  dodona limits vgg-a --layer-groups --gpus 64 --batch 256",
            .run = run_limits,
            .answer = files::description<search::LimitsAnswer>};
}

}  // namespace dodona::cli
