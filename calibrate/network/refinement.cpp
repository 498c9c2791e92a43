#include "calibrate/network/refinement.hpp"

#include <cmath>
#include <map>
#include <set>

#include "calibrate/cases/network_cases.hpp"
#include "cost/collective_curve.hpp"

namespace dodona::calibrate {

namespace {

using Points = std::vector<cluster::CollectiveCurve::Point>;

Case of_size(Case like, double bytes) {
    like.parameters["bytes"] = bytes;
    return like;
}

bool has_table(const Case& of) {
    return (of.benchmark == "collective" || (of.benchmark == "send" && of.word("pattern") == "ping-pong")) &&
           of.number("groups", 1) == 1;
}

/// Whether the others miss the point.
bool missed(const Points& points, std::size_t at) {
    cluster::CollectiveCurve others{.points = points};
    others.points.erase(others.points.begin() + static_cast<std::ptrdiff_t>(at));
    return std::abs(cost::curve_time(others, points[at].size).time.value / points[at].time - 1) > kMissed;
}

/// The right ends of the intervals to be halved.
std::set<std::size_t> kinked(const Points& points) {
    std::set<std::size_t> intervals;
    for (std::size_t at = 1; at + 1 < points.size(); ++at) {
        if (missed(points, at)) {
            intervals.insert({at, at + 1});
        }
    }
    return intervals;
}

double middle(const Case& like, double smaller, double larger) {
    const double bytes = std::sqrt(smaller * larger);
    return like.benchmark == "send" ? std::round(bytes) : whole_elements(bytes, std::llround(like.number("ranks", 2)));
}

}  // namespace

std::vector<Case> refinements(std::span<const Record> records, std::string_view backend) {
    std::set<Case> known;
    std::map<Case, std::map<double, Seconds>> tables;  // a case without its size
    for (const Record& record : records) {
        const bool asked = backend.empty() ? record.backend != "import" : record.backend == backend;
        if (record.pass != Pass::time || !asked) {
            continue;
        }
        if (const auto* failure = std::get_if<Failure>(&record.what)) {
            known.insert(failure->of);
        }
        const auto* measured = std::get_if<Measurement>(&record.what);
        if (measured != nullptr && measured->time.samples > 0 && has_table(measured->of)) {
            known.insert(measured->of);
            tables[of_size(measured->of, 0)][measured->of.number("bytes")] = measured->time.value();
        }
    }
    std::vector<Case> next;
    for (const auto& [like, times] : tables) {
        Points points;
        for (const auto& [bytes, time] : times) {
            points.push_back({Bytes::of_base(bytes), time});
        }
        for (const std::size_t right : points.size() < kMaxSizes ? kinked(points) : std::set<std::size_t>{}) {
            const double smaller = points[right - 1].size.in(unit::byte);
            const double larger = points[right].size.in(unit::byte);
            const double between = middle(like, smaller, larger);
            const Case wanted = of_size(like, between);
            if (larger / smaller > kFinestInterval && between > smaller && between < larger &&
                !known.contains(wanted)) {
                next.push_back(wanted);
            }
        }
    }
    return next;
}

}  // namespace dodona::calibrate
