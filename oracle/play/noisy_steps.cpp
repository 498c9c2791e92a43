#include "play/noisy_steps.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <utility>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "base/parallel.hpp"
#include "base/ranges.hpp"
#include "play/drawn_noise.hpp"
#include "simulate/play.hpp"
#include "step/stage_time.hpp"

namespace dodona::play {

namespace {

/// A step is asked for with at most so many ranks: each has draws of its own.
constexpr std::int64_t kMaxDrawnRanks = 1'000'000;

/// Times of a task on devices and on links.
struct TaskTimes {
    Seconds compute;
    Seconds links;
};

/// What follows the passes of a stage.
struct Tail {
    Seconds gradients;
    Seconds update;
    friend Tail max(const Tail& a, const Tail& b) {
        return {dodona::max(a.gradients, b.gradients), dodona::max(a.update, b.update)};
    }
};

/// One replica in one step.
struct ReplicaStep {
    std::vector<Seconds> passes;  ///< by stage, their end
    std::vector<Tail> tails;      ///< by stage
    Seconds input;                ///< decoding and feeding, decoding as far as it runs
    friend void join(ReplicaStep& all, const ReplicaStep& one) {
        for (std::size_t s = 0; s < all.passes.size(); ++s) {
            all.passes[s] = dodona::max(all.passes[s], one.passes[s]);
            all.tails[s] = max(all.tails[s], one.tails[s]);
        }
        all.input = dodona::max(all.input, one.input);
    }
};

/// When batches are there: each node reads ahead of the steps.
class Loaders {
public:
    Loaders(std::int64_t nodes, const step::InputCosts& costs)
        : costs_(costs), read_(static_cast<std::size_t>(nodes)) {}

    /// When all nodes have read the next batch, for a step that could begin at `ready`; `reading`: of each node, from
    /// a point in time on.
    Seconds begin(Seconds ready, const std::function<Seconds(std::int64_t node, Seconds from)>& reading) {
        if (costs_.reading <= Seconds{}) {
            return ready;
        }
        // A batch is read once there is room for it: when that of `kBatchesAhead` steps ago was taken.
        const Seconds room = !costs_.prefetched ? ready : begins_.size() == kBatchesAhead ? begins_.front() : Seconds{};
        Seconds all = ready;
        for (std::size_t node = 0; node < read_.size(); ++node) {
            const Seconds from = max(read_[node], room);
            read_[node] = from + reading(static_cast<std::int64_t>(node), from);
            all = max(all, read_[node]);
        }
        begins_.push_back(all);
        if (begins_.size() > kBatchesAhead) {
            begins_.pop_front();
        }
        return all;
    }

private:
    step::InputCosts costs_;
    std::vector<Seconds> read_;  ///< of each node: when it has read its last batch
    std::deque<Seconds> begins_;
};

/// The first replicas of a job, with a clock of their own.
struct Scale {
    std::int64_t replicas = 1;
    std::int64_t ranks = 1;
    Loaders loaders;
    Seconds clock;
    std::vector<Seconds> steps;
};

class NoisyRun {
public:
    NoisyRun(const SimulatedStep& step, const RankLayout& layout, const NoiseSettings& settings)
        : step_(step), layout_(layout), settings_(settings), noise_(settings.sources, settings.seed, layout) {
        append(times_, step.steps.tasks, [&](const StepTask& task) { return times_of(task); });
        for (std::int64_t stage = 0; stage < layout.stages; ++stage) {
            inside_leaves_.push_back(layout.leaves_node(stage, 0));
            const std::int64_t first = layout.group(stage, 0).front();
            stage_leaves_.push_back(false);
            for (std::int64_t replica = 0; replica < layout.replicas; ++replica) {
                stage_leaves_.back() = stage_leaves_.back() || layout.leaves_node(stage, replica) ||
                                       layout.node(layout.group(stage, replica).front()) != layout.node(first);
            }
        }
        for (std::int64_t n = 1; n < layout.replicas; n *= 2) {
            add_scale(n);
        }
        add_scale(layout.replicas);
    }

    [[nodiscard]] std::int64_t played() const {
        return noise_.parts_replicas() || settings_.work ? layout_.replicas : 1;
    }

