#include "step/replica.hpp"

#include <algorithm>

#include "base/ranges.hpp"

namespace dodona::step {

namespace {

/// `part` of `whole`; an equal share of the virtual stages where there is nothing to share by.
double share_of(Seconds part, Seconds whole, std::size_t virtual_stages) {
    return whole > Seconds{} ? part / whole : 1 / static_cast<double>(virtual_stages);
}

/// Waits of a stage are dealt to its virtual stages by the time of their kernels and collectives.
std::vector<VirtualStageWork> virtual_stages(const StageWork& work, const plan::Plan& plan, std::size_t index) {
    const std::vector<VirtualStage>& all = work.stage.virtual_stages;
    const PassTotals whole = work.pass.alone();
    std::vector<VirtualStageWork> parts;
    const schedule::Places places = plan.places();
    for (std::size_t c = 0; c < all.size(); ++c) {
        VirtualStageWork& part = parts.emplace_back();
        part.pass = all.size() == 1 ? work.pass : stage_pass(*work.on, plan, {{all[c]}}, receiver(places, index, c));
        const StagePass& pass = part.pass;
        part.forward = share_of(pass.alone().forward, whole.forward, all.size());
        part.back = share_of(pass.alone().back, whole.back, all.size());
        if (const Seconds back = pass.alone().back; back > Seconds{}) {
            part.recompute = pass.recompute.total().value / back;
            part.weights = pass.backward.weight_gradients / back;
        }
        if (places.sender(static_cast<std::int64_t>(index), static_cast<std::int64_t>(c))) {
            part.boundary = pass.boundary;
        }
    }
    for (std::size_t c = 0; plan::overlaps_pairs(plan.schedule) && c < all.size(); ++c) {
        const std::size_t partner = places.placement == schedule::Placement::loop ? c : all.size() - 1 - c;
        const StagePass& back = parts[partner].pass;
        parts[c].hidden =
            hidden_in_pair(hideable(parts[c].pass.forward, plan), hideable(back.backward + back.recompute, plan), plan);
    }
    return parts;
}

/// What a stage keeps for its micro-batches in flight.
KeptActivations kept_on(const CostedGraph& on, const plan::Plan& plan, const Stage& stage, std::size_t index,
                        std::int64_t microbatches, ScheduleTimings& orders) {
    const auto at = static_cast<std::int64_t>(index);
    const std::vector<schedule::Holding> held = orders.in_flight(plan.schedule, plan.places(), at, microbatches);
    KeptActivations kept = kept_activations(on, plan, stage, held, microbatches);
    const schedule::Schedule& schedule = plan::schedule_of(plan.schedule);
    kept.weight_versions = schedule::weight_versions(schedule, plan.pipeline_stages(), microbatches, at);
    return kept;
}

/// The links over which a stage receives, by virtual stage; none at the first position.
std::vector<std::optional<cluster::Group>> links(const CostedGraph& on, const plan::Plan& plan, std::size_t index) {
    const schedule::Places places = plan.places();
    const plan::Atoms axis = on.mesh.axis(*plan.strategy.pipeline);
    std::vector<std::optional<cluster::Group>> found{neighbours(on, axis, index)};
    for (std::int64_t c = 0; c < places.on_stage(); ++c) {
        const bool receives = places.sender(static_cast<std::int64_t>(index), c).has_value();
        found.push_back(receives
                            ? std::optional(neighbours(on, axis, receiver(places, index, static_cast<std::size_t>(c))))
                            : std::nullopt);
    }
    return found;
}

/// Whether the stage after `before` takes as long: it holds the same on the same devices and receives alike, and
/// neither has a tied weight nor copies to the host, which depend on what is in flight.
bool repeats(const StageWork& before, const CostedGraph& on, const plan::Plan& plan, const std::vector<Stage>& cut,
             std::size_t index) {
    const bool tied = before.transfers.size() != before.states.transfers.size();
    return before.on == &on && before.stage == cut[index] && !tied && !plan.offload.any() &&
           tied_transfers(on, plan, cut, index).empty() && links(on, plan, index - 1) == links(on, plan, index);
}

/// `before`: the stage before, if there is one.
StageWork stage_work(const CostedGraph& on, const plan::Plan& plan, const std::vector<Stage>& cut, std::size_t index,
                     std::int64_t all_microbatches, ScheduleTimings& orders, const StageWork* before) {
    const std::int64_t microbatches = all_microbatches / plan.places().copies();
    if (before != nullptr && repeats(*before, on, plan, cut, index)) {
        StageWork work = *before;
        work.kept = kept_on(on, plan, work.stage, index, all_microbatches, orders);
        work.memory = stage_memory(on, plan, work.stage, work.states, work.kept, cut.size());
        return work;
    }
    StageWork work;
    work.on = &on;
    work.stage = cut[index];
    work.pass = stage_pass(on, plan, work.stage, index);
    work.virtual_stages = virtual_stages(work, plan, index);
    work.states = stage_states(on, plan, work.stage, microbatches);
    work.transfers = work.states.transfers;
    append(work.transfers, tied_transfers(on, plan, cut, index));
    work.kept = kept_on(on, plan, work.stage, index, all_microbatches, orders);
    const PassTotals alone = work.pass.totals();
    work.offload = stage_offload(*on.cluster, plan, work.states, work.kept, alone, microbatches);
    work.pass.copies = work.offload.exposed;
    work.exposed = exposed_states(work.transfers, work.pass, {*on.cluster, plan, microbatches, work.states.alone});
    const double share = on.counts.trained > 0 ? work.states.trained / on.counts.trained : 0.0;
    work.update = update_time(on, plan, work.states, share);
    work.memory = stage_memory(on, plan, work.stage, work.states, work.kept, cut.size());
    add_pages(work.offload, *on.cluster, plan, work.states, work.memory.total() - on.memory_limit(), microbatches);
    work.offload.exposed_update = exposed_update(
        work.offload, plan, {alone.back, work.exposed.gradients, work.update.value}, work.states.buckets);
    return work;
}

std::vector<MicrobatchShare> deal_to(const std::vector<ReplicaGroup>& groups, const ComposedStep& composed,
                                     const plan::Plan& plan, std::int64_t microbatches) {
    if (groups.size() == 1) {
        return {{microbatches, groups.front().count}};
    }
    ScheduleTimings orders;
    std::vector<Workers> workers;
    std::int64_t total = 0;
    for (std::size_t k = 0; k < groups.size(); ++k) {
        const Replica& replica = composed.replicas[k];
        const auto time = [&replica, &plan, &orders](std::int64_t m) {
            const std::vector<Position<Seconds>> positions = positions_of<Seconds>(replica);
            return growing_total(pipeline_of(positions, plan, m), orders);
        };
        workers.push_back({groups[k].count, time});
        total += groups[k].count * microbatches;
    }
    return deal(workers, total);
}

}  // namespace

const StageWork& Replica::slowest_tail() const {
    return *std::max_element(stages.begin(), stages.end(),
                             [](const StageWork& a, const StageWork& b) { return a.tail() < b.tail(); });
}

std::vector<ReplicaGroup> replica_groups(const CostedGraph& costed, const plan::Plan& plan) {
    if (!costed.placement.mixed()) {
        const std::int64_t stages =
            plan.strategy.pipeline ? costed.mesh.ways(costed.mesh.axis(*plan.strategy.pipeline)) : 1;
        return {{std::vector<const CostedGraph*>(static_cast<std::size_t>(stages), &costed), 1}};
    }
    std::vector<ReplicaGroup> groups;
    for (const ReplicaKind& kind : exchanges_every_pass(plan.exchanged_shard()) ? in_step(costed.placement).replicas
                                                                                : costed.placement.replicas) {
        ReplicaGroup group{.on = {}, .count = kind.count};
        append(group.on, kind.devices, [&](const DeviceSet set) { return &costed.on(set); });
        groups.push_back(std::move(group));
    }
    return groups;
}

Replica replica(const ReplicaGroup& group, const plan::Plan& plan, const std::vector<Stage>& cut,
                std::int64_t microbatches, ScheduleTimings& orders) {
    Replica replica{.places = plan.places(), .microbatches = microbatches, .stages = {}, .pipeline = {}};
    replica.stages.reserve(cut.size());
    for (std::size_t i = 0; i < cut.size(); ++i) {
        const StageWork* before = i > 0 ? &replica.stages.back() : nullptr;
        replica.stages.push_back(stage_work(*group.on[i], plan, cut, i, microbatches, orders, before));
    }
    const std::vector<Position<Seconds>> positions = positions_of<Seconds>(replica);
    replica.pipeline = pipeline_time(pipeline_of(positions, plan, microbatches), orders);
    return replica;
}

Seconds passes_of(const Replica& replica, const plan::Plan& plan, std::int64_t microbatches) {
    ScheduleTimings orders;
    const std::vector<Position<Seconds>> positions = positions_of<Seconds>(replica);
    return pipeline_total(pipeline_of(positions, plan, microbatches), orders);
}

std::size_t receiver(const schedule::Places& places, std::size_t stage, std::size_t index) {
    const auto at = static_cast<std::int64_t>(stage);
    const std::int64_t sender = places.sender(at, static_cast<std::int64_t>(index)).value_or(at);
    return sender == at + 1 ? stage + 1 : stage;
}

const Boundary& boundary_at(const Replica& replica, std::int64_t position) {
    const Boundary* slowest = nullptr;
    const schedule::Places& places = replica.places;
    for (std::int64_t copy = 0; copy < places.copies(); ++copy) {
        const std::int64_t stage = copy == 0 ? places.stage(position) : places.stages - 1 - places.stage(position);
        const std::int64_t index = copy == 0 ? places.index(position) : copy;
        const Boundary& here =
            replica.stages[static_cast<std::size_t>(stage)].virtual_stages[static_cast<std::size_t>(index)].boundary;
        slowest = slowest == nullptr || slowest->time < here.time ? &here : slowest;
    }
    return *slowest;
}

std::vector<Boundary> received(const Replica& replica, std::size_t stage) {
    std::vector<Boundary> found;
    const schedule::Places& places = replica.places;
    for (std::int64_t i = 0; i < places.on_stage(); ++i) {
        const std::int64_t k = places.position(static_cast<std::int64_t>(stage), i);
        if (k > 0) {
            found.push_back(boundary_at(replica, k));
        }
        if (k + 1 < places.positions()) {
            found.push_back(boundary_at(replica, k + 1));
        }
    }
    return found;
}

template <>
std::vector<Position<Seconds>> positions_of(const Replica& replica) {
    std::vector<Position<Seconds>> positions;
    for_each_position(replica, [&](const StageWork& stage, const VirtualStageWork& part) {
        const PassTotals whole = stage.pass.totals();
        const Seconds in_time = whole.back - stage.pass.copies.back.time;
        positions.push_back({.forward = part.forward * whole.forward,
                             .back = part.back * whole.back,
                             .weight_gradients = part.weights * part.back * in_time,
                             .receive = boundary_at(replica, static_cast<std::int64_t>(positions.size())).time,
                             .hidden = part.hidden.value});
    });
    return positions;
}

const StageWork& ComposedStep::slowest_tail() const {
    const StageWork* slowest = &replicas.front().slowest_tail();
    for (const Replica& other : replicas) {
        if (const StageWork& tail = other.slowest_tail(); tail.tail() > slowest->tail()) {
            slowest = &tail;
        }
    }
    return *slowest;
}

double ComposedStep::fullness() const {
    Bytes needed;
    Bytes there;
    for (const Replica& replica : replicas) {
        for (const StageWork& work : replica.stages) {
            needed += work.memory.total();
            there += work.on->memory_limit();
        }
    }
    return needed / there;
}

bool ComposedStep::fits() const {
    return std::all_of(replicas.begin(), replicas.end(), [](const Replica& replica) {
        return std::all_of(replica.stages.begin(), replica.stages.end(),
                           [](const StageWork& work) { return work.memory.total() <= work.on->memory_limit(); });
    });
}

Seconds passes_alone(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan, const std::vector<Stage>& cut,
                     std::int64_t microbatches) {
    ComposedStep composed;
    for (const ReplicaGroup& group : groups) {
        Replica& passes_only = composed.replicas.emplace_back();
        passes_only.places = plan.places();
        for (std::size_t i = 0; i < cut.size(); ++i) {
            StageWork& work = passes_only.stages.emplace_back();
            work.on = group.on[i];
            work.stage = cut[i];
            work.pass = stage_pass(*work.on, plan, work.stage, i);
            work.virtual_stages = virtual_stages(work, plan, i);
        }
    }
    composed.dealt = deal_to(groups, composed, plan, microbatches);
    Seconds slowest;
    for (std::size_t k = 0; k < groups.size(); ++k) {
        slowest = max(slowest, passes_of(composed.replicas[k], plan, composed.dealt[k].most));
    }
    return slowest;
}

ComposedStep compose_step(const std::vector<ReplicaGroup>& groups, const plan::Plan& plan,
                          const std::vector<Stage>& cut, std::int64_t microbatches, ScheduleTimings& orders) {
    ComposedStep composed;
    for (const ReplicaGroup& group : groups) {
        composed.replicas.push_back(replica(group, plan, cut, microbatches, orders));
    }
    composed.dealt = deal_to(groups, composed, plan, microbatches);
    for (std::size_t k = 0; k < groups.size(); ++k) {
        if (composed.dealt[k].most != microbatches) {
            composed.replicas[k] = replica(groups[k], plan, cut, composed.dealt[k].most, orders);
        }
        if (composed.replicas[k].passes() > composed.replicas[composed.critical].passes()) {
            composed.critical = k;
        }
    }
    return composed;
}

}  // namespace dodona::step
