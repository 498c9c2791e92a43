#include "play/played_allocator.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "play/stage_tensors.hpp"
#include "schedule/schedule.hpp"
#include "step/compose_plan.hpp"
#include "step/segment_cost.hpp"

namespace dodona::play {

namespace {

using Tensor = CachingAllocator::Tensor;

/// The second step finds the segments of the first.
constexpr int kSteps = 2;

constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max() / 2;

/// The driver has no more memory.
struct OutOfMemory : std::exception {};

std::int64_t whole_bytes(Bytes bytes) { return static_cast<std::int64_t>(bytes.in(unit::byte)); }
Bytes bytes_of(std::int64_t bytes) { return Bytes::of_base(static_cast<double>(bytes)); }

/// Tensors of one instance of a segment for one micro-batch, between its forward and its backward pass.
struct Instance {
    const SegmentTensors* segment = nullptr;
    std::vector<std::optional<Tensor>> results;  ///< by layer
    std::vector<std::vector<Tensor>> own;        ///< by layer
    std::vector<Tensor> dropped;
};

/// A micro-batch at a position.
struct Passing {
    std::vector<Tensor> entering;
    std::vector<Instance> instances;
};

class Stage {
public:
    /// `every`: blocks that are recomputed together.
    Stage(const std::vector<SegmentTensors>& segments, const step::Stage& stage, std::int64_t every,
          CachingAllocator& allocator)
        : every_(every), allocator_(allocator) {
        for (const step::VirtualStage& part : stage.virtual_stages) {
            std::vector<const SegmentTensors*>& row = rows_.emplace_back();
            for (std::size_t u = 0; u < segments.size(); ++u) {
                row.insert(row.end(), static_cast<std::size_t>(part.counts[u]), &segments[u]);
            }
        }
    }

    void forward(std::size_t part, std::int32_t micro_batch) {
        Passing& passing = passing_[{part, micro_batch}];
        if (const std::int64_t entering = rows_[part].empty() ? 0 : rows_[part].front()->entering; entering > 0) {
            passing.entering.push_back(take(entering));
        }
        for (std::size_t i = 0; i < rows_[part].size(); ++i) {
            const SegmentTensors& segment = *rows_[part][i];
            passing.instances.push_back(forward(segment, !segment.recomputes));
            if (i > 0 && !keeps_entering(part, i)) {
                leave(passing.instances[i - 1]);
            }
        }
        if (!passing.instances.empty()) {
            leave(passing.instances.back());  // sent to the next position
        }
    }

    void backward(std::size_t part, std::int32_t micro_batch) {
        Passing passing = std::move(passing_[{part, micro_batch}]);
        passing_.erase({part, micro_batch});
        std::vector<Tensor> gradient;
        for (std::size_t i = passing.instances.size(); i-- > 0;) {
            if (rows_[part][i]->recomputes && passing.instances[i].own.empty()) {
                recompute(part, i, passing);
            }
            gradient = backward(passing.instances[i], std::move(gradient));
            free(passing.instances[i].results);
        }
        free(gradient);
        free(passing.entering);
    }

    Tensor take(std::int64_t bytes) {
        const auto tensor = allocator_.allocate(bytes);
        if (!tensor) {
            throw OutOfMemory();
        }
        return *tensor;
    }

private:
    std::vector<Tensor> take(const std::vector<std::int64_t>& sizes) {
        std::vector<Tensor> tensors;
        tensors.reserve(sizes.size());
        for (const std::int64_t size : sizes) {
            tensors.push_back(take(size));
        }
        return tensors;
    }

    void free(std::vector<Tensor>& tensors) {
        for (const Tensor tensor : tensors) {
            allocator_.free(tensor);
        }
        tensors.clear();
    }

    void free(std::optional<Tensor>& tensor) {
        if (tensor) {
            allocator_.free(*tensor);
            tensor.reset();
        }
    }

    /// Whether what enters an instance stays until its backward pass: it is kept, or is where recomputation starts.
    [[nodiscard]] bool keeps_entering(std::size_t part, std::size_t i) const {
        const SegmentTensors& segment = *rows_[part][i];
        if (segment.recomputes) {
            return starts_group(part, i);
        }
        return any_of(segment.layers, [](const LayerTensors& layer) { return layer.keeps_entering; });
    }

    /// Recomputing instances are repeated in groups of `every`.
    [[nodiscard]] bool starts_group(std::size_t part, std::size_t i) const {
        std::size_t first = i;
        while (first > 0 && rows_[part][first - 1]->recomputes) {
            --first;
        }
        return (i - first) % static_cast<std::size_t>(every_) == 0;
    }

