#include "step/predict.hpp"

#include "step/evaluate.hpp"
#include "step/validate.hpp"

namespace dodona::step {

Prediction predict(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                   const Location& where) {
    validate(graph, cluster, plan, where);
    return evaluate(cost_graph(graph, cluster, plan, where), plan);
}

std::string_view name(TimePart part) {
    constexpr std::array<std::string_view, kTimeParts> kNames{
        "forward",   "backward",   "recompute", "optimizer", "layer", "halo", "pipeline",
        "gradients", "parameters", "offload",   "bubble",    "input", "host", "overhead"};
    return kNames[static_cast<std::size_t>(part)];
}

std::string_view name(MemoryPart part) {
    constexpr std::array<std::string_view, kMemoryParts> kNames{
        "weights",   "gradients", "optimizer", "activations",   "recompute", "embedding_and_head",
        "workspace", "buffers",   "cache",     "communicators", "context"};
    return kNames[static_cast<std::size_t>(part)];
}

MemoryTotals totals(const MemoryParts& parts) {
    const Bytes process = parts.total();
    const Bytes reserved = process - parts[MemoryPart::context] - parts[MemoryPart::communicators];
    return {.allocated = reserved - parts[MemoryPart::cache], .reserved = reserved, .process = process};
}

}  // namespace dodona::step
