#include "schedule/state_sharding.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/check.hpp"

namespace dodona::schedule {

using cluster::Collective;
using plan::Atoms;
using plan::Phase;
using plan::ShardLevel;

namespace {

constexpr Bytes kFour = Bytes::of_base(4);

TrainingBytes bytes_of(const plan::Plan& plan) {
    TrainingBytes bytes = training_bytes(plan.precision);
    if (plan.gradient_precision) {
        bytes.gradient = stored_bytes(*plan.gradient_precision);
        bytes.reduced = bytes.gradient;
    }
    return bytes;
}

using Key = std::tuple<Atoms, Atoms, std::int64_t>;  ///< laid, partial, replicas

/// Weights of a stage by layout; a tied weight counts where its owner is not on the stage.
std::map<Key, double> weights_by_layout(const CostedGraph& costed, const Stage& stage) {
    std::map<Key, double> classes;
    for (std::size_t u = 0; u < costed.units.size(); ++u) {
        const auto count = static_cast<double>(stage.count(u));
        for (const WeightClass& weight : costed.units[u].weights) {
            if (count > 0 && !(weight.tied && stage.count(weight.owner_unit) > 0)) {
                classes[{weight.laid, weight.partial, weight.replicas}] += count * weight.elements;
            }
        }
    }
    return classes;
}

class States {
public:
    States(const CostedGraph& costed, const plan::Plan& plan, std::int64_t microbatches)
        : costed_(costed),
          plan_(plan),
          bytes_(bytes_of(plan)),
          shardable_(costed.mesh.shard_atoms(costed.mesh.axes(plan.strategy.shard_axes))),
          passes_(static_cast<double>(microbatches)) {}

    /// Collectives for `elements` local parameters of one layout.
    void add_transfers(const Key& key, double elements, StageStates& states) const {
        const auto [laid, partial, replicas] = key;
        const Atoms over = plan_.shard == ShardLevel::none ? Atoms{0} : shardable_ & ~laid;
        const double ways = static_cast<double>(costed_.mesh.ways(over));
        const Bytes gradient = elements * bytes_.reduced;
        const bool every_pass = plan_.shard == ShardLevel::gradients || plan_.shard == ShardLevel::parameters;
        if ((over & partial) != 0) {
            add({.what = StateTransfer::What::gradients,
                 .collective = Collective::reduce_scatter,
                 .atoms = over & partial,
                 .size = gradient,
                 .per_step = every_pass ? passes_ : 1.0,
                 .per_pass = every_pass,
                 .beside = Phase::backward,
                 .time = {}},
                states);
        }
        if ((partial & ~over) != 0) {
            add_all_reduce(partial & ~over, idle_atoms(laid | partial | over), gradient / ways, states);
        }
        if (replicas > 1) {
            add_replica_reduction(laid, gradient / ways, replicas, states);
        }
        if (over != 0) {
            add_gathers(over, elements * bytes_.weight, states);
        }
    }

    void add_memory(double elements, Atoms laid, Bytes& weights, Bytes& gradients, Bytes& optimizer,
                    Bytes& traffic) const {
        const auto ways = static_cast<double>(costed_.mesh.ways(shardable_ & ~laid));
        const auto divided = [&](ShardLevel from) { return plan_.shard >= from ? ways : 1.0; };
        const Bytes kept = bytes_.master + optimizer_bytes(plan_.optimizer);
        weights += elements / divided(ShardLevel::parameters) * bytes_.weight;
        gradients += elements / divided(ShardLevel::gradients) * bytes_.gradient;
        optimizer += elements / divided(ShardLevel::states) * kept;
        // The update reads gradient and states, writes states and weight; without a master copy it reads the weight.
        const Bytes read_weight = bytes_.master > Bytes{} ? Bytes{} : bytes_.weight;
        traffic +=
            elements / divided(ShardLevel::states) * (2.0 * kept + bytes_.gradient + read_weight + bytes_.weight);
    }

private:
    /// Atoms over which ranks of one stage hold the same weight and have computed the same gradient.
    [[nodiscard]] Atoms idle_atoms(Atoms busy) const {
        const Atoms stages = plan_.strategy.pipeline ? costed_.mesh.axis(*plan_.strategy.pipeline) : Atoms{0};
        return costed_.mesh.all() & ~busy & ~stages;
    }

    /// Ranks that hold copies of the same gradient and would share a link to reduce it several times over reduce it
    /// together instead, each a share of it, where that is faster: one all-reduce over all of them.
    void add_all_reduce(Atoms atoms, Atoms idle, Bytes size, StageStates& states) const {
        StateTransfer transfer{.what = StateTransfer::What::gradients,
                               .collective = Collective::all_reduce,
                               .atoms = atoms,
                               .size = size,
                               .per_step = 1,
                               .per_pass = false,
                               .beside = Phase::backward,
                               .time = time_of(costed_, Collective::all_reduce, atoms, size, plan_.algorithm)};
        if (transfer.time.contention > 1 && idle != 0) {
            const cost::CollectiveTime together =
                time_of(costed_, Collective::all_reduce, atoms | idle, size, plan_.algorithm);
            if (together.time.value < transfer.time.time.value) {
                transfer.atoms = atoms | idle;
                transfer.time = together;
            }
        }
        states.transfers.push_back(transfer);
    }