    std::vector<Scale> run() {
        const std::int64_t warm_up = step_.costs.input.reading > Seconds{} ? kBatchesAhead + 1 : 0;
        for (std::int64_t i = 0; i < settings_.steps + warm_up && settings_.go_on(); ++i) {
            play_step(i, i >= warm_up);
        }
        return std::move(scales_);
    }

private:
    [[nodiscard]] TaskTimes times_of(const StepTask& task) const {
        if (task.position < 0) {
            return {};  // of the tail: added after the slowest replica
        }
        const step::PositionCost& cost = step_.costs.positions[static_cast<std::size_t>(task.position)];
        const Seconds whole = step_.steps.graph.durations[times_.size()];
        Seconds links;
        switch (task.work) {
            case Work::forward: links = cost.forward_links; break;
            case Work::recompute: links = cost.recompute_links; break;
            case Work::backward: links = cost.backward_links; break;
            case Work::pipeline: links = whole; break;
            default: break;
        }
        links = min(links, whole);
        return {whole - links, links};
    }

    void add_scale(std::int64_t replicas) {
        std::int64_t ranks = 0;
        std::int64_t last = 0;
        for (std::int64_t stage = 0; stage < layout_.stages; ++stage) {
            for (std::int64_t replica = 0; replica < replicas; ++replica) {
                const std::vector<std::int64_t>& group = layout_.group(stage, replica);
                ranks += static_cast<std::int64_t>(group.size());
                last = std::max(last, *std::max_element(group.begin(), group.end()));
            }
        }
        scales_.push_back({.replicas = replicas,
                           .ranks = ranks,
                           .loaders = {layout_.node(last) + 1, step_.costs.input},
                           .clock = {},
                           .steps = {}});
    }

    [[nodiscard]] bool between_nodes(const StepTask& task, std::int64_t replica) const {
        if (task.work != Work::pipeline) {
            return inside_leaves_[static_cast<std::size_t>(task.stage)];
        }
        const std::int64_t from = step_.steps.tasks[simulate::index(task.sender)].stage;
        return layout_.node(layout_.group(task.stage, replica).front()) !=
               layout_.node(layout_.group(from, replica).front());
    }

    [[nodiscard]] Seconds noisy(const TaskTimes& times, bool leaves_node, const std::vector<std::int64_t>& ranks,
                                Moment moment) const {
        const Seconds compute = noise_.time_of(times.compute, WorkOn::compute, ranks, moment);
        moment.time += compute;
        return compute +
               noise_.time_of(times.links, leaves_node ? WorkOn::network : WorkOn::inside_node, ranks, moment);
    }

    [[nodiscard]] ReplicaStep play_replica(std::int64_t replica, std::int64_t number, Seconds clock) const {
        std::vector<Seconds> starts;
        if (noise_.acts_on(WorkOn::start)) {
            for (std::int64_t stage = 0; stage < layout_.stages; ++stage) {
                starts.insert(starts.end(), kStreams, noise_.late(layout_.group(stage, replica), number));
            }
        }
        const auto duration = [&](std::size_t task, Seconds start) {
            const StepTask& what = step_.steps.tasks[task];
            const double work =
                settings_.work && what.micro_batch >= 0 ? settings_.work(replica, number, what.micro_batch) : 1;
            return noisy({work * times_[task].compute, work * times_[task].links}, between_nodes(what, replica),
                         layout_.group(what.stage, replica), {number, static_cast<std::int64_t>(task), clock + start});
        };
        const simulate::Timeline timeline =
            simulate::play(step_.steps.graph, nullptr, {.resource_starts = starts, .duration_at = duration});
        ReplicaStep played;
        played.passes.resize(static_cast<std::size_t>(layout_.stages));
        for (std::size_t task = 0; task < times_.size(); ++task) {
            Seconds& end = played.passes[static_cast<std::size_t>(step_.steps.tasks[task].stage)];
            end = max(end, timeline.end[task]);
        }
        return played;
    }

