// Compression of a buffer as dodona-exchange sends it, and what a receiver does with it; one thread, as there.
//
//   top-k       selection, the selected values; adding them to a sum
//   quantised   codes and scales; the numbers that they stand for
#include <algorithm>

#include <fmt/format.h>

#include "calibrate/compression/quantisation.hpp"
#include "calibrate/compression/selection.hpp"
#include "calibrate/cpu/benchmarks.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cpu {

namespace {

Job quantised(const Case& asked, CodeFormat format, const TensorFactory& factory) {
    const std::int64_t elements = count(asked, "elements");
    const auto block = static_cast<std::size_t>(count(asked, "block", 256));
    TensorFactory::expect(3 * elements);
    const Floats values = factory.random(elements);
    const Floats back = factory.zeros(elements);
    const auto size = static_cast<std::size_t>(elements);
    auto codes = std::make_shared<std::vector<std::uint8_t>>(packed_bytes(format, size, block));
    return {.run =
                [=](Laps&) {
                    quantise(format, {values.get(), size}, block, *codes);
                    dequantise(format, *codes, block, {back.get(), size});
                },
            .values = {},
            .words = {}};
}

double density_of(const Case& asked) {
    const double density = asked.number("density", 0.001);
    if (!(density > 0 && density <= 1)) {
        throw CannotMeasure("the density of a compression is above 0 and at most 1; correct the case");
    }
    return density;
}

Job sparse(const Case& asked, bool exact, const TensorFactory& factory) {
    constexpr std::int64_t kMaxPasses = 64;
    const std::int64_t elements = count(asked, "elements");
    const auto passes = static_cast<int>(std::min(count(asked, "passes", 20), kMaxPasses));
    const auto size = static_cast<std::size_t>(elements);
    const double density = density_of(asked);
    TensorFactory::expect(2 * elements);
    const Floats values = factory.random(elements);
    const Floats sum = factory.zeros(elements);
    const auto k = std::max<std::size_t>(1, static_cast<std::size_t>(density * static_cast<double>(elements)));
    auto sent = std::make_shared<std::vector<float>>(k);
    return {.run =
                [=](Laps&) {
                    const std::span<const float> all(values.get(), size);
                    const auto indices = exact ? largest_exactly(all, k) : largest_by_threshold(all, k, passes);
                    for (std::size_t i = 0; i < k; ++i) {
                        (*sent)[i] = all[indices[i]];
                    }
                    for (std::size_t i = 0; i < k; ++i) {
                        sum.get()[indices[i]] += (*sent)[i];
                    }
                },
            .values = {},
            .words = {}};
}

}  // namespace

Job compression(const Case& asked, const TensorFactory& factory) {
    const std::string kernel = asked.word("kernel");
    if (const auto format = code_format_of(kernel)) {
        return quantised(asked, *format, factory);
    }
    if (kernel == "exact-top-k" || kernel == "threshold-top-k") {
        return sparse(asked, kernel == "exact-top-k", factory);
    }
    throw CannotMeasure(fmt::format(
        "{} is no kernel of a compression; there are exact-top-k, threshold-top-k, int8, fp8, int4 and 1-bit", kernel));
}

}  // namespace dodona::calibrate::cpu
