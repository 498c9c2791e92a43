#include "calibrate/cases/network_cases.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {

namespace {

constexpr const char* kSends = R"(
send pattern=ping-pong bytes=1..16Mi^2|1..4Mi^4 level=$level groups=1
send pattern=window bytes=1Ki..1Mi^4|1Ki..1Mi^8 level=$level groups=1
send pattern=gap,overhead bytes=1..16Ki^8|1..16Ki^128 level=$level groups=1
)";

constexpr const char* kCollectives = R"(
collective collective=all-reduce,reduce-scatter,all-gather,all-to-all,broadcast bytes=1Ki..16Mi^2|1Ki..4Mi^4
 ranks=$ranks ranks_per_node=$per_node level=$level groups=1 in_place=0 algorithm=free
collective collective=all-reduce,reduce-scatter,all-gather bytes=1Ki..16Mi^4|1Ki..4Mi^16
 ranks=$ranks ranks_per_node=$per_node level=$level groups=1 in_place=0 algorithm=ring
collective collective=all-reduce bytes=4Mi|256Ki
 ranks=$ranks ranks_per_node=$per_node level=$level groups=1 in_place=1 algorithm=free
interference kernel=collective resource=collective load=compute collective=all-reduce bytes=4Mi|256Ki
 ranks=$ranks ranks_per_node=$per_node level=$level groups=1 in_place=0 algorithm=free
)";

// One alone, and so many of it at once.
constexpr const char* kGroups = R"(
collective collective=all-reduce bytes=4Mi|256Ki groups=1,$groups
 ranks=$ranks ranks_per_node=$per_node level=$level in_place=0 algorithm=free
)";
constexpr const char* kGroupsOfSends = R"(
send pattern=window bytes=256Ki level=$level groups=1,$groups
)";

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

/// Of the list, with whole elements in collectives.
void add(std::vector<Case>& cases, const char* list, const CaseOptions& options, const Place& place,
         std::int64_t groups = 1) {
    for (Case& one : listed_cases(list, options,
                                  {{"ranks", static_cast<double>(place.ranks)},
                                   {"per_node", static_cast<double>(place.per_node)},
                                   {"level", place.level()},
                                   {"groups", static_cast<double>(groups)}})) {
        if (one.has("collective")) {
            one.parameters["bytes"] = whole_elements(one.number("bytes"), place.ranks);
        }
        cases.push_back(std::move(one));
    }
}

/// The same collective by several groups at once: side by side on the same hosts, or on hosts of their own.
void add_groups(std::vector<Case>& cases, const NetworkShape& shape, const CaseOptions& options) {
    const auto add_both = [&](const Place& place, std::int64_t groups) {
        add(cases, kGroups, options, place, groups);
        add(cases, kGroupsOfSends, options, place, groups);
    };
    if (shape.hosts > 1 && shape.ranks_per_host > 1) {
        add_both({shape.hosts, 1}, shape.ranks_per_host);
    }
    if (shape.hosts >= 4) {
        add_both({2, 1}, shape.hosts / 2 * shape.ranks_per_host);
    }
    if (shape.ranks_per_host >= 4) {
        add(cases, kGroups, options, {2, 2}, shape.ranks_per_host / 2);
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
        add(cases, kSends, options, {2, 2});
    }
    if (shape.hosts > 1) {
        add(cases, kSends, options, {2, 1});
    }
    for (const Place& place : places(shape, options.quick)) {
        add(cases, kCollectives, options, place);
    }
    add_groups(cases, shape, options);
    std::set<Case> seen;
    std::erase_if(cases, [&](const Case& one) { return !seen.insert(one).second; });
    return cases;
}

}  // namespace dodona::calibrate
