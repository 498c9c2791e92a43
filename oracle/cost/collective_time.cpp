// With several protocols the fastest counts, one protocol for all levels crossed; the start-up is added once:
//
//   T = min over protocols of  start + min over algorithms of T(step, efficiency)          (cluster/link.hpp)
//
// Measured times come first: curves of the cluster, curves of the outermost level's link, then the model corrected by
// the link's curves for other numbers of ranks (collective_curve.hpp).
#include "cost/collective_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "cluster/volume.hpp"
#include "cost/algorithms/algorithm.hpp"
#include "cost/collective_curve.hpp"
#include "cost/interval.hpp"
#include "cost/measured_bandwidth.hpp"

namespace dodona::cost {

namespace {

using cluster::Algorithm;
using cluster::Collective;

/// An algorithm for a collective.
struct CollectiveAlgorithm {
    constexpr CollectiveAlgorithm(Algorithm algorithm_, Collective collective_, AlgorithmFunction function_,
                                  Flows flows_)
        : algorithm(algorithm_), collective(collective_), function(function_), flows(flows_) {}

    Algorithm algorithm;
    Collective collective;
    AlgorithmFunction function;
    Flows flows;
};

/// The first of equally fast algorithms is chosen.
constexpr std::array kTable{
    CollectiveAlgorithm{Algorithm::ring, Collective::all_reduce, ring_all_reduce, Flows::rings},
    CollectiveAlgorithm{Algorithm::ring, Collective::all_gather, ring_pass, Flows::rings},
    CollectiveAlgorithm{Algorithm::ring, Collective::reduce_scatter, ring_pass, Flows::rings},
    CollectiveAlgorithm{Algorithm::tree, Collective::all_reduce, tree_all_reduce, Flows::rings},
    CollectiveAlgorithm{Algorithm::double_tree, Collective::all_reduce, double_tree_all_reduce, Flows::rings},
    CollectiveAlgorithm{Algorithm::hierarchical, Collective::all_reduce, hierarchical_all_reduce, Flows::rings},
    CollectiveAlgorithm{Algorithm::hierarchical, Collective::all_gather, hierarchical_pass, Flows::rings},
    CollectiveAlgorithm{Algorithm::hierarchical, Collective::reduce_scatter, hierarchical_pass, Flows::rings},
    CollectiveAlgorithm{Algorithm::hierarchical, Collective::all_to_all, routed_exchange, Flows::none},
    CollectiveAlgorithm{Algorithm::direct, Collective::all_reduce, direct_all_reduce, Flows::pairs},
    CollectiveAlgorithm{Algorithm::direct, Collective::all_gather, direct_exchange, Flows::pairs},
    CollectiveAlgorithm{Algorithm::direct, Collective::reduce_scatter, direct_exchange, Flows::pairs},
    CollectiveAlgorithm{Algorithm::direct, Collective::all_to_all, direct_exchange, Flows::pairs},
    CollectiveAlgorithm{Algorithm::direct, Collective::send, neighbour_exchange, Flows::message},
    CollectiveAlgorithm{Algorithm::direct, Collective::halo, neighbour_exchange, Flows::none},
    CollectiveAlgorithm{Algorithm::torus, Collective::all_reduce, torus_all_reduce, Flows::none},
    CollectiveAlgorithm{Algorithm::torus, Collective::all_gather, torus_pass, Flows::none},
    CollectiveAlgorithm{Algorithm::torus, Collective::reduce_scatter, torus_pass, Flows::none},
    CollectiveAlgorithm{Algorithm::in_network, Collective::all_reduce, in_network_all_reduce, Flows::none},
    CollectiveAlgorithm{Algorithm::in_network, Collective::all_gather, in_network_pass, Flows::none},
    CollectiveAlgorithm{Algorithm::in_network, Collective::reduce_scatter, in_network_pass, Flows::none},
    CollectiveAlgorithm{Algorithm::parameter_server, Collective::all_reduce, parameter_server, Flows::none},
};

struct Choice {
    Algorithm algorithm;
    Cost cost;
};

/// The cheapest allowed algorithm; the first of equals.
template <typename Allowed>
std::optional<Choice> cheapest(const Exchange& exchange, Allowed allowed) {
    std::optional<Choice> best;
    for (const CollectiveAlgorithm& row : kTable) {
        if (row.collective != exchange.request.collective || !allowed(row.algorithm)) {
            continue;
        }
        const auto cost = row.function(exchange);
        if (cost && (!best || cost->time < best->cost.time)) {
            best = Choice{row.algorithm, *cost};
        }
    }
    return best;
}

Choice choose(const Exchange& exchange, std::optional<Algorithm> forced) {
    if (forced) {
        if (const auto choice = cheapest(exchange, [&](Algorithm algorithm) { return algorithm == *forced; })) {
            return *choice;
        }
    }
    const std::span<const Algorithm> allowed = exchange.cluster.allowed(exchange.request.collective);
    const auto choice = cheapest(exchange, [&](Algorithm algorithm) { return contains(allowed, algorithm); });
    if (choice) {
        return *choice;
    }
    const auto any = cheapest(exchange, [](Algorithm) { return true; });
    check(any.has_value(), "every collective has an algorithm that applies to any group");
    return *any;
}

struct Modelled {
    Choice choice;
    double contention = 1;
    std::size_t protocol = 0;