    void add_gathers(Atoms over, Bytes size, StageStates& states) const {
        const bool per_pass = plan_.shard == ShardLevel::parameters;
        const StateTransfer gather{.what = StateTransfer::What::parameters,
                                   .collective = Collective::all_gather,
                                   .atoms = over,
                                   .size = size,
                                   .per_step = per_pass ? passes_ : 1.0,
                                   .per_pass = per_pass,
                                   .beside = Phase::forward,
                                   .time = {}};
        add(gather, states);
        if (per_pass && !plan_.keep_parameters) {
            StateTransfer again = gather;
            again.beside = Phase::backward;
            add(again, states);
        }
    }

    /// Key/value heads held several times within the tensor axis: their gradients are summed among the copies, which
    /// are neighbours on the axis.
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
};

}  // namespace

Bytes optimizer_bytes(plan::OptimizerKind kind) {
    switch (kind) {
        case plan::OptimizerKind::sgd: return {};
        case plan::OptimizerKind::momentum: return kFour;
        case plan::OptimizerKind::adam: return 2.0 * kFour;
    }
    throw InternalError("an optimizer without states");
}

StageStates stage_states(const CostedGraph& costed, const plan::Plan& plan, const Stage& stage,
                         std::int64_t microbatches) {
    StageStates states;
    const States sharding(costed, plan, microbatches);
    for (const auto& [key, elements] : weights_by_layout(costed, stage)) {
        sharding.add_transfers(key, elements, states);
        states.elements += elements;
    }
    std::int64_t buckets = 0;
    for (std::size_t u = 0; u < costed.units.size(); ++u) {
        const UnitCost& unit = costed.units[u];
        const std::int64_t count = stage.count(u);
        double unit_elements = 0;
        for (const WeightClass& weight : unit.weights) {
            if (count == 0 || (weight.tied && stage.count(weight.owner_unit) > 0)) {
                continue;
            }
            const double elements = static_cast<double>(count) * weight.elements;
            unit_elements += weight.elements;
            const bool token = costed.token_network && !unit.block;
            sharding.add_memory(elements, weight.laid, token ? states.token_states : states.weights,
                                token ? states.token_states : states.gradients,
                                token ? states.token_states : states.optimizer, states.update_traffic);
        }
        buckets += unit_elements > 0 ? count : 0;
        if (plan.shard == ShardLevel::parameters) {
            const Bytes unit_bytes = unit_elements * training_bytes(plan.precision).weight;
            states.gathered = plan.keep_parameters ? states.gathered + static_cast<double>(count) * unit_bytes
                                                   : max(states.gathered, 2.0 * unit_bytes);
        }
    }
    states.buckets = std::max<std::int64_t>(1, buckets);
    return states;
}

std::vector<StateTransfer> tied_transfers(const CostedGraph& costed, const plan::Plan& plan,
                                          const std::vector<Stage>& stages, std::size_t stage) {
    std::vector<StateTransfer> transfers;
    for (std::size_t u = 0; u < costed.units.size(); ++u) {
        for (const WeightClass& weight : costed.units[u].weights) {
            if (!weight.tied || weight.owner_unit == u) {
                continue;
            }
            const auto holds = [](std::size_t unit) { return [unit](const Stage& s) { return s.count(unit) > 0; }; };
            const auto user = std::find_if(stages.begin(), stages.end(), holds(u));
            const auto owner = std::find_if(stages.begin(), stages.end(), holds(weight.owner_unit));
            if (user == owner) {
                continue;
            }
            const auto at = [&](auto position) { return static_cast<std::size_t>(position - stages.begin()); };
            if (stage != at(user) && stage != at(owner)) {
                continue;
            }
            const Atoms axis = plan.strategy.pipeline ? costed.mesh.axis(*plan.strategy.pipeline) : Atoms{0};
            cluster::Group group = costed.mesh.group(axis);
            check(!group.strides.empty(), "stages lie on a mesh axis");
            const auto apart = static_cast<std::int64_t>(at(std::max(user, owner)) - at(std::min(user, owner)));
            group.strides = {{group.strides[0].stride * apart, 2}};
            StateTransfer transfer{.what = StateTransfer::What::tied_gradients,
                                   .collective = Collective::all_reduce,
                                   .atoms = axis,
                                   .size = weight.elements * bytes_of(plan).reduced,
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

}  // namespace dodona::schedule
