// Direct: everybody sends to everybody else at once.
//
//   all-to-all, all-gather, reduce-scatter   T = alpha + max over levels of  m (p-m)/p n * hops / share
//   all-reduce                               a reduce-scatter, then an all-gather: twice that
//   send, halo                               T = messages * alpha + max over levels of  n / share
//
// m members in a child each have (p-m)/p of their n bytes for members elsewhere. hops: links that a message passes on a
// ring level. A send has one message; of a halo n is what goes to both neighbours together, so ParaDL's
// 2 (alpha + h beta) for h bytes each is messages = 2, n = 2h. A child that holds several members has one neighbour
// outside at either end, so its group takes no more than one message's bytes out of it either way.
// Not modelled: the rate at which a device can issue p-1 messages; receivers that several senders meet.
// Source: Kahira et al., HPDC'21 (ParaDL), sections 4.2 and 4.5 (halo).
#include "cost/algorithms/algorithm.hpp"

namespace dodona::cost {

std::optional<Cost> direct_exchange(const Exchange& exchange) {
    const auto p = static_cast<double>(exchange.path.ranks);
    return transfer(exchange.path, 1, [&](const Crossing& crossing) {
        const auto m = static_cast<double>(crossing.members);
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
