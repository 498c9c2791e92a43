#include "step/likeness.hpp"

#include <cmath>

#include <fmt/format.h>

#include "step/validate.hpp"

namespace dodona::step {

namespace {

double doublings(double a, double b) { return std::abs(std::log2(a / b)); }

}  // namespace

RunKind job_kind(const graph::Graph& graph, Precision precision, std::int64_t batch, std::int64_t devices) {
    const graph::Counts counts = graph::count(graph);
    return {
        .network = fmt::format("{}, {:.4g} parameters, {:.4g} trained", graph.name, counts.parameters, counts.trained),
        .precision = precision,
        .devices = devices,
        .samples = static_cast<double>(batch) / static_cast<double>(devices),
        .layout = {}};
}

RunKind run_kind(const graph::Graph& graph, const plan::Plan& plan) {
    RunKind kind = job_kind(graph, plan.precision, plan.batch, plan.devices());
    const std::int64_t of_replica = kind.devices / data_ranks(plan);
    kind.layout = fmt::format("{} {}, stages {} x {}, recompute {} of {} and {}, states {} in groups of {} and {}",
                              of_replica > 1 ? plan.strategy.name : "whole on", of_replica, plan.pipeline_stages(),
                              plan.virtual_stages, static_cast<int>(plan.recompute), plan.repeated.first,
                              plan.repeated.one_in, static_cast<int>(plan.shard), plan.shard_group, plan.gather_group);
    return kind;
}

double job_correlation(const RunKind& a, const RunKind& b, const Likeness& likeness) {
    double distance =
        likeness.doubled_devices * doublings(static_cast<double>(a.devices), static_cast<double>(b.devices)) +
        likeness.doubled_samples * doublings(a.samples, b.samples);
    distance += a.network == b.network ? 0 : likeness.other_network;
    distance += a.precision == b.precision ? 0 : likeness.other_precision;
    distance += (a.devices == 1) == (b.devices == 1) ? 0 : likeness.one_device;
    return std::exp(-distance);
}

double run_correlation(const RunKind& a, const RunKind& b, const Likeness& likeness) {
    if (!a.id.empty() && a.id == b.id) {
        return 1;
    }
    const double own = a.layout == b.layout ? likeness.run_part : likeness.layout_part;
    return (1 - own) * job_correlation(a, b, likeness);
}

}  // namespace dodona::step
