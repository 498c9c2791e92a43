#include "cli/exchange_limits.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "cli/exchange_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/job_space.hpp"
#include "cli/progress.hpp"
#include "reports/collect/exchange_scaling_report.hpp"
#include "search/sweep.hpp"

namespace dodona::cli {

namespace {

/// Whose replicas are most: the strategy asked for, or data parallelism.
plan::Strategy strategy_to_scale(Arguments& arguments) {
    const std::vector<std::string> names = arguments.list("--strategy");
    if (names.size() > 1) {
        arguments.fault("--strategy", "one strategy at a time is scaled with exchanges", "--strategy data");
    }
    plan::Strategy strategy =
        read_strategy(names.empty() ? "data" : taken_as(arguments, files::NameOf::strategy, names.front()));
    strategy.considered = {};
    return strategy;
}

/// Samples a second and device.
double rate_of(double samples_per_second, std::int64_t devices) {
    return samples_per_second / static_cast<double>(devices);
}

reports::ExchangeScalingPoint point_of(const std::vector<exchange::Exchange>& exchanges, const Workload& workload,
                                       const search::ScalingPoint& found) {
    const step::Prediction& plan = *found.best;
    reports::ExchangeScalingPoint point{.devices = found.devices,
                                        .own = rate_of(plan.samples_per_second, found.devices),
                                        .rates = std::vector<std::optional<double>>(exchanges.size())};
    const auto replicas = exchange::find_replicas(workload.graph, workload.cluster, plan);
    for (std::size_t i = 0; replicas && i < exchanges.size(); ++i) {
        const exchange::ReplicaExchange made =
            exchange::replica_exchange(exchanges[i], workload.cluster, *replicas, plan.plan.batch);
        point.rates[i] = rate_of(made.samples_per_second, found.devices);
    }
    return point;
}

}  // namespace

int run_exchange_limits(Arguments& arguments, const Output& output, const Workload& workload,
                        const search::Growth& growth, std::optional<double> asked) {
    const double efficiency = asked.value_or(search::kWorthwhile);
    const std::vector<exchange::Exchange> exchanges = read_exchanges(arguments);
    const plan::Strategy strategy = strategy_to_scale(arguments);
    arguments.throw_if_faults();
    const search::Space space = job_space(arguments, workload);
    arguments.throw_if_faults();
    reports::ExchangeScaling scaling{.strategy = strategy.name, .efficiency = efficiency};
    for (const exchange::Exchange& exchange : exchanges) {
        scaling.exchanges.push_back(exchange.name);
    }
    listen_for_interrupt();
    ProgressLine line("numbers of GPUs");
    const std::vector<std::int64_t> counts =
        search::doublings(workload.cluster, 1, growth.asked.value_or(growth.machine));
    for (const std::int64_t devices : counts) {
        line.show(static_cast<std::int64_t>(scaling.points.size()), static_cast<std::int64_t>(counts.size()));
        const search::ScalingPoint found =
            search::scaling_point(workload.graph, workload.cluster, space, {strategy}, devices,
                                  growth.batch_on(devices), [](std::int64_t, std::int64_t) { return !interrupted(); });
        if (interrupted()) {
            break;
        }
        if (found.best) {
            scaling.points.push_back(point_of(exchanges, workload, found));
        }
    }
    line.clear();
    if (interrupted()) {
        fmt::print(stderr, "note: stopped; larger numbers of GPUs were not searched\n");
    }
    write(output, reports::exchange_scaling_document(workload.subject, scaling));
    return interrupted() ? kInterrupted : scaling.points.empty() ? kNo : kAnswered;
}

}  // namespace dodona::cli
