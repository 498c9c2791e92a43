// Tokens to experts and back, level by level: what several experts of a domain need crosses the links to it once.
//
//   T = L alpha + max over levels of  m (c-1)/c d n/k / share            for L levels
//
// m members in a child, which is one of c in its domain and of p/m in the group; k copies of each token in the n bytes of
// a rank. d of these children, of all p/m, have an expert of a token in the mean. On the way to the experts a rank hands a
// token to one rank of each domain that needs it, which hands it on; on the way back that rank adds up what its domain
// returns. All levels work at once on a stream of tokens. With E experts, each equally likely, of which a token chooses k
// within M of G groups, and with T = M E/G:
//
//   d = p/m P,   P = (M/G) (1 - miss(E m/p))                            where children are parts of groups
//                P = 1 - sum over j of  h(j) miss(j E/G)                where a child has g = G m/p of the groups
//   miss(e) = (T-e)/T (T-e-1)/(T-1) ... k factors                       none of the k is among e of the T experts
//   h(j) = C(g, j) C(G-g, M-j) / C(G, M)                                j of the child's groups are chosen
//
// Where neither holds, groups do not count. Inside a node, a rank with several of a token's experts gets it once. Domain:
// equal children, no torus. Not modelled: senders at other positions than their receivers of a rail, the compute that
// copies and adds.
// Source: DeepSeek-AI, arXiv:2412.19437, section 3.2.2: over InfiniBand once for each node, then over NVLink;
// deepseek-ai/DeepEP, deep_ep/buffer.py, is_token_in_rank.
#include <algorithm>
#include <cmath>

#include "base/ranges.hpp"
#include "cost/algorithms/algorithm.hpp"

namespace dodona::cost {

namespace {

using graph::Routing;

/// The chance that none of a token's experts is among `some` of the `all` that it chooses from.
double misses(const Routing& routing, double all, double some) {
    double chance = 1;
    for (std::int64_t i = 0; i < routing.chosen; ++i) {
        const auto chosen = static_cast<double>(i);
        chance *= std::max(0.0, all - some - chosen) / (all - chosen);
    }
    return chance;
}

/// log of n over k.
double log_choices(std::int64_t n, std::int64_t k) {
    const auto factorial = [](std::int64_t i) { return std::lgamma(static_cast<double>(i) + 1); };
    return factorial(n) - factorial(k) - factorial(n - k);
}

/// The chance that a token has an expert on one of `parts` equal parts of the experts.
double reaches(const Routing& routing, std::int64_t parts) {
    const auto experts = static_cast<double>(routing.experts);
    const std::int64_t groups = routing.groups;
    const std::int64_t taken = routing.chosen_groups;
    if (parts % groups != 0 && groups % parts != 0) {
        return 1 - misses(routing, experts, experts / static_cast<double>(parts));
    }
    const double of_group = experts / static_cast<double>(groups);
    const double open = static_cast<double>(taken) * of_group;
    if (parts % groups == 0) {
        const double share = static_cast<double>(taken) / static_cast<double>(groups);
        return share * (1 - misses(routing, open, experts / static_cast<double>(parts)));
    }
    const std::int64_t here = groups / parts;
    double none = 0;
    for (std::int64_t j = std::max<std::int64_t>(0, taken - (groups - here)); j <= std::min(here, taken); ++j) {
        const double chance =
            std::exp(log_choices(here, j) + log_choices(groups - here, taken - j) - log_choices(groups, taken));
        none += chance * misses(routing, open, static_cast<double>(j) * of_group);
    }
    return 1 - none;
}

}  // namespace

std::optional<Cost> routed_exchange(const Exchange& exchange) {
    const Path& path = exchange.path;
    const Routing& routing = exchange.request.routing;
    const bool alike =
        all_of(exchange.spans, [&](const cluster::Span& span) { return span.alike && path.ranks % span.members == 0; });
    const bool on_torus = std::any_of(path.crossings.begin(), path.crossings.end(),
                                      [](const Crossing& crossing) { return !crossing.rings.empty(); });
    if (routing.experts == 0 || path.crossings.empty() || !alike || on_torus) {
        return std::nullopt;
    }
    const Bytes once = (1 / static_cast<double>(routing.chosen)) * exchange.request.size;
    const auto out_of_member = [&](const Crossing& crossing) {
        const std::int64_t children = path.ranks / crossing.members;
        const double needed = static_cast<double>(children) * reaches(routing, children);
        return (1 - 1 / static_cast<double>(crossing.children)) * needed * once;
    };
    const auto levels = static_cast<double>(path.crossings.size());
    Cost cost = transfer(path, levels, [&](const Crossing& crossing) {
        return static_cast<double>(crossing.members) * crossing.hops * out_of_member(crossing);
    });
    auto sent = sum_of<Bytes>(path.crossings, [&](const Crossing& crossing) { return out_of_member(crossing); });
    cost.sent = sent;
    return cost;
}

}  // namespace dodona::cost
