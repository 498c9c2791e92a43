// Patterns with servers, which hold weights of their own and update them; sums are in the order of workers.
#include <algorithm>

#include "lab/replicas/party.hpp"

namespace dodona::calibrate {

namespace {

/// The owner of a part: sums the payloads of all workers, updates, and sends the weights to all.
void own_part(Party& party, Part part) {
    std::vector<std::vector<float>> arrived(party.workers);
    for (std::size_t worker = 0; worker < party.workers; ++worker) {
        if (worker != party.rank()) {
            arrived[worker].resize(part.count);
            party.messenger.receive(std::span(arrived[worker]), static_cast<int>(worker));
        }
    }
    party.messenger.wait();
    if (!party.is_server()) {
        const std::span<const float> own = party.replica.payload_of(part);
        arrived[party.rank()].assign(own.begin(), own.end());
    }
    std::vector<float> sum(part.count, 0.0F);
    for (const std::vector<float>& values : arrived) {
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += values[i];
        }
    }
    party.replica.apply(part, sum, party.workers);
}

/// The next worker first: where several owners send at once, no two send to the same worker.
void send_to_workers(Party& party, Part part) {
    const std::size_t others = party.is_server() ? party.workers : party.workers - 1;
    for (std::size_t ahead = 1; ahead <= others; ++ahead) {
        const std::size_t worker = (party.rank() + ahead) % party.workers;
        party.messenger.send<float>(party.replica.target_of(part), static_cast<int>(worker));
    }
}

/// Elastic: the master's centre moves by the sum of the differences, each worker by its own.
void elastic_master(Party& party, Part range) {
    const auto rate = static_cast<float>(party.exchange.moving_rate / static_cast<double>(party.workers));
    std::vector<float> sum(range.count, 0.0F);
    std::vector<std::vector<float>> arrived(party.workers, std::vector<float>(range.count));
    for (std::size_t worker = 0; worker < party.workers; ++worker) {
        party.messenger.receive(std::span(arrived[worker]), static_cast<int>(worker));
    }
    party.messenger.wait();
    send_to_workers(party, range);
    party.messenger.wait();
    const std::span<float> centre = party.replica.target_of(range);
    for (std::size_t i = 0; i < range.count; ++i) {
        const float before = centre[i];
        for (const std::vector<float>& values : arrived) {
            centre[i] += rate * (values[i] - before);
        }
    }
}

void elastic_worker(Party& party, Part range) {
    const auto rate = static_cast<float>(party.exchange.moving_rate / static_cast<double>(party.workers));
    const auto master = static_cast<int>(party.workers);
    std::vector<float> centre(range.count);
    party.messenger.swap<float>(party.replica.payload_of(range), master, centre, master);
    const std::span<float> own = party.replica.target_of(range);
    const std::span<const float> sent = party.replica.payload_of(range);
    for (std::size_t i = 0; i < range.count; ++i) {
        own[i] = sent[i] - rate * (sent[i] - centre[i]);
    }
}

void with_servers(Party& party, Part range) {
    if (party.is_server()) {
        const Part own = part_of(range, party.rank() - party.workers, party.servers);
        own_part(party, own);
        send_to_workers(party, own);
        party.messenger.wait();
        return;
    }
    for (std::size_t turn = 0; turn < party.servers; ++turn) {
        const std::size_t server = (party.rank() + turn) % party.servers;  // not all workers to the same one first
        const Part part = part_of(range, server, party.servers);
        const auto rank = static_cast<int>(party.workers + server);
        party.messenger.send<float>(party.replica.payload_of(part), rank);
    }
    party.messenger.wait();
    for (std::size_t server = 0; server < party.servers; ++server) {
        const Part part = part_of(range, server, party.servers);
        party.messenger.receive(party.replica.target_of(part), static_cast<int>(party.workers + server));
    }
    party.messenger.wait();
}

void on_workers(Party& party, Part range) {
    const auto others = [&](auto&& act) {
        for (std::size_t ahead = 1; ahead < party.workers; ++ahead) {
            const std::size_t other = (party.rank() + ahead) % party.workers;
            act(static_cast<int>(other), part_of(range, other, party.workers));
        }
    };
    const Part own = part_of(range, party.rank(), party.workers);
    others([&](int owner, Part part) { party.messenger.send<float>(party.replica.payload_of(part), owner); });
    own_part(party, own);
    others([&](int owner, Part part) { party.messenger.receive(party.replica.target_of(part), owner); });
    send_to_workers(party, own);
    party.messenger.wait();
}

}  // namespace

void by_servers(Party& party, Part range) {
    if (party.exchange.outer == exchange::Outer::elastic) {
        party.is_server() ? elastic_master(party, range) : elastic_worker(party, range);
    } else if (party.servers > 0) {
        with_servers(party, range);
    } else {
        on_workers(party, range);
    }
}

/// Workers reduce and scatter; the server updates the parts and sends them back; workers gather.
void by_scatter_reduce(Party& party, Part range) {
    const auto server = static_cast<int>(party.workers);
    if (party.is_server()) {
        const std::span<float> sums = party.replica.payload_of(range);
        for (std::size_t worker = 0; worker < party.workers; ++worker) {
            const Part part = part_of(range, worker, party.workers);
            party.messenger.receive(party.replica.payload_of(part), static_cast<int>(worker));
        }
        party.messenger.wait();
        party.replica.apply(range, sums, party.workers);
        for (std::size_t worker = 0; worker < party.workers; ++worker) {
            const Part part = part_of(range, worker, party.workers);
            party.messenger.send<float>(party.replica.target_of(part), static_cast<int>(worker));
        }
        party.messenger.wait();
        return;
    }
    const Ring ring = party.all_workers();
    ring_reduce_scatter(party.messenger, ring, party.replica.payload_of(range));
    const Part own = part_of(range, ring.place, ring.size());
    party.messenger.swap<float>(party.replica.payload_of(own), server, party.replica.target_of(own), server);
    ring_all_gather(party.messenger, ring, party.replica.target_of(range));
}

/// A binomial tree of the server, node 0, and workers, nodes 1 ... n: the parent of a node lacks its lowest bit. Who has
/// several children hears the one with the fewest below it first, and tells the one with the most first.
void by_tree(Party& party, Part range) {
    const std::size_t nodes = party.workers + 1;
    const std::size_t node = party.is_server() ? 0 : party.rank() + 1;
    const auto rank_of = [&](std::size_t of) { return static_cast<int>(of == 0 ? party.workers : of - 1); };
    const std::size_t lowest = node == 0 ? nodes : node & (~node + 1);
    std::vector<std::size_t> children;
    for (std::size_t bit = 1; bit < lowest && node + bit < nodes; bit *= 2) {
        children.push_back(node + bit);
    }
    const std::span<float> sum = party.replica.payload_of(range);
    if (node == 0) {
        std::fill(sum.begin(), sum.end(), 0.0F);
    }
    std::vector<float> arrived(range.count);
    for (const std::size_t child : children) {
        party.messenger.receive(std::span(arrived), rank_of(child));
        party.messenger.wait();
        for (std::size_t i = 0; i < sum.size(); ++i) {
            sum[i] += arrived[i];
        }
    }
    const std::span<float> weights = party.replica.target_of(range);
    if (node == 0) {
        party.replica.apply(range, sum, party.workers);
    } else {
        const int parent = rank_of(node & (node - 1));
        party.messenger.swap<float>(sum, parent, weights, parent);
    }
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
        party.messenger.send<float>(weights, rank_of(*child));
        party.messenger.wait();
    }
}

}  // namespace dodona::calibrate
