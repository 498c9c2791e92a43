#include "play/noise_study.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "step/stage_time.hpp"

namespace dodona::play {

using simulate::NoiseOn;

namespace {

constexpr std::array kLoaded{NoiseOn::compute, NoiseOn::network, NoiseOn::storage, NoiseOn::host, NoiseOn::memory};

/// As many steps as 20 cycles take, within bounds.
std::int64_t steps_for(const NoiseStudy& study, Seconds step) {
    constexpr double kLeast = 100;
    constexpr double kMax = 4000;
    const double cycles = 20 * ((study.burst + study.silence) / step);
    return static_cast<std::int64_t>(std::clamp(std::ceil(cycles), kLeast, kMax));
}

LoadEffect effect_of(NoiseOn on, const NoisySteps& noisy) {
    const auto longer = std::count_if(noisy.steps.begin(), noisy.steps.end(),
                                      [&](Seconds step) { return step > (1 + 1e-6) * noisy.without; });
    return {.on = on,
            .steps = noisy.all(),
            .touched = static_cast<double>(longer) / static_cast<double>(noisy.steps.size())};
}

/// The step with a share of the cores left to decoding.
Seconds with_cores(const SimulatedStep& step, double share) {
    const step::InputCosts& input = step.costs.input;
    const Seconds passes = step.timeline.makespan;
    return passes + input.feeding + step::host_wait((1 / share) * input.decoding, passes) + input.fixed;
}

/// The least share of the cores with which the step is no more than kMaxSlowDown longer; 0 where nothing is decoded.
double least_share(const SimulatedStep& step) {
    if (step.costs.input.decoding <= Seconds{}) {
        return 0;
    }
    const Seconds most = (1 + kMaxSlowDown) * with_cores(step, 1);
    double least = 0;
    double enough = 1;
    for (int i = 0; i < 50; ++i) {
        const double middle = (least + enough) / 2;
        (with_cores(step, middle) <= most ? enough : least) = middle;
    }
    return enough;
}

/// Cores of a node that kDecodedOnCore needs.
double loader_cores(const step::Prediction& prediction, std::int64_t ranks) {
    return prediction.samples_per_second * static_cast<double>(ranks) / static_cast<double>(prediction.plan.devices()) /
           kDecodedOnCore;
}

LentCores lent_cores(const SimulatedStep& step, const cluster::Cluster& cluster, const HostCores& host) {
    const std::int64_t cores = *host.cores;
    const std::int64_t ranks = std::min(cluster.node_size(), step.prediction.plan.devices());
    const double known = static_cast<double>(cores) * least_share(step);
    const bool assumed = known <= 0 && host.images;
    const double decoding = assumed ? loader_cores(step.prediction, ranks) : known;
    const auto used = static_cast<std::int64_t>(std::ceil(decoding)) + kCoresPerRank * ranks;
    return {.cores = cores,
            .decoding = decoding,
            .assumed = assumed,
            .ranks = ranks,
            .lendable = std::max<std::int64_t>(0, cores - used)};
}

}  // namespace

NoiseStudy noise_study(const SimulatedStep& step, const cluster::Cluster& cluster, const NoiseSettings& settings,
                       const HostCores& host) {
    NoiseStudy study;
    study.host_memory = host_memory_use(step, cluster);
    for (const NoiseOn on : kLoaded) {
        NoiseSettings loaded = settings;
        loaded.sources = {{.on = on, .mean = 1, .burst = study.burst, .silence = study.silence}};
        loaded.steps = steps_for(study, step.time());
        const NoisySteps noisy = noisy_steps(step, cluster, loaded);
        study.without = noisy.without;
        if (noisy.complete()) {
            study.loads.push_back(effect_of(on, noisy));
        }
    }
    std::stable_sort(study.loads.begin(), study.loads.end(),
                     [](const LoadEffect& a, const LoadEffect& b) { return a.steps.mean > b.steps.mean; });
    if (host.cores) {
        study.lent = lent_cores(step, cluster, host);
    }
    return study;
}

}  // namespace dodona::play
