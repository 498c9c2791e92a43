// Flows that are under way, and the rates that the links leave to them: max-min fair.
//
//   r_f = min(most_f, level of the first link on its route that is full)
//
// By progressive filling: the rates of all flows rise together; a flow stops rising at its own limit or when a link that
// it passes is full. Afterwards no flow can get more without taking from one that has less or as much. A flow of
// weight w that passes a link with share x loads it with w x r.
//
// Flows over the same route with the same limit have the same rate and form a group. What grows with the number of
// flows is only a queue of the group's flows by the bytes after which they are due. When flows come or go, rates are
// worked out anew for the groups that share links with theirs, directly or through others; once per point in time.
// This takes time in proportion to those groups: a thousand flows that all end at different times are played in hundredths
// of a second, ten thousand that share links in some ten.
// Source: Bertsekas and Gallager, Data Networks, 2nd ed. 1992, section 6.5.2; Casanova and Marchal, INRIA RR-4596 (2002)
// for max-min sharing as a model of long transfers. Not modelled: slow start, loss, bandwidth by round-trip time.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "simulate/routes.hpp"

namespace dodona::simulate {

/// Flows that are due within this share of the time at hand are due together: rounding, no more.
inline constexpr double kSameTime = 1e-12;

/// Plain numbers here are seconds, bytes and bytes per second.
class ActiveFlows {
public:
    static constexpr double kUnlimited = std::numeric_limits<double>::infinity();

    /// `shared`: capacities of links outside the topology; a flow passes one of them alone (extra_route).
    ActiveFlows(const Routes* routes, const std::vector<double>& shared);

    /// The route over the link `number` of `shared`.
    [[nodiscard]] RouteId extra_route(std::size_t number) const { return id_at<RouteId>(topology_routes_ + number); }
    /// Whether a flow takes no time: no link on its route and no limit.
    [[nodiscard]] bool is_instant(RouteId route, double most) const {
        return most == kUnlimited && hops(route).empty();
    }

    struct Arrival {
        RouteId route{};
        double bytes = 0;
        double weight = 1;
        double most = kUnlimited;
        std::uint32_t task = 0;  ///< whose flow it is
    };
    /// Returns the number of the flow while it is under way. It is due after `bytes`.
    std::uint32_t arrive(double now, const Arrival& arrival);
    /// Bytes since the flow's arrival.
    [[nodiscard]] double transferred(std::uint32_t flow, double now) const;
    /// The flow is due after that many bytes since its arrival, no longer after those of its arrival.
    void make_due_after(std::uint32_t flow, double bytes, double now);

    /// Works out rates anew after arrivals and departures.
    void update(double now);

    /// When the next flow of a group is due. Replaces what was said of the group before. Of groups that are connected
    /// only the first is told: when its flow leaves, rates change and the next is told.
    struct Due {
        std::uint32_t group = 0;
        std::uint32_t version = 0;
        double time = 0;
    };
    /// What has changed since the last call.
    std::vector<Due> take_changes();
    [[nodiscard]] bool is_current(std::uint32_t group, std::uint32_t version) const {
        return groups_[group].version == version;
    }
    /// Removes the flows of a group that are due and appends their tasks.
    void take_due(std::uint32_t group, double now, std::vector<std::uint32_t>& tasks);

    /// Rate of a flow that is under way, as of the last update.
    [[nodiscard]] double rate(std::uint32_t flow) const { return groups_[flows_[flow].group].rate; }

private:
    struct Member {
        double due = 0;  ///< bytes of the group at which the flow is due
        std::uint32_t flow = 0;
        std::uint32_t version = 0;
    };
    struct FlowState {
        std::uint32_t group = 0;
        std::uint32_t version = 0;
        std::uint32_t task = 0;
        double weight = 1;
        double first = 0;  ///< bytes of the group at its arrival
    };
    struct Group {
        std::span<const Hop> route;
        double most = kUnlimited;
        std::uint32_t next_of_route = 0xffffffffU;  ///< another group over the same route
        std::uint32_t version = 0;
        std::uint32_t visit = 0;
        bool active = false;
        bool fixed = false;         ///< its rate, in the filling under way
        double weight = 0;          ///< sum over its flows
        double rate = 0;            ///< of each flow
        double bytes = 0;           ///< that each of its flows has transferred since the group became active
        double updated = 0;         ///< when that was so
        double due = 0;             ///< when its next flow is due
        bool is_stale = false;      ///< `due` is to be worked out anew
        bool is_announced = false;  ///< `due` has been told
        std::size_t flows = 0;
        std::vector<Member> queue;          ///< a heap, the first one due on top
        std::vector<std::uint32_t> places;  ///< by hop: its place in the list of the link
    };
    struct User {
        std::uint32_t group = 0;
        std::uint32_t hop = 0;
    };
    struct LinkState {
        double capacity = 0;
        std::vector<User> users;  ///< active groups
        std::uint32_t visit = 0;
        bool changed = false;
        double weight_of_users = 0;  ///< as of the last update after a change
        // In the filling under way:
        double left = 0;         ///< capacity not taken by groups whose rate is fixed
        double weight = 0;       ///< of groups whose rate is not fixed
        std::size_t rising = 0;  ///< number of those
    };

    [[nodiscard]] std::span<const Hop> hops(RouteId route) const;
    std::uint32_t group_of(RouteId route, double most);
    void activate(std::uint32_t group, double now);
    void deactivate(std::uint32_t group);
    void touch(std::uint32_t group);
    void mark_stale(std::uint32_t group);
    void advance(Group& group, double now) const;
    void work_out_due(Group& group);
    void announce(std::uint32_t group);
    void announce_first();
    void collect(std::uint32_t link);
    void fill();
    void fix(std::uint32_t group, double rate);
    void set_rate(std::uint32_t group, double rate, double now);
    static bool is_later(const Member& a, const Member& b) { return a.due != b.due ? a.due > b.due : a.flow > b.flow; }

    const Routes* routes_;
    std::size_t topology_routes_ = 0;
    std::vector<Hop> extra_hops_;
    std::vector<LinkState> links_;
    std::vector<Group> groups_;
    std::vector<std::uint32_t> group_of_route_;
    std::vector<FlowState> flows_;
    std::vector<std::uint32_t> unused_flows_;
    std::vector<std::uint32_t> changed_links_;
    std::vector<std::uint32_t> changed_groups_;  ///< with flows that came, went or are due earlier
    std::vector<Due> changes_;
    std::uint32_t visit_ = 0;
    // The part of the network whose rates are worked out:
    std::vector<std::uint32_t> part_links_;
    std::vector<std::uint32_t> part_groups_;
    std::vector<double> part_rates_;
};

}  // namespace dodona::simulate
