#include "simulate/active_flows.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "base/check.hpp"

namespace dodona::simulate {

namespace {

constexpr std::uint32_t kNoGroup = 0xffffffffU;

}  // namespace

ActiveFlows::ActiveFlows(const Routes* routes, const std::vector<double>& shared)
    : routes_(routes), topology_routes_(routes == nullptr ? 0 : routes->size()) {
    if (routes != nullptr) {
        for (const Link& link : routes->topology().links()) {
            links_.push_back({.capacity = link.bandwidth().in(unit::byte_per_second)});
        }
    }
    for (const double capacity : shared) {
        extra_hops_.push_back({.link = id_at<LinkId>(links_.size())});
        links_.push_back({.capacity = capacity});
    }
    group_of_route_.assign(topology_routes_ + shared.size(), kNoGroup);
}

std::span<const Hop> ActiveFlows::hops(RouteId route) const {
    return index(route) < topology_routes_ ? routes_->hops(route)
                                           : std::span(extra_hops_).subspan(index(route) - topology_routes_, 1);
}

std::uint32_t ActiveFlows::group_of(RouteId route, double most) {
    std::uint32_t* last = &group_of_route_[index(route)];
    while (*last != kNoGroup) {
        if (groups_[*last].most == most) {
            return *last;
        }
        last = &groups_[*last].next_of_route;
    }
    *last = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back({.route = hops(route), .most = most});
    return static_cast<std::uint32_t>(groups_.size() - 1);
}

std::uint32_t ActiveFlows::arrive(double now, const Arrival& arrival) {
    const std::uint32_t number = group_of(arrival.route, arrival.most);
    Group& group = groups_[number];
    if (!group.active) {
        activate(number, now);
    }
    advance(group, now);
    std::uint32_t flow = 0;
    if (unused_flows_.empty()) {
        flow = static_cast<std::uint32_t>(flows_.size());
        flows_.emplace_back();
    } else {
        flow = unused_flows_.back();
        unused_flows_.pop_back();
    }
    FlowState& state = flows_[flow];
    state.group = number;
    state.task = arrival.task;
    state.weight = arrival.weight;
    state.first = group.bytes;
    group.weight += arrival.weight;
    ++group.flows;
    group.queue.push_back({.due = group.bytes + arrival.bytes, .flow = flow, .version = state.version});
    std::push_heap(group.queue.begin(), group.queue.end(), is_later);
    touch(number);
    return flow;
}

double ActiveFlows::transferred(std::uint32_t flow, double now) const {
    const Group& group = groups_[flows_[flow].group];
    return group.bytes + group.rate * (now - group.updated) - flows_[flow].first;
}

void ActiveFlows::make_due_after(std::uint32_t flow, double bytes, double now) {
    FlowState& state = flows_[flow];
    Group& group = groups_[state.group];
    advance(group, now);
    ++state.version;
    group.queue.push_back({.due = state.first + bytes, .flow = flow, .version = state.version});
    std::push_heap(group.queue.begin(), group.queue.end(), is_later);
    mark_stale(state.group);
}

void ActiveFlows::activate(std::uint32_t number, double now) {
    Group& group = groups_[number];
    group.active = true;
    group.weight = 0;
    group.rate = 0;
    group.bytes = 0;
    group.updated = now;
    const std::span<const Hop> route = group.route;
    group.places.resize(route.size());
    for (std::uint32_t hop = 0; hop < route.size(); ++hop) {
        std::vector<User>& users = links_[index(route[hop].link)].users;
        group.places[hop] = static_cast<std::uint32_t>(users.size());
        users.push_back({.group = number, .hop = hop});
    }
}

void ActiveFlows::deactivate(std::uint32_t number) {
    Group& group = groups_[number];
    group.active = false;
    const std::span<const Hop> route = group.route;
    for (std::uint32_t hop = 0; hop < route.size(); ++hop) {
        std::vector<User>& users = links_[index(route[hop].link)].users;
        const User moved = users.back();
        users[group.places[hop]] = moved;
        groups_[moved.group].places[moved.hop] = group.places[hop];
        users.pop_back();
    }
}

/// The rates of the groups around `number` are to be worked out anew.
void ActiveFlows::touch(std::uint32_t number) {
    const std::span<const Hop> route = groups_[number].route;
    for (const Hop& hop : route) {
        LinkState& link = links_[index(hop.link)];
        if (!link.changed) {
            link.changed = true;
            changed_links_.push_back(static_cast<std::uint32_t>(hop.link));
        }
    }
    mark_stale(number);
}

void ActiveFlows::mark_stale(std::uint32_t number) {
    groups_[number].is_stale = true;
    changed_groups_.push_back(number);
}

void ActiveFlows::advance(Group& group, double now) const {
    group.bytes += group.rate * (now - group.updated);
    group.updated = now;
}

void ActiveFlows::work_out_due(Group& group) {
    const auto is_outdated = [&](const Member& member) { return flows_[member.flow].version != member.version; };
    while (!group.queue.empty() && is_outdated(group.queue.front())) {
        std::pop_heap(group.queue.begin(), group.queue.end(), is_later);
        group.queue.pop_back();
    }
    check(!group.queue.empty(), "an active group has a flow");
    group.due = group.updated + std::max(0.0, group.queue.front().due - group.bytes) / group.rate;
    group.is_stale = false;
    group.is_announced = false;
    ++group.version;
}

void ActiveFlows::announce(std::uint32_t number) {
    Group& group = groups_[number];
    if (!group.is_announced) {
        group.is_announced = true;
        changes_.push_back({.group = number, .version = group.version, .time = group.due});
    }
}

/// Announces the groups of the part whose flows are due first.
void ActiveFlows::announce_first() {
    double first = kUnlimited;
    for (const std::uint32_t number : part_groups_) {
        if (groups_[number].is_stale) {
            work_out_due(groups_[number]);
        }
        first = std::min(first, groups_[number].due);
    }
    for (const std::uint32_t number : part_groups_) {
        if (groups_[number].due <= first * (1 + kSameTime)) {
            announce(number);
        }
    }
}

/// Adds the links and groups to the part that are connected with a link.
void ActiveFlows::collect(std::uint32_t start) {
    links_[start].visit = visit_;
    part_links_.push_back(start);
    for (std::size_t next = part_links_.size() - 1; next < part_links_.size(); ++next) {
        for (const User& user : links_[part_links_[next]].users) {
            Group& group = groups_[user.group];
            if (group.visit == visit_) {
                continue;
            }
            group.visit = visit_;
            group.fixed = false;
            part_groups_.push_back(user.group);
            for (const Hop& hop : group.route) {
                LinkState& link = links_[index(hop.link)];
                if (link.visit != visit_) {
                    link.visit = visit_;
                    part_links_.push_back(static_cast<std::uint32_t>(hop.link));
                }
            }
        }
    }
}

void ActiveFlows::fix(std::uint32_t number, double rate) {
    Group& group = groups_[number];
    group.fixed = true;
    part_rates_.push_back(rate);
    for (const Hop& hop : group.route) {
        LinkState& link = links_[index(hop.link)];
        link.left -= hop.share * group.weight * rate;
        link.weight -= hop.share * group.weight;
        --link.rising;
    }
}

/// Progressive filling of the part. Reorders part_groups_ to the order in which rates are fixed.
void ActiveFlows::fill() {
    for (const std::uint32_t number : part_links_) {
        LinkState& link = links_[number];
        link.left = link.capacity;
        link.rising = link.users.size();
        if (link.changed) {
            link.changed = false;
            link.weight_of_users = 0;
            for (const User& user : link.users) {
                const Group& group = groups_[user.group];
                link.weight_of_users += group.route[user.hop].share * group.weight;
            }
        }
        link.weight = link.weight_of_users;
    }
    std::vector<std::uint32_t> limited;  // by rate, the smallest last
    for (const std::uint32_t number : part_groups_) {
        if (groups_[number].most != kUnlimited) {
            limited.push_back(number);
        }
    }
    std::sort(limited.begin(), limited.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(groups_[a].most, a) > std::pair(groups_[b].most, b);
    });
    using Level = std::pair<double, std::uint32_t>;  // rate at which a link is full, link
    std::vector<Level> levels;
    for (const std::uint32_t number : part_links_) {
        levels.emplace_back(links_[number].left / links_[number].weight, number);
    }
    std::priority_queue<Level, std::vector<Level>, std::greater<>> lowest(std::greater<>(), std::move(levels));

