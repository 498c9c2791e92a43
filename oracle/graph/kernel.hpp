// Kernels that a device runs. Operators emit them, the cost layer times them.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "graph/primitive.hpp"

namespace dodona::graph {

enum class KernelKind {
    matmul,       ///< (m x k) times (k x n), `batch` times
    convolution,  ///< an implicit matrix product; its operands have fewer elements than m x k, k x n, m x n
    attention,    ///< fused attention: matrix products whose intermediate result stays on chip
    stream,       ///< memory-bound pass over bytes with few operations
    gather,       ///< table look-up or scatter-add of rows of `n` elements
    recurrent,    ///< one step of `batch` parallel recurrent cells: m samples, n gate outputs, k inputs
};

inline constexpr std::array kKernelKindTable{
    Enumerator(KernelKind::matmul, "matmul", "matrix products"),
    Enumerator(KernelKind::convolution, "convolution", "convolutions, as implicit matrix products"),
    Enumerator(KernelKind::attention, "attention", "fused attention"),
    Enumerator(KernelKind::stream, "stream", "passes that read and write memory with little arithmetic"),
    Enumerator(KernelKind::gather, "gather", "table look-ups and scattered additions"),
    Enumerator(KernelKind::recurrent, "recurrent", "steps of recurrent cells")};
constexpr const auto& enumerators(KernelKind /*type*/) { return kKernelKindTable; }
constexpr std::string_view name(KernelKind kind) { return name_of(kind); }

/// The pass that a product belongs to; layout and algorithm of kernels with equal extents depend on it.
enum class Direction { forward, backward_input, backward_weight };

inline constexpr std::array kDirectionTable{
    Enumerator(Direction::forward, "forward", "the forward pass"),
    Enumerator(Direction::backward_input, "backward-input", "the gradient of the input, dX"),
    Enumerator(Direction::backward_weight, "backward-weight", "the gradient of the weights, dW")};
constexpr const auto& enumerators(Direction /*type*/) { return kDirectionTable; }
constexpr std::string_view name(Direction direction) { return name_of(direction); }

/// The kernels of a memory-bound pass in software that fuses nothing into it.
struct Unfused {
    enum class Part { passes, norms, softmax } part = Part::passes;
    double kernels = 1;
    double traffic = 1;    ///< numbers that they move, over those of the fused pass
    bool in_fp32 = false;  ///< in any precision of activations
};

/// `times` consecutive launches of one kernel. Extents are local (after sharding). `elements`: numbers in activation
/// precision that are read or written in device memory; `fixed_bytes`: the same for other element sizes (indices,
/// masks, fp32 statistics).
///
/// Extents by kind: of a forward convolution m counts output positions of all samples, n filters and k channels times
/// the window's area of a group, batch groups; of an attention m counts queries, n keys, k features of a head, batch
/// heads; of a gather m counts look-ups, n elements of a row, k rows of the table (0: it reads no table of weights).
struct Kernel {
    KernelKind kind = KernelKind::stream;
    double m = 0, n = 0, k = 0, batch = 1;
    Flop flops;
    double elements = 0;
    Bytes fixed_bytes;
    double times = 1;  ///< launches; flops, elements and bytes are of one
    Direction direction = Direction::forward;
    Primitive primitive = Primitive::none;
    Unfused unfused;
    bool causal = false;  ///< an attention: masks later positions
    bool pooled = false;  ///< a gather: adds up look-ups as it reads them, of all tables at once
    double window = 1;    ///< of a convolution: results of one filter that an input element contributes to
    /// Of a convolution, whatever its direction: samples, results of one filter for all of them, and filters of a
    /// group. 0 samples: not known.
    double samples = 0, positions = 0, filters = 0;
};

/// The kernels of one layer, forward and backward, on one device for one micro-batch.
struct Work {
    std::vector<Kernel> forward;
    std::vector<Kernel> backward_input;   ///< dX; not run if no input needs a gradient
    std::vector<Kernel> backward_weight;  ///< dW
    /// Model arithmetic of the forward pass by convention: matrix products only, causal attention with half the square.
    /// Kernels may execute more (masked halves) or less.
    Flop model_forward;
};

/// The work with the direction of every kernel set, which operators leave at its default.
inline Work directed(Work work) {
    for (Kernel& kernel : work.backward_input) {
        kernel.direction = Direction::backward_input;
    }
    for (Kernel& kernel : work.backward_weight) {
        kernel.direction = Direction::backward_weight;
    }
    return work;
}

/// The same work with the primitive of each kernel set.
inline Work of_primitive(Primitive primitive, Work work) {
    for (std::vector<Kernel>* kernels : {&work.forward, &work.backward_input, &work.backward_weight}) {
        for (Kernel& kernel : *kernels) {
            kernel.primitive = primitive;
        }
    }
    return work;
}

/// Work with the kernels that each of its passes runs as without fusion.
inline Work unfused_as(const Unfused& unfused, Work work) {
    for (std::vector<Kernel>* kernels : {&work.forward, &work.backward_input, &work.backward_weight}) {
        for (Kernel& kernel : *kernels) {
            kernel.unfused = unfused;
        }
    }
    return work;
}

/// A matrix product with its operands read and its result written once.
constexpr Kernel matmul(double m, double n, double k, double batch = 1) {
    return {.kind = KernelKind::matmul,
            .m = m,
            .n = n,
            .k = k,
            .batch = batch,
            .flops = Flop::of_base(2.0 * m * n * k * batch),
            .elements = batch * (m * k + k * n + m * n),
            .fixed_bytes = Bytes{}};
}

/// A memory-bound pass over `elements` numbers with `flops_per_element` operations each.
constexpr Kernel stream(double elements, double flops_per_element = 1, Bytes fixed = Bytes{}) {
    return {.kind = KernelKind::stream,
            .flops = Flop::of_base(elements * flops_per_element),
            .elements = elements,
            .fixed_bytes = fixed};
}

}  // namespace dodona::graph
