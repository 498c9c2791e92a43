// What a plan's step sends, and between which ranks: by position for its passes, by stage for weights and gradients.
//
// The same collectives, sizes and times as in the closed form (step/communication.hpp), but with their groups and in the
// order of the layers. Ranks of a stage do the same, each in its own group.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/cluster.hpp"
#include "graph/graph.hpp"
#include "plan/plan.hpp"
#include "step/prediction.hpp"

namespace dodona::play {

/// One collective, or point-to-point transfers, among the members of a kind of group (cluster/group_members.hpp).
struct Exchange {
    cluster::Collective collective = cluster::Collective::all_reduce;
    cluster::Group group;
    Bytes size;        ///< as cost::CollectiveRequest has it
    int messages = 1;  ///< of a halo: neighbours that a rank sends to
    double count = 1;  ///< how often, one after the other
    Seconds time;      ///< of one, as tabulated
    cluster::Algorithm algorithm = cluster::Algorithm::ring;
    bool hidden = false;  ///< runs beside compute where it can
    std::string name;     ///< "all-gather of activations"
};

/// One segment of the network in a pass.
struct SegmentExchange {
    double share = 0;                 ///< of the pass's compute
    bool weights = false;             ///< it holds weights
    std::vector<Exchange> exchanges;  ///< after its compute
};

enum class Pass : std::uint8_t { forward, recompute, backward };

/// Segments in the order in which the pass runs through them.
struct PassExchange {
    std::vector<SegmentExchange> segments;
    Seconds exposed;  ///< of the pass's time: collectives that nothing hides
};

/// A position receives from the one before in forward, and sends a gradient as large back.
struct PositionExchange {
    std::array<PassExchange, 3> passes;  ///< by Pass
    Bytes received;                      ///< by each rank, from one rank
    std::vector<Exchange> gathers;       ///< of what it received, among the receivers

    [[nodiscard]] const PassExchange& of(Pass pass) const { return passes[static_cast<std::size_t>(pass)]; }
};

/// When weights or gradients are exchanged.
enum class ExchangeMoment : std::uint8_t { once, every_forward, every_backward };

/// An exchange of weights or gradients of a whole stage.
struct StateExchange {
    Exchange exchange;
    ExchangeMoment moment = ExchangeMoment::once;
    bool gathers = false;       ///< weights; otherwise gradients
    std::int32_t partner = -1;  ///< of a tied weight: the other stage that holds it; the group is then empty
};

struct StageExchange {
    std::vector<StateExchange> states;
    std::int64_t buckets = 1;   ///< parts in which a hidden exchange goes
    double first_reduced = 1;   ///< share of gradients that the first of these has, in forward order
    double first_gathered = 1;  ///< ... of weights
};

struct StepCommunication {
    cluster::Group stages;    ///< the ranks of one pipeline; empty: one stage
    cluster::Group lockstep;  ///< ranks that exchange something within a pass
    std::vector<PositionExchange> positions;
    std::vector<StageExchange> by_stage;
    std::int64_t ranks = 1;
    [[nodiscard]] std::int64_t stage_of(std::int64_t rank) const;
    /// The rank in the same place of another stage.
    [[nodiscard]] std::int64_t counterpart(std::int64_t rank, std::int64_t stage) const;
};

/// Throws InputError as step::cost_plan, and for a plan on several kinds of devices, whose replicas differ. Domain: a
/// plan that runs.
StepCommunication step_communication(const graph::Graph& graph, const cluster::Cluster& cluster,
                                     const plan::Plan& plan);

}  // namespace dodona::play
