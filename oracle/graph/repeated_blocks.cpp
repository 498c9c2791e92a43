// Expands blocks into a first instance and one that stands for all later ones.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "graph/expansion.hpp"

namespace dodona::graph {

namespace {

constexpr int kDeepest = 32;
constexpr std::int64_t kMaxRepeats = 1'000'000;
constexpr std::int64_t kMaxInstances = 1'000'000'000;

}  // namespace

void Expansion::start_segment(const std::string& name, const std::string& block, std::int64_t count) {
    Segment segment{.name = name, .block = block, .count = count, .layers = {}};
    if (graph_.segments.empty()) {
        segment.layers.resize(graph_.layers.size());  // the inputs belong to the first segment
        std::iota(segment.layers.begin(), segment.layers.end(), Vertex{0});
    }
    graph_.segments.push_back(std::move(segment));
}

bool Expansion::check_block(const Entry& entry, const std::vector<Output>& inputs, const Place& place) {
    const std::size_t errors = diagnostics_.all().size();
    if (inputs.size() > 1 && std::count(entry.from.begin() + 1, entry.from.end(), "input") > 0) {
        diagnostics_.error(
            entry.where,
            fmt::format("{}.from: \"input\" is what the block calls \"{}\"", entry.name, entry.from.front()),
            "the tensors behind the first keep their names inside");
    }
    if (entry.children.empty()) {
        diagnostics_.error(entry.where, fmt::format("{}: the block {} has no layers", entry.name, entry.block));
    }
    if (entry.repeat < 1 || entry.repeat > kMaxRepeats) {
        diagnostics_.error(entry.where, fmt::format("{}.repeat: {} is out of range", entry.name, entry.repeat),
                           fmt::format("give a whole number from 1 to {}", kMaxRepeats));
    } else if (place.count * entry.repeat > kMaxInstances) {
        diagnostics_.error(entry.where, fmt::format("{}: more than {} instances of the block {}", entry.name,
                                                    kMaxInstances, entry.block));
    }
    if (place.depth >= kDeepest) {
        diagnostics_.error(entry.where, fmt::format("{}: blocks nest deeper than {}", entry.name, kDeepest));
    }
    return diagnostics_.all().size() == errors;
}

Expansion::Output Expansion::add_block(const Entry& entry, const std::vector<Output>& inputs, const Place& place) {
    if (!check_block(entry, inputs, place)) {
        return std::nullopt;
    }
    const std::size_t errors = diagnostics_.all().size();
    const Output first = add_instances(entry, inputs, place, {.first = 1, .last = 1});
    // A second instance would repeat the faults of the first, exponentially often in nested blocks.
    if (entry.repeat == 1 || !first || diagnostics_.all().size() > errors) {
        return first;
    }
    std::vector<Output> next = inputs;
    next.front() = first;
    const Output later = add_instances(entry, next, place, {.first = 2, .last = entry.repeat});
    if (!later) {
        return std::nullopt;
    }
    // The second instance can stand for the third only if both read tensors of one shape.
    const Tensor& one = graph_.layer(*first).nest.result;
    const Tensor& two = graph_.layer(*later).nest.result;
    if (entry.repeat > 2 && one != two) {
        diagnostics_.error(
            entry.where,
            fmt::format("{}: the block {} cannot repeat {} times: its first instance makes {}, its second {}",
                        entry.name, entry.block, entry.repeat, one.shape(), two.shape()),
            "a repeated block must keep the shape of its input after the first instance");
        return std::nullopt;
    }
    return later;
}

Expansion::Output Expansion::add_instances(const Entry& entry, const std::vector<Output>& inputs, const Place& place,
                                           Instances instances) {
    std::string number;
    if (entry.repeat > 1) {
        number = instances.count() == 1 ? fmt::format("[{}]", instances.first)
                                        : fmt::format("[{}..{}]", instances.first, instances.last);
    }
    const std::string name = place.prefix + entry.name + number;
    const std::optional<std::string> owner = owner_of(entry, place, number);
    const bool top = place.depth == 0;
    if (top) {
        start_segment(name, entry.block, instances.count());
    }
    const Place inside{.prefix = name + "/",
                       .block = entry.block,
                       .count = top ? 1 : place.count * instances.count(),
                       .depth = place.depth + 1,
                       .frozen = place.frozen || entry.frozen,
                       .forward_only = place.forward_only || entry.forward_only,
                       .storage = entry.storage != WeightStorage::full ? entry.storage : place.storage,
                       .weights_of = owner ? std::optional(*owner + "/") : std::nullopt};
    Scope scope{.entries = &entry.children, .outputs = {{"input", inputs.front()}}, .previous = inputs.front()};
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        scope.outputs.emplace(entry.from[i], inputs[i]);
    }
    expand(scope, inside);
    return scope.previous;
}

}  // namespace dodona::graph
