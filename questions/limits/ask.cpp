#include <algorithm>
#include <tuple>

#include "base/ranges.hpp"
#include "questions/limits/limits.hpp"

namespace dodona::questions::limits {

Faults contradictions(const Options& options) {
    Faults faults;
    if (options.efficiency.value_or(1) > 1) {
        faults.push_back({"efficiency", "it is more than 1", "a share of ideal speed-up: 0.8"});
    }
    if (options.overhead && !options.efficiency) {
        faults.push_back({"efficiency", {}, "the efficiency to keep: --efficiency 0.8"});
    }
    return faults;
}

Asked<search::Growth> growth(const Options& options, const graph::Graph& graph, const cluster::Cluster& cluster) {
    const auto& [batch, each] = options.growth;
    search::Growth growth = default_growth(graph, cluster);
    growth.asked = options.gpus;
    if (batch || each) {
        growth.batch = batch;
    }
    growth.samples_per_device = each.value_or(growth.samples_per_device);
    Faults faults;
    if (batch && each) {
        faults.push_back({"batch_per_gpu", "--batch says that all GPUs share one batch",
                          "give --batch for strong scaling or --batch-per-gpu for weak scaling"});
    }
    if (growth.asked) {
        check_devices(cluster, *growth.asked, faults);
    }
    return faults.empty() ? Asked<search::Growth>(growth) : faults;
}

LimitsAnswer ask(const Question& question, const search::Progress& progress) {
    const auto& [workload, space, growth, settings] = question;
    const auto& [subject, graph, cluster] = std::tie(workload.subject, workload.graph, workload.cluster);
    const std::int64_t devices = growth.asked.value_or(growth.machine);
    auto strategies = mapped<std::string>(space.strategies, &plan::Strategy::name);
    return {.question = {.model = subject.model,
                         .machine = subject.machine,
                         .devices = devices,
                         .batch = growth.batch_on(devices),
                         .precision = space.precision,
                         .strategies = std::move(strategies),
                         .model_source = graph.source,
                         .machine_source = cluster.source,
                         .parameters = graph::count(graph).parameters,
                         .settings = settings},
            .growth = growth,
            .strategies = search::limits(graph, cluster, space, growth, progress)};
}

std::optional<std::int64_t> fewest_that_fit(const LimitsAnswer& answer) {
    std::optional<std::int64_t> fewest;
    for (const search::StrategyLimits& limits : answer.strategies) {
        const bool takes_asked = limits.verdict && limits.verdict->fits;
        const std::optional<std::int64_t> devices = answer.growth.asked ? answer.growth.asked : limits.fits_from;
        if (devices && (takes_asked || !answer.growth.asked)) {
            fewest = std::min(*devices, fewest.value_or(*devices));
        }
    }
    return fewest;
}

}  // namespace dodona::questions::limits
