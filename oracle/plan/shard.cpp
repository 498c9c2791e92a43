#include "plan/shard.hpp"

#include <algorithm>
#include <set>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "plan/backward.hpp"
#include "plan/operands.hpp"

namespace dodona::plan {

using graph::Graph;
using graph::kNoLoop;
using graph::Layer;
using graph::Nest;
using graph::Operand;
using graph::Vertex;

namespace {

/// Shards layers in topological order; each depends only on earlier ones.
class Derivation {
public:
    Derivation(const Graph& graph, const Mesh& mesh, const Strategy& strategy, std::int64_t microbatch)
        : graph_(graph), mesh_(mesh), strategy_(strategy), rules_(strategy, mesh) {
        result_.graph = &graph;
        result_.microbatch = microbatch;
        result_.data_ways = mesh.ways(rules_.batch_atoms());
        result_.layers.resize(graph.layers.size());
        rules_of_.resize(graph.layers.size());
        halos_.resize(graph.layers.size());
        divisions_.reserve(graph.layers.size());
        for (Vertex v = 0; v < graph.layers.size(); ++v) {
            divisions_.push_back(result_divisions(graph.layer(v).nest, batch()));
        }
    }

    ShardedGraph run() {
        lay_out();
        for (Vertex v = 0; v < graph_.layers.size(); ++v) {
            const Layer& layer = graph_.layer(v);
            ShardedLayer& sharded = result_.layers[v];
            force_output(v, sharded);
            read_inputs(v, sharded);
            add_statistics(layer, sharded);
            add_recurrences(v, sharded);
            add_weights(v, sharded);
            add_saved(v, sharded);
        }
        add_gradient_conversions(graph_, mesh_, divisions_, result_);
        return std::move(result_);
    }

    std::vector<Limit> limits() {
        lay_out();
        return std::move(result_.limits);
    }

private:
    /// Lays the loops of all layers, and notes what limits that.
    void lay_out() {
        for (Vertex v = 0; v < graph_.layers.size(); ++v) {
            const Layer& layer = graph_.layer(v);
            ShardedLayer& sharded = result_.layers[v];
            const Assignment assignment = rules_.assign(layer, result_.limits);
            rules_of_[v] = assignment.rule;
            sharded.loops = assignment.loops;
            sharded.streams = streamed(assignment);
            const bool passes = assignment.rule == nullptr && layer.nest.follows && !layer.producers.empty();
            if (passes) {
                follow(layer, layer.producers, sharded);
            }
            place(v, sharded);
            note_halos(v, sharded);
        }
        note_idle_axes();
        note_unused_rules();
        sort_by_text(result_.limits);
    }

    [[nodiscard]] const std::vector<Division>& divisions(Vertex v) const { return divisions_[v]; }
    [[nodiscard]] double batch() const {
        return static_cast<double>(result_.microbatch) * static_cast<double>(result_.data_ways);
    }

    /// The loops of a layer without a rule as one input is sharded; Strategy::everywhere applies to atoms that this
    /// leaves unused.
    [[nodiscard]] AtomList loops_from(const Layer& layer, std::size_t input, const Sharding& from) const {
        AtomList loops(layer.nest.loops.size(), 0);
        Atoms taken = 0;
        const Operand& operand = layer.nest.inputs[input];
        for (std::size_t d = 0; d < operand.loops.size(); ++d) {
            const int loop = operand.loops[d];
            if (loop != kNoLoop && passes_through(layer.nest, operand, d)) {
                loops[static_cast<std::size_t>(loop)] |= from.dimensions[d];
                taken |= from.dimensions[d];
            }
        }
        rules_.lay_everywhere(layer, taken, loops);
        return loops;
    }

