// The same traffic here and in SimGrid: makespans agree within 2 %.
//
//   simgrid_comparison SCENE        one of the table below; exit code 1 if they do not agree, 2 if there is no such scene
//
// SimGrid shares links max-min fairly too (model CM02); its corrections for TCP (latency and bandwidth factors, weight by
// round-trip time, window) are switched off.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simgrid/s4u.hpp>
#include <xbt/log.h>

#include "fabrics.hpp"
#include "simulate/play.hpp"
#include "simulate/random_bits.hpp"

namespace {

using namespace dodona;
using namespace dodona::simulate;
namespace s4u = simgrid::s4u;

constexpr double kAllowed = 0.02;

/// A transfer that starts at a time.
struct Transfer {
    std::size_t from = 0;
    std::size_t to = 0;
    double bytes = 0;
    double start = 0;
};

/// What endpoint i does in a ring: `steps` times it sends to the next and receives from the one before.
struct RingSteps {
    std::size_t steps = 0;
    double bytes = 0;
};

struct Scene {
    Topology topology;
    RingSteps ring;
    std::vector<Transfer> transfers;
};

// Scenes

Scene ring_all_reduce() {
    Topology topology = ring(16, {.bandwidth = 10_GB_per_s, .latency = 2_us});
    return {std::move(topology), {.steps = 30, .bytes = 64e6 / 16}, {}};
}

std::vector<Transfer> all_to_all(std::size_t endpoints, double bytes) {
    std::vector<Transfer> transfers;
    for (std::size_t distance = 1; distance < endpoints; ++distance) {
        for (std::size_t from = 0; from < endpoints; ++from) {
            transfers.push_back({from, (from + distance) % endpoints, bytes});
        }
    }
    return transfers;
}

Scene all_to_all_on_a_switch() {
    return {star(16, {.bandwidth = 10_GB_per_s, .latency = 2_us}), {}, all_to_all(16, 4e6)};
}

Scene all_to_all_on_a_tapered_tree() {
    Topology topology = fat_tree({{.size = 4}, {.size = 4, .taper = 4}}, {.bandwidth = 10_GB_per_s, .latency = 2_us});
    return {std::move(topology), {}, all_to_all(16, 4e6)};
}

/// Flows of many sizes that come and go. No latency: SimGrid would share by round-trip time.
Scene mixed_traffic() {
    Scene scene{fat_tree({{.size = 4}, {.size = 4, .taper = 4}}, {.bandwidth = 10_GB_per_s}), {}, {}};
    for (std::uint64_t i = 0; i < 200; ++i) {
        const std::size_t from = random_bits(1, i) % 16;
        const std::size_t to = (from + 1 + random_bits(2, i) % 15) % 16;
        scene.transfers.push_back({from, to, 1e6 * static_cast<double>(1 + random_bits(3, i) % 50),
                                   1e-4 * static_cast<double>(random_bits(4, i) % 300)});
    }
    return scene;
}

struct Row {
    std::string_view name;
    Scene (*make)();
    bool each_transfer = true;  ///< each agrees; otherwise the last to end
};

constexpr std::array kScenes{Row{"ring", ring_all_reduce}, Row{"switch", all_to_all_on_a_switch},
                             // Parts inside a leaf pass fewer links than others, and SimGrid shares by round-trip time.
                             Row{"tapered-tree", all_to_all_on_a_tapered_tree, false}, Row{"mixed", mixed_traffic}};

// Here

Seconds at(double seconds) { return Seconds::of_base(seconds); }

/// Ends of all transfers, the last step of a ring as one.
std::vector<double> play_here(const Scene& scene, Routes& routes) {
    TaskGraphBuilder builder;
    const std::span<const NodeId> ends = routes.topology().endpoints();
    if (scene.ring.steps > 0) {
        const double size = static_cast<double>(ends.size()) * scene.ring.bytes;
        pass_around(builder, routes, {ends.begin(), ends.end()}, Bytes::of_base(size), 2 * (ends.size() - 1));
        return {play(std::move(builder).build(), &routes).makespan.in(unit::second)};
    }
    for (const Transfer& transfer : scene.transfers) {
        builder.add(
            {.duration = at(transfer.start)},
            {.route = routes.between(ends[transfer.from], ends[transfer.to]), .bytes = Bytes::of_base(transfer.bytes)},
            {});
    }
    const Timeline timeline = play(std::move(builder).build(), &routes);
    std::vector<double> times;
    for (const Seconds end : timeline.end) {
        times.push_back(end.in(unit::second));
    }
    return times;
}

// In SimGrid

/// Hosts at the endpoints, and the routes of this side between all of them.
std::vector<s4u::Host*> make_platform(Routes& routes) {
    const Topology& topology = routes.topology();
    s4u::NetZone* zone = s4u::create_full_zone("all");
    std::vector<s4u::Link*> links;
    for (const Link& link : topology.links()) {
        links.push_back(
            zone->create_link(fmt::format("link {}", links.size()), link.bandwidth().in(unit::byte_per_second))
                ->set_latency(link.rate.latency.in(unit::second))
                ->seal());
    }
    std::vector<s4u::Host*> hosts;
    for (const NodeId end : topology.endpoints()) {
        hosts.push_back(zone->create_host(topology.node(end).name, 1e9)->seal());
    }
    for (std::size_t from = 0; from < hosts.size(); ++from) {
        for (std::size_t to = 0; to < hosts.size(); ++to) {
            if (from == to) {
                continue;
            }
            std::vector<s4u::LinkInRoute> route;
            for (const Hop& hop : routes.hops(routes.between(topology.endpoints()[from], topology.endpoints()[to]))) {
                route.emplace_back(links[index(hop.link)]);
            }
            zone->add_route(hosts[from]->get_netpoint(), hosts[to]->get_netpoint(), nullptr, nullptr, route, false);
        }
    }
    zone->seal();
    return hosts;
}

void add_ring(const RingSteps& ring, const std::vector<s4u::Host*>& hosts, std::vector<double>& ends) {
    ends.assign(1, 0);
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        const std::size_t next = (i + 1) % hosts.size();
        s4u::Actor::create(fmt::format("member {}", i), hosts[i], [&ring, &ends, i, next] {
            s4u::Mailbox* to = s4u::Mailbox::by_name(fmt::format("to {}", next));
            s4u::Mailbox* from = s4u::Mailbox::by_name(fmt::format("to {}", i));
            int token = 0;
            for (std::size_t step = 0; step < ring.steps; ++step) {
                const s4u::CommPtr sent = to->put_async(&token, static_cast<std::uint64_t>(ring.bytes));
                from->get<int>();
                sent->wait();
            }
            ends[0] = std::max(ends[0], s4u::Engine::get_clock());
        });
    }
}

