#include "step/state_sharding.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "step/matrix_updates.hpp"

namespace dodona::step {

using cluster::Collective;
using plan::Atoms;
using plan::MemoryAction;
using plan::MemoryTensors;
using plan::Phase;
using plan::ShardLevel;

namespace {

constexpr Bytes kRowIndex = Bytes::of_base(8);
constexpr Bytes kMaster = Bytes::of_base(4);  // of a gradient in fp32

TrainingBytes bytes_of(const plan::Plan& plan) {
    TrainingBytes bytes = training_bytes(plan.precision);
    if (plan.gradient_precision) {
        bytes.gradient = stored_bytes(*plan.gradient_precision);
        bytes.reduced = bytes.gradient;
    }
    bytes.reduced *= plan.framework[plan::FrameworkParameter::reduction_width];
    return bytes;
}

enum class Held { first, again };

/// Weights of a stage by kind: those that it holds, or those that a further pass over the network reads again. A tied
/// weight is held if its owner is not on the stage.
std::map<WeightKind, plan::WeightSize> weights_by_kind(const CostedGraph& costed, const Stage& stage, Held held) {
    std::map<WeightKind, plan::WeightSize> kinds;
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        const auto count = static_cast<double>(stage.count(u));
        if (count == 0) {
            continue;
        }
        for (const WeightClass& weight : costed.segments[u].weights) {
            const bool again = weight.tied && stage.count(weight.owner_segment) > 0;
            if (held == Held::first ? !again : again && weight.kind.forward_only) {
                kinds[weight.kind] += count * weight.size;
            }
        }
    }
    return kinds;
}

class States {
public:
    States(const CostedGraph& costed, const plan::Plan& plan, std::int64_t microbatches)
        : costed_(costed),
          plan_(plan),
          bytes_(bytes_of(plan)),
          shardable_(costed.mesh.shard_atoms(costed.mesh.axes(plan.strategy.shard_axes))),
          passes_(static_cast<double>(microbatches)) {}

    /// Collectives for the local parameters of one kind.
    void add_transfers(const WeightKind& kind, const plan::WeightSize& size, StageStates& states) {
        const Atoms over = plan_.exchanged_shard() == ShardLevel::none ? Atoms{0} : shardable_ & ~kind.laid;
        if (!kind.frozen && !(kind.sparse && add_rows(kind, size, over, states))) {
            add_reductions(kind, size, over, states);
        }
        if (over != 0 && (!kind.frozen || plan_.exchanged_shard() == ShardLevel::parameters)) {
            add_gathers(over, size.elements * graph::stored_weight(kind.storage, bytes_.weight), !kind.forward_only,
                        states);
        }
    }

    /// Memory of weights, gradients and states, of `count` instances of a class. Adds updated bytes and traffic to
    /// `states`.
    StateBytes add_memory(const WeightClass& weight, double count, StageStates& states) {
        StateBytes bytes = add_memory(weight.kind, count * weight.size, states);
        const plan::Optimizer& optimizer = plan::optimizer(plan_.optimizer);
        if (weight.kind.frozen || !optimizer.hidden) {
            return bytes;
        }
        const double divided = states_divided(weight.kind);
        for (plan::Matrices matrices : weight.matrices) {
            matrices.count *= count;
            matrices_[weight.kind].push_back(matrices);
            if (optimizer.hidden->states != nullptr) {
                const Bytes further = matrices.count / divided * optimizer.hidden->states(matrices.local);
                bytes.optimizer += further;
                states.update_traffic += 2.0 * further;
            }
        }
        return bytes;
    }

    /// Adds the update of the matrices of all classes.
    void add_matrices(StageStates& states) const {
        for (const auto& [kind, matrices] : matrices_) {
            add_matrix_updates(costed_, plan_, matrices, shardable_ & ~kind.laid, states);
        }
    }

private:
    /// Ranks that share the states of one kind.
    [[nodiscard]] double states_divided(const WeightKind& kind) const {
        const auto ways = static_cast<double>(costed_.mesh.ways(shardable_ & ~kind.laid));
        return plan_.exchanged_shard() >= ShardLevel::states ? ways : 1.0;
    }