    /// A layer without a rule takes the sharding of the input for which converting the others is cheapest (the first
    /// among equals). Partial sums pass through a linear operator if all inputs are partial over the same atoms; they
    /// are then reduced where a later layer needs it.
    void follow(const Layer& layer, const std::vector<Vertex>& producers, ShardedLayer& sharded) {
        sharded.passed = passed_partial(layer.nest, producers);
        double least = -1;
        for (std::size_t candidate = 0; candidate < producers.size(); ++candidate) {
            const AtomList loops = loops_from(layer, candidate, result_.layers[producers[candidate]].output);
            double cost = 0;
            for (std::size_t i = 0; producers.size() > 1 && i < producers.size(); ++i) {
                Sharding wanted = operand_sharding(layer.nest.inputs[i], loops);
                wanted.partial = sharded.passed;
                cost += conversion_cost(producers[i], wanted);
            }
            if (least < 0 || cost < least) {
                least = cost;
                sharded.loops = loops;
            }
        }
    }

    [[nodiscard]] Atoms passed_partial(const Nest& nest, const std::vector<Vertex>& producers) const {
        const Atoms partial = result_.layers[producers.front()].output.partial;
        const bool alike =
            all_of(producers, [&](Vertex producer) { return result_.layers[producer].output.partial == partial; });
        return nest.linear && nest.weights.empty() && alike ? partial : Atoms{0};
    }

    [[nodiscard]] double conversion_cost(Vertex producer, const Sharding& wanted) const {
        if (graph_.layer(producer).nest.inputs.empty()) {
            return 0;  // network inputs are read in any sharding
        }
        const auto transfers = convert(mesh_, divisions(producer), result_.layers[producer].output, wanted);
        return sent_elements(mesh_, transfers);
    }

    void place(Vertex v, ShardedLayer& sharded) const {
        const Nest& nest = graph_.layer(v).nest;
        const Rule* rule = rules_of_[v];
        sharded.local = local_extents(nest, mesh_, sharded.loops, batch());
        sharded.local.order = rule != nullptr ? rule->order : graph::ShardOrder::zigzag;
        sharded.product = operand_sharding(nest.output, sharded.loops);
        sharded.product.partial = partial_result(nest, sharded.loops) | sharded.passed;
        sharded.output = sharded.product;
        if (rule != nullptr && rule->output) {
            AtomList loops(nest.loops.size(), 0);
            rules_.lay_everywhere(graph_.layer(v), 0, loops);
            for (const Lay& lay : *rule->output) {
                const int loop = nest.loop(lay.dimension);
                if (loop != kNoLoop) {
                    loops[static_cast<std::size_t>(loop)] |= mesh_.axes(lay.axes);
                }
            }
            sharded.output = operand_sharding(nest.output, loops);
        }
    }

    /// The conversion that a rule forces on a layer's own output.
    void force_output(Vertex v, ShardedLayer& sharded) {
        if (rules_of_[v] != nullptr && rules_of_[v]->output) {
            add_conversion(v, sharded.product, sharded.output, rules_of_[v]->via, Phase::forward, sharded);
        }
        sharded.output_elements = local_elements(mesh_, divisions(v), sharded.output);
    }

    void add_conversion(Vertex tensor, const Sharding& from, const Sharding& to, Via via, Phase phase,
                        ShardedLayer& sharded) {
        for (const Transfer& transfer : convert(mesh_, divisions(tensor), from, to, via)) {
            sharded.transfers.push_back(
                {transfer, phase, Purpose::conversion, graph_.layer(tensor).nest.result.element});
        }
    }

    /// Turns the all-gathers among the conversions of a layer's inputs, from `first` on, into passes round a ring.
    void stream_from(std::size_t first, ShardedLayer& sharded) const {
        for (std::size_t i = first; i < sharded.transfers.size(); ++i) {
            send_round(mesh_, sharded.streams, sharded.transfers[i]);
        }
    }

