#include "step/kept_tensors.hpp"

#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "plan/recompute.hpp"
#include "step/checkpoints.hpp"
#include "step/compose_plan.hpp"
#include "step/replica.hpp"
#include "step/segment_memory.hpp"
#include "step/stage_time.hpp"

namespace dodona::step {

using graph::Vertex;

namespace {

/// One tensor of an instance of a segment.
struct Listed {
    std::string tensor;
    std::string read_by;
    Bytes bytes;
    bool dropped = false;
};

std::string name_of(const graph::Graph& graph, Vertex v, const KeptTensor& kept) {
    const std::string& reader = graph.layer(v).name;
    if (kept.saved == nullptr) {
        return fmt::format("{} of {}", kept.copy, reader);
    }
    if (kept.saved->slot > 0) {
        return fmt::format("{} of {}", kept.saved->logits ? "probabilities" : "internal tensor", reader);
    }
    return graph.layer(kept.saved->tensor).name;
}

class List {
public:
    List(const CostedGraph& costed, const plan::Plan& plan) : costed_(costed), plan_(plan) {
        const graph::Graph& graph = *costed.graph;
        SegmentMemories memories(graph, *costed.sharded, costed.mesh, plan, plan::recomputed_layers(graph, plan));
        segments_.resize(graph.segments.size());
        for (Vertex v = 0; v < graph.layers.size(); ++v) {
            const graph::Layer& layer = graph.layer(v);
            SegmentMemory unused;
            for (const KeptTensor& kept : memories.add_listed(v, static_cast<double>(layer.count), unused)) {
                segments_[layer.segment].push_back({name_of(graph, v, kept), layer.name, kept.bytes, kept.dropped});
            }
        }
    }

    /// `of`: virtual stages of a stage with what it holds.
    std::vector<KeptLine> run(const Stage& of, const schedule::Holding& held) {
        for (std::size_t c = 0; c < of.virtual_stages.size(); ++c) {
            microbatches_ = static_cast<double>(held.whole[c]);
            add_virtual_stage(of.virtual_stages[c]);
            if (!held.for_weights.empty()) {
                microbatches_ = static_cast<double>(held.for_weights[c]);
                add_for_weights(of.virtual_stages[c]);
            }
        }
        std::vector<KeptLine> lines;
        for (auto& [key, line] : lines_) {
            if (line.total > Bytes{}) {
                line.microbatches = line.total / (line.instances * line.size);
                lines.push_back(std::move(line));
            }
        }
        stable_sort(lines, [](const KeptLine& a, const KeptLine& b) { return a.total > b.total; });
        return lines;
    }

private:
    void add(const std::string& tensor, const std::string& read_by, Bytes size, double instances) {
        if (!(size > Bytes{}) || instances == 0) {
            return;
        }
        KeptLine& line = lines_[{tensor, read_by, size}];
        line.tensor = tensor;
        line.read_by = read_by;
        line.size = size;
        line.instances += instances;
        line.total += microbatches_ * instances * size;
    }

    /// Instances of a segment that are not dropped.
    void add_whole(std::size_t u, double instances) {
        for (const Listed& listed : segments_[u]) {
            if (!listed.dropped || !plan_.repeats_parts()) {
                add(listed.tensor, listed.read_by, listed.bytes, instances);
            }
        }
        if (plan_.repeats_parts()) {
            add("inputs of recomputed layers of " + name(u), name(u),
                costed_.segments[u].memory_under(plan_.recompute).recompute_inputs, instances);
        }
    }

    void add_virtual_stage(const VirtualStage& part) {
        const auto shared = visit_kept(costed_, plan_, part, [&](const SegmentKept& kept) {
            const std::string recomputed = name(kept.segment);
            add("input of " + recomputed, recomputed + ", recomputed", kept.input, static_cast<double>(kept.inputs));
            add_whole(kept.segment, static_cast<double>(kept.wholes));
        });
        for (const auto& [tensor, bytes] : shared) {
            add(costed_.graph->layer(tensor).name, "all that read it", bytes, 1);
        }
    }

    void add_for_weights(const VirtualStage& part) {
        for (std::size_t u = 0; u < costed_.segments.size(); ++u) {
            add("inputs and gradients of products of " + name(u), "gradients of weights",
                costed_.segments[u].memory_under(plan_.recompute).for_weights, static_cast<double>(part.counts[u]));
        }
    }

    [[nodiscard]] std::string name(std::size_t u) const {
        const graph::Segment& segment = costed_.graph->segments[u];
        const std::string& first = costed_.graph->layer(segment.layers.front()).name;
        return segment.is_block() ? first.substr(0, first.rfind('/')) : first;
    }

    const CostedGraph& costed_;
    const plan::Plan& plan_;
    std::vector<std::vector<Listed>> segments_;
    std::map<std::tuple<std::string, std::string, Bytes>, KeptLine> lines_;
    double microbatches_ = 0;
};

}  // namespace

PeakMemory peak_memory(const graph::Graph& graph, const cluster::Cluster& cluster, const plan::Plan& plan,
                       std::size_t stage) {
    const CostedGraph costed = cost_graph(graph, cluster, plan, {});
    const std::int64_t microbatches = plan.batch / (costed.sharded->data_ways * plan.microbatch);
    ScheduleTimings orders;
    const ComposedStep composed = compose_plan(costed, plan, replica_groups(costed, plan), microbatches, orders);
    const StageWork& work = composed.replicas[composed.critical].stages[stage];
    const std::vector<schedule::Holding> held =
        orders.in_flight(plan.schedule, plan.places(), static_cast<std::int64_t>(stage),
                         composed.replicas[composed.critical].microbatches);
    const StageBuffers buffers = stage_buffers(*work.on, plan, work.stage, work.states.transfers,
                                               composed.replicas[composed.critical].stages.size());
    return {.kept = List(costed, plan).run(work.stage, held[work.kept.heaviest]),
            .moments = memory_moments(plan, work.states, work.kept, buffers)};
}

}  // namespace dodona::step
