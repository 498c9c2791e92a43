// Benchmarks whose time is that of memory: streams, gathers, updates, reorders; and what a call costs that does
// nothing.
#include <atomic>
#include <cmath>

#include <fmt/format.h>

#include "calibrate/cpu/benchmarks.hpp"
#include "calibrate/cpu/passes.hpp"
#include "calibrate/cpu/threads.hpp"
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

/// One step of Adam in the eight passes of a framework without fused optimizers.
/// Source: PyTorch 1.13, torch/optim/adam.py, _single_tensor_adam.
void adam(Range r, const float* gradient, float* mean, float* square, float* scratch, float* weight) {
    constexpr float kBeta1 = 0.9F;
    constexpr float kBeta2 = 0.999F;
    scale_pass(r, kBeta1, mean);
    add_scaled_pass(r, gradient, 1 - kBeta1, mean);
    scale_pass(r, kBeta2, square);
    add_product_pass(r, gradient, gradient, 1 - kBeta2, square);
    square_root_pass(r, square, scratch);
    scale_pass(r, 1.0F, scratch);
    shift_pass(r, 1.0F, 1e-8F, scratch);
    add_quotient_pass(r, mean, scratch, -1e-3F, weight);
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

Job update(const Case& asked, const TensorFactory& factory) {
    check_fp32(asked);
    const std::int64_t elements = count(asked, "elements");
    const std::string optimizer = asked.word("optimizer", "sgd");
    TensorFactory::expect(5 * elements);
    const Floats weight = factory.random(elements);
    const Floats gradient = factory.random(elements);
    if (optimizer == "sgd") {
        return {.run =
                    [=](Laps&) {
                        in_parts(elements, [&](std::int64_t begin, std::int64_t end) {
                            add_scaled_pass({begin, end}, gradient.get(), -1e-3F, weight.get());
                        });
                    },
                .values = {},
                .words = {}};
    }
    if (optimizer != "adam") {
        throw CannotMeasure(
            fmt::format("{} is no optimizer that the CPU back end knows; it knows sgd and adam", optimizer));
    }
    const Floats mean = factory.random(elements);
    const Floats square = factory.zeros(elements);
    const Floats scratch = factory.zeros(elements);
    return {.run =
                [=](Laps&) {
                    in_parts(elements, [&](std::int64_t begin, std::int64_t end) {
                        adam({begin, end}, gradient.get(), mean.get(), square.get(), scratch.get(), weight.get());
                    });
                },
            .values = {},
            .words = {}};
}

Job reorder(const Case& asked, const TensorFactory& factory) {
    return onednn_reorder(count(asked, "elements"), layout_from(asked.word("from", "nchw")),
                          layout_from(asked.word("to", "blocked")), precision_of(asked), factory);
}

Job launch(const Case& asked, const TensorFactory& factory) {
    const std::string kind = asked.word("kind", "plain");
    if (kind != "plain") {
        throw CannotMeasure(fmt::format("a CPU has no launches of kind {}; ask for plain", kind));
    }
    return onednn_nothing(factory);
}

}  // namespace dodona::calibrate::cpu