    /// Converts the outputs of producers to the shardings that this layer reads. Consumers of a tensor that read it in
    /// the same sharding equally often share the conversion, which is attributed to the first.
    void read_inputs(Vertex v, ShardedLayer& sharded) {
        const Layer& layer = graph_.layer(v);
        const std::vector<Vertex>& producers = layer.producers;
        const Rule* rule = rules_of_[v];
        for (std::size_t i = 0; i < producers.size(); ++i) {
            const Vertex producer = producers[i];
            Sharding wanted = operand_sharding(layer.nest.inputs[i], sharded.loops);
            wanted.partial = sharded.passed;
            // Of a streamed tensor two blocks are held at a time.
            const double whole = local_elements(mesh_, divisions(producer), wanted);
            const double block = local_elements(mesh_, divisions(producer), result_.layers[producer].output);
            sharded.transient_elements += sharded.streams != 0 ? std::min(whole, 2 * block) : whole;
            const bool is_input = graph_.layer(producer).nest.inputs.empty();
            const std::size_t first = sharded.transfers.size();
            if (!is_input && paid_.insert({producer, wanted, graph_.instances(v)}).second) {
                const Via via = rule != nullptr ? rule->via : Via::reduce_scatter;
                add_conversion(producer, result_.layers[producer].output, wanted, via, Phase::forward, sharded);
            }
            if (!is_input && regathers(rule) && saves_input(layer, i)) {
                add_regather(producer, wanted, sharded);
            }
            stream_from(first, sharded);
            add_halos(v, i, sharded);
        }
        sharded.transient_elements += sharded.output_elements;
    }

    /// A ring needs ranks that split the layer's own work.
    [[nodiscard]] Atoms streamed(const Assignment& assignment) const {
        Atoms split = 0;
        for (const Atoms atoms : assignment.loops) {
            split |= atoms;
        }
        return assignment.rule != nullptr ? mesh_.axes(assignment.rule->stream) & split : Atoms{0};
    }

    [[nodiscard]] static bool regathers(const Rule* rule) {
        return rule != nullptr && (rule->regather || !rule->stream.empty());
    }

    /// Whether backward reads input `i` again: a product with a weight for dW, attention's keys and values for dX.
    [[nodiscard]] static bool saves_input(const Layer& layer, std::size_t i) {
        const auto& all = layer.nest.saved;
        return std::any_of(all.begin(), all.end(), [&](const graph::Saved& saved) {
            return layer.keeps(saved) && saved.what == graph::Saved::What::input &&
                   static_cast<std::size_t>(saved.operand) == i;
        });
    }

    /// Repeats the conversion of an input that was not kept, for backward. Shared like the forward conversion.
    void add_regather(Vertex producer, const Sharding& wanted, ShardedLayer& sharded) {
        if (!regathered_.insert({producer, wanted}).second) {
            return;
        }
        for (const Transfer& transfer : convert(mesh_, divisions(producer), result_.layers[producer].output, wanted)) {
            sharded.transfers.push_back(
                {transfer, Phase::backward, Purpose::regather, graph_.layer(producer).nest.result.element});
        }
    }

    /// Where windows reach over the edges of shards, by input.
    void note_halos(Vertex v, const ShardedLayer& sharded) {
        const Layer& layer = graph_.layer(v);
        for (std::size_t i = 0; i < layer.producers.size(); ++i) {
            const graph::Tensor& x = graph_.layer(layer.producers[i]).nest.result;
            for (const HaloExchange& exchange : halo_exchanges(layer.nest, i, x, mesh_, sharded.loops, batch())) {
                if (exchange.phase == Phase::backward && !layer.input_gradient) {
                    continue;
                }
                halos_[v].push_back({i, exchange});
                if (exchange.too_wide) {
                    result_.limits.push_back({WindowLimit{layer.name}});
                }
            }
        }
    }

    void add_halos(Vertex v, std::size_t input, ShardedLayer& sharded) const {
        for (const auto& [of, exchange] : halos_[v]) {
            if (of != input) {
                continue;
            }
            sharded.transfers.push_back(
                {exchange.transfer, exchange.phase, Purpose::halo, graph_.layer(v).nest.result.element});
        }
    }