    StateBytes add_memory(const WeightKind& kind, const plan::WeightSize& size, StageStates& states) {
        const bool rows = row_kinds_.contains(kind);
        const double changed = rows ? touched(kind, size) / size.elements : 1.0;
        const StateBytes bytes =
            state_bytes(costed_.mesh, plan_, kind, size, rows ? std::optional(changed) : std::nullopt);
        if (kind.frozen) {
            return bytes;
        }
        const double divided = states_divided(kind);
        const double stepped = changed * size.elements / divided;
        if (plan_.memory.has(MemoryAction::keep, MemoryTensors::update_copies) && bytes_.gradient < kMaster) {
            states.update_copies += stepped * (kMaster + bytes_.gradient);
        }
        if (plan_.memory.has(MemoryAction::keep, MemoryTensors::update_gradients) && bytes_.gradient < kMaster) {
            states.update_temporaries += stepped * kMaster;
        }
        if (const plan::MemoryRule* each = plan_.memory.rule(MemoryAction::keep, MemoryTensors::update_temporaries)) {
            states.update_temporaries += stepped * each->element;
        }
        states.update_gradients += stepped * bytes_.gradient;
        states.update_weights += stepped * bytes_.weight;  // what is trained is kept in full
        states.updated += bytes.weights;
        states.update_traffic +=
            changed / divided * plan::update_traffic(plan::optimizer(plan_.optimizer), size, bytes_);
        return bytes;
    }

    void add_reductions(const WeightKind& kind, const plan::WeightSize& size, Atoms over, StageStates& states) const {
        const bool every_pass = exchanges_every_pass(plan_.exchanged_shard());
        const double ways = static_cast<double>(costed_.mesh.ways(over));
        const bool is_whole = plan_.exchanged_shard() == ShardLevel::states &&
                              plan_.framework[plan::FrameworkParameter::whole_reduction] > 0;
        const Bytes gradient = size.elements * bytes_.reduced;
        if ((over & kind.partial) != 0) {
            add({.what = StateTransfer::What::gradients,
                 .collective = is_whole ? Collective::all_reduce : Collective::reduce_scatter,
                 .atoms = over & kind.partial,
                 .size = gradient,
                 .per_step = every_pass ? passes_ : 1.0,
                 .per_pass = every_pass,
                 .beside = Phase::backward,
                 .time = {}},
                states);
        }
        if ((kind.partial & ~over) != 0) {
            add_all_reduce(kind.partial & ~over, idle_atoms(kind.laid | kind.partial | over), gradient / ways, states);
        }
        if (kind.replicas > 1) {
            add_replica_reduction(kind.laid, gradient / ways, kind.replicas, states);
        }
        if (plan_.places().copies() > 1) {
            add_copies(gradient / ways, states);
        }
    }

    /// Gradients of the other copy.
    void add_copies(Bytes size, StageStates& states) const {
        const Atoms axis = costed_.mesh.axis(*plan_.strategy.pipeline);
        cluster::Group group = costed_.mesh.group(axis);
        check(!group.strides.empty(), "stages lie on a mesh axis");
        group.strides = {{group.strides[0].stride * (plan_.pipeline_stages() - 1), 2}};
        StateTransfer transfer{.what = StateTransfer::What::copied_gradients,
                               .collective = Collective::all_reduce,
                               .atoms = axis,
                               .size = size,
                               .per_step = 1,
                               .per_pass = false,
                               .beside = Phase::backward,
                               .time = {}};
        transfer.ranks = 2;
        transfer.time = time_of(costed_, Collective::all_reduce, group, size, plan_.algorithm);
        states.transfers.push_back(transfer);
    }

    /// Upper bound of the elements that a step changes, over all ranks that reduce together.
    [[nodiscard]] double touched(const WeightKind& kind, const plan::WeightSize& size) const {
        return std::min(size.elements, size.touched * passes_ * static_cast<double>(costed_.mesh.ways(kind.partial)));
    }

