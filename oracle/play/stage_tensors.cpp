#include "play/stage_tensors.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.hpp"
#include "plan/recompute.hpp"
#include "step/segment_memory.hpp"

namespace dodona::play {

using graph::Layer;
using graph::Vertex;

namespace {

std::int64_t whole(Bytes bytes) { return static_cast<std::int64_t>(std::llround(bytes.in(unit::byte))); }

class Tensors {
public:
    Tensors(const step::CostedGraph& costed, const plan::Plan& plan)
        : costed_(costed),
          graph_(*costed.graph),
          plan_(plan),
          memories_(graph_, *costed.sharded, costed.mesh, plan, plan::recomputed_layers(graph_, plan)) {
        check(costed.sharded != nullptr, "the graph has its shards");
    }

    std::vector<SegmentTensors> run() {
        std::vector<SegmentTensors> all(graph_.segments.size());
        for (std::size_t u = 0; u < all.size(); ++u) {
            place_.clear();
            step::SegmentMemory unused;
            for (const Vertex v : graph_.segments[u].layers) {
                place_[v] = all[u].layers.size();
                all[u].layers.push_back(layer(v, unused));
                add_weights(v, all[u]);
            }
            all[u].recomputes = plan_.repeats_blocks() && costed_.segments[u].recomputes();
            all[u].entering = whole(costed_.segments[u].checkpoint());
        }
        return all;
    }

private:
    [[nodiscard]] const plan::ShardedLayer& sharded(Vertex v) const { return costed_.sharded->layers[v]; }
    [[nodiscard]] std::int64_t result(Vertex v) const { return whole(memories_.result(v)); }

    LayerTensors layer(Vertex v, step::SegmentMemory& unused) {
        const Layer& layer = graph_.layer(v);
        LayerTensors tensors;
        tensors.goes_backward = layer.goes_backward();
        tensors.result = layer.kind == graph::kNetworkInput ? 0 : result(v);
        tensors.leaves = std::any_of(layer.consumers.begin(), layer.consumers.end(),
                                     [&](Vertex consumer) { return graph_.layer(consumer).segment != layer.segment; });
        for (const Vertex producer : layer.producers) {
            if (const auto here = place_.find(producer); here != place_.end()) {
                tensors.producers.push_back(here->second);
            } else if (graph_.layer(producer).goes_backward()) {
                tensors.entering += result(producer);
            }
        }
        for (const step::KeptTensor& kept : memories_.add_listed(v, static_cast<double>(layer.count), unused)) {
            add_kept(v, kept, tensors);
        }
        add_buffers(v, tensors);
        add_loss(v, tensors);
        for (const plan::WeightShard& weight : sharded(v).weights) {
            if (layer.trains() && !weight.tied) {
                const double elements =
                    weight.touched > 0 ? std::min(weight.touched, weight.elements) : weight.elements;
                tensors.weight_gradients.push_back(whole(elements * stored_bytes(plan_.precision)));
            }
        }
        return tensors;
    }

    /// A result that is kept as it is made is no tensor of its own.
    void add_kept(Vertex v, const step::KeptTensor& kept, LayerTensors& tensors) {
        const bool dropped = plan_.repeats_parts() && kept.dropped;
        const bool is_result = kept.saved != nullptr && kept.saved->slot == 0 &&
                               kept.saved->sharding == sharded(kept.saved->tensor).output &&
                               whole(kept.bytes) == result(kept.saved->tensor) && !dropped;
        if (is_result) {
            if (const auto here = place_.find(kept.saved->tensor); here != place_.end()) {
                tensors.keeps.push_back(here->second);
            } else {
                tensors.keeps_entering = true;
            }
            return;
        }
        const auto count = static_cast<std::size_t>(graph_.layer(v).count);
        std::vector<std::int64_t>& where = dropped ? tensors.dropped : tensors.own;
        where.insert(where.end(), count, whole(1 / static_cast<double>(count) * kept.bytes));
    }

    void add_buffers(Vertex v, LayerTensors& tensors) const {
        for (const plan::LayerTransfer& transfer : sharded(v).transfers) {
            const std::int64_t size = whole(step::size_of(costed_, transfer.transfer, transfer.element));
            (transfer.phase == plan::Phase::forward ? tensors.forward_buffers : tensors.backward_buffers)
                .push_back(size);
        }
    }

    void add_loss(Vertex v, LayerTensors& tensors) const {
        for (const plan::SavedTensor& saved : sharded(v).saved) {
            if (!saved.logits) {
                continue;
            }
            for (const Bytes bytes : memories_.loss_temporaries(v, saved)) {
                tensors.backward_buffers.push_back(whole(bytes));
            }
            if (memories_.keeps_loss_inputs(v)) {
                tensors.keeps.insert(tensors.keeps.end(), tensors.producers.begin(), tensors.producers.end());
            }
        }
    }

    void add_weights(Vertex v, SegmentTensors& segment) const {
        const bool gathers = plan_.exchanged_shard() == plan::ShardLevel::parameters && !plan_.keep_parameters;
        for (const plan::WeightShard& weight : sharded(v).weights) {
            if (weight.tied) {
                continue;
            }
            for (std::int64_t i = 0; i < graph_.layer(v).count; ++i) {
                segment.weight_elements.push_back(weight.elements);
                if (gathers) {
                    segment.gathered.push_back(whole(weight.elements * stored_bytes(plan_.precision)));
                }
            }
        }
    }

    const step::CostedGraph& costed_;
    const graph::Graph& graph_;
    const plan::Plan& plan_;
    step::SegmentMemories memories_;
    std::map<Vertex, std::size_t> place_;  ///< in the segment
};

}  // namespace

std::vector<SegmentTensors> segment_tensors(const step::CostedGraph& costed, const plan::Plan& plan) {
    return Tensors(costed, plan).run();
}

}  // namespace dodona::play
