// How fast the simulation is: tasks and flows a second of processor time on one core, with a signature of the answers.
//
//   ninja -C build/test tests/simulate/simulate_benchmark && build/test/tests/simulate/simulate_benchmark
//
// Each row is the best of five runs; building the tasks is timed by itself.
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fabrics.hpp"
#include "simulate/play.hpp"
#include "simulate/random_bits.hpp"

namespace {

using namespace dodona;
using namespace dodona::simulate;

constexpr LinkRate kLink{.bandwidth = 50_GB_per_s, .latency = 1_us};

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double peak_mib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// A hash of all starts and ends.
std::uint64_t signature(const Timeline& timeline) {
    std::uint64_t hash = 1469598103934665603U;
    const auto add = [&](Seconds time) {
        const double seconds = time.in(unit::second);
        std::uint64_t bits = 0;
        std::memcpy(&bits, &seconds, sizeof bits);
        hash = (hash ^ bits) * 1099511628211U;
    };
    for (std::size_t i = 0; i < timeline.end.size(); ++i) {
        add(timeline.start[i]);
        add(timeline.end[i]);
    }
    return hash;
}

/// `things`: tasks or flows that the row counts.
void measure(std::string_view title, double things, const std::function<TaskGraph()>& make,
             const Routes* routes = nullptr) {
    const double begin = processor_seconds();
    const TaskGraph graph = make();
    const double building = processor_seconds() - begin;
    double seconds = 1e30;
    Timeline timeline;
    for (int run = 0; run < 5; ++run) {
        const double start = processor_seconds();
        timeline = play(graph, routes);
        seconds = std::min(seconds, processor_seconds() - start);
    }
    fmt::print("{:<66} {:>9.0f} {:>8.3f} {:>8.3f} {:>11.0f} {:>7.0f}  {:.6e} s  {:016x}\n", title, things, building,
               seconds, things / seconds, peak_mib(), timeline.makespan.in(unit::second), signature(timeline));
}

Seconds varied(std::size_t i) { return static_cast<double>(1 + i * 2654435761U % 97) * 1_us; }

/// A 1F1B-like grid: `stages` streams of `tasks` tasks, each after the one before in its stream and one of the stage before.
TaskGraph grid(std::size_t stages, std::size_t tasks, Discipline discipline) {
    TaskGraphBuilder builder;
    for (std::size_t stage = 0; stage < stages; ++stage) {
        builder.add_resource({.name = fmt::format("stage {}", stage), .discipline = discipline});
    }
    builder.reserve(stages * tasks, stages * tasks);
    for (std::size_t i = 0; i < tasks; ++i) {
        for (std::size_t stage = 0; stage < stages; ++stage) {
            const TaskId task =
                builder.add({.duration = varied(builder.size()), .resource = id_at<ResourceId>(stage)}, {});
            if (stage > 0) {
                builder.depend(task, id_at<TaskId>(index(task) - 1));
            }
        }
    }
    return std::move(builder).build();
}

/// The same tasks stage by stage: the order of adding is none in which they can be played at once.
TaskGraph grid_by_stage(std::size_t stages, std::size_t tasks) {
    TaskGraphBuilder builder;
    builder.reserve(stages * tasks, stages * tasks);
    for (std::size_t stage = 0; stage < stages; ++stage) {
        const ResourceId resource = builder.add_resource({.name = fmt::format("stage {}", stage)});
        for (std::size_t i = 0; i < tasks; ++i) {
            const TaskId task = builder.add({.duration = varied(builder.size()), .resource = resource}, {});
            if (stage + 1 < stages) {
                builder.depend(task, id_at<TaskId>(index(task) + tasks));
            }
        }
    }
    return std::move(builder).build();
}

/// Steps in which each endpoint sends to the next, `fold` flows at once; each waits for those that it gets.
TaskGraph neighbour_steps(Routes& routes, std::size_t steps, std::size_t fold, double weight) {
    TaskGraphBuilder builder;
    const std::span<const NodeId> ends = routes.topology().endpoints();
    std::vector<TaskId> before;
    for (std::size_t step = 0; step < steps; ++step) {
        std::vector<TaskId> sends;
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const RouteId route = routes.between(ends[i], ends[(i + 1) % ends.size()]);
            for (std::size_t n = 0; n < fold; ++n) {
                const Flow flow{.route = route, .bytes = static_cast<double>(1 + i % 3) * 1_MiB, .weight = weight};
                sends.push_back(before.empty() ? builder.add({}, flow, {})
                                               : builder.add({}, flow, {before[(i + ends.size() - 1) % ends.size()]}));
            }
        }
        before.clear();
        for (std::size_t i = 0; i < ends.size(); ++i) {
            before.push_back(builder.add({}, std::span(sends).subspan(i * fold, fold)));
        }
    }
    return std::move(builder).build();
}

