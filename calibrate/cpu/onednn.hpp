// Everything that oneDNN runs. Types of oneDNN are used in onednn*.cpp only, because version 3 renamed most of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/precision.hpp"
#include "calibrate/cpu/job.hpp"
#include "calibrate/cpu/sgemm.hpp"
#include "calibrate/cpu/tensor_factory.hpp"

namespace dodona::calibrate::cpu {

using Extents = std::vector<std::int64_t>;

enum class Pass { forward, backward_input, backward_weight };

/// The layout of tensors before and after: `blocked` is the one that the primitive prefers, so nothing is reordered.
enum class Layout { nchw, nhwc, blocked };

struct ConvolutionShape {
    std::int64_t images = 1, channels = 1, filters = 1, groups = 1;
    Extents input, window, stride, pad, dilation;  ///< one for each of 1 to 3 dimensions

    [[nodiscard]] Extents output() const;
};

enum class ConvolutionAlgorithm { direct, winograd };

struct ConvolutionPass {
    Pass pass = Pass::forward;
    Layout layout = Layout::nchw;
    Precision precision = Precision::fp32;
    ConvolutionAlgorithm algorithm = ConvolutionAlgorithm::direct;
};

/// Images of `channels` each, 2 or 3 dimensions.
struct ImageShape {
    std::int64_t images = 1, channels = 1;
    Extents input;
    [[nodiscard]] std::int64_t elements() const;
};

struct PoolShape {
    ImageShape image;
    Extents window, stride, pad;
    [[nodiscard]] Extents output() const;
};

std::string onednn_version();

/// Throws CannotMeasure where this CPU has no instructions for it.
void check_precision(Precision precision);

void onednn_sgemm(const Product& product, const float* a, const float* b, float* c);

/// The convolution as a framework calls it: with plain tensors, rewriting to the primitive's layout and back is part of
/// the time and a part "reorder" of it. No bias.
/// By Winograd's transforms the value "workspace" is what they keep beside the tensors.
Job onednn_convolution(const ConvolutionShape& shape, const ConvolutionPass& pass, const TensorFactory& factory);

/// c[m,n] = a b of a batch, in a precision that BLAS does not know.
Job onednn_matmul(const Product& product, std::int64_t batch, Precision precision, const TensorFactory& factory);

/// relu, gelu, sigmoid, tanh, silu on so many elements. Throws CannotMeasure for another word.
Job onednn_activation(std::string_view kind, std::int64_t elements, bool backward, Precision precision,
                      const TensorFactory& factory);

/// Softmax and layer-norm along the columns of a matrix.
Job onednn_softmax(std::int64_t rows, std::int64_t columns, bool backward, Precision precision,
                   const TensorFactory& factory);
Job onednn_layer_norm(std::int64_t rows, std::int64_t columns, bool backward, Precision precision,
                      const TensorFactory& factory);

/// In the primitive's own layout.
Job onednn_batch_norm(const ImageShape& shape, bool backward, Precision precision, const TensorFactory& factory);
Job onednn_pool(const PoolShape& shape, bool average, bool backward, Precision precision, const TensorFactory& factory);

/// Rewrites images of 64 channels; `from` and `to` are layouts.

/// The cost of calling a primitive that has nothing to do.
Job onednn_nothing(const TensorFactory& factory);

}  // namespace dodona::calibrate::cpu