    std::vector<std::uint32_t> order;
    double level = 0;
    const auto fix_at = [&](std::uint32_t number, double rate) {
        order.push_back(number);
        fix(number, rate);
    };
    while (order.size() < part_groups_.size()) {
        // A link's level rises as groups that are full elsewhere stop rising: look again before believing it.
        double next = kUnlimited;
        std::uint32_t full = 0;
        while (!lowest.empty()) {
            const LinkState& link = links_[lowest.top().second];
            full = lowest.top().second;
            if (link.rising == 0) {
                lowest.pop();
                continue;
            }
            next = std::max(level, link.left / link.weight);
            if (next <= lowest.top().first) {
                break;
            }
            lowest.pop();
            if (lowest.empty() || std::pair(next, full) < lowest.top()) {
                lowest.emplace(next, full);
                break;
            }
            lowest.emplace(next, full);
            next = kUnlimited;
        }
        while (!limited.empty() && groups_[limited.back()].fixed) {
            limited.pop_back();
        }
        if (!limited.empty() && groups_[limited.back()].most <= next) {
            level = std::max(level, groups_[limited.back()].most);
            fix_at(limited.back(), groups_[limited.back()].most);
            continue;
        }
        check(next != kUnlimited, "a flow that rises passes a link or has a limit");
        level = next;
        for (const User& user : links_[full].users) {
            if (!groups_[user.group].fixed) {
                fix_at(user.group, level);
            }
        }
    }
    part_groups_ = std::move(order);
}

