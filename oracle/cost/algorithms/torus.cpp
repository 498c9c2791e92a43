// Torus: rings along every dimension of a torus at once (bucket algorithm). The buffer is cut into D parts, as many as
// the group has dimensions; part j passes the dimensions j, j+1, ... in this order, so in each of the D phases
// every dimension carries one part; a part that has passed a dimension of e members is e times smaller.
//
//   phase k of a pass            t_k = max over d of  n / D / (e of the k dimensions passed) * (e_d - 1)/e_d / share_d
//   all-gather, reduce-scatter   T = sum_d (e_d - 1) alpha + sum_k t_k
//   all-reduce                   T = twice that
//
// D equal dimensions: (p-1)/p n / (D share), which is all the links of a child; D = 1 is the ring. Levels inside the
// torus carry what a ring sends, (p-1)/p n a pass.
// Domain: one member in each child of the torus, which is the outermost level crossed; `hierarchical` joins such a part
// to others. Not modelled: parts that fill unequal dimensions better than equal ones.
// Source: Chan, Heimlich, Purkayastha and van de Geijn, "Collective communication: theory, practice, and experience",
// Concurrency and Computation 19 (2007) (bucket algorithms); Jain and Sabharwal, ICS 2010 (multi-dimensional buckets);
// Ying et al., arXiv:1811.06992, for the two-dimensional sum of gradients on TPU pods.
#include "base/ranges.hpp"
#include "cost/algorithms/algorithm.hpp"

namespace dodona::cost {

namespace {

/// Time of one pass of all parts.
Seconds pass_time(const std::vector<TorusRing>& rings, Bytes bytes) {
    const std::size_t dimensions = rings.size();
    Seconds total;
    for (std::size_t phase = 0; phase < dimensions; ++phase) {
        Seconds slowest;
        for (std::size_t part = 0; part < dimensions; ++part) {
            double left = 1 / static_cast<double>(dimensions);
            for (std::size_t before = 0; before < phase; ++before) {
                left /= static_cast<double>(rings[(part + before) % dimensions].extent);
            }
            const TorusRing& ring = rings[(part + phase) % dimensions];
            const auto e = static_cast<double>(ring.extent);
            slowest = max(slowest, (left * (e - 1) / e) * bytes / ring.share);
        }
        total += slowest;
    }
    return total;
}

}  // namespace

std::optional<Cost> torus(const Path& path, double passes, Bytes bytes) {
    const Crossing& last = path.crossings.back();
    if (last.rings.empty() || last.members != 1) {
        return std::nullopt;
    }
    const auto p = static_cast<double>(path.ranks);
    const auto steps = sum_of<double>(
        last.rings, [&](const TorusRing& ring) { return passes * static_cast<double>(ring.extent - 1); });
    const Seconds around = passes * pass_time(last.rings, bytes);
    return transfer(path, steps, [&](const Crossing& crossing) {
        return &crossing == &last ? around * crossing.share : passes * (p - 1) / p * bytes;
    });
}

std::optional<Cost> torus_all_reduce(const Exchange& exchange) {
    return torus(exchange.path, 2, exchange.request.size);
}

std::optional<Cost> torus_pass(const Exchange& exchange) { return torus(exchange.path, 1, exchange.request.size); }

}  // namespace dodona::cost
