// What an exchange adds to a step, in closed form.
//
// Letters: C compute of a step, tau steps from one exchange to the next, e one exchange of a worker with compression, E
// one of all workers at once, Q what the busiest link or server works for one exchange of every worker.
//
//   synchronous, gradients       C + exposed messages (message_queue.hpp), or C + E without overlap
//   synchronous, weights         C + E / tau, or max(C, E) where weights travel beside every step
//   asynchronous, bounded        max( C + e / tau, Q / tau ): a bound that is met where workers are out of phase
//   ... neighbours that overlap  max( C + sums, e - sums, Q ): a worker sends during its next step
//
// With the weights of the best worker after every b steps (n-1) (2 alpha + (4 B + S) / B_far) / b come on top: the first
// worker hears the accuracy of each other one, and sends the weights to one after the other.
//
// Staleness counts updates of others between reading weights and applying what was computed from them: m - 1 of an
// asynchronous exchange with servers, on average, since between two updates of one of its m workers each other one makes
// one (m: n; below the root of a tree ceil(log2(n+1))); at most 2 (bound + 1) (m - 1) of a bounded one, since each
// other one may first catch up `bound` steps and then get as many ahead; 0 of a synchronous one. Neighbours and gossip apply updates to no common
// copy: their spread counts.
// Not modelled: random step times (`dodona simulate --exchange` plays them); how many more steps are needed.
// Source: Langer et al., arXiv:2007.03970; Ho et al., NIPS 2013 (stale synchronous parallel), for bounds.
#pragma once

#include <optional>
#include <vector>

#include "exchange/message_queue.hpp"
#include "exchange/pattern_cost.hpp"
#include "exchange/spread.hpp"

namespace dodona::exchange {

/// Exposed and hidden time of a step, over those of the queue of messages, in the software of a plan. One of them is 1:
/// either less is exposed than in the queue, or less is hidden.
struct Shown {
    double exposed = 1;
    double hidden = 1;
};

/// What the replicas do between exchanges, on one worker.
struct ReplicaWork {
    std::vector<LayerWork> layers;  ///< of the last micro-batch, in the order of the forward pass
    Seconds compute;                ///< C: the whole step without what the exchange replaces
    Buffer gradients;               ///< of all layers
    Shown shown;                    ///< as the plan's own all-reduce does
};

struct Staleness {
    std::optional<double> mean = 0;  ///< none: there is no common copy that updates are applied to
    std::optional<double> most;      ///< none: without bound
};

struct ExchangeCost {
    PatternCost pattern;
    Seconds compression;  ///< kernels of one exchange
    Seconds one;          ///< one exchange of all workers with compression
    Seconds compute;      ///< of a step, beside which replicas exchange
    Seconds best_worker;  ///< from which all continue with the weights of the best to where the last one has them
    Seconds exposed;      ///< in a step, on average
    Seconds step;
    Bytes sent;              ///< by a worker in a step, on average
    double utilisation = 1;  ///< compute over step
    bool is_bound = false;   ///< the step is a lower bound: it is asynchronous
    Staleness staleness;
    Spread spread;
    std::optional<std::int64_t> servers_to_hide;  ///< of an exchange with servers
};

/// True if workers compute while they send: neighbours who do not wait.
bool overlaps_next_step(const Exchange& exchange);

/// That of a plan whose own all-reduce exposes `own` of a step.
Shown shown_by(const Network& network, const ReplicaWork& work, Seconds own);

ExchangeCost exchange_cost(const Exchange& exchange, const Network& network, const ReplicaWork& work);

}  // namespace dodona::exchange
