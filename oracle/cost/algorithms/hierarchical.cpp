// Hierarchical: rings inside the innermost domain that holds several members (q of them), then q concurrent rings
// across domains with 1/q of the buffer each, which share the domain's links.
//
//   all-reduce       reduce-scatter of n inside + all-reduce of n/q across + all-gather of n inside
//   all-gather       all-gather of n/q across + all-gather of n inside;  reduce-scatter is its mirror
//
//   all-reduce   T = 2 [ (q-1) a_in + (q-1)/q n / share_in ]  +  2(p/q-1) a_out + 2(p/q-1)/(p/q) n/q / share_out
//
// Domain: groups whose domains hold members alike; does not apply to others.
// Source: Mikami et al., arXiv:1811.05233 (2D-torus all-reduce); ParaDL's data+spatial with its leader replaced by q.
#include "cost/algorithms/algorithm.hpp"

#include <algorithm>
#include <vector>

namespace dodona::cost {

namespace {

struct Split {
    Path inside;
    Path across;
};

std::optional<Split> split(const Exchange& exchange) {
    const auto spans = exchange.spans;
    const std::size_t first = innermost_shared(spans).value_or(spans.size());
    if (first == spans.size()) {
        return std::nullopt;
    }
    const std::int64_t q = spans[first].members;
    std::vector<cluster::Span> across(spans.begin(), spans.end());
    for (std::size_t i = first; i < across.size(); ++i) {
        across[i].members /= q;
        across[i].groups *= q;
    }
    if (exchange.path.ranks % q != 0) {
        return std::nullopt;
    }
    const std::size_t protocol = exchange.path.protocol;
    return Split{path(exchange.cluster, exchange.request, q, spans.first(first), protocol),
                 path(exchange.cluster, exchange.request, exchange.path.ranks / q, across, protocol)};
}

/// A ring, or rings along the dimensions of a torus.
Cost around(const Path& path, double passes, Bytes bytes) {
    const Cost one = ring(path, passes, bytes);
    const auto several = torus(path, passes, bytes);
    return several && several->time < one.time ? *several : one;
}

/// `count` passes inside and across domains: 2 for an all-reduce, 1 for an all-gather or reduce-scatter.
std::optional<Cost> both(const Exchange& exchange, double count) {
    const auto parts = split(exchange);
    if (!parts) {
        return std::nullopt;
    }
    const Bytes size = exchange.request.size;
    const auto q = static_cast<double>(parts->inside.ranks);
    return around(parts->inside, count, size) + around(parts->across, count, size / q);
}

}  // namespace

std::optional<std::size_t> innermost_shared(std::span<const cluster::Span> spans) {
    const auto first = std::find_if(spans.begin(), spans.end(), [](const cluster::Span& s) { return s.members > 1; });
    if (first == spans.end()) {
        return spans.size();
    }
    const bool whole =
        std::all_of(first, spans.end(), [&](const cluster::Span& s) { return s.members % first->members == 0; });
    return first->alike && whole ? std::optional(static_cast<std::size_t>(first - spans.begin())) : std::nullopt;
}

std::optional<Cost> hierarchical_all_reduce(const Exchange& exchange) { return both(exchange, 2); }

std::optional<Cost> hierarchical_pass(const Exchange& exchange) { return both(exchange, 1); }

}  // namespace dodona::cost
