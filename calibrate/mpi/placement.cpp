#include "calibrate/mpi/placement.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {

namespace {

struct Wanted {
    std::size_t ranks = 2;
    std::size_t per_node = 1;
    std::size_t groups = 1;
};

std::size_t count(const Case& asked, const char* name, double otherwise) {
    const double value = asked.number(name, otherwise);
    if (value < 1 || value > 1e6 || value != static_cast<double>(static_cast<std::size_t>(value))) {
        throw CannotMeasure(fmt::format("{} is {}, but must be a whole number", name, value));
    }
    return static_cast<std::size_t>(value);
}

Wanted wanted(const Case& asked) {
    const std::array<std::string_view, 4> known{"collective", "send", "tables", "interference"};
    if (std::find(known.begin(), known.end(), asked.benchmark) == known.end()) {
        throw CannotMeasure(fmt::format(
            "\"{}\" is nothing that MPI measures; it knows collective, send, tables, interference", asked.benchmark));
    }
    const bool message = asked.benchmark == "send";
    const bool inside = asked.word("level") == "shared-memory";
    Wanted all{.ranks = message ? 2 : count(asked, "ranks", 2), .groups = count(asked, "groups", 1)};
    all.per_node = message ? (inside ? 2 : 1) : count(asked, "ranks_per_node", 1);
    if (all.ranks < 2 || all.ranks % all.per_node != 0) {
        throw CannotMeasure(fmt::format("{} ranks with {} on a host make no group", all.ranks, all.per_node));
    }
    return all;
}

}  // namespace

std::vector<std::vector<int>> placed(const Case& asked, const std::vector<Host>& hosts) {
    const Wanted all = wanted(asked);
    const std::size_t on_host = hosts.front().ranks.size();
    const std::size_t hosts_each = all.ranks / all.per_node;
    const std::size_t beside = on_host / all.per_node;
    const std::size_t blocks = hosts.size() / hosts_each;
    if (beside == 0 || blocks == 0) {
        throw CannotMeasure(fmt::format("it needs {} hosts with {} ranks each; there are {} with {}", hosts_each,
                                        all.per_node, hosts.size(), on_host));
    }
    if (all.groups > beside * blocks) {
        throw CannotMeasure(fmt::format("it needs {} groups of {} ranks; the hosts have room for {}", all.groups,
                                        all.ranks, beside * blocks));
    }
    const bool across = asked.benchmark == "send" && hosts_each == 2;
    std::vector<std::vector<int>> groups;
    for (std::size_t group = 0; group < all.groups; ++group) {
        const std::size_t slot = group % beside;
        const std::size_t block = group / beside;
        std::vector<int>& ranks = groups.emplace_back();
        for (std::size_t h = 0; h < hosts_each; ++h) {
            const std::size_t host = across ? block + h * blocks : block * hosts_each + h;
            for (std::size_t r = 0; r < all.per_node; ++r) {
                ranks.push_back(hosts[host].ranks[slot * all.per_node + r]);
            }
        }
    }
    return groups;
}

}  // namespace dodona::calibrate
