#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "questions/cache/cache.hpp"
#include "step/predict.hpp"

namespace dodona::questions::cache {

namespace {

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

/// The machine's tiers, or its storage alone; none where it says nothing.
std::vector<cluster::SampleTier> tiers_of(const cluster::Cluster& cluster) {
    if (!cluster.io.empty() || !cluster.storage) {
        return cluster.io;
    }
    return {{.name = "storage",
             .bandwidth = cluster.storage->bandwidth,
             .system = cluster.storage->system_read,
             .source = cluster.storage->source}};
}

}  // namespace

Asked<Question> question(OnePlan one, const Options& options) {
    const graph::Dataset& dataset = one.workload.graph.dataset;
    const std::string& model = one.workload.subject.model;
    const auto samples = options.samples ? options.samples : dataset.samples;
    const auto sample = options.sample_size ? options.sample_size : dataset.sample_bytes;
    std::vector<cluster::SampleTier> tiers = tiers_of(one.workload.cluster);
    Faults faults;
    if (tiers.empty()) {
        faults.push_back({"machine", one.workload.cluster.name + " does not say where samples are read from",
                          "add `io: [{name: remote, bandwidth: 1 GB/s}, {name: ssd, memory: 3 TB, bandwidth: 2 GB/s}]` "
                          "to its file"});
    }
    if (!samples) {
        faults.push_back({"samples", {}, fmt::format("how many samples the data set of {} has", model)});
    }
    if (!sample) {
        faults.push_back({"sample_size", {}, fmt::format("how large a sample of {} is as stored", model)});
    }
    if (!faults.empty()) {
        return faults;
    }
    return Question{std::move(one), std::move(tiers), options.epochs, *samples, *sample};
}

Answer ask(Question question) {
    const auto& [workload, plan] = question.one;
    const cluster::Cluster& cluster = workload.cluster;
    step::CostedPlan costed = step::cost_plan(workload.graph, cluster, plan);
    if (!costed.prediction.runs) {
        fail({}, "the plan cannot run: " + text(*costed.prediction.why_not));
    }
    step::InputCosts input = costed.costs.input;
    input.prefetched = !cluster.storage || cluster.storage->prefetch;
    const std::int64_t nodes = (plan.devices() + cluster.node_size() - 1) / cluster.node_size();
    const Bytes decoded = decoded_sample(workload.graph);
    const Seconds without_input = costed.prediction.step.value - costed.prediction.time[step::TimePart::input];
    const step::SampleCacheQuestion cached{.tiers = question.tiers,
                                           .samples = question.samples,
                                           .sample = question.sample,
                                           .tensors = decoded,
                                           .nodes = nodes,
                                           .batch = plan.batch,
                                           .epochs = question.epochs,
                                           .step = without_input,
                                           .input = input};
    std::vector<Epoch> epochs;
    for (step::EpochInput& read : step::epoch_inputs(cached)) {
        Epoch& epoch = epochs.emplace_back();
        epoch.number = static_cast<std::int64_t>(epochs.size());
        for (const step::TierUse& use : read.tiers) {
            epoch.tiers.push_back({question.tiers[use.tier].name, use.share, use.reading});
        }
        epoch.input = std::move(read);
    }
    return {.question = std::move(question),
            .prediction = std::move(costed.prediction),
            .decoded = decoded,
            .nodes = nodes,
            .step = without_input,
            .prefetched = input.prefetched,
            .epochs = std::move(epochs)};
}

}  // namespace dodona::questions::cache
