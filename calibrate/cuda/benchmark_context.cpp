#include "calibrate/cuda/benchmark_context.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "calibrate/cuda/fault.hpp"

namespace dodona::calibrate::cuda {

namespace {

constexpr Count kCheckedElements = 1 << 22;

Tensor plain_tensor(Element element, Count elements, std::string_view what) {
    const Bytes size = Bytes::of_base(static_cast<double>(elements) * static_cast<double>(width(element)));
    return {std::make_shared<DeviceBuffer>(size, what), element, elements};
}

}  // namespace

Products::Products() { check(cublasLtCreate(&handle_), "starting cuBLASLt"); }

Products::~Products() { (void)cublasLtDestroy(handle_); }

BenchmarkContext::BenchmarkContext(const Settings& of) : settings(of), facts(device_facts()) {}

Bytes BenchmarkContext::scratch_size() const { return facts.major >= 9 ? 64_MiB : 32_MiB; }

void* BenchmarkContext::scratch_of(Bytes size) {
    if (scratch.size() < size) {
        scratch = DeviceBuffer();
        scratch = DeviceBuffer(size, "the scratch memory");
    }
    return scratch.get();
}

Tensor normal_tensor(const BenchmarkContext& context, Element element, Count elements, std::string_view what,
                     float scale) {
    Tensor tensor = plain_tensor(element, elements, what);
    std::uint64_t seed = context.settings.seed;
    for (const char letter : what) {  // two tensors of one size get different numbers
        seed = seed * 31 + static_cast<std::uint64_t>(letter);
    }
    fill_normal(tensor.get(), element, elements, scale, seed, context.stream.get());
    check(cudaGetLastError(), fmt::format("filling {}", what));
    return tensor;
}

Tensor zero_tensor(const BenchmarkContext& context, Element element, Count elements, std::string_view what) {
    Tensor tensor = plain_tensor(element, elements, what);
    check(
        cudaMemsetAsync(tensor.get(), 0, static_cast<std::size_t>(tensor.memory->size().in(1_B)), context.stream.get()),
        fmt::format("filling {}", what));
    return tensor;
}

std::shared_ptr<DeviceBuffer> index_tensor(const BenchmarkContext& context, Count elements, std::int32_t below) {
    auto memory = std::make_shared<DeviceBuffer>(Bytes::of_base(4.0 * static_cast<double>(elements)), "the indices");
    fill_indices(static_cast<std::int32_t*>(memory->get()), elements, below, context.settings.seed,
                 context.stream.get());
    check(cudaGetLastError(), "filling the indices");
    return memory;
}

std::vector<float> numbers_of(const BenchmarkContext& context, const Tensor& tensor) {
    const DeviceBuffer wide(Bytes::of_base(4.0 * static_cast<double>(tensor.elements)), "a result to compare");
    to_float(tensor.get(), tensor.element, tensor.elements, static_cast<float*>(wide.get()), context.stream.get());
    std::vector<float> numbers(static_cast<std::size_t>(tensor.elements));
    check(cudaMemcpyAsync(numbers.data(), wide.get(), numbers.size() * sizeof(float), cudaMemcpyDeviceToHost,
                          context.stream.get()),
          "reading a result");
    check(cudaStreamSynchronize(context.stream.get()), "reading a result");
    return numbers;
}

bool is_checked(const Case& asked, Count elements) {
    return asked.number("check") != 0 || elements <= kCheckedElements;
}

double deviation(const std::vector<float>& measured, const std::vector<double>& expected) {
    double most = 0;
    double largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double off = std::abs(static_cast<double>(measured[i]) - expected[i]);
        if (std::isnan(off)) {
            return off;
        }
        most = std::max(most, off);
        largest = std::max(largest, std::abs(expected[i]));
    }
    return largest > 0 ? most / largest : most;
}

Element element_of_precision(Precision precision, std::string_view benchmark) {
    switch (precision) {
        case Precision::fp32:
        case Precision::tf32: return Element::fp32;
        case Precision::fp16: return Element::fp16;
        case Precision::bf16: return Element::bf16;
        case Precision::fp8: return Element::fp8;
        default: break;
    }
    throw CannotMeasure(
        fmt::format("{} in {} is not measured by this back end: it needs block scales", benchmark, name(precision)));
}

double tolerance_of(Precision precision) {
    switch (precision) {
        case Precision::fp32: return 1e-4;  // sums of thousands in another order
        case Precision::tf32: return 5e-3;  // operands of 10 bits after the point
        case Precision::fp16: return 5e-3;  // likewise, and the result
        case Precision::bf16: return 3e-2;  // 7 bits
        default: return 8e-2;               // e4m3: 3 bits, partial sums in less than fp32
    }
}

Precision precision_of(const Case& asked, Precision otherwise) {
    if (!asked.has("precision")) {
        return otherwise;
    }
    const auto found = precision_from(asked.word("precision"));
    if (!found) {
        throw CannotMeasure(fmt::format("{} is no precision; one is bf16", asked.word("precision")));
    }
    return *found;
}

std::vector<std::int64_t> extents_of(const Case& asked, const std::string& name, std::size_t dimensions,
                                     std::int64_t otherwise) {
    const auto found = asked.parameters.find(name);
    if (found == asked.parameters.end()) {
        return std::vector<std::int64_t>(dimensions, otherwise);
    }
    if (const double* const all = std::get_if<double>(&found->second)) {
        return std::vector<std::int64_t>(dimensions, static_cast<std::int64_t>(*all));
    }
    auto each = extents(std::get<std::string>(found->second));
    if (each.size() == 1) {
        each.resize(dimensions, each.front());
    }
    if (each.size() != dimensions) {
        throw CannotMeasure(fmt::format("{} {} does not have {} dimensions", name, asked.word(name), dimensions));
    }
    return each;
}

Count positive(const Case& asked, std::string_view name) {
    const double value = asked.number(name);
    if (!(value >= 1)) {
        throw CannotMeasure(fmt::format("a {} needs {}, at least 1", asked.benchmark, name));
    }
    return static_cast<Count>(value);
}

}  // namespace dodona::calibrate::cuda
