#include "calibrate/cuda/compression.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "calibrate/compression/quantisation.hpp"
#include "calibrate/compression/selection.hpp"
#include "calibrate/cuda/fault.hpp"

namespace dodona::calibrate::cuda {

namespace {

constexpr double kWrong = 1;  ///< as large as the largest value

template <typename T>
std::vector<T> copied(const DeviceBuffer& from, std::size_t count) {
    std::vector<T> to(count);
    check(cudaMemcpy(to.data(), from.get(), count * sizeof(T), cudaMemcpyDeviceToHost), "reading a result");
    return to;
}

/// The deviation of a result; that of a wrong one where what has to be equal is not.
double deviation_or_wrong(bool is_right, const std::vector<float>& measured, const std::vector<float>& expected) {
    return is_right ? deviation(measured, {expected.begin(), expected.end()}) : kWrong;
}

struct Quantised {
    CodeFormat format;
    Count block;
    Tensor values, back;
    std::shared_ptr<DeviceBuffer> packed;
};

/// Codes are the host's bit by bit. So are scales, but for the mean of 1-bit codes, which is summed in another order.
double quantised_error(const BenchmarkContext& context, const Quantised& q) {
    const auto values = numbers_of(context, q.values);
    const auto block = static_cast<std::size_t>(q.block);
    std::vector<std::uint8_t> expected(packed_bytes(q.format, values.size(), block));
    quantise(q.format, values, block, expected);
    std::vector<float> numbers(values.size());
    dequantise(q.format, expected, block, numbers);
    const auto packed = copied<std::uint8_t>(*q.packed, expected.size());
    const auto codes = static_cast<std::ptrdiff_t>(code_bytes(q.format, values.size()));
    const bool same = std::equal(packed.begin(), packed.begin() + codes, expected.begin());
    return deviation_or_wrong(same, numbers_of(context, q.back), numbers);
}

Work prepare_quantised(const Case& asked, CodeFormat format, BenchmarkContext& context) {
    constexpr double kUsualBlock = 256;
    const Count elements = positive(asked, "elements");
    const auto block = static_cast<Count>(asked.number("block", kUsualBlock));
    if (block < 1 || block % 8 != 0) {
        throw CannotMeasure("a block of the back end for GPUs has a multiple of 8 elements");
    }
    const std::size_t bytes = packed_bytes(format, static_cast<std::size_t>(elements), static_cast<std::size_t>(block));
    const Quantised q{format, block, normal_tensor(context, Element::fp32, elements, "the values"),
                      zero_tensor(context, Element::fp32, elements, "what the codes stand for"),
                      std::make_shared<DeviceBuffer>(Bytes::of_base(static_cast<double>(bytes)), "the codes")};
    Work work;
    work.run = [q](cudaStream_t stream) {
        auto* const packed = static_cast<std::uint8_t*>(q.packed->get());
        quantise_blocks(q.format, q.values.as<float>(), q.values.elements, q.block, packed, stream);
        dequantise_blocks(q.format, packed, q.values.elements, q.block, q.back.as<float>(), stream);
    };
    work.tolerance = 1e-4;  // sums of a block in another order
    if (is_checked(asked, elements)) {
        work.error = [q, &context] { return quantised_error(context, q); };
    }
    work.words["implementation"] = "own kernels, a warp a block";
    return work;
}

struct Sparse {
    bool exact;
    int passes;
    Count k;
    Tensor values, sum;
    std::shared_ptr<DeviceBuffer> scratch, indices, sent;

