#include "plan/optimizer.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace dodona::plan {

namespace {

constexpr Bytes kFour = Bytes::of_base(4);

constexpr Moments none() { return {}; }
constexpr Moments each(Bytes bytes) { return {.per_element = bytes, .per_factor = {}, .per_row = {}}; }

/// One byte per moment and one fp32 scale for every 2,048 moments.
constexpr Bytes kBlockwise = Bytes::of_base(1.0 + 4.0 / 2048);

/// Passes. LAMB: the update overwrites the gradient, one pass each for its norm and the weight's norm, one to apply it.
/// LARS: both norms before the update. Adafactor: row and column means, the norm of the update, the update.
constexpr std::array kOptimizers{
    Optimizer{OptimizerKind::sgd, none(), none(), 0, 0, "no state"},
    Optimizer{OptimizerKind::momentum, each(kFour), each(kFour), 0, 0, "Sutskever et al., ICML 2013"},
    Optimizer{OptimizerKind::adam, each(2 * kFour), each(2 * kFour), 0, 0, "Kingma and Ba, arXiv:1412.6980"},
    Optimizer{OptimizerKind::adamw, each(2 * kFour), each(2 * kFour), 0, 0,
              "Loshchilov and Hutter, arXiv:1711.05101: the states of Adam"},
    Optimizer{OptimizerKind::adam_8bit, each(2 * kBlockwise), each(2 * kBlockwise), 0, 0,
              "Dettmers et al., arXiv:2110.02861, section 2: blocks of 2,048; the master copy stays"},
    Optimizer{OptimizerKind::adam_bf16,
              {.per_element = kFour, .per_factor = {}, .per_row = {}, .master = false},
              {.per_element = kFour, .per_factor = {}, .per_row = {}, .master = false},
              0,
              0,
              "torch.optim.AdamW over bf16 parameters: states take the parameters' type, updates are rounded to it"},
    Optimizer{OptimizerKind::adam_bf16_moments, each(kFour), each(kFour), 0, 0,
              "DeepSeek-AI, arXiv:2412.19437, section 3.3.3: moments in bf16, master weights and gradients in fp32"},
    Optimizer{OptimizerKind::adafactor,
              {.per_element = {}, .per_factor = kFour, .per_row = {}},
              {.per_element = {}, .per_factor = kFour, .per_row = {}},
              1,
              2,
              "Shazeer and Stern, arXiv:1804.04235, algorithm 4, no momentum; shapes as in torch.optim.Adafactor"},
    Optimizer{OptimizerKind::lars, each(kFour), each(kFour), 1, 1, "You et al., arXiv:1708.03888, algorithm 1"},
    Optimizer{OptimizerKind::lamb, each(2 * kFour), each(2 * kFour), 2, 3,
              "You et al., arXiv:1904.00962, algorithm 2; passes as in NVIDIA apex's FusedLAMB"},
    Optimizer{OptimizerKind::adagrad, each(kFour), each(kFour), 0, 0, "Duchi et al., JMLR 12 (2011)"},
    Optimizer{OptimizerKind::rowwise_adagrad,
              each(kFour),
              {.per_element = {}, .per_factor = {}, .per_row = kFour, .master = false},
              0,
              0,
              "facebookresearch/dlrm: optim/rwsadagrad.py; tables are rounded in place, as in FBGEMM"},
};

const Moments& moments(const Optimizer& optimizer, const WeightSize& size) {
    return size.sparse() ? optimizer.table : optimizer.dense;
}

}  // namespace

std::span<const Optimizer> optimizers() { return kOptimizers; }

const Optimizer& optimizer(OptimizerKind kind) {
    const auto found =
        std::find_if(kOptimizers.begin(), kOptimizers.end(), [&](const Optimizer& row) { return row.kind == kind; });
    check(found != kOptimizers.end(), "an optimizer without a row in the table");
    return *found;
}

WeightSize& WeightSize::operator+=(const WeightSize& other) {
    elements += other.elements;
    rows += other.rows;
    factors += other.factors;
    touched += other.touched;
    return *this;
}

WeightSize operator*(double times, const WeightSize& size) {
    return {times * size.elements, times * size.rows, times * size.factors, times * size.touched};
}

Bytes kept_bytes(const Optimizer& optimizer, const WeightSize& size, const TrainingBytes& bytes) {
    const Moments& kept = moments(optimizer, size);
    const Bytes master = kept.master ? bytes.master : Bytes{};
    return size.elements * (master + kept.per_element) + size.factors * kept.per_factor + size.rows * kept.per_row;
}

Bytes update_traffic(const Optimizer& optimizer, const WeightSize& size, const TrainingBytes& bytes) {
    const bool master = moments(optimizer, size).master && bytes.master > Bytes{};
    const Bytes read = master ? Bytes{} : bytes.weight;
    const Bytes extra = optimizer.weight_reads * (master ? bytes.master : bytes.weight);
    return 2.0 * kept_bytes(optimizer, size, bytes) +
           size.elements * ((1 + optimizer.gradient_passes) * bytes.gradient + read + bytes.weight + extra);
}

}  // namespace dodona::plan
