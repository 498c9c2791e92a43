#include "calibrate/cases/network_cases.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {

namespace {

constexpr double kKibibyte = 1024;
constexpr double kMebibyte = 1048576;
constexpr std::array kCollectiveWords{"all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast"};

std::vector<double> sizes(double first, double last, double factor) {
    std::vector<double> list;
    for (double size = first; size <= last; size *= factor) {
        list.push_back(size);
    }
    return list;
}

/// 2, 4, 8 ... below `most`, and `most`; only `most` where `few`.
std::vector<std::int64_t> counts(std::int64_t most, bool few) {
    std::vector<std::int64_t> list;
    for (std::int64_t count = 2; count < most && !few; count *= 2) {
        list.push_back(count);
    }
    if (most > 1) {
        list.push_back(most);
    }
    return list;
}

struct Place {
    std::int64_t ranks = 2;
    std::int64_t per_node = 1;

    [[nodiscard]] const char* level() const { return ranks == per_node ? kSharedMemory : kNetwork; }
};

std::vector<Place> places(const NetworkShape& shape, bool few) {
    std::vector<Place> list;
    for (const std::int64_t count : counts(shape.ranks_per_host, few)) {
        list.push_back({count, count});
    }
    for (const std::int64_t count : counts(shape.hosts, few)) {
        list.push_back({count, 1});
    }
    if (shape.hosts > 1 && shape.ranks_per_host > 1) {
        list.push_back({shape.ranks(), shape.ranks_per_host});
    }
    return list;
}

Case send_case(const char* level, const char* pattern, double bytes) {
    return {.benchmark = "send",
            .parameters = {{"bytes", bytes}, {"level", level}, {"pattern", pattern}, {"groups", 1.0}}};
}

Case collective_case(const char* collective, const Place& place, double bytes, const char* algorithm) {
    return {.benchmark = "collective",
            .parameters = {{"collective", collective},
                           {"bytes", whole_elements(bytes, place.ranks)},
                           {"ranks", static_cast<double>(place.ranks)},
                           {"ranks_per_node", static_cast<double>(place.per_node)},
                           {"level", place.level()},
                           {"groups", 1.0},
                           {"in_place", 0.0},
                           {"algorithm", algorithm}}};
}

Case changed(Case of, const char* parameter, double value) {
    of.parameters[parameter] = value;
    return of;
}

void add_sends(std::vector<Case>& cases, const char* level, bool quick) {
    for (const double bytes : sizes(1, (quick ? 4 : 16) * kMebibyte, quick ? 4 : 2)) {
        cases.push_back(send_case(level, "ping-pong", bytes));
    }
    for (const double bytes : sizes(kKibibyte, kMebibyte, quick ? 8 : 4)) {
        cases.push_back(send_case(level, "window", bytes));
    }
    for (const double bytes : sizes(1, 16 * kKibibyte, quick ? 128 : 8)) {
        cases.push_back(send_case(level, "gap", bytes));
        cases.push_back(send_case(level, "overhead", bytes));
    }
}

void add_collectives(std::vector<Case>& cases, const Place& place, bool quick) {
    const auto buffers = sizes(kKibibyte, (quick ? 4 : 16) * kMebibyte, quick ? 4 : 2);
    for (const char* collective : kCollectiveWords) {
        for (const double bytes : buffers) {
            cases.push_back(collective_case(collective, place, bytes, "free"));
        }
    }
    for (const char* collective : {"all-reduce", "reduce-scatter", "all-gather"}) {
        for (const double bytes : sizes(buffers.front(), buffers.back(), quick ? 16 : 4)) {
            cases.push_back(collective_case(collective, place, bytes, "ring"));
        }
    }
    const Case large = collective_case("all-reduce", place, quick ? 256 * kKibibyte : 4 * kMebibyte, "free");
    cases.push_back(changed(large, "in_place", 1));
    Case beside = large;
    beside.benchmark = "interference";
    beside.parameters["resource"] = "collective";
    beside.parameters["load"] = "compute";
    beside.parameters["kernel"] = "collective";
    cases.push_back(beside);
}

/// One alone, and so many of it at once.
void add_with_groups(std::vector<Case>& cases, const Case& alone, double groups) {
    cases.push_back(alone);
    cases.push_back(changed(alone, "groups", groups));
}

std::int64_t pairs_of(std::int64_t count) { return count / 2; }

/// The same collective by several groups at once: side by side on the same hosts, or on hosts of their own.
void add_groups(std::vector<Case>& cases, const NetworkShape& shape, bool quick) {
    const double bytes = quick ? 256 * kKibibyte : 4 * kMebibyte;
    const Place pair{2, 1};
    if (shape.hosts > 1 && shape.ranks_per_host > 1) {
        const Place side_by_side{shape.hosts, 1};
        const auto groups = static_cast<double>(shape.ranks_per_host);
        add_with_groups(cases, collective_case("all-reduce", side_by_side, bytes, "free"), groups);
        add_with_groups(cases, send_case(kNetwork, "window", 256 * kKibibyte), groups);
    }
    if (shape.hosts >= 4) {
        const auto groups = static_cast<double>(pairs_of(shape.hosts) * shape.ranks_per_host);
        add_with_groups(cases, collective_case("all-reduce", pair, bytes, "free"), groups);
        add_with_groups(cases, send_case(kNetwork, "window", 256 * kKibibyte), groups);
    }
    if (shape.ranks_per_host >= 4) {
        const Place inside{2, 2};
        const auto groups = static_cast<double>(pairs_of(shape.ranks_per_host));
        add_with_groups(cases, collective_case("all-reduce", inside, bytes, "free"), groups);
    }
}

std::int64_t fact(const Environment& environment, const std::string& name) {
    const auto found = environment.facts.find(name);
    std::int64_t value = 0;
    if (found != environment.facts.end()) {
        std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
    }
    if (value < 1) {
        throw CannotMeasure(fmt::format("the network's back end does not say its \"{}\"", name));
    }
    return value;
}

}  // namespace

NetworkShape shape_of(const Environment& environment) {
    return {.hosts = fact(environment, "hosts"), .ranks_per_host = fact(environment, "ranks_per_host")};
}

double whole_elements(double bytes, std::int64_t ranks) {
    const double step = 4 * static_cast<double>(ranks);
    return step * std::max(1.0, std::round(bytes / step));
}

std::vector<Case> network_cases(const NetworkShape& shape, const CaseOptions& options) {
    std::vector<Case> cases;
    if (shape.ranks_per_host > 1) {
        add_sends(cases, kSharedMemory, options.quick);
    }
    if (shape.hosts > 1) {
        add_sends(cases, kNetwork, options.quick);
    }
    for (const Place& place : places(shape, options.quick)) {
        add_collectives(cases, place, options.quick);
    }
    add_groups(cases, shape, options.quick);
    std::set<Case> seen;
    std::erase_if(cases, [&](const Case& one) { return !seen.insert(one).second; });
    return cases;
}

}  // namespace dodona::calibrate
