#include "play/step_communication.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "cluster/group_members.hpp"
#include "step/compose_plan.hpp"
#include "step/stage_time.hpp"
#include "step/validate.hpp"

namespace dodona::play {

namespace {

using cluster::Collective;
using plan::Atoms;
using plan::Phase;

class CommunicationBuilder {
public:
    CommunicationBuilder(const step::CostedGraph& costed, const plan::Plan& plan) : costed_(costed), plan_(plan) {}

    StepCommunication build(const step::Replica& replica) {
        StepCommunication all;
        all.ranks = plan_.devices();
        all.stages = plan_.strategy.pipeline ? costed_.mesh.group(costed_.mesh.axis(*plan_.strategy.pipeline))
                                             : cluster::Group{};
        all.lockstep =
            costed_.mesh.group(step::communicating_atoms(*costed_.sharded) | step::boundary_split(costed_, plan_));
        const std::size_t stages = replica.stages.size();
        const schedule::Places& places = replica.places;
        all.positions.resize(static_cast<std::size_t>(places.positions()));
        for (std::size_t s = 0; s < stages; ++s) {
            const step::StageWork& work = replica.stages[s];
            for (std::size_t c = 0; c < work.stage.virtual_stages.size(); ++c) {
                const std::int64_t k = places.position(static_cast<std::int64_t>(s), static_cast<std::int64_t>(c));
                all.positions[static_cast<std::size_t>(k)] = position(work, c);
            }
            StageExchange stage{.states = {},
                                .buckets = work.states.buckets,
                                .first_reduced = work.states.alone.reduced,
                                .first_gathered = work.states.alone.gathered};
            for (const step::StateTransfer& transfer : work.states.transfers) {
                stage.states.push_back(state(transfer));
                if (transfer.what == step::StateTransfer::What::copied_gradients) {
                    stage.states.back().exchange.group = {};
                    stage.states.back().partner = static_cast<std::int32_t>(stages - 1 - s);
                }
            }
            all.by_stage.push_back(std::move(stage));
        }
        add_tied(replica, all);
        return all;
    }

private:
    [[nodiscard]] Exchange exchange(Collective collective, Atoms atoms, Bytes size, const cost::CollectiveTime& time,
                                    const char* what) const {
        return {.collective = collective,
                .group = costed_.mesh.group(atoms),
                .size = size,
                .time = time.time.value,
                .algorithm = time.algorithm,
                .name = fmt::format("{}{} over {}", cluster::name(collective), what,
                                    fmt::join(costed_.mesh.names(atoms), " x "))};
    }

    [[nodiscard]] Exchange of_layer(const step::TimedTransfer& timed) const {
        const plan::Transfer& transfer = timed.what.transfer;
        Exchange made = exchange(transfer.collective, transfer.atoms, timed.size, timed.time, "");
        made.messages = transfer.messages;
        made.count = timed.count;
        const bool to_experts = transfer.collective == Collective::all_to_all;
        made.hidden =
            timed.what.purpose == plan::Purpose::stream ||
            (timed.what.purpose != plan::Purpose::halo && (to_experts ? plan_.overlap.expert : plan_.overlap.tensor));
        return made;
    }

    /// One instance of a segment in a pass.
    [[nodiscard]] SegmentExchange segment(const step::Stage& stage, std::size_t u, Pass pass) const {
        const step::SegmentCost& costs = costed_.segments[u];
        SegmentExchange made;
        made.weights = std::any_of(costs.weights.begin(), costs.weights.end(), [&](const step::WeightClass& weight) {
            return weight.size.elements > 0 && !(weight.tied && stage.count(weight.owner_segment) > 0);
        });
        for (const step::TimedTransfer& timed : costs.transfers) {
            const bool forward = timed.what.phase == Phase::forward;
            const bool in_pass = forward == (pass == Pass::forward);
            if (pass == Pass::recompute ? step::runs_again(timed, costs, plan_) : in_pass) {
                made.exchanges.push_back(of_layer(timed));
            }
        }
        return made;
    }

    [[nodiscard]] PassExchange pass(const step::Stage& stage, const step::VirtualStage& part, Pass which) const {
        PassExchange made;
        Seconds compute;
        for (std::size_t i = 0; i < part.counts.size(); ++i) {
            const std::size_t u = which == Pass::backward ? part.counts.size() - 1 - i : i;
            const std::int64_t instances =
                which == Pass::recompute ? step::repeated(costed_, plan_, part, u) : part.counts[u];
            if (instances == 0) {
                continue;
            }
            const step::SegmentPass costs = step::segment_pass(costed_.segments[u], plan_);
            const step::PassSeconds seconds = step::seconds_of(which == Pass::forward    ? costs.forward
                                                               : which == Pass::backward ? costs.backward
                                                                                         : costs.recompute);
            const auto count = static_cast<double>(instances);
            made.exposed += count * (seconds.layer + seconds.halo);
            compute += count * seconds.compute;
            SegmentExchange one = segment(stage, u, which);
            one.share = seconds.compute.in(unit::second);
            made.segments.insert(made.segments.end(), static_cast<std::size_t>(instances), one);
        }
        for (SegmentExchange& one : made.segments) {
            one.share = compute > Seconds{} ? one.share / compute.in(unit::second)
                                            : 1.0 / static_cast<double>(made.segments.size());
        }
        return made;
    }