    void add_statistics(const Layer& layer, ShardedLayer& sharded) {
        for (const graph::Statistic& statistic : layer.nest.statistics) {
            Atoms atoms = 0;
            for (const int loop : statistic.over) {
                atoms |= sharded.loops[static_cast<std::size_t>(loop)];
            }
            double elements = 1;
            for (const int loop : statistic.kept) {
                elements *= sharded.local[loop];
            }
            const Transfer transfer{cluster::Collective::all_reduce, atoms, elements};
            for (int i = 0; atoms != 0 && i < statistic.forward + (layer.goes_backward() ? statistic.backward : 0);
                 ++i) {
                const Phase phase = i < statistic.forward ? Phase::forward : Phase::backward;
                sharded.transfers.push_back({transfer, phase, Purpose::statistic, graph::Element::single});
            }
        }
    }

    /// Of the micro-batches of all ranks that split the batch.
    static double samples_of_all(const ShardedLayer& sharded) {
        return sharded.local[graph::kBatch] * sharded.local.shards(graph::kBatch);
    }

    /// Communication of a split recurrence: every step all-gathers the state in forward and reduce-scatters its
    /// gradient in backward. A batch is whole as the micro-batches of all ranks.
    void add_recurrences(Vertex v, ShardedLayer& sharded) {
        const Nest& nest = graph_.layer(v).nest;
        for (const graph::Recurrence& recurrence : nest.recurrences) {
            const auto loop = static_cast<std::size_t>(recurrence.loop);
            const Atoms atoms = sharded.loops[loop];
            if (atoms == 0) {
                continue;
            }
            double elements = recurrence.loop == graph::kBatch ? samples_of_all(sharded)
                                                               : static_cast<double>(nest.loops[loop].extent);
            for (const int kept : recurrence.kept) {
                elements *= sharded.local[kept];
            }
            const auto add = [&](cluster::Collective collective, Phase phase) {
                sharded.transfers.push_back(
                    {{collective, atoms, elements}, phase, Purpose::conversion, nest.result.element, recurrence.steps});
            };
            add(cluster::Collective::all_gather, Phase::forward);
            if (graph_.layer(v).goes_backward()) {
                add(cluster::Collective::reduce_scatter, Phase::backward);
            }
        }
    }

    void add_weights(Vertex v, ShardedLayer& sharded) {
        const Nest& nest = graph_.layer(v).nest;
        for (const graph::Weight& weight : nest.weights) {
            WeightShard shard = weight_shard(nest, weight, mesh_, sharded.loops);
            shard.owner = v;
            shard.frozen = graph_.layer(v).frozen;
            shard.forward_only = !graph_.layer(v).goes_backward();
            shard.storage = graph_.layer(v).storage_of(weight);
            shard.matrices = graph_.layer(v).is_hidden(weight) ? shard.matrices : Matrices{};
            shard.touched = touched_elements(nest, weight, shard.elements, sharded.local);
            if (!weight.tied_to.empty()) {
                shard.tied = true;
                shard.owner = find_layer(weight.tied_to);
            }
            sharded.weights.push_back(shard);
        }
    }

    [[nodiscard]] Vertex find_layer(const std::string& name) const {
        const auto found = std::find_if(graph_.layers.begin(), graph_.layers.end(),
                                        [&](const graph::Layer& layer) { return layer.name == name; });
        check(found != graph_.layers.end(), "a tied weight names a layer of the graph");
        return static_cast<Vertex>(found - graph_.layers.begin());
    }

