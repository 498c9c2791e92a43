#include "lab/evidence/fits/protocol_fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "calibrate/record/quantile.hpp"
#include "cost/collective_time.hpp"

namespace dodona::calibrate {

namespace {

/// Of each protocol: start in us, step in us over that of the protocol before, share lost over share reached;
/// logarithms of them.
using ProtocolParameters = std::vector<double>;

/// NVIDIA/nccl at 01afd20, src/graph/tuning.cc: a network step of a ring with LL128.
constexpr Seconds kNetworkStep = 4_us;
constexpr Bytes kLarge = 256_MiB;

constexpr std::size_t kOfOne = 3;
constexpr int kSteps = 4000;
constexpr int kRestarts = 6;

struct LinkRow {
    cost::CollectiveRequest request;
    Seconds time;
};

std::vector<LinkRow> link_rows(const Tables& tables) {
    std::vector<LinkRow> rows;
    for (const auto& [series, measured] : tables) {
        if (series.collective == cluster::Collective::all_to_all || series.collective == cluster::Collective::send) {
            continue;
        }
        for (const auto& [bytes, times] : measured.points) {
            LinkRow row;
            row.request.collective = series.collective;
            row.request.group.strides.push_back({1, series.ranks});
            row.request.size = Bytes::of_base(bytes);
            row.request.ranks = series.ranks;
            row.time = Seconds::of_base(1e-6 * median(times));
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

std::vector<cluster::Protocol> protocols_of(const ProtocolParameters& parameters) {
    std::vector<cluster::Protocol> protocols;
    double least_step = 0;
    for (std::size_t i = 0; i < parameters.size(); i += kOfOne) {
        const double step = least_step + std::exp(parameters[i + 1]);
        least_step = step;
        protocols.push_back({.name = i == 0 && parameters.size() > kOfOne ? "low-latency" : "simple",
                             .timing = {.start = Seconds::of_base(1e-6 * std::exp(parameters[i])),
                                        .step = Seconds::of_base(1e-6 * step),
                                        .efficiency = 1 / (1 + std::exp(parameters[i + 2]))}});
    }
    return protocols;
}

/// Model over measured of every row.
std::vector<double> ratios(cluster::Cluster& cluster, const std::vector<LinkRow>& rows,
                           const ProtocolParameters& parameters) {
    cluster.levels[0].link->protocols = protocols_of(parameters);
    return mapped<double>(
        rows, [&](const LinkRow& row) { return cost::collective_time(cluster, row.request).time.value / row.time; });
}

using Objective = std::function<double(const ProtocolParameters&)>;

struct SimplexVertex {
    ProtocolParameters at;
    double value = 0;
};

/// centre + by * (centre - from)
ProtocolParameters away(const ProtocolParameters& centre, const ProtocolParameters& from, double by) {
    ProtocolParameters result = centre;
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] += by * (centre[i] - from[i]);
    }
    return result;
}

std::vector<SimplexVertex> simplex_at(const ProtocolParameters& start, const Objective& objective) {
    std::vector<SimplexVertex> simplex{{start, objective(start)}};
    for (std::size_t i = 0; i < start.size(); ++i) {
        ProtocolParameters moved = start;
        moved[i] += 0.5;
        simplex.push_back({moved, objective(moved)});
    }
    return simplex;
}

void step(std::vector<SimplexVertex>& simplex, const Objective& objective) {
    const auto better = [](const SimplexVertex& a, const SimplexVertex& b) { return a.value < b.value; };
    std::stable_sort(simplex.begin(), simplex.end(), better);
    SimplexVertex& worst = simplex.back();
    ProtocolParameters centre(worst.at.size(), 0.0);
    for (std::size_t v = 0; v + 1 < simplex.size(); ++v) {
        for (std::size_t i = 0; i < centre.size(); ++i) {
            centre[i] += simplex[v].at[i] / static_cast<double>(simplex.size() - 1);
        }
    }
    const auto tried = [&](double by) {
        SimplexVertex vertex{away(centre, worst.at, by), 0};
        vertex.value = objective(vertex.at);
        return vertex;
    };
    const SimplexVertex reflected = tried(1);
    if (reflected.value < simplex.front().value) {
        const SimplexVertex expanded = tried(2);
        worst = expanded.value < reflected.value ? expanded : reflected;
        return;
    }
    if (reflected.value < simplex[simplex.size() - 2].value) {
        worst = reflected;
        return;
    }
    const SimplexVertex contracted = tried(reflected.value < worst.value ? 0.5 : -0.5);
    if (contracted.value < std::min(worst.value, reflected.value)) {
        worst = contracted;
        return;
    }
    for (std::size_t v = 1; v < simplex.size(); ++v) {
        simplex[v].at = away(simplex[0].at, simplex[v].at, -0.5);
        simplex[v].value = objective(simplex[v].at);
    }
}

ProtocolParameters minimum(ProtocolParameters start, const Objective& objective) {
    for (int restart = 0; restart < kRestarts; ++restart) {
        std::vector<SimplexVertex> simplex = simplex_at(start, objective);
        for (int i = 0; i < kSteps / kRestarts; ++i) {
            step(simplex, objective);
        }
        start = std::min_element(simplex.begin(), simplex.end(), [](const SimplexVertex& a, const SimplexVertex& b) {
                    return a.value < b.value;
                })->at;
    }
    return start;
}

std::vector<double> errors_of(const std::vector<double>& ratios) {
    return mapped<double>(ratios, [](const double ratio) { return std::abs(ratio - 1); });
}

}  // namespace

ProtocolFit fit_protocols(const LinkLevel& level, const Tables& tables) {
    cluster::Cluster cluster{.name = "bench", .algorithms = {cluster::Algorithm::ring}};
    cluster.levels.push_back({.name = "node",
                              .size = level.size,
                              .kind = level.kind,
                              .links = level.links,
                              .bandwidth = level.bandwidth,
                              .link = cluster::Link{.name = "fitted"}});
    const std::vector<LinkRow> rows = link_rows(tables);
    const Objective objective = [&](const ProtocolParameters& parameters) {
        auto sum = sum_of<double>(ratios(cluster, rows, parameters),
                                  [](const double ratio) { return std::abs(std::log(ratio)); });
        return sum / static_cast<double>(rows.size());
    };
    // 6 us, 1 us, 0.4 of the bandwidth; 30 us, 3 us, 0.8 of it
    const ProtocolParameters few{std::log(6), 0, std::log(0.6 / 0.4)};
    const ProtocolParameters many{std::log(30), std::log(3), std::log(0.2 / 0.8)};
    ProtocolParameters both = few;
    both.insert(both.end(), many.begin(), many.end());

    const ProtocolParameters best = minimum(both, objective);
    const std::vector<double> errors = errors_of(ratios(cluster, rows, best));
    const std::vector<double> of_one = errors_of(ratios(cluster, rows, minimum(many, objective)));
    return {.protocols = protocols_of(best),
            .median_error = quantile(errors, 0.5),
            .error = quantile(errors, 0.9),
            .of_one = quantile(of_one, 0.9)};
}

ProtocolFit fit_efficiency(const LinkLevel& level, const Tables& tables) {
    std::vector<double> reached;
    std::vector<LinkRow> rows = link_rows(tables);
    for (const LinkRow& row : rows) {
        if (row.request.collective == cluster::Collective::all_reduce && row.request.size >= kLarge) {
            const Bytes sent = cost::sent_bytes(row.request.collective, row.request.group.size(), row.request.size);
            reached.push_back(sent / row.time / level.bandwidth);
        }
    }
    check(!reached.empty(), "the table has large all-reduces");
    const cluster::Protocol protocol{.name = "ring", .timing = {.step = kNetworkStep, .efficiency = median(reached)}};
    cluster::Cluster cluster{.name = "bench", .algorithms = {cluster::Algorithm::ring}};
    cluster.levels.push_back({.name = "system",
                              .size = level.size,
                              .kind = level.kind,
                              .links = level.links,
                              .bandwidth = level.bandwidth,
                              .link = cluster::Link{.name = "fitted", .protocols = {protocol}}});
    std::vector<double> errors;
    for (const LinkRow& row : rows) {
        errors.push_back(std::abs(cost::collective_time(cluster, row.request).time.value / row.time - 1));
    }
    return {.protocols = {protocol}, .median_error = quantile(errors, 0.5), .error = quantile(errors, 0.9)};
}

}  // namespace dodona::calibrate
