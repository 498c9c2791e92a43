// An operation graph of cuDNN, built tensor by tensor, and the plan that its first engine makes of it.
//
// A graph is planned for a device, or for the description of one: planning needs no GPU, so what cuDNN supports is
// tested without any. Source: cuDNN 9 back end API, graph descriptors.
#pragma once

#include <cudnn.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"

namespace dodona::calibrate::cuda {

/// One descriptor of the back end API. Every failure throws CannotMeasure with cuDNN's own reason.
class CudnnDescriptor {
public:
    explicit CudnnDescriptor(cudnnBackendDescriptorType_t type);

    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
             const void* values);
    void set(cudnnBackendAttributeName_t name, const CudnnDescriptor& other);
    void set(cudnnBackendAttributeName_t name, cudnnDataType_t value);
    void set(cudnnBackendAttributeName_t name, std::int64_t value);
    void set(cudnnBackendAttributeName_t name, const std::vector<std::int64_t>& values);
    void finalize(const char* doing);

    [[nodiscard]] cudnnBackendDescriptor_t get() const { return descriptor_.get(); }

private:
    std::shared_ptr<void> descriptor_;
};

/// What cuDNN plans for.
class CudnnDevice {
public:
    /// The device of a handle.
    static CudnnDevice of(cudnnHandle_t handle);
    /// A device described as cuDNN describes one: {"deviceVer": 900, "multiProcessorCount": 132 ...}.
    static CudnnDevice described(const std::string& json);

    [[nodiscard]] const CudnnDescriptor& properties() const { return properties_; }

private:
    explicit CudnnDevice(CudnnDescriptor properties) : properties_(std::move(properties)) {}
    CudnnDescriptor properties_;
};

class CudnnPlan {
public:
    explicit CudnnPlan(CudnnDescriptor plan);

    [[nodiscard]] Bytes scratch() const { return scratch_; }
    /// cuDNN's own name of the plan: the engine and its knobs.
    [[nodiscard]] std::string engine() const;
    /// One execution on the handle's stream. `tensors`: identity -> device memory, or host memory of a scalar.
    void run(cudnnHandle_t handle, const std::map<std::int64_t, void*>& tensors, void* scratch) const;

private:
    CudnnDescriptor plan_;
    Bytes scratch_;
};

class CudnnGraph {
public:
    using Id = std::int64_t;
    using Extents = std::vector<std::int64_t>;

    /// A tensor that a variant of the graph is given memory for.
    Id stored(cudnnDataType_t type, const Extents& extents, const Extents& strides);
    /// A tensor that only engines see.
    Id inner(cudnnDataType_t type, const Extents& extents, const Extents& strides);
    /// One number of fp32, read from the host when the plan runs.
    Id scalar();

    struct Window {
        Extents pads, strides, dilations;
    };
    enum class Way { forward, backward_input, backward_weight };
    void convolve(Way way, Id x, Id w, Id y, const Window& window, cudnnDataType_t compute);
    void multiply(Id a, Id b, Id c);
    struct Pointwise {
        cudnnPointwiseMode_t mode;
        Id x, y;                       ///< operand, result
        std::optional<Id> b = {};      ///< second operand
        std::optional<Id> mask = {};   ///< of a selection: where true x, else b
        std::optional<int> axis = {};  ///< of an index
        cudnnDataType_t compute = CUDNN_DATA_FLOAT;
    };
    void pointwise(const Pointwise& operation);
    void reduce(cudnnReduceTensorOp_t how, Id x, Id y);
    void reshape(Id x, Id y);

    /// The first engine of cuDNN's heuristic that makes a plan, its fall-back engines last. `handle` may be null.
    /// `refused`: an engine with one of these notes is passed over, as frameworks do (fp32 that must not be tf32).
    [[nodiscard]] CudnnPlan plan(const CudnnDevice& device, cudnnHandle_t handle,
                                 const std::vector<cudnnBackendNumericalNote_t>& refused) const;

private:
    Id add(cudnnDataType_t type, const Extents& extents, const Extents& strides, bool is_virtual, bool by_value);
    [[nodiscard]] const CudnnDescriptor& tensor(Id id) const { return tensors_[static_cast<std::size_t>(id - 1)]; }

    std::vector<CudnnDescriptor> tensors_;
    std::vector<CudnnDescriptor> operations_;
};

}  // namespace dodona::calibrate::cuda