/// Every endpoint sends to every other at once, `rounds` times. `alike`: as many bytes each.
TaskGraph all_to_all(Routes& routes, std::size_t rounds, bool alike = true) {
    TaskGraphBuilder builder;
    const std::span<const NodeId> ends = routes.topology().endpoints();
    TaskId round{};
    for (std::size_t n = 0; n < rounds; ++n) {
        std::vector<TaskId> sends;
        for (const NodeId from : ends) {
            for (const NodeId to : ends) {
                if (from != to) {
                    const double size = alike ? 1 : 1 + static_cast<double>(random_bits(sends.size()) % 1000) / 1000;
                    const Flow flow{.route = routes.between(from, to), .bytes = size * 1_MiB};
                    sends.push_back(n == 0 ? builder.add({}, flow, {}) : builder.add({}, flow, {round}));
                }
            }
        }
        round = builder.add({}, sends);
    }
    return std::move(builder).build();
}

}  // namespace

int main() {
    fmt::print("{:<66} {:>9} {:>8} {:>8} {:>11} {:>7}\n", "", "number", "build s", "play s", "per second", "MiB");
    constexpr std::size_t kStages = 64;
    constexpr std::size_t kTasks = 1U << 15U;
    constexpr double kAll = static_cast<double>(kStages * kTasks);
    measure("tasks, streams in order", kAll, [] { return grid(kStages, kTasks, Discipline::in_order); });
    measure("tasks, streams in order, added stage by stage", kAll, [] { return grid_by_stage(kStages, kTasks); });
    measure("tasks, fifo", kAll, [] { return grid(kStages, kTasks, Discipline::fifo); });
    measure("tasks, priority", kAll, [] { return grid(kStages, kTasks, Discipline::priority); });
    Routes tree(fat_tree({{.size = 8}, {.size = 16, .switches = 2, .taper = 4}}, kLink));
    measure(
        "flows, 128 endpoints of a 4:1 fat tree to the next, 8 alike", 128.0 * 8 * 128,
        [&] { return neighbour_steps(tree, 128, 8, 1); }, &tree);
    measure(
        "flows, the same as one of weight 8", 128.0 * 8 * 128, [&] { return neighbour_steps(tree, 128, 1, 8); }, &tree);
    measure(
        "flows, all-to-all of 128 on that tree, 16 rounds", 128.0 * 127 * 16, [&] { return all_to_all(tree, 16); },
        &tree);
    Routes small(fat_tree({{.size = 8}, {.size = 8, .switches = 2, .taper = 4}}, kLink));
    measure(
        "flows, all-to-all of 64 on a 4:1 fat tree, all of different size", 64.0 * 63,
        [&] { return all_to_all(small, 1, false); }, &small);
    Routes switched(star(128, kLink));
    measure(
        "flows, all-to-all of 128 at one switch, 16 rounds", 128.0 * 127 * 16, [&] { return all_to_all(switched, 16); },
        &switched);
    return 0;
}