    void add_saved(Vertex v, ShardedLayer& sharded) {
        const Layer& layer = graph_.layer(v);
        int slot = 0;
        for (const graph::Saved& saved : layer.nest.saved) {
            if (!layer.keeps(saved)) {
                continue;
            }
            if (saved.what == graph::Saved::What::internal) {
                const double elements =
                    (saved.whole_batch ? samples_of_all(sharded) : 1) * extents(saved, sharded.local);
                sharded.saved.push_back({v,
                                         ++slot,
                                         {},
                                         elements,
                                         saved.element,
                                         saved.selective,
                                         saved.for_weights,
                                         saved.logits,
                                         saved.gated});
                continue;
            }
            const bool is_input = saved.what == graph::Saved::What::input;
            const auto operand = static_cast<std::size_t>(saved.operand);
            const Vertex tensor = is_input ? layer.producers.at(operand) : v;
            const Sharding& result = result_.layers[tensor].output;
            const Sharding read = is_input ? operand_sharding(layer.nest.inputs[operand], sharded.loops) : result;
            const bool gathered = is_input && regathers(rules_of_[v]) && read != result;
            Sharding sharding = is_input && regathers(rules_of_[v]) ? result : read;
            const double elements = local_elements(mesh_, divisions(tensor), sharding);
            const graph::Element element = graph_.layer(tensor).nest.result.element;
            sharded.saved.push_back({tensor, 0, std::move(sharding), elements, element, saved.selective,
                                     saved.for_weights, saved.logits, saved.gated, gathered,
                                     saved.loops.empty() ? 0 : extents(saved, sharded.local)});
        }
    }

    static double extents(const graph::Saved& saved, const graph::LocalExtents& local) {
        double elements = saved.factor;
        for (const int loop : saved.loops) {
            elements *= local[loop];
        }
        return elements;
    }

    /// Reports axes that split nothing but network inputs: their ranks would repeat the same work.
    void note_idle_axes() {
        Atoms used = strategy_.pipeline ? mesh_.axis(*strategy_.pipeline) : Atoms{0};
        for (Vertex v = 0; v < graph_.layers.size(); ++v) {
            const bool works = !graph_.layer(v).nest.inputs.empty();
            for (const Atoms atoms : result_.layers[v].loops) {
                used |= works ? atoms : Atoms{0};
            }
        }
        for (const std::string& axis : strategy_.axes) {
            if ((mesh_.axis(axis) & ~used) != 0) {
                result_.limits.push_back({IdleAxis{axis, rules_.ended_at(axis)}});
            }
        }
    }

    /// Reports rules that match no layer by kind, role or name, which may be a mistake.
    void note_unused_rules() {
        for (const Rule* rule : rules_.unused()) {
            const Match& match = rule->match;
            if (!rule->optional && (!match.kinds.empty() || !match.roles.empty() || !match.names.empty())) {
                result_.limits.push_back({UnusedRule{rule - strategy_.rules.data() + 1, strategy_.name}});
            }
        }
    }

    /// What is exchanged for one input of a layer.
    struct InputHalo {
        std::size_t input = 0;
        HaloExchange exchange;
    };

    struct Conversion {
        Vertex tensor;
        Sharding wanted;
        std::int64_t instances;
        std::strong_ordering operator<=>(const Conversion&) const = default;
    };

    const Graph& graph_;
    const Mesh& mesh_;
    const Strategy& strategy_;
    RuleBook rules_;
    std::vector<const Rule*> rules_of_;             ///< by vertex; null: it has none
    std::vector<std::vector<Division>> divisions_;  ///< of results, by vertex
    std::vector<std::vector<InputHalo>> halos_;     ///< by vertex
    ShardedGraph result_;
    std::set<Conversion> paid_;
    std::set<std::pair<Vertex, Sharding>> regathered_;
};

}  // namespace

graph::Work work_of(const Layer& layer, const graph::LocalExtents& local) {
    return layer.nest.work ? graph::directed(layer.nest.work(local)) : graph::Work{};
}

ShardedGraph shard(const Graph& graph, const Mesh& mesh, const Strategy& strategy, std::int64_t microbatch) {
    return Derivation(graph, mesh, strategy, microbatch).run();
}

std::vector<Limit> limits_of_shards(const Graph& graph, const Mesh& mesh, const Strategy& strategy) {
    return Derivation(graph, mesh, strategy, 1).limits();
}

}  // namespace dodona::plan