void add_transfers(const std::vector<Transfer>& transfers, const std::vector<s4u::Host*>& hosts,
                   std::vector<double>& ends) {
    ends.assign(transfers.size(), 0);
    for (std::size_t i = 0; i < transfers.size(); ++i) {
        const Transfer transfer = transfers[i];
        s4u::Actor::create(fmt::format("transfer {}", i), hosts[transfer.from], [transfer, &hosts, &ends, i] {
            s4u::this_actor::sleep_for(transfer.start);
            s4u::Comm::sendto(hosts[transfer.from], hosts[transfer.to], static_cast<std::uint64_t>(transfer.bytes));
            ends[i] = s4u::Engine::get_clock();
        });
    }
}

std::vector<double> play_in_simgrid(const Scene& scene, Routes& routes) {
    xbt_log_control_set("xbt_cfg.threshold:warning");
    s4u::Engine engine("comparison");
    for (const char* setting : {"network/model:CM02", "network/TCP-gamma:0", "network/latency-factor:1",
                                "network/bandwidth-factor:1", "network/weight-S:0", "network/crosstraffic:0"}) {
        s4u::Engine::set_config(setting);
    }
    const std::vector<s4u::Host*> hosts = make_platform(routes);
    std::vector<double> ends;
    if (scene.ring.steps > 0) {
        add_ring(scene.ring, hosts, ends);
    } else {
        add_transfers(scene.transfers, hosts, ends);
    }
    engine.run();
    return ends;
}

}  // namespace

int main(int count, char** values) {
    const std::string_view name = count > 1 ? values[1] : "";
    const auto row = std::find_if(kScenes.begin(), kScenes.end(), [&](const Row& each) { return each.name == name; });
    if (row == kScenes.end()) {
        fmt::print(stderr, "simgrid_comparison: no scene \"{}\"\n", name);
        return 2;
    }
    const Scene scene = row->make();
    Routes routes(scene.topology, Spreading::hashed);
    const std::vector<double> here = play_here(scene, routes);
    const std::vector<double> there = play_in_simgrid(scene, routes);
    double largest = 0;
    for (std::size_t i = 0; i < here.size(); ++i) {
        largest = std::max(largest, std::abs(here[i] / there[i] - 1));
    }
    const double makespan = *std::max_element(here.begin(), here.end());
    const double in_simgrid = *std::max_element(there.begin(), there.end());
    fmt::print("{}: {:.9f} s here, {:.9f} s in SimGrid ({:+.4f} %); largest difference of one transfer {:.4f} %\n",
               name, makespan, in_simgrid, 100 * (makespan / in_simgrid - 1), 100 * largest);
    const double difference = row->each_transfer ? largest : std::abs(makespan / in_simgrid - 1);
    return difference <= kAllowed ? 0 : 1;
}