    /// What the ranks of a replica do after their passes, and their input.
    void add_rest(ReplicaStep& played, std::int64_t replica, std::int64_t number, Seconds clock) const {
        const step::InputCosts& input = step_.costs.input;
        const auto tasks = static_cast<std::int64_t>(times_.size());
        for (std::int64_t stage = 0; stage < layout_.stages; ++stage) {
            const auto s = static_cast<std::size_t>(stage);
            const std::vector<std::int64_t>& ranks = layout_.group(stage, replica);
            const step::StageTail& tail = step_.costs.tails[s];
            const Moment moment{number, tasks + stage, clock + played.passes[s]};
            played.tails.push_back(
                {.gradients = noisy({{}, tail.gradients}, stage_leaves_[s], ranks, moment),
                 .update = noisy({tail.optimizer + tail.overhead, tail.parameters}, stage_leaves_[s], ranks, moment)});
            played.input = max(played.input, noise_.time_of(input.decoding + input.feeding, WorkOn::host, ranks,
                                                            {number, tasks + layout_.stages, clock}));
        }
    }

    /// From the begin of the passes to the end of the step.
    [[nodiscard]] Seconds whole(const ReplicaStep& all) const {
        Seconds reduced;
        Seconds update;
        for (std::size_t s = 0; s < all.passes.size(); ++s) {
            reduced = max(reduced, all.passes[s] + all.tails[s].gradients);
            update = max(update, all.tails[s].update);
        }
        const Seconds passes = reduced + update;
        const step::InputCosts& input = step_.costs.input;
        const Seconds busy = input.decoding + input.feeding;
        const double slower = busy > Seconds{} ? all.input / busy : 1;
        return passes + slower * input.feeding + step::host_wait(slower * input.decoding, passes) + input.fixed;
    }

    void play_step(std::int64_t number, bool counts) {
        const Seconds clock = scales_.back().clock;
        std::vector<ReplicaStep> replicas(static_cast<std::size_t>(layout_.replicas));
        const auto count = static_cast<std::size_t>(played());
        parallel_for(count, settings_.workers,
                     [&](std::size_t r) { replicas[r] = play_replica(static_cast<std::int64_t>(r), number, clock); });
        for (std::size_t r = count; r < replicas.size(); ++r) {
            replicas[r] = replicas.front();
        }
        parallel_for(replicas.size(), settings_.workers,
                     [&](std::size_t r) { add_rest(replicas[r], static_cast<std::int64_t>(r), number, clock); });
        ReplicaStep all = replicas.front();
        std::int64_t joined = 1;
        for (Scale& scale : scales_) {
            for (; joined < scale.replicas; ++joined) {
                join(all, replicas[static_cast<std::size_t>(joined)]);
            }
            const Seconds from = scale.clock;
            const auto reading = [&](std::int64_t node, Seconds at) {
                const std::vector<std::int64_t> first{node * layout_.node_size};
                return noise_.time_of(step_.costs.input.reading, WorkOn::storage, first, {number, -1, at});
            };
            scale.clock = scale.loaders.begin(from, reading) + whole(all);
            if (counts) {
                scale.steps.push_back(scale.clock - from);
            }
        }
    }

