// Benchmarks whose time is that of memory: streams and gathers; and what a call costs that does nothing.
#include <atomic>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "calibrate/cpu/benchmarks.hpp"
#include "calibrate/cpu/passes.hpp"
#include "calibrate/cpu/threads.hpp"
#include "calibrate/lookup/pooled_rows.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cpu {

namespace {

constexpr std::int64_t kFloat = sizeof(float);

void check_fp32(const Case& asked) {
    if (precision_of(asked) != Precision::fp32) {
        throw CannotMeasure(
            fmt::format("the CPU back end measures {} in fp32 only; leave `precision` out", asked.benchmark));
    }
}

/// `pooled` look-ups make one sum; backward its gradient is added to each of their rows.
Job pooled_gather(const Case& asked, const TensorFactory& factory) {
    constexpr float kRate = 1e-4F;
    const std::int64_t rows = count(asked, "rows");
    const std::int64_t width = count(asked, "width");
    const std::int64_t pooled = count(asked, "pooled");
    const std::int64_t samples = count(asked, "lookups") / pooled;
    if (samples < 1 || samples * pooled != count(asked, "lookups")) {
        throw CannotMeasure("look-ups are no whole number of pooled ones; correct the case");
    }
    TensorFactory::expect((rows + samples) * width);
    const Floats table = factory.random(rows * width);
    const Floats sums = factory.random(samples * width);
    const Indices indices = factory.indices(samples * pooled, rows);
    const bool backward = direction_of(asked) != Pass::forward;
    return {.run =
                [=](Laps&) {
                    const PooledRows of{.table = table.get(),
                                        .width = width,
                                        .lookups = pooled,
                                        .indices = {indices.get(), static_cast<std::size_t>(samples * pooled)}};
                    if (backward) {  // by one thread: two may add to the same row
                        add_to_rows(of, 0, samples, sums.get(), kRate);
                        return;
                    }
                    in_parts(samples,
                             [&](std::int64_t begin, std::int64_t end) { sum_rows(of, begin, end, sums.get()); });
                },
            .values = {},
            .words = {}};
}

}  // namespace

Job stream(const Case& asked, const TensorFactory& factory) {
    const std::string pattern = asked.word("pattern", "triad");
    const std::int64_t arrays = pattern == "triad" ? 3 : pattern == "copy" ? 2 : 1;
    if (arrays == 1 && pattern != "read" && pattern != "write") {
        throw CannotMeasure(
            fmt::format("{} is no pattern of a stream; there are read, write, copy and triad", pattern));
    }
    const std::int64_t elements = std::max<std::int64_t>(count(asked, "bytes") / (arrays * kFloat), 1);
    TensorFactory::expect(arrays * elements);
    const Floats a = factory.random(elements);
    const Floats b = arrays > 1 ? factory.random(elements) : a;
    const Floats c = arrays > 2 ? factory.random(elements) : a;
    const auto kept = std::make_shared<std::atomic<float>>(0.0F);
    const auto part = [=](Range r) {
        if (pattern == "read") {
            kept->store(read_pass(r, a.get()), std::memory_order_relaxed);
        } else if (pattern == "write") {
            write_pass(r, 1.5F, a.get());
        } else if (pattern == "copy") {
            copy_pass(r, b.get(), a.get());
        } else {
            triad_pass(r, b.get(), c.get(), 0.5F, a.get());
        }
    };
    return {
        .run = [=](Laps&) { in_parts(elements, [&](std::int64_t begin, std::int64_t end) {
                                part({begin, end});
                            }); },
        .warm = true,
        .values = {},
        .words = {}};
}

Job gather(const Case& asked, const TensorFactory& factory) {
    check_fp32(asked);
    const std::int64_t rows = count(asked, "rows");
    const std::int64_t width = count(asked, "width");
    const std::int64_t lookups = count(asked, "lookups");
    const bool backward = direction_of(asked) != Pass::forward;
    if (asked.has("pooled")) {
        return pooled_gather(asked, factory);
    }
    TensorFactory::expect((rows + 2 * lookups) * width);
    const Floats table = factory.random(rows * width);
    const Floats results = factory.random(lookups * width);
    const Indices indices = factory.indices(lookups, rows);
    return {.run =
                [=](Laps&) {
                    if (backward) {  // by one thread: two may add to the same row
                        scatter_rows({0, lookups}, width, indices.get(), results.get(), table.get());
                        return;
                    }
                    in_parts(lookups, [&](std::int64_t begin, std::int64_t end) {
                        gather_rows({begin, end}, width, indices.get(), table.get(), results.get());
                    });
                },
            .values = {},
            .words = {}};
}

Job launch(const Case& asked, const TensorFactory& factory) {
    const std::string kind = asked.word("kind", "plain");
    if (kind != "plain") {
        throw CannotMeasure(fmt::format("a CPU has no launches of kind {}; ask for plain", kind));
    }
    return onednn_nothing(factory);
}

Job fork_join(const Case& asked, const TensorFactory& /*factory*/) {
    const std::int64_t threads = count(asked, "threads");
    return {.run = [=](Laps&) { in_parts(threads, [](std::int64_t, std::int64_t) {}); },
            .warm = true,
            .values = {},
            .words = {}};
}

/// A kernel after the other, so that threads meet as often as in a network; `operators` do so side by side, each on
/// `threads` of its own.
Job crowd(const Case& asked, const TensorFactory& factory) {
    const std::int64_t passes = count(asked, "passes", 50);
    const auto threads = static_cast<int>(count(asked, "threads", 1));
    Case kernel = asked;
    kernel.benchmark = asked.word("kernel", "stream");
    if (kernel.benchmark == "crowd") {
        throw CannotMeasure("a crowd is of the kernel that `kernel` names; give the case a benchmark's name");
    }
    std::vector<Job> jobs;
    for (std::int64_t i = 0; i < count(asked, "operators", 1); ++i) {
        jobs.push_back(prepare(kernel, factory));
    }
    const auto all_passes = [passes](const Job& job) {
        Laps laps;
        for (std::int64_t pass = 0; pass < passes; ++pass) {
            job.run(laps);
        }
    };
    return {.run =
                [=](Laps&) {
                    std::vector<std::thread> others;
                    for (std::size_t i = 1; i < jobs.size(); ++i) {
                        others.emplace_back([&, i] {
                            use_threads(threads);
                            all_passes(jobs[i]);
                        });
                    }
                    all_passes(jobs.front());
                    for (std::thread& other : others) {
                        other.join();
                    }
                },
            .warm = true,
            .values = {},
            .words = {}};
}

}  // namespace dodona::calibrate::cpu
