#include "base/ranges.hpp"
#include "exchange/replica_exchange.hpp"
#include "questions/limits/limits.hpp"
#include "search/sweep.hpp"

namespace dodona::questions::limits {

namespace {

/// Samples a second and device.
double rate_of(double samples_per_second, std::int64_t devices) {
    return samples_per_second / static_cast<double>(devices);
}

reports::ExchangeScalingPoint point_of(const ExchangeQuestion& question, const search::ScalingPoint& found) {
    const cluster::Cluster& cluster = question.workload.cluster;
    const step::Prediction& plan = *found.best;
    reports::ExchangeScalingPoint point{.devices = found.devices,
                                        .own = rate_of(plan.samples_per_second, found.devices),
                                        .rates = std::vector<std::optional<double>>(question.exchanges.size())};
    const auto replicas = exchange::find_replicas(question.workload.graph, cluster, plan);
    for (std::size_t i = 0; replicas && i < question.exchanges.size(); ++i) {
        const exchange::ReplicaExchange made =
            exchange::replica_exchange(question.exchanges[i], cluster, *replicas, plan.plan.batch);
        point.rates[i] = rate_of(made.samples_per_second, found.devices);
    }
    return point;
}

}  // namespace

reports::ExchangeScaling ask(const ExchangeQuestion& question, const search::Progress& progress) {
    const auto& [workload, space, growth, strategy, exchanges, efficiency] = question;
    reports::ExchangeScaling scaling{.strategy = strategy.name, .efficiency = efficiency};
    append(scaling.exchanges, exchanges, &exchange::Exchange::name);
    const std::vector<std::int64_t> counts =
        search::doublings(workload.cluster, 1, growth.asked.value_or(growth.machine));
    const auto all = static_cast<std::int64_t>(counts.size());
    for (const std::int64_t devices : counts) {
        bool stopped = false;
        const auto seen = static_cast<std::int64_t>(scaling.points.size());
        const search::ScalingPoint found =
            search::scaling_point(workload.graph, workload.cluster, space, {strategy}, devices,
                                  growth.batch_on(devices), [&](std::int64_t, std::int64_t) {
                                      stopped = progress && !progress(seen, all);
                                      return !stopped;
                                  });
        if (stopped) {
            break;
        }
        if (found.best) {
            scaling.points.push_back(point_of(question, found));
        }
    }
    return scaling;
}

}  // namespace dodona::questions::limits
