// How fast schedules are generated, resolved and played: tasks a second of processor time on one core, and a signature of
// the answers.
//
//   ninja -C build/test tests/benchmarks/schedule_benchmark && build/test/tests/benchmarks/schedule_benchmark
#include <cstdint>
#include <ctime>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "schedule/play.hpp"
#include "schedule/schedule.hpp"

namespace {

using namespace dodona::schedule;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Durations that differ by position, so that the signature depends on every one.
Durations<double> durations(std::int32_t positions, bool transfers) {
    Durations<double> result(positions);
    for (std::int32_t k = 0; k < positions; ++k) {
        const double uneven = 1 + 0.01 * static_cast<double>(k % 7);
        result.of(TaskKind::forward, k) = uneven;
        result.of(TaskKind::backward_input, k) = 1.25 * uneven;
        result.of(TaskKind::backward_weight, k) = 0.875 * uneven;
        result.of(TaskKind::backward, k) = 2.125 * uneven;
        result.pairs.push_back(2.75 * uneven);
    }
    if (transfers) {
        result.forward_transfers.assign(static_cast<std::size_t>(positions) - 1, 0.0625);
        result.backward_transfers = result.forward_transfers;
    }
    return result;
}

/// Nanoseconds of processor time for each task, of `repeats` calls.
template <class Function>
double nanoseconds(std::size_t tasks, int repeats, const Function& function) {
    const double start = processor_seconds();
    for (int i = 0; i < repeats; ++i) {
        function();
    }
    return (processor_seconds() - start) * 1e9 / (static_cast<double>(tasks) * repeats);
}

}  // namespace

int main() {
    fmt::print("{:<18}{:>4}{:>5}{:>3}{:>9}{:>14}{:>13}{:>13}{:>16}\n", "schedule", "p", "m", "v", "tasks",
               "generate ns", "resolve ns", "play ns", "played tasks/s");
    double signature = 0;
    Played<double> played;
    for (const Schedule& schedule : schedules()) {
        for (Shape shape : {Shape{8, 64, 2}, Shape{16, 512, 2}}) {
            shape.virtual_stages = schedule.unmet(shape) ? 1 : 2;
            const Order order = order_of(schedule, shape);
            const Dependencies dependencies = resolve(order);
            const std::size_t tasks = order.tasks();
            const int repeats = static_cast<int>(20'000'000 / tasks);
            const double generate = nanoseconds(tasks, repeats / 10, [&] { order_of(schedule, shape); });
            const double resolving = nanoseconds(tasks, repeats / 10, [&] { resolve(order); });
            for (const bool transfers : {false, true}) {
                const Durations<double> each = durations(order.positions(), transfers);
                const double playing = nanoseconds(tasks, repeats, [&] { play(dependencies, each, played); });
                signature += played.makespan + played.busy[0] + played.idle_within(shape.stages - 1);
                if (!transfers) {
                    fmt::print("{:<18}{:>4}{:>5}{:>3}{:>9}{:>14.1f}{:>13.1f}{:>13.1f}{:>16.3g}\n", schedule.name,
                               shape.stages, shape.micro_batches, shape.virtual_stages, tasks, generate, resolving,
                               playing, 1e9 / playing);
                } else {
                    fmt::print("{:>66}{:>13.1f}{:>16.3g}\n", "with transfers", playing, 1e9 / playing);
                }
            }
        }
    }
    fmt::print("signature {:.9f}\n", signature);
}