    [[nodiscard]] SelectedElements selected() const {
        return {static_cast<std::uint32_t*>(indices->get()), static_cast<float*>(sent->get())};
    }
};

void run_sparse(const Sparse& s, cudaStream_t stream) {
    if (s.exact) {
        select_exactly(s.values.as<float>(), s.values.elements, s.k, s.scratch->get(), s.selected(), stream);
    } else {
        select_by_threshold(s.values.as<float>(), s.values.elements, s.k, s.passes, s.scratch->get(), s.selected(),
                            stream);
    }
    add_selected(s.selected(), s.k, s.sum.as<float>(), stream);
}

/// After one run from a sum of zeros: the same elements as the host takes, in the same order, and nothing else added.
double sparse_error(const BenchmarkContext& context, const Sparse& s) {
    const auto values = numbers_of(context, s.values);
    const auto k = static_cast<std::size_t>(s.k);
    const auto expected = s.exact ? largest_exactly(values, k) : largest_by_threshold(values, k, s.passes);
    std::vector<float> sum(values.size());
    for (const std::uint32_t index : expected) {
        sum[index] = values[index];
    }
    const bool same = copied<std::uint32_t>(*s.indices, k) == expected;
    return deviation_or_wrong(same, numbers_of(context, s.sum), sum);
}

double density_of(const Case& asked) {
    constexpr double kUsualDensity = 0.001;
    const double density = asked.number("density", kUsualDensity);
    if (!(density > 0 && density <= 1)) {
        throw CannotMeasure("the density of a compression is above 0 and at most 1; correct the case");
    }
    return density;
}

Work prepare_sparse(const Case& asked, bool exact, BenchmarkContext& context) {
    constexpr double kUsualPasses = 20;
    constexpr double kMaxPasses = 64;
    constexpr Count kMaxElements = 0xffffffff;  // their indices have 32 bits
    constexpr int kOtherLaunches = 7;           // beside the passes
    const Count elements = positive(asked, "elements");
    const double density = density_of(asked);
    if (elements > kMaxElements) {
        throw CannotMeasure("a selection is measured of fewer than 2^32 elements");
    }
    const auto buffer = [](std::size_t bytes, const char* what) {
        return std::make_shared<DeviceBuffer>(Bytes::of_base(static_cast<double>(bytes)), what);
    };
    const auto k = std::max<Count>(1, static_cast<Count>(density * static_cast<double>(elements)));
    const auto sent = 4 * static_cast<std::size_t>(k);
    const Sparse s{.exact = exact,
                   .passes = static_cast<int>(std::min(asked.number("passes", kUsualPasses), kMaxPasses)),
                   .k = k,
                   .values = normal_tensor(context, Element::fp32, elements, "the values"),
                   .sum = zero_tensor(context, Element::fp32, elements, "the sum"),
                   .scratch = buffer(selection_bytes(elements), "the scratch of a selection"),
                   .indices = buffer(sent, "the indices"),
                   .sent = buffer(sent, "the selected values")};
    if (s.passes < 1) {
        throw CannotMeasure("a search for the threshold has at least one pass; correct the case");
    }
    Work work;
    work.launches = s.passes + kOtherLaunches;
    work.run = [s](cudaStream_t stream) { run_sparse(s, stream); };
    work.tolerance = 0;
    if (is_checked(asked, elements)) {
        work.error = [s, &context] { return sparse_error(context, s); };
    }
    work.words["implementation"] = exact ? "own kernels, radix selection" : "own kernels, search for the threshold";
    return work;
}

}  // namespace

Work prepare_compression(const Case& asked, BenchmarkContext& context) {
    const std::string kernel = asked.word("kernel");
    Work work;
    if (const auto format = code_format_of(kernel)) {
        work = prepare_quantised(asked, *format, context);
    } else if (kernel == "exact-top-k" || kernel == "threshold-top-k") {
        work = prepare_sparse(asked, kernel == "exact-top-k", context);
    } else {
        throw CannotMeasure(fmt::format(
            "{} is no kernel of a compression; there are exact-top-k, threshold-top-k, int8, fp8, int4 and 1-bit",
            kernel));
    }
    check(cudaGetLastError(), fmt::format("preparing {}", kernel));
    return work;
}

}  // namespace dodona::calibrate::cuda