    /// Exchange of rows instead of the whole gradient, if some rows stay untouched and it is faster.
    bool add_rows(const WeightKind& kind, const plan::WeightSize& size, Atoms over, StageStates& states) {
        const double mine = std::min(size.elements, size.touched * passes_);
        if (over != 0 || kind.replicas > 1 || mine >= size.elements) {
            return false;
        }
        if (kind.partial != 0) {
            const Bytes sent = mine * bytes_.reduced + mine / size.elements * size.rows * kRowIndex;
            const Bytes gathered = static_cast<double>(costed_.mesh.ways(kind.partial)) * sent;
            const auto rows = time_of(costed_, Collective::all_gather, kind.partial, gathered, plan_.algorithm);
            const auto whole =
                time_of(costed_, Collective::all_reduce, kind.partial, size.elements * bytes_.reduced, plan_.algorithm);
            if (whole.time.value <= rows.time.value) {
                return false;
            }
            states.transfers.push_back({.what = StateTransfer::What::rows,
                                        .collective = Collective::all_gather,
                                        .atoms = kind.partial,
                                        .size = gathered,
                                        .per_step = 1,
                                        .per_pass = false,
                                        .beside = Phase::backward,
                                        .time = rows});
        }
        row_kinds_.insert(kind);
        return true;
    }

    /// Atoms over which ranks of one stage hold the same weight and compute the same gradient.
    [[nodiscard]] Atoms idle_atoms(Atoms busy) const {
        const Atoms stages = plan_.strategy.pipeline ? costed_.mesh.axis(*plan_.strategy.pipeline) : Atoms{0};
        return costed_.mesh.all() & ~busy & ~stages;
    }

    /// Joint reduction: ranks that hold copies of a gradient each reduce a share of it, in one all-reduce over all of
    /// them, where that is faster.
    void add_all_reduce(Atoms atoms, Atoms idle, Bytes size, StageStates& states) const {
        StateTransfer transfer{.what = StateTransfer::What::gradients,
                               .collective = Collective::all_reduce,
                               .atoms = atoms,
                               .size = size,
                               .per_step = 1,
                               .per_pass = false,
                               .beside = Phase::backward,
                               .time = time_of(costed_, Collective::all_reduce, atoms, size, plan_.algorithm)};
        if (idle != 0) {
            const cost::CollectiveTime together =
                time_of(costed_, Collective::all_reduce, atoms | idle, size, plan_.algorithm);
            if (together.time.value < transfer.time.time.value) {
                transfer.atoms = atoms | idle;
                transfer.time = together;
            }
        }
        states.transfers.push_back(transfer);
    }

    void add_gathers(Atoms over, Bytes size, bool backward, StageStates& states) const {
        const bool per_pass = plan_.exchanged_shard() == ShardLevel::parameters;
        const StateTransfer gather{.what = StateTransfer::What::parameters,
                                   .collective = Collective::all_gather,
                                   .atoms = over,
                                   .size = size,
                                   .per_step = per_pass ? passes_ : 1.0,
                                   .per_pass = per_pass,
                                   .beside = Phase::forward,
                                   .time = {}};
        add(gather, states);
        if (per_pass && backward && !plan_.keep_parameters) {
            StateTransfer again = gather;
            again.beside = Phase::backward;
            again.atoms = costed_.mesh.gather_atoms(over);
            if (again.atoms != 0) {
                add(again, states);
            }
        }
    }

    /// Gradients of key/value heads that are replicated within the tensor axis: summed over the copies, which are
    /// neighbours on the axis.
    void add_replica_reduction(Atoms laid, Bytes size, std::int64_t replicas, StageStates& states) const {
        cluster::Group group = costed_.mesh.group(laid);
        group.strides.resize(1);
        group.strides[0].size = replicas;
        StateTransfer transfer{.what = StateTransfer::What::gradients,
                               .collective = Collective::all_reduce,
                               .atoms = laid,
                               .size = size,
                               .per_step = 1,
                               .per_pass = false,
                               .beside = Phase::backward,
                               .time = {}};
        transfer.ranks = replicas;
        transfer.time = time_of(costed_, Collective::all_reduce, group, size, plan_.algorithm);
        states.transfers.push_back(transfer);
    }

    void add(StateTransfer transfer, StageStates& states) const {
        transfer.time = time_of(costed_, transfer.collective, transfer.atoms, transfer.size, plan_.algorithm);
        states.transfers.push_back(transfer);
    }

