#include "cli/cache.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/asked_plan.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "reports/collect/cache_report.hpp"
#include "step/sample_cache.hpp"

namespace dodona::cli {

namespace {

constexpr std::int64_t kMostEpochs = 1000;

std::vector<Option> cache_options() {
    const std::string group = "Samples";
    std::vector<Option> all = asked_plan_options();
    const std::vector<Option> own{
        {"--epochs", "K", "to list; 3 without it", group},
        {"--samples", "N", "of the data set; without it as the model file says", group},
        {"--sample-size", "SIZE", "of a sample as stored, such as 110KB; without it as the model file says", group}};
    all.insert(all.end(), own.begin(), own.end());
    append(all, output_options());
    return all;
}

/// All inputs of a sample once it is decoded.
Bytes decoded_sample(const graph::Graph& graph) {
    Bytes bytes;
    for (const graph::Layer& layer : graph.layers) {
        if (layer.kind == graph::kNetworkInput) {
            const graph::Tensor& input = layer.nest.result;
            bytes += input.elements() * (input.element == graph::Element::index ? 8_B : 4_B);
        }
    }
    return bytes;
}

/// The machine's tiers; its storage alone where it has none.
std::vector<cluster::SampleTier> tiers_of(Arguments& arguments, const cluster::Cluster& cluster) {
    if (!cluster.io.empty()) {
        return cluster.io;
    }
    if (!cluster.storage) {
        arguments.fault(
            "--machine", cluster.name + " does not say where samples are read from",
            "add `io: [{name: remote, bandwidth: 1 GB/s}, {name: ssd, memory: 3 TB, bandwidth: 2 GB/s}]` to "
            "its file");
        return {};
    }
    return {{.name = "storage",
             .bandwidth = cluster.storage->bandwidth,
             .system = cluster.storage->system_read,
             .source = cluster.storage->source}};
}

int run_cache(Arguments& arguments) {
    const Output output = read_output(arguments);
    const std::int64_t epochs = arguments.count("--epochs", kMostEpochs).value_or(3);
    const auto samples = arguments.amount("--samples");
    const auto sample = arguments.size("--sample-size");
    const auto [workload, plan] = read_asked_plan(arguments);
    const std::vector<cluster::SampleTier> tiers = tiers_of(arguments, workload.cluster);
    const graph::Dataset& dataset = workload.graph.dataset;
    if (!samples && !dataset.samples) {
        arguments.missing("--samples", fmt::format("how many samples the data set of {} has", workload.model));
    }
    if (!sample && !dataset.sample_bytes) {
        arguments.missing("--sample-size", fmt::format("how large a sample of {} is as stored", workload.model));
    }
    arguments.throw_if_faults();
    const step::CostedPlan costed = step::cost_plan(workload.graph, workload.cluster, plan);
    if (!costed.prediction.runs) {
        fail({}, "the plan cannot run: " + text(*costed.prediction.why_not));
    }
    step::InputCosts input = costed.costs.input;
    input.prefetched = !workload.cluster.storage || workload.cluster.storage->prefetch;
    const std::int64_t node = workload.cluster.node_size();
    const step::SampleCacheQuestion question{
        .tiers = tiers,
        .samples = samples.value_or(dataset.samples.value_or(0)),
        .sample = sample.value_or(dataset.sample_bytes.value_or(Bytes{})),
        .tensors = decoded_sample(workload.graph),
        .nodes = (plan.devices() + node - 1) / node,
        .batch = plan.batch,
        .epochs = epochs,
        .step = costed.prediction.step.value - costed.prediction.time[step::TimePart::input],
        .input = input};
    write(output, reports::cache_document({workload.model, workload.machine}, costed.prediction, question,
                                          step::epoch_inputs(question)));
    return kAnswered;
}

}  // namespace

Command cache_command() {
    return {.name = "cache",
            .summary = "reading samples, epoch by epoch: from afar, from disks, from memory",
            .usage = "--machine M --gpus N (--strategy A --mesh AXIS=SIZE,... | --plan FILE)",
            .positionals = {{.name = "MODEL", .description = "a built-in model or a file", .completes = Names::models}},
            .options = cache_options(),
            .examples =
                "The machine's file says where samples are read from (`io:`, docs/files.md).\n\n"
                "Examples:\n"
                "  dodona cache resnet50 --machine cloud.yaml --gpus 128 --strategy data --epochs 3",
            .run = run_cache};
}

}  // namespace dodona::cli
