#include "calibrate/cuda/cudnn_graph.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {

namespace {

constexpr std::int64_t kAlignment = 16;  // bytes; what cudaMalloc gives is aligned to 256

[[noreturn]] void refuse(cudnnStatus_t answer, const std::string& doing) {
    std::array<char, 512> text{};
    cudnnGetLastErrorString(text.data(), text.size());
    throw CannotMeasure(fmt::format("{}: cuDNN says {}{}{}", doing, cudnnGetErrorString(answer),
                                    text.front() == '\0' ? "" : ": ", text.data()));
}

void expect(cudnnStatus_t answer, const std::string& doing) {
    if (answer != CUDNN_STATUS_SUCCESS) {
        refuse(answer, doing);
    }
}

/// Engine configurations of one mode of the heuristic, best first; empty where it has none.
/// `device` is null where the graph has a handle, which knows its own.
std::vector<CudnnDescriptor> configurations(const CudnnDescriptor& graph, const CudnnDevice* device,
                                            cudnnBackendHeurMode_t mode) {
    constexpr std::int64_t kMax = 16;
    std::vector<CudnnDescriptor> found;
    try {
        CudnnDescriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
        heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
        if (device != nullptr) {
            heuristic.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, device->properties());
        }
        heuristic.finalize("asking cuDNN's heuristic");
        std::vector<cudnnBackendDescriptor_t> raw;
        for (std::int64_t i = 0; i < kMax; ++i) {
            found.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
            raw.push_back(found.back().get());
        }
        std::int64_t count = 0;
        if (cudnnBackendGetAttribute(heuristic.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                     kMax, &count, raw.data()) != CUDNN_STATUS_SUCCESS) {
            count = 0;
        }
        found.erase(found.begin() + std::min(count, kMax), found.end());
    } catch (const CannotMeasure&) {
        found.clear();  // this mode has nothing for the graph; another may
    }
    return found;
}

/// The engine of a configuration.
CudnnDescriptor engine_of(const CudnnDescriptor& configuration) {
    CudnnDescriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t raw = engine.get();
    std::int64_t count = 0;
    expect(cudnnBackendGetAttribute(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                                    &count, &raw),
           "asking for an engine");
    return engine;
}

bool is_refused(const CudnnDescriptor& configuration, const std::vector<cudnnBackendNumericalNote_t>& refused) {
    std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes{};
    std::int64_t count = 0;
    const CudnnDescriptor engine = engine_of(configuration);
    expect(cudnnBackendGetAttribute(engine.get(), CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                    static_cast<std::int64_t>(notes.size()), &count, notes.data()),
           "asking for an engine's notes");
    return std::any_of(notes.begin(), notes.begin() + count, [&](cudnnBackendNumericalNote_t note) {
        return std::find(refused.begin(), refused.end(), note) != refused.end();
    });
}

}  // namespace

CudnnDescriptor::CudnnDescriptor(cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t raw = nullptr;
    expect(cudnnBackendCreateDescriptor(type, &raw), "describing a graph");
    descriptor_ = {raw, [](void* descriptor) { (void)cudnnBackendDestroyDescriptor(descriptor); }};
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
                          const void* values) {
    expect(cudnnBackendSetAttribute(get(), name, type, count, values),
           fmt::format("describing a graph (attribute {})", static_cast<int>(name)));
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, const CudnnDescriptor& other) {
    cudnnBackendDescriptor_t raw = other.get();
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnDataType_t value) {
    set(name, CUDNN_TYPE_DATA_TYPE, 1, &value);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, std::int64_t value) {
    set(name, CUDNN_TYPE_INT64, 1, &value);
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, const std::vector<std::int64_t>& values) {
    set(name, CUDNN_TYPE_INT64, static_cast<std::int64_t>(values.size()), values.data());
}

void CudnnDescriptor::finalize(const char* doing) { expect(cudnnBackendFinalize(get()), doing); }

CudnnDevice CudnnDevice::of(cudnnHandle_t handle) {
    CudnnDescriptor properties(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    properties.set(CUDNN_ATTR_DEVICEPROP_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    properties.finalize("describing the device to cuDNN");
    return CudnnDevice(properties);
}

CudnnDevice CudnnDevice::described(const std::string& json) {
    CudnnDescriptor properties(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    properties.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, static_cast<std::int64_t>(json.size()),
                   json.data());
    properties.finalize("describing a device to cuDNN");
    return CudnnDevice(properties);
}

CudnnPlan::CudnnPlan(CudnnDescriptor plan) : plan_(std::move(plan)) {
    std::int64_t size = 0;
    std::int64_t count = 0;
    expect(cudnnBackendGetAttribute(plan_.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count,
                                    &size),
           "asking for a plan's scratch memory");
    scratch_ = Bytes::of_base(static_cast<double>(size));
}

std::string CudnnPlan::engine() const {
    CudnnDescriptor configuration(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    cudnnBackendDescriptor_t raw = configuration.get();
    std::int64_t count = 0;
    std::int64_t index = -1;
    if (cudnnBackendGetAttribute(plan_.get(), CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                                 &count, &raw) == CUDNN_STATUS_SUCCESS) {
        (void)cudnnBackendGetAttribute(engine_of(configuration).get(), CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64,
                                       1, &count, &index);
    }
    return fmt::format("cudnn engine={}", index);
}

void CudnnPlan::run(cudnnHandle_t handle, const std::map<std::int64_t, void*>& tensors, void* scratch) const {
    std::vector<std::int64_t> ids;
    std::vector<void*> pointers;
    for (const auto& [id, pointer] : tensors) {
        ids.push_back(id);
        pointers.push_back(pointer);
    }
    CudnnDescriptor variant(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    variant.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
    variant.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, static_cast<std::int64_t>(pointers.size()),
                pointers.data());
    variant.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &scratch);
    variant.finalize("giving a plan its tensors");
    expect(cudnnBackendExecute(handle, plan_.get(), variant.get()), "starting a plan");
}

CudnnGraph::Id CudnnGraph::add(cudnnDataType_t type, const Extents& extents, const Extents& strides, bool is_virtual,
                               bool by_value) {
    const auto id = static_cast<Id>(tensors_.size()) + 1;
    CudnnDescriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
    tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, type);
    tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, extents);
    tensor.set(CUDNN_ATTR_TENSOR_STRIDES, strides);
    tensor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignment);
    tensor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &is_virtual);
    tensor.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &by_value);
    tensor.finalize("describing a tensor");
    tensors_.push_back(tensor);
    return id;
}