    const CostedGraph& costed_;
    const plan::Plan& plan_;
    TrainingBytes bytes_;
    Atoms shardable_;
    double passes_;
    std::set<WeightKind> row_kinds_;  ///< whose gradients stay sparse
    std::map<WeightKind, std::vector<plan::Matrices>> matrices_;
};

/// What the first segment of a stage holds of its weights and gradients.
class FirstStates {
public:
    /// `bytes`: of `count` instances of a segment, in the order of the passes.
    void add(const StateBytes& bytes, std::int64_t count) {
        const StateBytes one{
            bytes.weights / static_cast<double>(count), bytes.gradients / static_cast<double>(count), {}};
        first_.weights = all_.weights > Bytes{} ? first_.weights : one.weights;
        first_.gradients = all_.gradients > Bytes{} ? first_.gradients : one.gradients;
        all_ = all_ + bytes;
    }

    [[nodiscard]] AloneShares alone(std::int64_t buckets) const {
        const double bucket = one_of(buckets);
        const auto share = [bucket](Bytes part, Bytes all) {
            return all > Bytes{} ? std::max(bucket, part / all) : bucket;
        };
        return {.reduced = share(first_.gradients, all_.gradients),
                .gathered = share(first_.weights, all_.weights),
                .gathered_again = bucket};
    }

private:
    StateBytes first_;
    StateBytes all_;
};

}  // namespace

namespace {

/// The copy of a weight that a gather group keeps.
Bytes gathered_copy(const plan::Mesh& mesh, const plan::Plan& plan, const WeightKind& kind,
                    const plan::WeightSize& size) {
    if (plan.gather_group == 0 || plan.exchanged_shard() != ShardLevel::parameters) {
        return {};
    }
    const Atoms group = mesh.gather_atoms(mesh.shard_atoms(mesh.axes(plan.strategy.shard_axes)) & ~kind.laid);
    return size.elements / static_cast<double>(mesh.ways(group)) *
           graph::stored_weight(kind.storage, training_bytes(plan.precision).weight);
}

StateBytes own_bytes(const plan::Mesh& mesh, const plan::Plan& plan, const WeightKind& kind,
                     const plan::WeightSize& size, std::optional<double> changed) {
    const TrainingBytes each = bytes_of(plan);
    const Atoms shardable = mesh.shard_atoms(mesh.axes(plan.strategy.shard_axes));
    const auto ways = static_cast<double>(mesh.ways(shardable & ~kind.laid));
    const auto divided = [&](ShardLevel from) { return plan.exchanged_shard() >= from ? ways : 1.0; };
    StateBytes bytes{
        .weights = size.elements / divided(ShardLevel::parameters) * graph::stored_weight(kind.storage, each.weight),
        .gradients = {},
        .optimizer = {}};
    if (kind.frozen) {
        return bytes;
    }
    const double share = changed.value_or(1.0);
    bytes.gradients = share * size.elements / divided(ShardLevel::gradients) * each.gradient +
                      (changed ? share * size.rows * kRowIndex : Bytes{});
    if (plan.memory.has(MemoryAction::keep, MemoryTensors::gradients) && each.weight < each.gradient) {
        bytes.gradients += share * size.elements * each.weight;
    }
    const plan::Optimizer& optimizer = plan::optimizer(plan.optimizer);
    bytes.optimizer = kept_bytes(optimizer, size, each) / divided(ShardLevel::states);
    if (plan.memory.has(MemoryAction::cast, MemoryTensors::weights) &&
        plan.exchanged_shard() == ShardLevel::parameters &&
        (size.sparse() ? optimizer.table : optimizer.dense).master && each.master > Bytes{}) {
        bytes.weights = size.elements / ways * each.master;
        bytes.optimizer = bytes.optimizer - bytes.weights;
    }
    return bytes;
}

}  // namespace

StateBytes state_bytes(const plan::Mesh& mesh, const plan::Plan& plan, const WeightKind& kind,
                       const plan::WeightSize& size, std::optional<double> changed) {
    StateBytes bytes = own_bytes(mesh, plan, kind, size, changed);
    bytes.weights += gathered_copy(mesh, plan, kind, size);
    return bytes;
}

