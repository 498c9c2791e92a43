#include "exchange/simulated_exchange.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "exchange/neighbours.hpp"
#include "exchange/server_places.hpp"
#include "play/cluster_topology.hpp"
#include "play/drawn_noise.hpp"
#include "simulate/play.hpp"
#include "simulate/random_bits.hpp"

namespace dodona::exchange {

namespace {

using simulate::kNoTask;
using simulate::TaskId;

constexpr std::size_t kMaxTasks = 4'000'000;
constexpr std::uint64_t kPeerKey = 0x70656572;  // keeps peers apart from noise

/// An update at a server.
struct Update {
    TaskId task{};
    std::int64_t worker = 0;
};

/// At least so many steps, in whole periods, of which there are at least four.
std::int64_t whole_periods(std::int64_t steps, std::int64_t period) {
    return std::max<std::int64_t>(4, (steps + period - 1) / period) * period;
}

class ExchangeTasks {
public:
    ExchangeTasks(const ReplicaExchange& made, const cluster::Cluster& cluster, const Replicas& replicas,
                  const PlayedSettings& settings)
        : made_(made),
          exchange_(made.exchange),
          settings_(settings),
          network_(network_of(cluster, replicas.group, replicas.ranks, made.exchange.algorithm)),
          places_(server_places(made.exchange, cluster, made.workers.count)),
          routes_(play::cluster_topology(cluster, places_.ranks)),
          layout_{.replicas = made.workers.count, .node_size = cluster.node_size()},
          noise_(settings.noise, settings.seed, layout_),
          workers_(static_cast<std::size_t>(made.workers.count)),
          compute_(made.cost.compute),
          period_(std::lcm(made.exchange.period, made.exchange.best_worker.value_or(1))),
          steps_(whole_periods(settings.steps, period_)),
          size_(compressed(exchange_.compression, replicas.work.gradients)),
          ready_(workers_),
          sending_(workers_) {
        for (std::size_t worker = 0; worker < workers_; ++worker) {
            devices_.push_back(
                tasks_.add_resource({.name = fmt::format("worker {}", worker), .start = start_of(worker)}));
            parents_.push_back(tasks_.add_resource(
                {.name = fmt::format("updates {}", worker), .discipline = simulate::Discipline::fifo}));
        }
        for (std::size_t server = 0; server < places_.servers.size(); ++server) {
            servers_.push_back(tasks_.add_resource(
                {.name = fmt::format("server {}", server), .discipline = simulate::Discipline::fifo}));
        }
    }

    PlayedExchange play() {
        for (std::int64_t step = 0; step < steps_; ++step) {
            add_step(step);
            if (tasks_.size() > kMaxTasks) {
                fail({}, fmt::format("{} workers in {} steps are too many to play", workers_, steps_),
                     "fewer GPUs, or fewer --steps");
            }
        }
        const simulate::TaskGraph graph = std::move(tasks_).build();
        return measured(simulate::play(graph, &routes_));
    }

private:
    /// Workers that do not wait for one another begin one after the other, over the time of a step.
    [[nodiscard]] Seconds start_of(std::size_t worker) const {
        return waits_for_all() ? Seconds{}
                               : static_cast<double>(worker) / static_cast<double>(workers_) * made_.cost.step;
    }

    [[nodiscard]] bool waits_for_all() const { return exchange_.scheduling == Scheduling::synchronous; }

    /// What a worker waits for before a step: its own exchanges, and the slowest worker's step if it may be no further
    /// ahead.
    [[nodiscard]] std::vector<TaskId> awaited(std::size_t worker, std::int64_t step) const {
        std::vector<TaskId> tasks = ready_[worker];
        const std::int64_t slowest = step - exchange_.bound - 1;
        if (exchange_.scheduling == Scheduling::bounded && slowest >= 0) {
            tasks.push_back(all_ended_[static_cast<std::size_t>(slowest)]);
        }
        return tasks;
    }

    void add_step(std::int64_t step) {
        const std::vector<std::vector<TaskId>> before = ready_;
        std::vector<TaskId> computed;
        for (std::size_t worker = 0; worker < workers_; ++worker) {
            const auto rank = static_cast<std::int64_t>(worker);
            const Seconds time = noise_.time_of(compute_, play::WorkOn::compute, {rank},
                                                {.step = step, .time = static_cast<double>(step) * compute_});
            computed.push_back(tasks_.add({.duration = time, .resource = devices_[worker]}, awaited(worker, step)));
            computing_ += time;
            ready_[worker] = {computed.back()};
        }
        if ((step + 1) % exchange_.period == 0) {
            add_exchange(step, computed, before);
        }
        if (exchange_.best_worker && (step + 1) % *exchange_.best_worker == 0) {
            wait_for_best_worker();
        }
        for (std::size_t worker = 0; worker < workers_; ++worker) {
            ends_.push_back(tasks_.add({}, ready_[worker]));
        }
        if (exchange_.scheduling == Scheduling::bounded) {
            const std::vector<TaskId> last(ends_.end() - static_cast<std::ptrdiff_t>(workers_), ends_.end());
            all_ended_.push_back(tasks_.add({}, last));
        }
    }

