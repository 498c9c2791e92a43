#include "calibrate/network/ring_protocols.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <Eigen/Dense>

#include "base/ranges.hpp"
#include "calibrate/fit/least_squares.hpp"
#include "calibrate/record/quantile.hpp"
#include "cluster/volume.hpp"

namespace dodona::calibrate {

namespace {

using cluster::Collective;

constexpr int kReweighted = 8;
constexpr double kLeastMiss = 1e-4;      ///< smaller ones weigh no more
constexpr std::size_t kFewestRows = 4;   ///< of each of two protocols
constexpr double kWorthwhile = 0.9;      ///< of the mean error that a second protocol may leave
constexpr double kWorthwhileBy = 0.005;  ///< and by how much it lowers it

struct Row {
    double steps = 1;
    double bytes = 0;    ///< that a rank sends in all
    double message = 0;  ///< bytes of one step
    double seconds = 0;
};

/// start, step, seconds per byte
using ProtocolLine = Eigen::Vector3d;

std::vector<Row> rows_of(const Tables& tables) {
    std::vector<Row> rows;
    for (const auto& [series, measured] : tables) {
        const bool both = series.collective == Collective::all_reduce;
        if (!both && series.collective != Collective::all_gather && series.collective != Collective::reduce_scatter) {
            continue;
        }
        const auto p = static_cast<double>(series.ranks);
        for (const auto& [bytes, times] : measured.points) {
            rows.push_back({.steps = (both ? 2 : 1) * (p - 1),
                            .bytes = cluster::sent_share(series.collective, series.ranks) * bytes,
                            .message = bytes / p,
                            .seconds = 1e-6 * median(times)});
        }
    }
    return rows;
}

double time(const Row& row, const ProtocolLine& line) { return line[0] + row.steps * line[1] + row.bytes * line[2]; }

ProtocolLine fitted(const std::vector<Row>& rows) {
    Eigen::MatrixX3d sides(static_cast<Eigen::Index>(rows.size()), 3);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        sides.row(static_cast<Eigen::Index>(i)) << 1 / rows[i].seconds, rows[i].steps / rows[i].seconds,
            rows[i].bytes / rows[i].seconds;
    }
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(sides.rows());
    Eigen::VectorXd weights = ones;
    ProtocolLine line = ProtocolLine::Zero();
    for (int i = 0; i < kReweighted; ++i) {
        line = non_negative_least_squares(weights.asDiagonal() * sides, weights);
        weights = (sides * line - ones).cwiseAbs().cwiseMax(kLeastMiss).cwiseSqrt().cwiseInverse();
    }
    return line;
}

double time(const Row& row, const std::vector<ProtocolLine>& lines) {
    double least = std::numeric_limits<double>::infinity();
    for (const ProtocolLine& line : lines) {
        least = std::min(least, time(row, line));
    }
    return least;
}

std::vector<double> misses(const std::vector<Row>& rows, const std::vector<ProtocolLine>& lines) {
    return mapped<double>(rows, [&](const Row& row) { return std::abs(time(row, lines) / row.seconds - 1); });
}

double mean_miss(const std::vector<Row>& rows, const std::vector<ProtocolLine>& lines) {
    auto sum = sum_of<double>(misses(rows, lines), [](const double miss) { return miss; });
    return sum / static_cast<double>(rows.size());
}

/// One for messages up to `threshold`, one for longer ones; none where either has too few rows.
std::vector<ProtocolLine> two_lines(const std::vector<Row>& rows, double threshold) {
    std::array<std::vector<Row>, 2> parts;
    for (const Row& row : rows) {
        parts[row.message <= threshold ? 0 : 1].push_back(row);
    }
    if (std::min(parts[0].size(), parts[1].size()) < kFewestRows) {
        return {};
    }
    return {fitted(parts[0]), fitted(parts[1])};
}

std::vector<ProtocolLine> best_lines(const std::vector<Row>& rows) {
    const std::vector<ProtocolLine> one{fitted(rows)};
    const double of_one = mean_miss(rows, one);
    std::vector<ProtocolLine> best = one;
    double least = std::min(kWorthwhile * of_one, of_one - kWorthwhileBy);
    std::set<double> thresholds;
    for (const Row& row : rows) {
        thresholds.insert(row.message);
    }
    for (const double threshold : thresholds) {
        const std::vector<ProtocolLine> two = two_lines(rows, threshold);
        if (!two.empty() && mean_miss(rows, two) < least) {
            least = mean_miss(rows, two);
            best = two;
        }
    }
    std::ranges::sort(best, [](const ProtocolLine& a, const ProtocolLine& b) { return a[0] + a[1] < b[0] + b[1]; });
    return best;
}

}  // namespace

RingProtocols fit_ring_protocols(const Tables& tables, BytesPerSecond bandwidth) {
    const std::vector<Row> rows = rows_of(tables);
    if (rows.size() < 3) {
        return {};
    }
    // No protocol is faster than the link.
    const double least = 1 / bandwidth.in(unit::byte_per_second);
    std::vector<ProtocolLine> lines = best_lines(rows);
    RingProtocols found;
    for (ProtocolLine& line : lines) {
        line[2] = std::max(line[2], least);
        found.protocols.push_back({.name = lines.size() > 1 && found.protocols.empty() ? "low-latency" : "simple",
                                   .timing = {.start = Seconds::of_base(line[0]),
                                              .step = Seconds::of_base(line[1]),
                                              .efficiency = least / line[2]}});
    }
    const std::vector<double> errors = misses(rows, lines);
    found.median_error = quantile(errors, 0.5);
    found.error = quantile(errors, 0.9);
    return found;
}

}  // namespace dodona::calibrate