    [[nodiscard]] Seconds time() const { return choice.cost.time; }
};

std::size_t protocols(const cluster::Cluster& cluster, std::span<const cluster::Span> spans) {
    std::size_t most = 1;
    for (const cluster::Span& span : spans) {
        most = std::max(most, cluster.levels[span.level].protocols());
    }
    return most;
}

/// Time by algorithms and links, with the fastest protocol.
Modelled model(const cluster::Cluster& cluster, const CollectiveRequest& request, std::span<const cluster::Span> spans,
               std::optional<Algorithm> forced) {
    std::optional<Modelled> best;
    const std::int64_t p = request.group.size();
    const std::size_t count = protocols(cluster, spans);
    for (std::size_t protocol = 0; protocol < count; ++protocol) {
        const Path route = path(cluster, request, p, spans, protocol);
        Choice choice = choose({cluster, request, spans, route}, forced);
        choice.cost.time += route.start;
        if (!best || choice.cost.time < best->time()) {
            best = Modelled{choice, route.contention, protocol};
        }
    }
    return *best;
}

/// Assumed: 1.6 allows for one alpha and beta, which miss measured collectives by 12 to 29 % (`source` of the files in
/// hardware/links), and for links that reach 0.70 to 0.96 of their data sheet with long messages (`efficiency` there);
/// 0.9 allows for latencies that are given too long.
Estimate alpha_beta_interval(Seconds time) { return {time, 0.9 * time, 1.6 * time}; }

/// Interval of a modelled time: the error of the links' protocols if all links were measured.
Estimate from_model(const cluster::Cluster& cluster, std::span<const cluster::Span> spans, Seconds time) {
    double error = 0;
    for (const cluster::Span& span : spans) {
        const auto& link = cluster.levels[span.level].link;
        if (!link || link->error <= 0) {
            return alpha_beta_interval(time);
        }
        error = std::max(error, link->error + link->borrowed);
    }
    return within(time, error);
}

/// An interval with the error of rates that nobody stated.
Estimate widened(const cluster::Cluster& cluster, std::span<const cluster::Span> spans, const Estimate& time) {
    double assumed = 0;
    for (const cluster::Span& span : spans) {
        assumed = std::max(assumed, cluster.levels[span.level].assumed);
    }
    return {time.value, time.lo / (1 + assumed), time.hi * (1 + assumed)};
}

/// Measured over modelled time of a curve's benchmark on the request's outermost level; outside the curve's sizes that of
/// its nearest point.
double correction(const cluster::Cluster& cluster, const CollectiveRequest& request,
                  const cluster::CollectiveCurve& curve, std::size_t level) {
    const std::int64_t apart = level > 0 ? cluster.domain_size(level - 1) : 1;
    const Bytes size = min(max(request.size, curve.points.front().size), curve.points.back().size);
    std::optional<CollectiveRequest> alike = benchmark(curve, apart, size);
    if (!alike || alike->ranks > cluster.devices()) {
        return 1;
    }
    alike->messages = request.messages;
    return curve_time(curve, size).time.value / modelled_time(cluster, *alike);
}

/// Time for ranks without a curve: the model, corrected by the nearest measured ranks.
CurveTime between_ranks(const cluster::Cluster& cluster, const CollectiveRequest& request, const LinkCurves& curves,
                        std::size_t level, Seconds modelled) {
    const auto ranks = static_cast<double>(curves.placed.ranks);
    const double error = curves.link->error + curves.link->borrowed;
    const auto correct = [&](const cluster::CollectiveCurve* curve) {
        return curve == nullptr ? 1.0 : correction(cluster, request, *curve, level);
    };
    const double fewer = correct(curves.fewer);
    const double more = correct(curves.more);
    if (curves.fewer != nullptr && curves.more != nullptr) {
        const auto p1 = static_cast<double>(curves.fewer->ranks);
        const double w = std::log(ranks / p1) / std::log(static_cast<double>(curves.more->ranks) / p1);
        return {within(std::pow(fewer, 1 - w) * std::pow(more, w) * modelled, error), Evidence::interpolated};
    }
    if (curves.more != nullptr) {
        return {within(more * modelled, error), Evidence::interpolated};
    }
    const double doublings = std::log2(ranks / static_cast<double>(curves.fewer->ranks));
    return {within(fewer * modelled, error * (1 + doublings / 2)), Evidence::interpolated};
}

/// Time by a curve; below its first point it falls like the modelled time.
CurveTime on_curve(const cluster::Cluster& cluster, const CollectiveRequest& request,
                   std::span<const cluster::Span> spans, const LinkCurves& curves, Seconds modelled) {
    CurveTime found = curve_time(*curves.exact, request.size, curves.link->borrowed);
    const auto& first = curves.exact->points.front();
    if (request.size < first.size) {
        CollectiveRequest smallest = request;
        smallest.size = first.size;
        const double ratio = first.time / model(cluster, smallest, spans, {}).time();
        found.time = found.time.rescaled_to(min(first.time, ratio * modelled));
    }
    return found;
}

bool staged(const cluster::Cluster& cluster, Collective collective) {
    return cluster.staging && contains(cluster.staging->applies_to, collective);
}

/// Measured time of the request; none without a curve.
std::optional<CurveTime> measured(const cluster::Cluster& cluster, const CollectiveRequest& request,
                                  std::span<const cluster::Span> spans, Seconds modelled) {
    if (const cluster::CollectiveCurve* curve = matching_curve(cluster, request, spans)) {
        return curve_time(*curve, request.size);
    }
    if (staged(cluster, request.collective)) {
        return std::nullopt;
    }
    const LinkCurves curves = matching_link(cluster, request, spans);
    if (curves.exact != nullptr) {
        return on_curve(cluster, request, spans, curves, modelled);
    }
    if (curves.link != nullptr && curves.link->error > 0 && (curves.fewer != nullptr || curves.more != nullptr)) {
        return between_ranks(cluster, request, curves, spans.back().level, modelled);
    }
    return std::nullopt;
}

/// The parts of a collective's time: the model, the curve that comes before it, and what corrects both.
struct Parts {
    std::vector<cluster::Span> spans;
    Modelled modelled;
    std::optional<CurveTime> curve;
    std::optional<double> slow_down;
};

Parts parts_of(const cluster::Cluster& cluster, const CollectiveRequest& request, std::optional<Algorithm> forced) {
    Parts parts;
    parts.spans = cluster::spans(cluster, request.group, request.ranks);
    parts.modelled = model(cluster, request, parts.spans, forced);
    const Algorithm chosen = parts.modelled.choice.algorithm;
    const bool copies_once = request.collective == Collective::all_to_all && chosen != Algorithm::direct;
    if (forced != chosen && parts.modelled.contention <= 1 && !copies_once) {  // curves are of plain all-to-alls
        parts.curve = measured(cluster, request, parts.spans, parts.modelled.time());
    }
    parts.slow_down = slow_down(cluster, request, parts.spans);
    return parts;
}

CollectiveTime time_of(const cluster::Cluster& cluster, const CollectiveRequest& request, const Parts& parts) {
    const auto& [algorithm, cost] = parts.modelled.choice;
    CollectiveTime result{
        .time = from_model(cluster, parts.spans, cost.time),
        .algorithm = algorithm,
        .contention = cost.contention,
        .level = cost.level,
        .sent = cost.sent.value_or(sent_bytes(request.collective, request.group.size(), request.size))};
    if (parts.curve) {
        result.time = parts.curve->time;
        result.evidence = parts.curve->evidence;
    }
    if (parts.slow_down) {
        result.time = within(*parts.slow_down * result.time.value, kCorrectedError);
        result.evidence = Evidence::interpolated;
    } else {
        result.time = widened(cluster, parts.spans, result.time);
    }
    return result;
}

/// Each allowed algorithm that applies, with the protocol that is fastest for it; the fastest first.
std::vector<CollectiveTrace::Algorithm> tried(const cluster::Cluster& cluster, const CollectiveRequest& request,
                                              std::span<const cluster::Span> spans) {
    std::vector<CollectiveTrace::Algorithm> all;
    for (const Algorithm algorithm : cluster.allowed(request.collective)) {
        std::optional<Seconds> fastest;
        for (std::size_t protocol = 0; protocol < protocols(cluster, spans); ++protocol) {
            const Path route = path(cluster, request, request.group.size(), spans, protocol);
            const auto choice =
                cheapest({cluster, request, spans, route}, [&](Algorithm one) { return one == algorithm; });
            if (choice && (!fastest || choice->cost.time + route.start < *fastest)) {
                fastest = choice->cost.time + route.start;
            }
        }
        if (fastest) {
            all.push_back({algorithm, *fastest});
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    return all;
}

}  // namespace

CollectiveTime collective_time(const cluster::Cluster& cluster, const CollectiveRequest& request,
                               std::optional<Algorithm> forced) {
    return request.group.size() == 1 ? CollectiveTime{} : time_of(cluster, request, parts_of(cluster, request, forced));
}

CollectiveTrace collective_trace(const cluster::Cluster& cluster, const CollectiveRequest& request,
                                 std::optional<Algorithm> forced) {
    const Parts parts = parts_of(cluster, request, forced);
    CollectiveTrace trace{.levels = {},
                          .protocol = {},
                          .tried = tried(cluster, request, parts.spans),
                          .modelled = parts.modelled.time(),
                          .measured = {},
                          .curves_of = {},
                          .slow_down = parts.slow_down,
                          .time = time_of(cluster, request, parts)};
    const Path route = path(cluster, request, request.group.size(), parts.spans, parts.modelled.protocol);
    for (const Crossing& crossing : route.crossings) {
        const cluster::Level& level = cluster.levels[crossing.level];
        trace.levels.push_back({level.name, crossing.members, crossing.children, crossing.latency, crossing.share});
        if (level.link && route.protocol < level.link->protocols.size()) {
            trace.protocol = level.link->protocols[route.protocol].name;
        }
    }
    if (parts.curve) {
        trace.measured = parts.curve->time.value;
        trace.evidence = parts.curve->evidence;
        if (matching_curve(cluster, request, parts.spans) == nullptr) {
            trace.curves_of = matching_link(cluster, request, parts.spans).link->name;
        }
    }
    return trace;
}

Flows flows_of(Collective collective, Algorithm algorithm) {
    const auto* const row = std::find_if(kTable.begin(), kTable.end(), [&](const CollectiveAlgorithm& each) {
        return each.collective == collective && each.algorithm == algorithm;
    });
    return row == kTable.end() ? Flows::none : row->flows;
}

Seconds modelled_time(const cluster::Cluster& cluster, const CollectiveRequest& request) {
    return model(cluster, request, cluster::spans(cluster, request.group, request.ranks), {}).time();
}

Bytes sent_bytes(Collective collective, std::int64_t ranks, Bytes size) {
    return cluster::sent_share(collective, ranks) * size;
}

}  // namespace dodona::cost