    void add_exchange(std::int64_t step, const std::vector<TaskId>& computed,
                      const std::vector<std::vector<TaskId>>& before) {
        switch (exchange_.pattern) {
            case Pattern::servers:
            case Pattern::master: add_servers(ready_to_send(computed)); break;
            case Pattern::tree: add_tree(ready_to_send(computed)); break;
            case Pattern::ring:
            case Pattern::torus: add_neighbours(ready_to_send(computed), before); break;
            case Pattern::gossip: add_gossip(step, ready_to_send(computed)); break;
            default: add_collective(computed); break;
        }
    }

    /// After the kernels of the compression.
    std::vector<TaskId> ready_to_send(std::vector<TaskId> computed) {
        if (made_.cost.compression > Seconds{}) {
            for (std::size_t worker = 0; worker < workers_; ++worker) {
                computed[worker] =
                    tasks_.add({.duration = made_.cost.compression, .resource = devices_[worker]}, {computed[worker]});
            }
        }
        return computed;
    }

    TaskId flow(std::int64_t from, std::int64_t to, Bytes bytes, const std::vector<TaskId>& after) {
        if (from == to) {
            return tasks_.add({}, after);
        }
        const auto nodes = routes_.topology().endpoints();
        const simulate::RouteId route =
            routes_.between(nodes[static_cast<std::size_t>(from)], nodes[static_cast<std::size_t>(to)]);
        return tasks_.add({}, {.route = route, .bytes = bytes}, after);
    }

    void add_servers(const std::vector<TaskId>& computed) {
        const Bytes part = size_ / static_cast<double>(places_.servers.size());
        for (std::size_t server = 0; server < servers_.size(); ++server) {
            const std::int64_t at = places_.servers[server];
            std::vector<TaskId> pushed;
            for (std::size_t worker = 0; worker < workers_; ++worker) {
                pushed.push_back(flow(static_cast<std::int64_t>(worker), at, part, {computed[worker]}));
            }
            const TaskId all = waits_for_all() ? add_joint_update(server, part, pushed) : kNoTask;
            for (std::size_t worker = 0; worker < workers_; ++worker) {
                const TaskId applied = waits_for_all() ? all : add_update(server, worker, part, pushed[worker]);
                ready_[worker].push_back(flow(at, static_cast<std::int64_t>(worker), part, {applied}));
            }
        }
    }

    TaskId add_joint_update(std::size_t server, Bytes part, const std::vector<TaskId>& pushed) {
        const Bytes own = part / places_.for_each;
        const Seconds time = network_.reduce(static_cast<double>(workers_ - 1) * own) + network_.update(own);
        return tasks_.add({.duration = time, .resource = servers_[server]}, pushed);
    }

    TaskId add_update(std::size_t server, std::size_t worker, Bytes part, TaskId pushed) {
        const TaskId task =
            tasks_.add({.duration = network_.update(part / places_.for_each), .resource = servers_[server]}, {pushed});
        if (server == 0) {
            updates_.push_back({task, static_cast<std::int64_t>(worker)});
        }
        return task;
    }

    /// Workers are the nodes 1 ... n of a binomial tree whose root 0 is a server beside worker 1.
    void add_tree(const std::vector<TaskId>& computed) {
        waits_for_all() ? add_joint_tree(computed) : add_own_tree(computed);
    }

    [[nodiscard]] static std::size_t parent(std::size_t node) { return node & (node - 1); }
    /// The rank of a node of the tree.
    [[nodiscard]] static std::int64_t rank_of(std::size_t node) {
        return node == 0 ? 0 : static_cast<std::int64_t>(node) - 1;
    }