StageStates stage_states(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                         std::int64_t microbatches) {
    StageStates states;
    States sharding(costed, plan, microbatches);
    for (const auto& [kind, size] : weights_by_kind(costed, stage, Held::first)) {
        sharding.add_transfers(kind, size, states);
        states.elements += size.elements;
        states.trained += kind.frozen ? 0 : size.elements;
    }
    for (const auto& [kind, size] : weights_by_kind(costed, stage, Held::again)) {
        sharding.add_transfers(kind, size, states);
    }
    std::int64_t buckets = 0;
    const bool several_passes = costed.graph->post_training.passes > 0;  // one after the other
    std::array<Bytes, 2> before;                                         // gathered for the segment before, by pass
    FirstStates first;
    const Bytes product = training_bytes(plan.precision).weight;
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        const SegmentCost& segment = costed.segments[u];
        const std::int64_t count = stage.count(u);
        if (count == 0) {
            continue;
        }
        StateBytes bytes;
        std::array<Bytes, 2> whole{};
        for (const WeightClass& weight : segment.weights) {
            if (!weight.tied || stage.count(weight.owner_segment) == 0) {
                whole[several_passes && weight.kind.forward_only ? 1 : 0] +=
                    weight.size.elements * graph::stored_weight(weight.kind.storage, product);
                bytes = bytes + sharding.add_memory(weight, static_cast<double>(count), states);
            }
        }
        StateBytes& sum = costed.token_network && !segment.block ? states.token : states.blocks;
        sum = sum + bytes;
        const auto note = [&](Bytes& largest, Bytes all) { largest = max(largest, all / static_cast<double>(count)); };
        note(states.largest.weights, bytes.weights);
        note(states.largest.gradients, bytes.gradients);
        note(states.largest.optimizer, bytes.optimizer);
        first.add(bytes, count);
        for (std::size_t pass = 0; pass < whole.size(); ++pass) {
            buckets += whole[pass] > Bytes{} ? count : 0;
            if (plan.exchanged_shard() == ShardLevel::parameters) {
                const Bytes two = whole[pass] + (count > 1 ? whole[pass] : before[pass]);
                states.gathered = plan.keep_parameters ? states.gathered + static_cast<double>(count) * whole[pass]
                                                       : max(states.gathered, two);
            }
        }
        before = whole;
    }
    sharding.add_matrices(states);
    states.buckets = std::max<std::int64_t>(1, buckets);
    states.alone = first.alone(states.buckets);
    return states;
}

std::vector<StateTransfer> tied_transfers(const CostedGraph& costed, const plan::Plan& plan, const Holder& holder,
                                          std::size_t stage) {
    std::vector<StateTransfer> transfers;
    for (std::size_t u = 0; u < costed.segments.size(); ++u) {
        for (const WeightClass& weight : costed.segments[u].weights) {
            if (weight.kind.frozen || weight.owner_segment == u) {
                continue;
            }
            const std::size_t user = holder(u);
            const std::size_t owner = holder(weight.owner_segment);
            if (user == owner || (stage != user && stage != owner)) {
                continue;
            }
            const Atoms axis = plan.strategy.pipeline ? costed.mesh.axis(*plan.strategy.pipeline) : Atoms{0};
            cluster::Group group = costed.mesh.group(axis);
            check(!group.strides.empty(), "stages lie on a mesh axis");
            const auto apart = static_cast<std::int64_t>(std::max(user, owner) - std::min(user, owner));
            group.strides = {{group.strides[0].stride * apart, 2}};
            StateTransfer transfer{.what = StateTransfer::What::tied_gradients,
                                   .collective = Collective::all_reduce,
                                   .atoms = axis,
                                   .size = weight.size.elements * bytes_of(plan).reduced,
                                   .per_step = 1,
                                   .per_pass = false,
                                   .beside = Phase::backward,
                                   .time = {}};
            transfer.ranks = 2;
            transfer.time = time_of(costed, Collective::all_reduce, group, transfer.size, plan.algorithm);
            transfers.push_back(transfer);
        }
    }
    return transfers;
}

std::vector<StateTransfer> tied_transfers(const CostedGraph& costed, const plan::Plan& plan,
                                          const std::vector<Stage>& stages, std::size_t stage) {
    const auto holder = [&](std::size_t segment) {
        const auto found = find_if(stages, [segment](const Stage& s) { return s.count(segment) > 0; });
        return static_cast<std::size_t>(found - stages.begin());
    };
    return tied_transfers(costed, plan, Holder(holder), stage);
}

}  // namespace dodona::step