void ActiveFlows::set_rate(std::uint32_t number, double rate, double now) {
    Group& group = groups_[number];
    if (group.rate != rate) {
        advance(group, now);
        group.rate = rate;
        group.is_stale = true;
    }
}

void ActiveFlows::update(double now) {
    ++visit_;
    for (const std::uint32_t number : changed_links_) {
        if (links_[number].users.empty()) {
            links_[number].changed = false;
            continue;
        }
        if (links_[number].visit == visit_) {
            continue;
        }
        part_links_.clear();
        part_groups_.clear();
        part_rates_.clear();
        collect(number);
        fill();
        for (std::size_t i = 0; i < part_groups_.size(); ++i) {
            set_rate(part_groups_[i], part_rates_[i], now);
        }
        announce_first();
    }
    changed_links_.clear();
    for (const std::uint32_t number : changed_groups_) {
        Group& group = groups_[number];
        if (group.active && group.route.empty()) {
            set_rate(number, group.most, now);
        }
        if (group.active && group.is_stale) {  // no part that was worked out anew has it
            work_out_due(group);
            announce(number);
        }
    }
    changed_groups_.clear();
}

std::vector<ActiveFlows::Due> ActiveFlows::take_changes() { return std::exchange(changes_, {}); }

void ActiveFlows::take_due(std::uint32_t number, double now, std::vector<std::uint32_t>& tasks) {
    Group& group = groups_[number];
    advance(group, now);
    const double due = group.bytes + group.rate * now * kSameTime;
    const std::size_t before = tasks.size();
    bool is_first = true;
    while (!group.queue.empty()) {
        const Member member = group.queue.front();
        FlowState& flow = flows_[member.flow];
        const bool is_outdated = flow.version != member.version;
        if (!is_outdated && !is_first && member.due > due) {
            break;
        }
        std::pop_heap(group.queue.begin(), group.queue.end(), is_later);
        group.queue.pop_back();
        if (is_outdated) {
            continue;
        }
        is_first = false;  // the first one is due, whatever rounding says
        ++flow.version;
        group.weight -= flow.weight;
        --group.flows;
        unused_flows_.push_back(member.flow);
        tasks.push_back(flow.task);
    }
    check(tasks.size() > before, "a flow is due when its group says so");
    ++group.version;
    touch(number);
    if (group.flows == 0) {
        deactivate(number);
    }
}

}  // namespace dodona::simulate