    void add_joint_tree(const std::vector<TaskId>& computed) {
        std::vector<std::vector<TaskId>> arrived(workers_ + 1);
        for (std::size_t node = workers_; node > 0; --node) {
            arrived[node].push_back(computed[node - 1]);
            const TaskId up = flow(rank_of(node), rank_of(parent(node)), size_, arrived[node]);
            arrived[parent(node)].push_back(
                tasks_.add({.duration = network_.reduce(size_), .resource = parents_[parent_device(node)]}, {up}));
        }
        std::vector<TaskId> down{tasks_.add({.duration = network_.update(size_)}, arrived[0])};
        for (std::size_t node = 1; node <= workers_; ++node) {
            down.push_back(flow(rank_of(parent(node)), rank_of(node), size_, {down[parent(node)]}));
            ready_[node - 1].push_back(down.back());
        }
    }

    [[nodiscard]] static std::size_t parent_device(std::size_t node) {
        return static_cast<std::size_t>(rank_of(parent(node)));
    }

    void add_own_tree(const std::vector<TaskId>& computed) {
        for (std::size_t node = 1; node <= workers_; ++node) {
            const TaskId up = flow(rank_of(node), rank_of(parent(node)), size_, {computed[node - 1]});
            const TaskId applied =
                tasks_.add({.duration = network_.update(size_), .resource = parents_[parent_device(node)]}, {up});
            if (parent(node) == 0) {
                updates_.push_back({applied, rank_of(node)});
            }
            ready_[node - 1].push_back(flow(rank_of(parent(node)), rank_of(node), size_, {applied}));
        }
    }

    /// Weights of the step before travel beside compute; gradients after it.
    void add_neighbours(const std::vector<TaskId>& computed, const std::vector<std::vector<TaskId>>& before) {
        const bool beside = exchange_.overlap && exchange_.sends != Sent::gradients && exchange_.period == 1;
        std::vector<std::vector<TaskId>> moved(workers_);
        for (std::size_t worker = 0; worker < workers_; ++worker) {
            const auto from = static_cast<std::int64_t>(worker);
            const std::vector<TaskId> after = beside ? before[worker] : std::vector{computed[worker]};
            for (const std::int64_t to : neighbours(exchange_, made_.workers.count, from)) {
                moved[waits_for_all() ? static_cast<std::size_t>(to) : worker].push_back(flow(from, to, size_, after));
            }
        }
        for (std::size_t worker = 0; worker < workers_; ++worker) {
            const auto sums = static_cast<double>(moved[worker].size());
            const bool early = overlaps_next_step(exchange_);
            ready_[worker].push_back(tasks_.add({.duration = network_.reduce(sums * size_)},
                                                early ? std::vector{computed[worker]} : moved[worker]));
            if (early) {
                ready_[worker].insert(ready_[worker].end(), sending_[worker].begin(), sending_[worker].end());
                sending_[worker] = moved[worker];
            }
        }
    }

    void add_gossip(std::int64_t step, const std::vector<TaskId>& computed) {
        for (std::size_t worker = 0; worker < workers_; ++worker) {
            simulate::Draws draws(simulate::random_bits(settings_.seed, kPeerKey, static_cast<std::uint64_t>(step),
                                                        static_cast<std::uint64_t>(worker)));
            if (draws.uniform() >= exchange_.probability) {
                continue;
            }
            const auto others = static_cast<double>(workers_ - 1);
            const auto other = static_cast<std::size_t>(draws.uniform() * others);
            const auto to = static_cast<std::int64_t>(other < worker ? other : other + 1);
            const TaskId sent = flow(static_cast<std::int64_t>(worker), to, size_, {computed[worker]});
            ready_[waits_for_all() ? static_cast<std::size_t>(to) : worker].push_back(
                tasks_.add({.duration = network_.reduce(size_)}, {sent}));
        }
    }

    void wait_for_best_worker() {
        std::vector<TaskId> all;
        for (const std::vector<TaskId>& ready : ready_) {
            all.insert(all.end(), ready.begin(), ready.end());
        }
        const TaskId over = tasks_.add({.duration = made_.cost.best_worker}, all);
        for (std::vector<TaskId>& ready : ready_) {
            ready = {over};
        }
    }

    /// All wait for the slowest, and for what shows of the exchange.
    void add_collective(const std::vector<TaskId>& computed) {
        const Seconds exposed = static_cast<double>(exchange_.period) * made_.cost.exposed;
        const TaskId over = tasks_.add({.duration = exposed}, computed);
        for (std::vector<TaskId>& ready : ready_) {
            ready = {over};
        }
    }

    /// The end of a worker's step.
    [[nodiscard]] Seconds end_of(const simulate::Timeline& timeline, std::size_t step, std::size_t worker) const {
        return timeline.end[index(ends_[step * workers_ + worker])];
    }

