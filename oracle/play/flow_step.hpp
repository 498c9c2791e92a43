// A plan's step with its transfers as flows between all ranks, on the topology of the cluster, so that what runs at the
// same time shares links.
//
// Flows are sends between stages, the reduction of gradients and the gathers of weights. Of exchanges that a plan hides
// behind compute, flows are the share that the closed form exposes. Passes take what they take in the tables, collectives
// of their layers and gathers on arrival included, and ranks that exchange something within a pass run in step.
// Exchanges that have no flows (exchange_flows.hpp) take their time of the tables.
//
// A stage that waits for others within an exchange is busy with it, as a communication library keeps its stream.
//
// Other jobs beside it have nodes of their own and start at the same time. Nodes are dealt in turn to the jobs that lack
// some. A job whose step is shorter begins it anew until this one's is over.
//
// Why it differs from the tables: sends of all replicas and of both directions meet on the links, fast stages and slow
// ones reduce at different times, a ring has the latencies of its own edges instead of the largest, and flows know
// neither measured curves nor algorithms other than rings.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster.hpp"
#include "play/simulated_step.hpp"
#include "play/step_communication.hpp"

namespace dodona::play {

/// A part of the network and what is left of its links; 0: they are dead, and routes lead round them.
using DegradedPart = std::pair<std::string, double>;

/// A job on the machine: its step as it takes the times of the tables, and what it sends.
struct NetworkJob {
    std::string name;  ///< for reports
    SimulatedStep step;
    StepCommunication communication;
};

/// What else there is on the network.
struct NetworkConditions {
    std::vector<DegradedPart> degraded = {};
    std::vector<NetworkJob> beside = {};
};

/// Plays the step anew. Its timeline, stages and played parts are then those of the replica that finishes last; the
/// critical path may lead through others, and through other jobs. Throws InputError for a step that is too large to play
/// so, for parts that the network does not have, for ranks that dead links cut off and for more jobs than the machine has
/// nodes for.
void play_flows(SimulatedStep& step, const StepCommunication& communication, const cluster::Cluster& cluster,
                const NetworkConditions& conditions = {});

}  // namespace dodona::play
