#include "lab/replicas/outcome.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace dodona::calibrate {

namespace {

/// A number of each worker, reduced over them; servers bring `neutral`.
double over_workers(const Party& party, double own, MPI_Op operation, double neutral = 0) {
    double value = party.is_server() ? neutral : own;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, operation, party.messenger.comm());
    return value;
}

double largest(const Party& party, double own) { return over_workers(party, own, MPI_MAX); }

double mean(const Party& party, double own) {
    return over_workers(party, own, MPI_SUM) / static_cast<double>(party.workers);
}

/// FNV-1a.
std::uint64_t digest_of(const std::vector<float>& values) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const std::byte byte : std::as_bytes(std::span(values))) {
        hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
    }
    return hash;
}

bool same_on_all(const Party& party, std::uint64_t digest) {
    std::vector<std::uint64_t> all(static_cast<std::size_t>(party.messenger.size()));
    MPI_Allgather(&digest, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, party.messenger.comm());
    bool same = true;
    for (std::size_t worker = 0; worker < party.workers; ++worker) {
        same = same && all[worker] == all[0];
    }
    return same;
}

double distance_to_mean(const Party& party, const std::vector<float>& weights) {
    std::vector<double> mean(weights.size(), 0.0);
    if (!party.is_server()) {
        mean.assign(weights.begin(), weights.end());
    }
    MPI_Allreduce(MPI_IN_PLACE, mean.data(), static_cast<int>(mean.size()), MPI_DOUBLE, MPI_SUM,
                  party.messenger.comm());
    double square = 0;
    for (std::size_t i = 0; i < mean.size(); ++i) {
        const double off = weights[i] - mean[i] / static_cast<double>(party.workers);
        square += off * off;
    }
    const double all = over_workers(party, square, MPI_SUM);
    return std::sqrt(all / static_cast<double>(mean.size() * party.workers));
}

Seconds mean_step(const TrainingSettings& settings, const Course& course) {
    const std::int64_t period = settings.exchange.period;
    const auto first = static_cast<std::size_t>(settings.steps / 4 / period * period);
    const std::size_t last = course.starts.size() - 1;
    const std::chrono::duration<double> time = course.starts[last] - course.starts[first];
    return time.count() / static_cast<double>(last - first) * 1_s;
}

/// Staleness at the first server: a rank of its own, or the first worker.
void add_staleness(const Party& party, const Course& course, Outcome& outcome) {
    const int first = party.servers > 0 ? static_cast<int>(party.workers) : 0;
    std::array<double, 3> seen{static_cast<double>(course.updates), course.staleness, course.most_stale};
    MPI_Bcast(seen.data(), static_cast<int>(seen.size()), MPI_DOUBLE, first, party.messenger.comm());
    if (seen[0] > 0) {
        outcome.staleness = seen[1] / seen[0];
        outcome.most_stale = seen[2];
    }
}

/// Of sums that are applied as they are: owners send codes of them, workers sparse messages without another stage.
double misapplied(const Party& party, const Worker& worker) {
    const bool sparse = party.exchange.compression.kind == exchange::CompressionKind::top_k;
    std::vector<double> sent = (sparse ? party.residual : party.owned).sent();
    MPI_Allreduce(MPI_IN_PLACE, sent.data(), static_cast<int>(sent.size()), MPI_DOUBLE, MPI_SUM,
                  party.messenger.comm());
    const std::vector<float> first = worker.first_weights();
    const double rate = worker.replica.rate / static_cast<double>(party.workers);
    double most = 0;
    double off = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        most = std::max(most, std::abs(rate * sent[i]));
        off = std::max(off, std::abs(first[i] - worker.replica.weights[i] - rate * sent[i]));
    }
    return most > 0 ? off / most : 0;
}

void add_compression(const Party& party, const Worker& worker, Outcome& outcome) {
    if (party.exchange.compression.kind == exchange::CompressionKind::none) {
        return;
    }
    if (party.exchange.outer == exchange::Outer::none) {
        outcome.misapplied = largest(party, misapplied(party, worker));
    }
    outcome.imbalance = std::max(largest(party, party.residual.imbalance()), largest(party, party.owned.imbalance()));
    outcome.unsent = largest(party, party.residual.unsent());
    const double most = largest(party, static_cast<double>(party.residual.most_kept()));
    const double least = over_workers(party, static_cast<double>(party.residual.least_kept()), MPI_MIN, most);
    outcome.kept = static_cast<std::uint64_t>(most);
    outcome.always_kept = most > 0 && least >= most;
}

}  // namespace

Outcome gathered_outcome(const TrainingSettings& settings, const Party& party, Worker& worker, const Course& course,
                         double first_loss) {
    const std::vector<float>& weights = worker.replica.weights;
    Outcome outcome{.workers = party.workers, .servers = party.servers, .elements = weights.size()};
    const bool works = !party.is_server();
    outcome.step = mean(party, works ? mean_step(settings, course).in(1_s) : 0) * 1_s;
    outcome.compute = mean(party, worker.computed().in(1_s) / static_cast<double>(settings.steps)) * 1_s;
    outcome.first_loss = first_loss;
    outcome.last_loss = worker.held_out_loss();
    const std::uint64_t digest = digest_of(weights);
    outcome.digest = fmt::format("{:016x}", digest);
    outcome.equal = same_on_all(party, digest);
    outcome.distance = distance_to_mean(party, weights);
    add_compression(party, worker, outcome);
    add_staleness(party, course, outcome);
    outcome.lead = static_cast<std::int64_t>(largest(party, static_cast<double>(course.lead)));
    for (std::int64_t step = 0; settings.distances && step < settings.steps; ++step) {
        outcome.distances.push_back(
            distance_to_mean(party, works ? course.snapshots[static_cast<std::size_t>(step)] : weights));
    }
    return outcome;
}

}  // namespace dodona::calibrate
