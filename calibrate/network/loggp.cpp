#include "calibrate/network/loggp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/check.hpp"
#include "calibrate/fit/least_squares.hpp"
#include "calibrate/record/quantile.hpp"

namespace dodona::calibrate {

namespace {

constexpr std::size_t kMaxPieces = 3;
constexpr std::size_t kShortestPiece = 3;
constexpr double kLeastError = 0.005;
constexpr double kParameters = 3;

struct Point {
    double bytes = 0;
    double seconds = 0;
};

/// t = a + b s; `misfit`: the sum of squared relative errors.
struct Line {
    double a = 0;
    double b = 0;
    double misfit = 0;
};

/// Least squares on relative errors; neither a nor b is negative.
Line fitted(std::span<const Point> points) {
    Eigen::MatrixX2d sides(static_cast<Eigen::Index>(points.size()), 2);
    for (std::size_t i = 0; i < points.size(); ++i) {
        sides.row(static_cast<Eigen::Index>(i)) << 1 / points[i].seconds, points[i].bytes / points[i].seconds;
    }
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(sides.rows());
    const Eigen::Vector2d line = non_negative_least_squares(sides, ones);
    return {.a = line[0], .b = line[1], .misfit = (sides * line - ones).squaredNorm()};
}

/// Where each piece begins, and what all of them miss.
struct Cut {
    std::vector<std::size_t> begins{0};
    double misfit = std::numeric_limits<double>::infinity();
};

/// The best cut of points[0, end) into `pieces`.
Cut best_cut(std::span<const Point> points, std::size_t end, std::size_t pieces) {
    if (pieces == 1) {
        return {.begins = {0}, .misfit = fitted(points.first(end)).misfit};
    }
    Cut best;
    for (std::size_t begin = (pieces - 1) * kShortestPiece; begin + kShortestPiece <= end; ++begin) {
        Cut before = best_cut(points, begin, pieces - 1);
        before.misfit += fitted(points.subspan(begin, end - begin)).misfit;
        if (before.misfit < best.misfit) {
            best = std::move(before);
            best.begins.push_back(begin);
        }
    }
    return best;
}

/// The least of n log(misfit / n) + 3 k log n over the number of pieces k.
Cut cut(std::span<const Point> points) {
    const auto n = static_cast<double>(points.size());
    Cut best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t pieces = 1;
         pieces <= kMaxPieces && pieces * kShortestPiece <= std::max(points.size(), kShortestPiece); ++pieces) {
        const Cut tried = best_cut(points, points.size(), pieces);
        const double criterion = n * std::log(tried.misfit / n + kLeastError * kLeastError) +
                                 kParameters * static_cast<double>(pieces) * std::log(n);
        if (criterion < least) {
            least = criterion;
            best = tried;
        }
    }
    return best;
}

std::map<double, Seconds> times_of(std::span<const Measurement* const> messages, std::string_view pattern) {
    std::map<double, Seconds> times;
    for (const Measurement* message : messages) {
        const Case& of = message->of;
        if (of.word("pattern", "ping-pong") == pattern && of.number("groups", 1) == 1) {
            const Seconds time = message->time.value();
            const auto [found, added] = times.try_emplace(of.number("bytes"), time);
            found->second = min(found->second, time);
        }
    }
    return times;
}

void add_overhead(LogGP& fit, const std::map<double, Seconds>& times) {
    std::vector<double> eager;
    for (const auto& [bytes, time] : times) {
        if (Bytes::of_base(bytes) <= fit.pieces.front().last) {
            eager.push_back(time.in(1_us));
        }
    }
    if (!eager.empty()) {
        fit.overhead = Seconds::of_base(1e-6 * median(eager));
        const Seconds one_byte = fit.pieces.front().time(Bytes::of_base(1));
        fit.latency = max(Seconds{}, one_byte - 2.0 * *fit.overhead);
    }
}

void add_gap(LogGP& fit, const std::map<double, Seconds>& gaps, const std::map<double, Seconds>& windows) {
    if (gaps.size() > 1) {
        const auto pieces = message_pieces(gaps);
        fit.gap = pieces.front().time(Bytes::of_base(1));
        fit.streaming = pieces.back().bandwidth;
    }
    for (const auto& [bytes, time] : windows) {
        const BytesPerSecond rate = Bytes::of_base(bytes) / time;
        if (bytes == windows.begin()->first || !fit.streaming || rate > *fit.streaming) {
            fit.streaming = rate;
        }
    }
}

}  // namespace

Seconds LogGP::one_way(Bytes size) const {
    const MessagePiece* at = &pieces.front();
    for (const MessagePiece& piece : pieces) {
        // Half-way between two measured sizes, on the logarithm of the size.
        if (size.in(unit::byte)*size.in(unit::byte) >= at->last.in(unit::byte)*piece.first.in(unit::byte)) {
            at = &piece;
        }
    }
    return at->time(size);
}

std::vector<MessagePiece> message_pieces(const std::map<double, Seconds>& times) {
    check(times.size() > 1, "a line takes two sizes");
    std::vector<Point> points;
    for (const auto& [bytes, time] : times) {
        points.push_back({bytes, time.in(1_s)});
    }
    std::vector<MessagePiece> pieces;
    const Cut best = cut(points);
    for (std::size_t i = 0; i < best.begins.size(); ++i) {
        const std::size_t begin = best.begins[i];
        const std::size_t end = i + 1 < best.begins.size() ? best.begins[i + 1] : points.size();
        const auto run = std::span<const Point>(points).subspan(begin, end - begin);
        const Line line = fitted(run);
        pieces.push_back({.first = Bytes::of_base(run.front().bytes),
                          .last = Bytes::of_base(run.back().bytes),
                          .start = Seconds::of_base(line.a),
                          .bandwidth = BytesPerSecond::of_base(1 / line.b)});
    }
    return pieces;
}

std::optional<LogGP> loggp_of(std::span<const Measurement* const> messages) {
    const std::map<double, Seconds> ping_pongs = times_of(messages, "ping-pong");
    if (ping_pongs.size() < 2) {
        return std::nullopt;
    }
    LogGP fit{.pieces = message_pieces(ping_pongs)};
    std::vector<double> misses;
    for (const auto& [bytes, time] : ping_pongs) {
        misses.push_back(std::abs(fit.one_way(Bytes::of_base(bytes)) / time - 1));
    }
    fit.error = quantile(misses, 0.9);
    add_overhead(fit, times_of(messages, "overhead"));
    add_gap(fit, times_of(messages, "gap"), times_of(messages, "window"));
    return fit;
}

}  // namespace dodona::calibrate
