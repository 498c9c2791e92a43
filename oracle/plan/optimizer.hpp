// Optimizers: the states that each keeps and the device memory traffic of an update. Each is one row of the table in
// optimizer.cpp.
//
//   kept    = elements (e + master) + factors f + rows r          e, f, r from the row; master: of mixed precision
//   traffic = 2 kept + (1 + gradient_passes) gradient + (weight read where no master is kept) + weight written
//             + weight_reads weight
//
// Domain: fused implementations, which read and write states once. Not modelled: per-layer norms and their reduction
// where a layer is split, gradient clipping.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "base/enumeration.hpp"
#include "base/precision.hpp"

namespace dodona::plan {

enum class OptimizerKind {
    sgd,
    momentum,
    adam,
    adamw,
    adam_8bit,
    adam_bf16,
    adam_bf16_moments,
    adafactor,
    lars,
    lamb,
    adagrad,
    rowwise_adagrad
};

/// Bytes per parameter, without the 4 bytes of the fp32 master copy of mixed precision, which those keep that do not say
/// otherwise.
inline constexpr std::array kOptimizerKindTable{
    Enumerator(OptimizerKind::sgd, "sgd", "no states"),
    Enumerator(OptimizerKind::momentum, "momentum", "4 bytes a parameter"),
    Enumerator(OptimizerKind::adam, "adam", "8 bytes a parameter"),
    Enumerator(OptimizerKind::adamw, "adamw", "8 bytes a parameter"),
    Enumerator(OptimizerKind::adam_8bit, "adam-8bit", "2 bytes a parameter, and 8 for every 2,048 parameters"),
    Enumerator(OptimizerKind::adam_bf16, "adam-bf16", "4 bytes a parameter, no master copy: states in bf16 as weights"),
    Enumerator(OptimizerKind::adam_bf16_moments, "adam-bf16-moments",
               "4 bytes a parameter: moments in bf16 beside the master copy"),
    Enumerator(OptimizerKind::adafactor, "adafactor", "4 bytes for each row and each column of a matrix"),
    Enumerator(OptimizerKind::lars, "lars", "4 bytes a parameter"),
    Enumerator(OptimizerKind::lamb, "lamb", "8 bytes a parameter"),
    Enumerator(OptimizerKind::adagrad, "adagrad", "4 bytes a parameter"),
    Enumerator(OptimizerKind::rowwise_adagrad, "rowwise-adagrad",
               "4 bytes for each row of an embedding table, without a master copy; 4 bytes a parameter elsewhere")};
constexpr const auto& enumerators(OptimizerKind /*type*/) { return kOptimizerKindTable; }
inline constexpr std::array kOptimizerKinds = values_of(kOptimizerKindTable);
constexpr std::string_view name(OptimizerKind kind) { return name_of(kind); }
constexpr std::optional<OptimizerKind> optimizer_from(std::string_view name) { return value_of<OptimizerKind>(name); }

/// States that an optimizer keeps of one weight.
struct Moments {
    Bytes per_element;
    Bytes per_factor;    ///< of each row and each column of a matrix; of each element of a vector
    Bytes per_row;       ///< of each row of a table
    bool master = true;  ///< the fp32 copy of mixed precision
};

struct Optimizer {
    OptimizerKind kind = OptimizerKind::sgd;
    Moments dense;
    Moments table;               ///< of weights with sparse gradients
    double weight_reads = 0;     ///< additional reads of the weight or its master copy
    double gradient_passes = 0;  ///< additional passes over the gradient or an update of its size
    std::string_view source;
};

std::span<const Optimizer> optimizers();
const Optimizer& optimizer(OptimizerKind kind);

/// The size of a weight, of its shards, or of a sum of weights.
struct WeightSize {
    double elements = 0;
    double rows = 0;     ///< elements over the last extent
    double factors = 0;  ///< rows and columns of its last two extents; of a vector its elements
    double touched = 0;  ///< elements that one micro-batch reads; 0: all

    WeightSize& operator+=(const WeightSize& other);
    friend WeightSize operator*(double times, const WeightSize& size);
    [[nodiscard]] bool sparse() const { return touched > 0; }
};

/// Bytes of optimizer states and master copy.
Bytes kept_bytes(const Optimizer& optimizer, const WeightSize& size, const TrainingBytes& bytes);

/// Bytes of device memory that one update of the whole weight reads and writes.
Bytes update_traffic(const Optimizer& optimizer, const WeightSize& size, const TrainingBytes& bytes);

}  // namespace dodona::plan
