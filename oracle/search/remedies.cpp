#include "search/remedies.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "search/bound.hpp"
#include "search/sizing.hpp"

namespace dodona::search {

namespace {

constexpr int kHalvings = 4;

/// A question; copies refer to the same.
class UsualLadders {
public:
    UsualLadders(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space)
        : graph_(graph), cluster_(cluster), space_(space) {}

    std::vector<RelaxationSequence> run() {
        return {without_reserve(), without_constraints(), smaller_states(),
                offloads(),        smaller_batches(),     more_devices()};
    }

private:
    [[nodiscard]] Variation variation(std::string change, const Space& space) const {
        return {.change = std::move(change),
                .options = {},
                .without = {},
                .graph = graph_,
                .cluster = cluster_,
                .space = space};
    }

    [[nodiscard]] RelaxationSequence without_reserve() const {
        if (space_.reserve <= 0) {
            return {};
        }
        return {[job = *this]() -> std::optional<Variation> {
            Space space = job.space_;
            space.reserve = 0;
            Variation result = job.variation("no memory kept free: predictions of memory may be off by more", space);
            result.options = {{"--reserve", "0"}};
            return result;
        }};
    }

    [[nodiscard]] RelaxationSequence without_constraints() const {
        if (space_.fixed.empty() && space_.excluded.empty()) {
            return {};
        }
        return {[job = *this]() -> std::optional<Variation> {
            Space space = job.space_;
            space.fixed.clear();
            space.excluded.clear();
            Variation result = job.variation("without --fixed and --exclude", space);
            result.without = {"--fixed", "--exclude"};
            return result;
        }};
    }

    [[nodiscard]] RelaxationSequence smaller_states() const {
        using plan::OptimizerKind;
        if (space_.optimizer != OptimizerKind::adam && space_.optimizer != OptimizerKind::adamw) {
            return {};
        }
        return {[job = *this]() -> std::optional<Variation> {
            Space space = job.space_;
            space.optimizer = OptimizerKind::adam_8bit;
            Variation result = job.variation("optimizer states of 8 bits", space);
            result.options = {{"--optimizer", std::string(plan::name(OptimizerKind::adam_8bit))}};
            return result;
        }};
    }

    [[nodiscard]] RelaxationSequence offloads() const {
        constexpr std::array kSteps{plan::Offload{.optimizer = true}, plan::Offload{.optimizer = true, .weights = true},
                                    plan::Offload{.optimizer = true, .activations = true, .weights = true}};
        RelaxationSequence relaxations;
        for (const plan::Offload& offload : kSteps) {
            relaxations.emplace_back([job = *this, offload]() -> std::optional<Variation> {
                if (!job.cluster_.host || job.space_.offload.any() || job.space_.vary.offload) {
                    return std::nullopt;
                }
                Space space = job.space_;
                space.offload = offload;
                const std::vector<std::string> words = plan::words(offload);
                Variation result = job.variation(fmt::format("{} in host memory", fmt::join(words, ", ")), space);
                result.options = {{"--offload", fmt::format("{}", fmt::join(words, ","))}};
                return result;
            });
        }
        return relaxations;
    }

    [[nodiscard]] RelaxationSequence smaller_batches() const {
        RelaxationSequence relaxations;
        std::int64_t batch = space_.batch;
        for (int i = 0; i < kHalvings && batch % 2 == 0; ++i) {
            batch /= 2;
            relaxations.emplace_back([job = *this, batch]() -> std::optional<Variation> {
                Space space = job.space_;
                space.batch = batch;
                Variation result = job.variation(fmt::format("batch {}", batch), space);
                result.options = {{"--batch", std::to_string(batch)}};
                return result;
            });
        }
        return relaxations;
    }

    /// The fewest devices of this machine that fit, of the numbers that `size` looks at: with the batch that was asked for,
    /// or else with the next one that divides among them.
    [[nodiscard]] RelaxationSequence more_devices() const {
        RelaxationSequence relaxations;
        const Bound least = bound(graph_, cluster_, space_);
        for (const std::int64_t devices : usual_counts(cluster_)) {
            if (devices <= space_.devices || !least.may_fit(devices)) {
                continue;
            }
            relaxations.emplace_back([job = *this, devices] { return job.with_devices(devices, job.space_.batch); });
            if (space_.batch % devices != 0) {
                const std::int64_t each = (space_.batch + devices - 1) / devices;
                relaxations.emplace_back(
                    [job = *this, devices, each] { return job.with_devices(devices, each * devices); });
            }
        }
        return relaxations;
    }

    [[nodiscard]] std::optional<Variation> with_devices(std::int64_t devices, std::int64_t batch) const {
        Space space = space_;
        space.devices = devices;
        space.batch = batch;
        const std::string label = fmt::format("{} GPUs", devices);
        Variation result = variation(batch == space_.batch ? label : fmt::format("{}, batch {}", label, batch), space);
        result.options = {{"--gpus", std::to_string(devices)}, {"--batch", std::to_string(batch)}};
        return result;
    }

    const graph::Graph& graph_;
    const cluster::Cluster& cluster_;
    const Space& space_;
};

}  // namespace

std::vector<RelaxationSequence> usual_relaxation_sequences(const graph::Graph& graph, const cluster::Cluster& cluster,
                                                           const Space& space) {
    return UsualLadders(graph, cluster, space).run();
}

std::vector<Remedy> remedies(const std::vector<RelaxationSequence>& relaxation_sequences, const Progress& progress) {
    std::vector<Remedy> found;
    for (const RelaxationSequence& relaxations : relaxation_sequences) {
        for (const MakeVariation& make : relaxations) {
            std::optional<Variation> variation = make();
            if (!variation) {
                continue;
            }
            variation->space.top = 1;
            variation->space.only_usual = true;
            Answer answer = search(variation->graph, variation->cluster, variation->space, progress);
            if (!answer.counts.optimal) {
                return found;
            }
            if (!answer.plans.empty()) {
                found.push_back({.change = std::move(variation->change),
                                 .options = std::move(variation->options),
                                 .without = std::move(variation->without),
                                 .plan = std::move(answer.plans.front())});
                break;
            }
        }
    }
    return found;
}

}  // namespace dodona::search
