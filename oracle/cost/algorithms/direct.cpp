// Direct: every rank sends to every other rank at once.
//
//   all-to-all, all-gather, reduce-scatter   T = alpha + max over levels of  m (p-m)/p n * hops / share
//   all-reduce                               a reduce-scatter, then an all-gather: twice that
//   send, halo                               T = messages * alpha + max over levels of  n / share
//
// m members in a child each send (p-m)/p of their n bytes to other children. hops: links that a message passes on a
// ring level. On a torus each dimension of e members carries  m n floor(e^2/4)/e  out of a child, dimension by
// dimension; the busiest counts: of a whole torus that is what its bisection lets through. A send has one message; of a
// halo n is what goes to both neighbours together, so ParaDL's 2 (alpha + h beta) for h bytes each is messages = 2, n =
// 2h. A child that holds several members has one neighbour outside at either end, so its group takes no more than one
// message's bytes out of it either way. Not modelled: the rate at which a device can issue p-1 messages; receivers that
// several senders meet. Source: Kahira et al., HPDC'21 (ParaDL), sections 4.2 and 4.5 (halo); Dally and Towles,
// Principles and Practices of Interconnection Networks (2004), section 5.2, for the load of uniform traffic on a torus.
#include <cmath>

#include "cost/algorithms/algorithm.hpp"

namespace dodona::cost {

namespace {

/// Bytes over the busiest dimension of a torus, scaled to the crossing's share.
Bytes over_torus(const Crossing& crossing, Bytes out_of_child) {
    Bytes most;
    for (const TorusRing& ring : crossing.rings) {
        const auto e = static_cast<double>(ring.extent);
        most = max(most, std::floor(e * e / 4) / e * (crossing.share / ring.share) * out_of_child);
    }
    return most;
}

}  // namespace

std::optional<Cost> direct_exchange(const Exchange& exchange) {
    const auto p = static_cast<double>(exchange.path.ranks);
    return transfer(exchange.path, 1, [&](const Crossing& crossing) {
        const auto m = static_cast<double>(crossing.members);
        if (!crossing.rings.empty()) {
            return over_torus(crossing, m * exchange.request.size);
        }
        return m * (p - m) / p * crossing.hops * exchange.request.size;
    });
}

std::optional<Cost> direct_all_reduce(const Exchange& exchange) {
    const auto once = direct_exchange(exchange);
    return *once + *once;
}

std::optional<Cost> neighbour_exchange(const Exchange& exchange) {
    return transfer(exchange.path, exchange.request.messages, [&](const Crossing&) { return exchange.request.size; });
}

}  // namespace dodona::cost