CudnnGraph::Id CudnnGraph::stored(cudnnDataType_t type, const Extents& extents, const Extents& strides) {
    return add(type, extents, strides, false, false);
}

CudnnGraph::Id CudnnGraph::inner(cudnnDataType_t type, const Extents& extents, const Extents& strides) {
    return add(type, extents, strides, true, false);
}

CudnnGraph::Id CudnnGraph::scalar() { return add(CUDNN_DATA_FLOAT, {1, 1, 1, 1}, {1, 1, 1, 1}, false, true); }

void CudnnGraph::convolve(Way way, Id x, Id w, Id y, const Window& window, cudnnDataType_t compute) {
    CudnnDescriptor convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, compute);
    convolution.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
    convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, static_cast<std::int64_t>(window.pads.size()));
    convolution.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, window.pads);
    convolution.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, window.pads);
    convolution.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, window.strides);
    convolution.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, window.dilations);
    convolution.finalize("describing a convolution");

    struct Names {
        cudnnBackendDescriptorType_t type;
        cudnnBackendAttributeName_t convolution, x, w, y, alpha, beta;
    };
    static const std::map<Way, Names> kNames{
        {Way::forward,
         {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA}},
        {Way::backward_input,
         {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA}},
        {Way::backward_weight,
         {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}},
    };
    const Names& names = kNames.at(way);
    CudnnDescriptor operation(names.type);
    const float one = 1;
    const float none = 0;
    operation.set(names.convolution, convolution);
    operation.set(names.x, tensor(x));
    operation.set(names.w, tensor(w));
    operation.set(names.y, tensor(y));
    operation.set(names.alpha, CUDNN_TYPE_FLOAT, 1, &one);
    operation.set(names.beta, CUDNN_TYPE_FLOAT, 1, &none);
    operation.finalize("describing a convolution");
    operations_.push_back(operation);
}

void CudnnGraph::multiply(Id a, Id b, Id c) {
    CudnnDescriptor product(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    product.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT);
    product.finalize("describing a product");
    CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, product);
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, tensor(a));
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, tensor(b));
    operation.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, tensor(c));
    operation.finalize("describing a product");
    operations_.push_back(operation);
}

void CudnnGraph::pointwise(const Pointwise& of) {
    CudnnDescriptor pointwise(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    pointwise.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &of.mode);
    pointwise.set(CUDNN_ATTR_POINTWISE_MATH_PREC, of.compute);
    if (of.axis) {
        pointwise.set(CUDNN_ATTR_POINTWISE_AXIS, static_cast<std::int64_t>(*of.axis));
    }
    pointwise.finalize("describing an elementwise operation");
    CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, pointwise);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, tensor(of.x));
    if (of.b) {
        operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, tensor(*of.b));
    }
    if (of.mask) {
        operation.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, tensor(*of.mask));
    }
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, tensor(of.y));
    operation.finalize("describing an elementwise operation");
    operations_.push_back(operation);
}

void CudnnGraph::reduce(cudnnReduceTensorOp_t how, Id x, Id y) {
    CudnnDescriptor reduction(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    reduction.set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1, &how);
    reduction.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT);
    reduction.finalize("describing a reduction");
    CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, reduction);
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, tensor(x));
    operation.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, tensor(y));
    operation.finalize("describing a reduction");
    operations_.push_back(operation);
}

void CudnnGraph::reshape(Id x, Id y) {
    CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, tensor(x));
    operation.set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, tensor(y));
    operation.finalize("describing a transposition");
    operations_.push_back(operation);
}

CudnnPlan CudnnGraph::plan(const CudnnDevice& device, cudnnHandle_t handle,
                           const std::vector<cudnnBackendNumericalNote_t>& refused) const {
    std::vector<cudnnBackendDescriptor_t> raw;
    for (const CudnnDescriptor& operation : operations_) {
        raw.push_back(operation.get());
    }
    CudnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<std::int64_t>(raw.size()),
              raw.data());
    if (handle != nullptr) {
        graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    }
    graph.finalize("putting a graph together");
    std::string why = "its heuristic names no engine";
    for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
        for (const CudnnDescriptor& configuration :
             configurations(graph, handle == nullptr ? &device : nullptr, mode)) {
            try {
                if (is_refused(configuration, refused)) {
                    why = "its engines compute in fewer bits than were asked for";
                    continue;
                }
                CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
                plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
                if (handle != nullptr) {
                    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
                } else {
                    plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, device.properties());
                }
                plan.finalize("planning");
                return CudnnPlan(plan);
            } catch (const CannotMeasure& error) {
                why = error.what();
                if (why.find("EXECUTION_FAILED") != std::string::npos) {
                    throw;  // the driver's refusal, which every other engine would meet too
                }
            }
        }
    }
    throw CannotMeasure(fmt::format("cuDNN has no engine for this case: {}", why));
}

}  // namespace dodona::calibrate::cuda
