// Optimizers: the states that each keeps and the device memory traffic of an update. Each is one row of the table in
// optimizer.cpp.
//
//   kept    = elements (e + master) + factors f + rows r          e, f, r from the row; master: of mixed precision
//   traffic = 2 kept + (1 + gradient_passes) gradient + (weight read where no master is kept) + weight written
//             + weight_reads weight
//
// Some update matrices inside the network otherwise than embeddings, output heads and vectors (MatrixUpdate): with states
// of their own and with arithmetic that depends on rows and columns; its kernels are timed as those of the passes are
// (step/matrix_updates.hpp).
//
// Domain: fused implementations, which read and write states once. Not modelled: per-layer norms and their reduction
// where a layer is split, gradient clipping.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/precision.hpp"
#include "graph/kernel.hpp"

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
    rowwise_adagrad,
    lion,
    adam_mini,
    schedule_free,
    muon,
    muon_gram,
    soap,
    shampoo,
    galore,
    dion,
    sophia
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
               "4 bytes for each row of an embedding table, without a master copy; 4 bytes a parameter elsewhere"),
    Enumerator(OptimizerKind::lion, "lion", "4 bytes a parameter"),
    Enumerator(OptimizerKind::adam_mini, "adam-mini", "4 bytes a parameter and 4 for each row of a matrix"),
    Enumerator(OptimizerKind::schedule_free, "schedule-free-adamw", "8 bytes a parameter"),
    Enumerator(OptimizerKind::muon, "muon",
               "4 bytes a parameter of matrices inside the network, with 5 Newton-Schulz iterations; adamw elsewhere"),
    Enumerator(OptimizerKind::muon_gram, "muon-gram",
               "muon, iterating on the product of the matrix and its transpose, as DeepSpeed does"),
    Enumerator(
        OptimizerKind::soap, "soap",
        "8 bytes a parameter; of matrices inside the network 8 more for each entry of rows x rows and of columns x "
        "columns; adamw elsewhere"),
    Enumerator(
        OptimizerKind::shampoo, "shampoo",
        "8 bytes a parameter; of matrices inside the network, in blocks of up to 8,192, 8 more for each entry of "
        "rows x rows and of columns x columns; adamw elsewhere"),
    Enumerator(OptimizerKind::galore, "galore",
               "of matrices inside the network, moments of rank 128 and the projection onto it; adamw elsewhere"),
    Enumerator(OptimizerKind::dion, "dion",
               "of matrices inside the network, 4 bytes a parameter and a basis of half the smaller side; adamw "
               "elsewhere"),
    Enumerator(
        OptimizerKind::sophia, "sophia",
        "8 bytes a parameter; the estimate of the curvature every 10 steps, a gradient of part of a batch, is not in "
        "the time")};
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

struct MatrixShape {
    double rows = 0;
    double columns = 0;

    [[nodiscard]] constexpr double elements() const { return rows * columns; }
    [[nodiscard]] constexpr double smaller() const { return rows < columns ? rows : columns; }
    [[nodiscard]] constexpr double larger() const { return rows < columns ? columns : rows; }
    bool operator==(const MatrixShape&) const = default;
};

/// The update of matrices inside the network.
struct MatrixUpdate {
    Bytes per_element;                                             ///< of states, without the master copy
    Bytes (*states)(MatrixShape) = nullptr;                        ///< further states of one matrix
    std::vector<graph::Kernel> (*kernels)(MatrixShape) = nullptr;  ///< of one matrix and step, in the mean over steps
    Bytes (*workspace)(MatrixShape) = nullptr;                     ///< while one matrix is updated
    Precision precision = Precision::fp32;                         ///< of the products
    bool whole = false;  ///< needs the whole matrix; otherwise ranks update their parts of a split one alone
};

struct Optimizer {
    OptimizerKind kind = OptimizerKind::sgd;
    Moments dense;
    Moments table;               ///< of weights with sparse gradients
    double weight_reads = 0;     ///< additional reads of the weight or its master copy
    double gradient_passes = 0;  ///< additional passes over the gradient or an update of its size
    std::string_view source;
    std::optional<MatrixUpdate> hidden = {};  ///< of matrices inside the network; none: as all others
};

std::span<const Optimizer> optimizers();
const Optimizer& optimizer(OptimizerKind kind);

/// The size of a weight, of its shards, or of a sum of weights.
struct WeightSize {
    double elements = 0;
    double rows = 0;     ///< elements over the last extent
    double factors = 0;  ///< rows and columns of its last two extents; of a vector its elements
    double touched = 0;  ///< elements that one micro-batch reads; 0: all
    double hidden = 0;   ///< of the elements, those of matrices inside the network

    WeightSize& operator+=(const WeightSize& other);
    friend WeightSize operator*(double times, const WeightSize& size);
    [[nodiscard]] bool sparse() const { return touched > 0; }
};

/// Bytes of optimizer states and master copy, without MatrixUpdate::states.
Bytes kept_bytes(const Optimizer& optimizer, const WeightSize& size, const TrainingBytes& bytes);

/// Bytes of device memory that one update of the whole weight reads and writes.
Bytes update_traffic(const Optimizer& optimizer, const WeightSize& size, const TrainingBytes& bytes);

}  // namespace dodona::plan