    const SimulatedStep& step_;
    const RankLayout& layout_;
    const NoiseSettings& settings_;
    DrawnNoise noise_;
    std::vector<TaskTimes> times_;
    std::vector<bool> inside_leaves_;  ///< by stage: ranks that synchronise in every pass are on several nodes
    std::vector<bool> stage_leaves_;   ///< by stage: its ranks are
    std::vector<Scale> scales_;
};

std::vector<simulate::NoiseOn> kinds_of(const std::vector<simulate::NoiseSource>& sources) {
    return filtered<simulate::NoiseOn>(simulate::kNoiseOn, [&](const simulate::NoiseOn on) {
        return std::any_of(sources.begin(), sources.end(), [=](const auto& source) { return source.on == on; });
    });
}

/// The whole job's steps with these sources alone.
std::vector<Seconds> steps_with(const SimulatedStep& step, const RankLayout& layout, NoiseSettings settings,
                                std::vector<simulate::NoiseSource> sources) {
    settings.sources = std::move(sources);
    return std::move(NoisyRun(step, layout, settings).run().back().steps);
}

/// With sources on the host in place of those on its memory. `lacking`: what a load takes of the bandwidth that the job needs.
NoiseSettings on_work(NoiseSettings settings, double lacking) {
    for (simulate::NoiseSource& source : settings.sources) {
        if (source.on != simulate::NoiseOn::memory) {
            continue;
        }
        source.on = simulate::NoiseOn::host;
        source.probability = lacking > 0 ? source.probability : 0;
        source.mean *= lacking;
        source.deviation *= lacking;
        for (double& value : source.values) {
            value *= lacking;
        }
    }
    return settings;
}

void check_playable(const SimulatedStep& step, const NoiseSettings& settings) {
    if (step.prediction.devices.size() > 1) {
        fail({}, "noise is played on machines whose devices are alike", "a machine without `mixed` nodes");
    }
    if (!step.steps.graph.has_fixed_order) {
        fail({}, "noise is played where the order of all tasks is fixed, without flows on a network");
    }
    if (step.prediction.plan.devices() > kMaxDrawnRanks) {
        fail({}, "noise is drawn for each rank: a million of them at most");
    }
    check(settings.steps >= 1, "at least one step");
}

}  // namespace

StepStatistics statistics(const std::vector<Seconds>& steps) {
    StepStatistics found;
    const auto n = static_cast<double>(steps.size());
    for (const Seconds step : steps) {
        found.mean += step / n;
    }
    double squares = 0;
    for (const Seconds step : steps) {
        const double off = (step - found.mean).in(unit::second);
        squares += off * off;
    }
    found.deviation = Seconds::of_base(steps.size() > 1 ? std::sqrt(squares / (n - 1)) : 0);
    const Seconds half = steps.empty() ? Seconds{} : (1.96 / std::sqrt(n)) * found.deviation;
    found.low = found.mean - half;
    found.high = found.mean + half;
    return found;
}

Seconds percentile(std::vector<Seconds> steps, double share) {
    const double position = std::ceil(share * static_cast<double>(steps.size()));
    const std::size_t at = position < 1 ? 0 : std::min(steps.size(), static_cast<std::size_t>(position)) - 1;
    std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(at), steps.end());
    return steps[at];
}

double NoisySteps::efficiency(const StepStatistics& of) const { return of.mean > Seconds{} ? without / of.mean : 1; }

double host_memory_use(const SimulatedStep& step, const cluster::Cluster& cluster) {
    const std::int64_t devices = step.prediction.plan.devices();
    const std::int64_t on_node = std::min(devices, cluster.node_size());
    const double share = static_cast<double>(on_node) / static_cast<double>(devices);
    Bytes moved = share * static_cast<double>(step.prediction.plan.batch) * step.costs.input.staged;
    if (const auto& host = step.prediction.host) {
        moved += static_cast<double>(on_node) * (host->in + host->out);
    }
    const auto known = cluster.host ? cluster.host->memory_bandwidth : std::nullopt;
    return moved / step.time() / known.value_or(cluster::kUsualHostMemory);
}

NoisySteps noisy_steps(const SimulatedStep& step, const cluster::Cluster& cluster, const NoiseSettings& settings) {
    check_playable(step, settings);
    NoisySteps noisy{.settings = settings, .layout = rank_layout(cluster, step.prediction.plan, step.costs.replicas)};
    NoiseSettings quiet = settings;
    quiet.steps = 1;
    quiet.work = nullptr;
    quiet.go_on = [] { return true; };
    noisy.without = steps_with(step, noisy.layout, quiet, {}).front();
    const NoiseSettings drawn = on_work(settings, std::max(0.0, 2 * host_memory_use(step, cluster) - 1));
    NoisyRun run(step, noisy.layout, drawn);
    noisy.played = run.played();
    for (Scale& scale : run.run()) {
        if (noisy.layout.replicas > 1) {
            noisy.scales.push_back({scale.replicas, scale.ranks, statistics(scale.steps)});
        }
        noisy.steps = std::move(scale.steps);
    }
    const std::vector<simulate::NoiseOn> kinds = kinds_of(settings.sources);
    for (const simulate::NoiseOn on : kinds) {
        std::vector<simulate::NoiseSource> sources;
        for (std::size_t i = 0; i < settings.sources.size(); ++i) {
            if (settings.sources[i].on == on) {
                sources.push_back(drawn.sources[i]);
            }
        }
        if (kinds.size() > 1) {
            const std::vector<Seconds> steps = steps_with(step, noisy.layout, settings, sources);
            if (static_cast<std::int64_t>(steps.size()) == settings.steps) {
                noisy.alone.push_back({on, statistics(steps)});
            }
        }
    }
    return noisy;
}

}  // namespace dodona::play
