#include "exchange/server_places.hpp"

#include <algorithm>
#include <numeric>

namespace dodona::exchange {

namespace {

std::int64_t links_of_node(const cluster::Cluster& cluster) {
    const std::size_t outer = cluster.node_level + 1;
    return outer < cluster.levels.size() ? std::min(cluster.node_size(), cluster.levels[outer].links) : 1;
}

/// The devices of a node that drive its links, for each of `nodes` nodes from rank `first` on.
std::vector<std::int64_t> beside_links(const cluster::Cluster& cluster, std::int64_t first, std::int64_t nodes) {
    const std::int64_t links = links_of_node(cluster);
    std::vector<std::int64_t> ranks;
    for (std::int64_t link = 0; link < nodes * links; ++link) {
        ranks.push_back(first + link / links * cluster.node_size() + link % links * cluster.node_size() / links);
    }
    return ranks;
}

/// A part on each worker: those that share a link of a node are one, unless all workers are on one node.
ServerPlaces on_each_worker(const cluster::Cluster& cluster, std::int64_t workers) {
    const std::int64_t node = cluster.node_size();
    ServerPlaces places{.ranks = workers, .on_workers = true};
    if (workers > node && workers % node == 0) {
        places.servers = beside_links(cluster, 0, workers / node);
    } else {
        places.servers.resize(static_cast<std::size_t>(workers));
        std::iota(places.servers.begin(), places.servers.end(), 0);
    }
    places.for_each = static_cast<double>(workers) / static_cast<double>(places.servers.size());
    return places;
}

}  // namespace

bool is_played_by_servers(Pattern pattern) { return pattern == Pattern::servers || pattern == Pattern::master; }

ServerPlaces server_places(const Exchange& exchange, const cluster::Cluster& cluster, std::int64_t workers) {
    if (!is_played_by_servers(exchange.pattern)) {
        return {.servers = {0}, .ranks = workers, .on_workers = exchange.pattern == Pattern::tree};
    }
    if (exchange.pattern == Pattern::servers && !exchange.servers) {
        return on_each_worker(cluster, workers);
    }
    const std::int64_t count = exchange.servers.value_or(1);
    const std::int64_t node = cluster.node_size();
    const std::int64_t first = (workers + node - 1) / node * node;
    if (first + count * node <= cluster.devices()) {
        return {.servers = beside_links(cluster, first, count), .ranks = first + count * node};
    }
    ServerPlaces places{.ranks = workers, .on_workers = true};
    for (std::int64_t server = 0; server < count; ++server) {
        places.servers.push_back(server * workers / count);
    }
    return places;
}

}  // namespace dodona::exchange