    [[nodiscard]] PlayedExchange measured(const simulate::Timeline& timeline) const {
        const auto steps = static_cast<std::size_t>(steps_);
        const auto period = static_cast<std::size_t>(period_);
        const std::size_t first = steps / 4 / period * period;
        PlayedExchange played{.steps = static_cast<std::int64_t>(steps - first)};
        Seconds whole;
        for (std::size_t worker = 0; worker < workers_; ++worker) {
            const Seconds begin = first == 0 ? Seconds{} : end_of(timeline, first - 1, worker);
            const Seconds mean = (end_of(timeline, steps - 1, worker) - begin) / static_cast<double>(played.steps);
            played.step += mean / static_cast<double>(workers_);
            played.slowest = max(played.slowest, mean);
            whole += end_of(timeline, steps - 1, worker) - start_of(worker);
        }
        played.waiting = whole > Seconds{} ? 1 - computing_ / whole : 0;
        played.lead = lead(timeline, steps);
        played.has_servers = !updates_.empty();
        played.servers_on_workers = places_.on_workers;
        add_staleness(timeline, played);
        return played;
    }

    /// The most steps that a worker has ended beyond the slowest one.
    [[nodiscard]] std::int64_t lead(const simulate::Timeline& timeline, std::size_t steps) const {
        std::size_t most = 0;
        std::size_t slowest = 0;  // the first step that some worker has not ended when `step` ends
        for (std::size_t step = 0; step < steps; ++step) {
            Seconds first = end_of(timeline, step, 0);
            for (std::size_t worker = 1; worker < workers_; ++worker) {
                first = min(first, end_of(timeline, step, worker));
            }
            while (slowest < step && last_end(timeline, slowest) <= first) {
                ++slowest;
            }
            most = std::max(most, step - slowest);
        }
        return static_cast<std::int64_t>(most);
    }

    [[nodiscard]] Seconds last_end(const simulate::Timeline& timeline, std::size_t step) const {
        Seconds last;
        for (std::size_t worker = 0; worker < workers_; ++worker) {
            last = max(last, end_of(timeline, step, worker));
        }
        return last;
    }

    void add_staleness(const simulate::Timeline& timeline, PlayedExchange& played) const {
        std::vector<Update> order = updates_;
        std::stable_sort(order.begin(), order.end(), [&](const Update& a, const Update& b) {
            return timeline.end[index(a.task)] < timeline.end[index(b.task)];
        });
        std::vector<std::optional<std::size_t>> last(workers_);
        double sum = 0;
        double count = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            auto& before = last[static_cast<std::size_t>(order[i].worker)];
            if (before) {
                const auto others = static_cast<double>(i - *before - 1);
                sum += others;
                count += 1;
                played.most_stale = std::max(played.most_stale, others);
            }
            before = i;
        }
        played.staleness = count > 0 ? sum / count : 0;
    }

    const ReplicaExchange& made_;
    const Exchange& exchange_;
    const PlayedSettings& settings_;
    Network network_;
    ServerPlaces places_;
    simulate::Routes routes_;
    play::RankLayout layout_;
    play::DrawnNoise noise_;
    std::size_t workers_;
    Seconds compute_;
    std::int64_t period_;  ///< after which all repeats
    std::int64_t steps_;
    Bytes size_;
    simulate::TaskGraphBuilder tasks_;
    std::vector<simulate::ResourceId> devices_;
    std::vector<simulate::ResourceId> parents_;
    std::vector<simulate::ResourceId> servers_;
    std::vector<std::vector<TaskId>> ready_;    ///< by worker: what its next step waits for
    std::vector<std::vector<TaskId>> sending_;  ///< by worker: what it sends during its next step
    std::vector<TaskId> ends_;                  ///< of each step, by worker
    std::vector<TaskId> all_ended_;             ///< of each step, of a bounded exchange
    std::vector<Update> updates_;               ///< at the first server
    Seconds computing_;
};

}  // namespace

PlayedExchange play_exchange(const ReplicaExchange& made, const cluster::Cluster& cluster, const Replicas& replicas,
                             const PlayedSettings& settings) {
    if (made.workers.count != replicas.ranks) {
        fail({}, "each replica has several ranks, and exchanges are played between single ranks only",
             "a plan with data ranks alone; `dodona predict --exchange` takes any");
    }
    for (const simulate::NoiseSource& source : settings.noise) {
        if (source.on != simulate::NoiseOn::compute) {
            fail({}, fmt::format("noise on {} is not played with an exchange", name(source.on)),
                 "'{on: compute, deviation: 0.1}'");
        }
    }
    return ExchangeTasks(made, cluster, replicas, settings).play();
}

}  // namespace dodona::exchange
