// What the benchmarks of one process share: the device, a stream, the libraries' handles, scratch memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cublasLt.h>

#include "base/precision.hpp"
#include "calibrate/cuda/device_facts.hpp"
#include "calibrate/cuda/element.hpp"
#include "calibrate/cuda/kernels.hpp"
#include "calibrate/cuda/memory.hpp"
#include "calibrate/cuda/work.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {

/// Handle and scratch of cuBLASLt.
class Products {
public:
    Products();
    Products(const Products&) = delete;
    Products& operator=(const Products&) = delete;
    ~Products();
    [[nodiscard]] cublasLtHandle_t handle() const { return handle_; }

private:
    cublasLtHandle_t handle_ = nullptr;
};

class Networks;  ///< networks.hpp
class Ranks;     ///< collectives.hpp

struct BenchmarkContext {
    const Settings settings;
    const DeviceFacts facts;
    const Stream stream;
    const Products products;
    DeviceBuffer scratch;  ///< what algorithms may use beside the operands

    std::shared_ptr<Networks> networks;  ///< made by the first case that needs it
    std::shared_ptr<Ranks> ranks;        ///< likewise

    explicit BenchmarkContext(const Settings& settings);

    /// 64 MiB on compute capability 9 and later, else 32: what cuBLAS recommends and frameworks give it.
    [[nodiscard]] Bytes scratch_size() const;
    /// Makes the scratch at least that large.
    void* scratch_of(Bytes size);
};

/// A tensor on the device and what its elements are.
struct Tensor {
    std::shared_ptr<DeviceBuffer> memory;
    Element element = Element::fp32;
    Count elements = 0;

    [[nodiscard]] void* get() const { return memory->get(); }
    template <typename T>
    [[nodiscard]] T* as() const {
        return static_cast<T*>(memory->get());
    }
};

/// Normally distributed, standard deviation `scale`: zeros would run faster than real data (13 % on an H200).
Tensor normal_tensor(const BenchmarkContext& context, Element element, Count elements, std::string_view what,
                     float scale = 1.0F);
/// Filled with zeros.
Tensor zero_tensor(const BenchmarkContext& context, Element element, Count elements, std::string_view what);
/// Indices below `below`.
std::shared_ptr<DeviceBuffer> index_tensor(const BenchmarkContext& context, Count elements, std::int32_t below);

/// The tensor's numbers on the host. Waits for the stream.
std::vector<float> numbers_of(const BenchmarkContext& context, const Tensor& tensor);

/// Whether a case is so small that its result is compared with the host's, or asked for with `check: 1`.
bool is_checked(const Case& asked, Count elements);

/// The largest |measured - expected| over the largest |expected|.
double deviation(const std::vector<float>& measured, const std::vector<double>& expected);

/// How a precision is stored and how far its results may deviate. Throws CannotMeasure where this back end has none.
Element element_of_precision(Precision precision, std::string_view benchmark);
double tolerance_of(Precision precision);
/// The case's precision; `otherwise` where it names none. Throws CannotMeasure for a word that is none.
Precision precision_of(const Case& asked, Precision otherwise = Precision::fp32);

/// One extent a dimension, of "3x3" or of a number that stands for all; `otherwise` where the case names none.
std::vector<std::int64_t> extents_of(const Case& asked, const std::string& name, std::size_t dimensions,
                                     std::int64_t otherwise);

/// Throws CannotMeasure with what the case lacks where a number is not at least one.
Count positive(const Case& asked, std::string_view name);

}  // namespace dodona::calibrate::cuda
