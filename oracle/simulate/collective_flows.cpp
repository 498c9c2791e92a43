#include "simulate/collective_flows.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "simulate/double_tree.hpp"

namespace dodona::simulate {

namespace {

/// A collective while its tasks are added.
struct Exchange {
    TaskGraphBuilder& builder;
    Routes& routes;
    const CollectiveFlows& collective;
    std::vector<TaskId> begun;                 ///< by member
    std::vector<std::vector<TaskId>> results;  ///< by member, what its result needs

    [[nodiscard]] std::size_t members() const { return collective.members.size(); }

    /// A transfer from one member to another. It waits for both to have begun unless `after` implies that.
    TaskId transfer(std::size_t from, std::size_t to, Bytes bytes, const std::vector<TaskId>& after) {
        const RouteId route = routes.between(collective.members[from], collective.members[to]);
        return builder.add({.duration = collective.delay, .kind = collective.kind, .priority = collective.priority},
                           {.route = route, .bytes = bytes, .weight = collective.weight, .most = collective.most},
                           after);
    }
};

/// `steps` steps in which each member passes a part on: one after it has passed on the last and got what it passes on.
void pass_around(Exchange& exchange, std::size_t steps) {
    const std::size_t n = exchange.members();
    const Bytes part = exchange.collective.bytes / static_cast<double>(n);
    const auto previous = [&](std::size_t member) { return (member + n - 1) % n; };
    std::vector<TaskId> last;
    for (std::size_t step = 0; step < steps; ++step) {
        std::vector<TaskId> sends;
        for (std::size_t member = 0; member < n; ++member) {
            const std::size_t next = (member + 1) % n;
            sends.push_back(exchange.transfer(member, next, part,
                                              step == 0 ? std::vector{exchange.begun[member], exchange.begun[next]}
                                                        : std::vector{last[member], last[previous(member)]}));
        }
        last = std::move(sends);
    }
    for (std::size_t member = 0; member < n && steps > 0; ++member) {
        exchange.results[member] = {last[member], last[previous(member)]};
    }
}

void ring_all_reduce(Exchange& exchange) { pass_around(exchange, 2 * (exchange.members() - 1)); }

void ring_pass(Exchange& exchange) { pass_around(exchange, exchange.members() - 1); }

/// Members of a tree, each after its parent.
std::vector<std::size_t> downwards(const Tree& tree) {
    std::vector<std::vector<std::size_t>> children(tree.size());
    std::vector<std::size_t> order;
    for (std::size_t member = 0; member < tree.size(); ++member) {
        (tree[member] == member ? order : children[tree[member]]).push_back(member);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        order.insert(order.end(), children[order[i]].begin(), children[order[i]].end());
    }
    return order;
}

/// A reduction to the root of a tree and a broadcast from it.
void reduce_on(Exchange& exchange, const Tree& tree, Bytes bytes) {
    const std::vector<std::size_t> order = downwards(tree);
    const std::size_t n = tree.size();
    std::vector<std::optional<TaskId>> up(n);    // the last transfer of each member to its parent
    std::vector<std::optional<TaskId>> down(n);  // and to it from there
    const auto send = [&](std::size_t from, std::size_t to, std::vector<TaskId> after, std::optional<TaskId>& last) {
        after.push_back(exchange.begun[from]);
        after.push_back(exchange.begun[to]);
        if (last) {
            after.push_back(*last);
        }
        last = exchange.transfer(from, to, bytes / static_cast<double>(exchange.collective.chunks), after);
    };
    for (std::size_t chunk = 0; chunk < exchange.collective.chunks; ++chunk) {
        std::vector<std::vector<TaskId>> got(n);  // from the children
        for (std::size_t i = n; i-- > 1;) {
            send(order[i], tree[order[i]], got[order[i]], up[order[i]]);
            got[tree[order[i]]].push_back(*up[order[i]]);
        }
        for (std::size_t i = 1; i < n; ++i) {
            const std::size_t parent = tree[order[i]];
            send(parent, order[i], parent == order[0] ? got[parent] : std::vector{*down[parent]}, down[order[i]]);
        }
        if (chunk + 1 == exchange.collective.chunks) {
            for (const TaskId arrival : got[order[0]]) {
                exchange.results[order[0]].push_back(arrival);
            }
        }
    }
    for (std::size_t member = 0; member < n; ++member) {
        if (down[member]) {
            exchange.results[member].push_back(*down[member]);
            exchange.results[tree[member]].push_back(*down[member]);
        }
    }
}

void double_tree_all_reduce(Exchange& exchange) {
    for (const Tree& tree : double_tree(exchange.members())) {
        reduce_on(exchange, tree, exchange.collective.bytes / 2);
    }
}

void direct_all_to_all(Exchange& exchange) {
    const std::size_t n = exchange.members();
    const Bytes part = exchange.collective.bytes / static_cast<double>(n);
    for (std::size_t distance = 1; distance < n; ++distance) {
        for (std::size_t from = 0; from < n; ++from) {
            const std::size_t to = (from + distance) % n;
            const TaskId sent = exchange.transfer(from, to, part, {exchange.begun[from], exchange.begun[to]});
            exchange.results[from].push_back(sent);
            exchange.results[to].push_back(sent);
        }
    }
}

void chain_broadcast(Exchange& exchange) {
    const std::size_t n = exchange.members();
    const Bytes part = exchange.collective.bytes / static_cast<double>(exchange.collective.chunks);
    std::vector<std::optional<TaskId>> last(n);  // transfer to each member
    for (std::size_t chunk = 0; chunk < exchange.collective.chunks; ++chunk) {
        for (std::size_t member = 1; member < n; ++member) {
            std::vector<TaskId> after{exchange.begun[member - 1], exchange.begun[member]};
            for (const std::optional<TaskId>& earlier : {last[member - 1], last[member]}) {
                if (earlier) {
                    after.push_back(*earlier);
                }
            }
            last[member] = exchange.transfer(member - 1, member, part, after);
        }
    }
    for (std::size_t member = 1; member < n; ++member) {
        exchange.results[member - 1].push_back(*last[member]);
        exchange.results[member].push_back(*last[member]);
    }
}

struct Row {
    CollectivePattern pattern;
    void (*add)(Exchange&);
};

constexpr std::array kRows{
    Row{CollectivePattern::ring_all_reduce, ring_all_reduce},
    Row{CollectivePattern::ring_reduce_scatter, ring_pass},
    Row{CollectivePattern::ring_all_gather, ring_pass},
    Row{CollectivePattern::double_tree_all_reduce, double_tree_all_reduce},
    Row{CollectivePattern::direct_all_to_all, direct_all_to_all},
    Row{CollectivePattern::chain_broadcast, chain_broadcast},
    Row{CollectivePattern::send, chain_broadcast},
};

void check_collective(const CollectiveFlows& collective) {
    const std::size_t n = collective.members.size();
    if (n == 0 || (collective.pattern == CollectivePattern::send && n != 2)) {
        fail({}, fmt::format("{}: {} members", name_of(collective.pattern), n),
             collective.pattern == CollectivePattern::send ? "a send has 2" : "a collective has at least 1");
    }
    if (collective.chunks == 0) {
        fail({}, fmt::format("{}: 0 chunks", name_of(collective.pattern)), "a buffer has at least 1 chunk");
    }
    check(collective.streams.empty() || collective.streams.size() == n, "every member has a stream, or none");
    check(collective.after.empty() || collective.after.size() == n, "every member has something to wait for, or none");
}

}  // namespace

std::vector<TaskId> add_collective(TaskGraphBuilder& builder, Routes& routes, const CollectiveFlows& collective) {
    check_collective(collective);
    const std::size_t n = collective.members.size();
    Exchange exchange{builder, routes, collective, {}, std::vector<std::vector<TaskId>>(n)};
    for (std::size_t member = 0; member < n; ++member) {
        const Task begin{.duration = collective.start,
                         .resource = collective.streams.empty() ? kNoResource : collective.streams[member],
                         .kind = collective.kind,
                         .priority = collective.priority};
        const bool waits = !collective.after.empty() && collective.after[member] != kNoTask;
        exchange.begun.push_back(waits ? builder.add(begin, {collective.after[member]}) : builder.add(begin));
    }
    const auto row =
        std::find_if(kRows.begin(), kRows.end(), [&](const Row& each) { return each.pattern == collective.pattern; });
    check(row != kRows.end(), "every collective has a row");
    row->add(exchange);
    std::vector<TaskId> ends;
    for (std::size_t member = 0; member < n; ++member) {
        exchange.results[member].push_back(exchange.begun[member]);
        ends.push_back(
            builder.add({.kind = collective.kind, .priority = collective.priority}, exchange.results[member]));
        if (!collective.streams.empty()) {
            builder.hold(exchange.begun[member], ends.back());
        }
    }
    return ends;
}

}  // namespace dodona::simulate