    [[nodiscard]] PositionExchange position(const step::StageWork& work, std::size_t c) const {
        const step::Stage& stage = work.stage;
        const step::VirtualStage& part = stage.virtual_stages[c];
        PositionExchange made;
        for (const Pass which : {Pass::forward, Pass::recompute, Pass::backward}) {
            made.passes[static_cast<std::size_t>(which)] = pass(stage, part, which);
        }
        const step::Boundary& boundary = work.virtual_stages[c].boundary;
        if (boundary.time > Seconds{}) {
            made.received = boundary.arriving.sent;
            if (boundary.arriving.gathered > Bytes{}) {
                made.gathers.push_back(exchange(Collective::all_gather, step::boundary_split(costed_, plan_),
                                                boundary.arriving.gathered, boundary.gather, " of what was received"));
            }
        }
        return made;
    }

    [[nodiscard]] StateExchange state(const step::StateTransfer& transfer) const {
        using What = step::StateTransfer::What;
        const bool gathers = transfer.what == What::parameters;
        StateExchange made{.exchange = exchange(transfer.collective, transfer.atoms, transfer.size, transfer.time,
                                                gathers ? " of weights" : " of gradients")};
        made.gathers = gathers;
        made.exchange.hidden = gathers ? plan_.overlap.parameters : plan_.overlap.gradients;
        if (transfer.ranks > 0) {  // copies that are neighbours on their axis
            made.exchange.group.strides.resize(1);
            made.exchange.group.strides[0].size = transfer.ranks;
        }
        made.moment = !transfer.per_pass                  ? ExchangeMoment::once
                      : transfer.beside == Phase::forward ? ExchangeMoment::every_forward
                                                          : ExchangeMoment::every_backward;
        return made;
    }

    /// Gradients of weights that two stages hold (step::tied_transfers), with the other stage of each.
    void add_tied(const step::Replica& replica, StepCommunication& all) const {
        const std::size_t stages = replica.stages.size();
        const auto holder = [&](std::size_t u) {
            std::size_t s = 0;
            while (s < stages && replica.stages[s].stage.count(u) == 0) {
                ++s;
            }
            return s;
        };
        for (std::size_t u = 0; u < costed_.segments.size(); ++u) {
            for (const step::WeightClass& weight : costed_.segments[u].weights) {
                const std::size_t user = holder(u);
                const std::size_t owner = holder(weight.owner_segment);
                if (!weight.tied || weight.kind.frozen || user == owner || user >= stages || owner >= stages) {
                    continue;
                }
                const auto& transfers = replica.stages[user].transfers;
                const auto tied = std::find_if(transfers.begin(), transfers.end(), [](const auto& transfer) {
                    return transfer.what == step::StateTransfer::What::tied_gradients;
                });
                check(tied != transfers.end(), "a stage that uses a tied weight exchanges its gradient");
                StateExchange made = state(*tied);
                made.exchange.name = "all-reduce of the gradient of a tied weight";
                made.exchange.group = {};
                made.partner = static_cast<std::int32_t>(owner);
                all.by_stage[user].states.push_back(made);
                made.partner = static_cast<std::int32_t>(user);
                all.by_stage[owner].states.push_back(made);
            }
        }
    }

    const step::CostedGraph& costed_;
    const plan::Plan& plan_;
};

}  // namespace

std::int64_t StepCommunication::stage_of(std::int64_t rank) const { return cluster::member_index(stages, rank); }

std::int64_t StepCommunication::counterpart(std::int64_t rank, std::int64_t stage) const {
    return cluster::member(stages, rank, stage);
}

StepCommunication step_communication(const graph::Graph& graph, const cluster::Cluster& cluster,
                                     const plan::Plan& plan) {
    step::validate(graph, cluster, plan, {});
    const step::CostedGraph costed = step::cost_graph(graph, cluster, plan, {});
    if (costed.placement.mixed()) {
        fail({}, "the ranks of this plan are on several kinds of devices, and their replicas differ",
             "one kind of device");
    }
    const std::int64_t microbatches = plan.batch / (costed.sharded->data_ways * plan.microbatch);
    step::ScheduleTimings orders;
    const step::ComposedStep composed =
        step::compose_plan(costed, plan, step::replica_groups(costed, plan), microbatches, orders);
    return CommunicationBuilder(costed, plan).build(composed.replicas[composed.critical]);
}

}  // namespace dodona::play