    Instance forward(const SegmentTensors& segment, bool keeps) {
        Instance instance{.segment = &segment, .results = {}, .own = {}, .dropped = {}};
        std::vector<Tensor> gathered = take(segment.gathered);
        instance.results.resize(segment.layers.size());
        if (keeps) {
            instance.own.resize(segment.layers.size());
        }
        std::vector<std::size_t> readers(segment.layers.size());
        std::vector<bool> kept(segment.layers.size());
        for (const LayerTensors& layer : segment.layers) {
            for (const std::size_t producer : layer.producers) {
                ++readers[producer];
            }
            for (const std::size_t of : layer.keeps) {
                kept[of] = keeps;
            }
        }
        for (std::size_t l = 0; l < segment.layers.size(); ++l) {
            const LayerTensors& layer = segment.layers[l];
            std::vector<Tensor> buffers = take(layer.forward_buffers);
            if (layer.result > 0) {
                instance.results[l] = take(layer.result);
            }
            std::vector<Tensor> own = take(layer.own);
            std::vector<Tensor> dropped = take(layer.dropped);
            free(buffers);
            if (keeps) {
                instance.own[l] = std::move(own);
            } else {
                free(own);
            }
            free(dropped);
            for (const std::size_t producer : layer.producers) {
                if (--readers[producer] == 0 && !kept[producer] && !segment.layers[producer].leaves) {
                    free(instance.results[producer]);
                }
            }
        }
        free(gathered);
        return instance;
    }

    /// The group of an instance, from what entered its first; the results that they leave are there again.
    void recompute(std::size_t part, std::size_t last, Passing& passing) {
        std::size_t first = last;
        while (!starts_group(part, first)) {
            --first;
        }
        for (std::size_t i = first; i <= last; ++i) {
            free(passing.instances[i].results);
            passing.instances[i] = forward(*rows_[part][i], true);
        }
    }

    void free(std::vector<std::optional<Tensor>>& tensors) {
        for (std::optional<Tensor>& tensor : tensors) {
            free(tensor);
        }
    }

    /// Frees what other segments have read, but for what the instance itself keeps.
    void leave(Instance& instance) {
        const std::vector<LayerTensors>& layers = instance.segment->layers;
        std::vector<bool> kept(layers.size());
        for (const LayerTensors& layer : layers) {
            for (const std::size_t of : layer.keeps) {
                kept[of] = !instance.own.empty();
            }
        }
        for (std::size_t l = 0; l < layers.size(); ++l) {
            if (layers[l].leaves && !kept[l]) {
                free(instance.results[l]);
            }
        }
    }

    /// Takes the gradient of what the instance leaves; returns that of what enters it.
    std::vector<Tensor> backward(Instance& instance, std::vector<Tensor> leaving) {
        const SegmentTensors& segment = *instance.segment;
        std::vector<Tensor> gathered = take(segment.gathered);
        for (const LayerTensors& layer : segment.layers) {
            append(instance.dropped, take(layer.dropped));
        }
        std::vector<std::optional<Tensor>> gradients(segment.layers.size());
        std::vector<Tensor> entering;
        for (std::size_t l = segment.layers.size(); l-- > 0;) {
            const LayerTensors& layer = segment.layers[l];
            if (!layer.goes_backward) {
                free(instance.own[l]);
                continue;
            }
            std::vector<Tensor> buffers = take(layer.backward_buffers);
            for (const std::size_t producer : layer.producers) {
                if (!segment.layers[producer].goes_backward) {
                    continue;
                }
                if (gradients[producer]) {
                    buffers.push_back(take(segment.layers[producer].result));  // is added to it
                } else {
                    gradients[producer] = take(segment.layers[producer].result);
                }
            }
            if (layer.entering > 0) {
                (entering.empty() ? entering : buffers).push_back(take(layer.entering));
            }
            std::vector<Tensor> weights = take(layer.weight_gradients);
            free(weights);
            free(buffers);
            free(gradients[l]);
            free(instance.own[l]);
            for (const std::size_t of : layer.keeps) {
                free(instance.results[of]);
            }
            if (layer.leaves) {
                free(leaving);
            }
        }
        free(leaving);
        free(gradients);
        free(instance.dropped);
        free(gathered);
        return entering;
    }

    std::int64_t every_;
    CachingAllocator& allocator_;
    std::vector<std::vector<const SegmentTensors*>> rows_;  ///< by virtual stage
    std::map<std::pair<std::size_t, std::int32_t>, Passing> passing_;
};

/// The order of a schedule, for few micro-batches where a stage holds no more of many.
schedule::Order short_order(const plan::Plan& plan, const step::Replica& replica, std::size_t stage) {
    const auto stages = static_cast<std::int64_t>(replica.stages.size());
    const schedule::Schedule& planned =
        *schedule::find_schedule(stages > 1 ? plan::name(plan.schedule) : std::string_view("1f1b"));
    const auto shape = [&](std::int64_t microbatches) {
        return schedule::Shape{static_cast<std::int32_t>(stages), static_cast<std::int32_t>(microbatches),
                               static_cast<std::int32_t>(plan.virtual_stages)};
    };
    const std::int64_t few = std::min(replica.microbatches, std::max<std::int64_t>(4, 2 * stages));
    step::ScheduleTimings orders;
    const auto held = [&](std::int64_t microbatches) {
        return orders.in_flight(plan.schedule, replica.places, static_cast<std::int64_t>(stage), microbatches);
    };
    const bool enough = !planned.unmet(shape(few)) && (stages == 1 || held(few) == held(replica.microbatches));
    const schedule::Shape played = shape(enough ? few : replica.microbatches);
    if (const auto unmet = planned.unmet(played)) {
        fail({}, *unmet);
    }
    return schedule::order_of(planned, played);
}

/// What is on the stage's device before its first pass.
struct Before {
    std::vector<std::int64_t> states;  ///< of each weight
    Bytes beside;                      ///< reserved for copies of an update and for buckets of a reduction
};

/// Activations, workspace and buffers of the closed form.
Bytes passing_of(const step::StageWork& work) {
    return work.kept.total() + work.kept.recompute_peak + work.memory[step::MemoryPart::workspace] +
           work.memory[step::MemoryPart::buffers];
}

Before before_passes(const std::vector<SegmentTensors>& tensors, const step::StageWork& work, const plan::Plan& plan) {
    Before before;
    double elements = 0;
    std::vector<double> weights;
    for (std::size_t u = 0; u < tensors.size(); ++u) {
        for (std::int64_t i = 0; i < work.stage.count(u); ++i) {
            for (const double weight : tensors[u].weight_elements) {
                weights.push_back(weight);
                elements += weight;
            }
        }
    }
    const Bytes passing = passing_of(work);
    const Bytes states = step::totals(work.memory).allocated - passing + plan.memory.workspace;
    append(before.states, weights, [&](const double weight) { return whole_bytes(weight / elements * states); });
    before.beside = work.memory[step::MemoryPart::cache] - plan.fragmentation() * passing;
    return before;
}

/// Whether PyTorch serves the device with this allocator: CUDA's, and HIP's under the same name.
bool has_allocator(const cluster::Device& device) {
    const auto maker = device.maker();
    return !maker || maker == cluster::Maker::nvidia || maker == cluster::Maker::amd;
}

/// Throws OutOfMemory.
AllocatorUse play_steps(const std::vector<SegmentTensors>& tensors, const Before& before, const step::Replica& replica,
                        std::size_t stage, const plan::Plan& plan, Segments segments, std::int64_t capacity) {
    CachingAllocator allocator(segments, capacity);
    const std::int64_t every = plan.recompute == plan::RecomputeKind::every ? plan.recompute_every : 1;
    Stage played(tensors, replica.stages[stage].stage, every, allocator);
    for (const std::int64_t bytes : before.states) {
        played.take(bytes);
    }
    const std::int64_t states = allocator.allocated();
    const schedule::Order order = short_order(plan, replica, stage);
    for (int step = 0; step < kSteps; ++step) {
        for (const schedule::Task& task : order.stages[stage]) {
            const auto part = static_cast<std::size_t>(replica.places.index(task.position));
            switch (task.kind) {
                case schedule::TaskKind::forward: played.forward(part, task.micro_batch); break;
                case schedule::TaskKind::backward:
                case schedule::TaskKind::backward_input: played.backward(part, task.micro_batch); break;
                case schedule::TaskKind::backward_weight: break;
            }
        }
    }
    AllocatorUse use;
    use.allocated = bytes_of(allocator.most_allocated());
    use.reserved = bytes_of(allocator.most_reserved()) + before.beside;
    use.passing = bytes_of(allocator.most_allocated() - states);
    return use;
}

}  // namespace

double AllocatorUse::fragmentation() const {
    return passing > Bytes{} ? std::max(0.0, (reserved - allocated) / passing) : 0;
}

std::optional<PlayedAllocator> play_allocator(const graph::Graph& graph, const cluster::Cluster& cluster,
                                              const plan::Plan& plan, std::size_t stage) {
    if (plan.offload.any() || plan::splits_backward(plan.schedule) || plan.keeps_some_blocks() ||
        !has_allocator(cluster.device)) {
        return {};
    }
    const step::CostedGraph costed = step::cost_graph(graph, cluster, plan, {});
    const std::int64_t microbatches = plan.batch / (costed.sharded->data_ways * plan.microbatch);
    step::ScheduleTimings orders;
    const std::vector<step::ReplicaGroup> groups = step::replica_groups(costed, plan);
    const step::ComposedStep composed = step::compose_plan(costed, plan, groups, microbatches, orders);
    const step::Replica& replica = composed.replicas[composed.critical];
    const step::StageWork& work = replica.stages[stage];
    const std::vector<SegmentTensors> tensors = segment_tensors(costed, plan);
    const Before before = before_passes(tensors, work, plan);
    const std::int64_t room = whole_bytes(work.on->memory_limit() - work.on->context() - before.beside);
    const auto play = [&](Segments segments) {
        try {
            return play_steps(tensors, before, replica, stage, plan, segments, room);
        } catch (const OutOfMemory&) {
            AllocatorUse use = play_steps(tensors, before, replica, stage, plan, segments, kEndless);
            use.fits = false;
            return use;
        }
    };
    return PlayedAllocator{.stage = stage, .fixed = play(Segments::fixed), .expandable = play(Segments::expandable)};
}

}  // namespace dodona::play
