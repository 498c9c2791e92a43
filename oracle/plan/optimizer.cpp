#include "plan/optimizer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/check.hpp"

namespace dodona::plan {

namespace {

using graph::Kernel;
using graph::matmul;

constexpr Bytes kFour = Bytes::of_base(4);
constexpr Bytes kTwo = Bytes::of_base(2);

Kernel times(double count, Kernel kernel) {
    kernel.times *= count;
    return kernel;
}

/// A factorisation of an fp32 matrix on vector units. Not modelled: its dependent steps, in which a device runs at less.
Kernel factorisation(double flops, double elements) {
    return {.kind = graph::KernelKind::stream, .flops = Flop::of_base(flops), .fixed_bytes = 2 * elements * kFour};
}

/// The direction written in fp32, read for its norm and once more to be scaled, written in 16 bits; the result read,
/// written in fp32 and read by the update.
Kernel orthogonalised_passes(MatrixShape shape) {
    return {.kind = graph::KernelKind::stream,
            .flops = Flop::of_base(4 * shape.elements()),
            .fixed_bytes = shape.elements() * (5 * kFour + 2 * kTwo)};
}

constexpr double kIterations = 5;

/// With n <= m of a matrix, five times  A = X X',  B = b A + c A A,  X = a X + B X:  5 (4 n n m + 2 n n n) operations.
/// Source: Jordan et al., kellerjordan.github.io/posts/muon, and KellerJordan/Muon: muon.py; the addends of the two sums
/// are read by their products (torch.addmm).
std::vector<Kernel> newton_schulz(MatrixShape shape) {
    const double n = shape.smaller();
    const double m = shape.larger();
    std::vector<Kernel> kernels{matmul(n, n, m), matmul(n, n, n), matmul(n, m, n)};
    kernels[1].elements += n * n;
    kernels[2].elements += n * m;
    for (Kernel& kernel : kernels) {
        kernel.times = kIterations;
    }
    kernels.push_back(orthogonalised_passes(shape));
    return kernels;
}

/// Polynomials in R = X X', with a restart after two iterations: two products of R, two that apply a result to X
/// and 14 of n x n; square matrices as above. Source: deepspeedai/DeepSpeed: runtime/zero/muon/original_muon.py,
/// zeropower_via_gram_newtonschulz.
std::vector<Kernel> gram_newton_schulz(MatrixShape shape) {
    const double n = shape.smaller();
    const double m = shape.larger();
    if (n == m) {
        return newton_schulz(shape);
    }
    return {times(2, matmul(n, n, m)), times(14, matmul(n, n, n)), times(2, matmul(n, m, n)),
            orthogonalised_passes(shape)};
}

/// In 16 bits: X before and after a product, A and B.
Bytes newton_schulz_workspace(MatrixShape shape) {
    return 2 * (shape.elements() + shape.smaller() * shape.smaller()) * kTwo;
}

constexpr MatrixUpdate muon(std::vector<Kernel> (*kernels)(MatrixShape), Precision precision) {
    return {.per_element = kFour,
            .states = nullptr,
            .kernels = kernels,
            .workspace = newton_schulz_workspace,
            .precision = precision,
            .whole = true};
}

/// Preconditioners of SOAP: of sides up to 10,000, every 10 steps with new bases.
constexpr double kMaxSide = 10'000;
constexpr double kSoapPeriod = 10;

/// The statistics and the eigenbasis of each side.
Bytes soap_states(MatrixShape shape) {
    Bytes states;
    for (const double side : {shape.rows, shape.columns}) {
        states += side <= kMaxSide ? 2 * side * side * kFour : Bytes{};
    }
    return states;
}

/// Kernels of each side that has a preconditioner: its statistics, gradient and momentum taken to its basis and the update taken
/// back; every 10 steps one power iteration and a QR factorisation, 8/3 n^3 operations with Q formed (Golub and Van Loan,
/// Matrix Computations, section 5.2).
std::vector<Kernel> soap_kernels(MatrixShape shape) {
    std::vector<Kernel> kernels;
    const auto add = [&](double side, double other) {
        if (side <= kMaxSide) {
            kernels.push_back(matmul(side, side, other));
            kernels.push_back(times(3, matmul(side, other, side)));
            kernels.push_back(times(1 / kSoapPeriod, matmul(side, side, side)));
            kernels.push_back(times(1 / kSoapPeriod, factorisation(8.0 / 3 * side * side * side, side * side)));
        }
    };
    add(shape.rows, shape.columns);
    add(shape.columns, shape.rows);
    return kernels;
}

/// Gradient and momentum in the bases, and the update.
Bytes soap_workspace(MatrixShape shape) { return 3 * shape.elements() * kFour; }

/// Blocks of Shampoo, and steps between new roots: those of the README of facebookresearch/optimizers.
constexpr double kBlock = 8192;
constexpr double kShampooPeriod = 100;

struct Blocks {
    double count = 0;
    MatrixShape shape;
};

/// Parts of one side: whole blocks and the rest.
std::array<std::pair<double, double>, 2> parts(double side) {
    const double whole = std::floor(side / kBlock);
    const double rest = side - whole * kBlock;
    return {{{whole, kBlock}, {rest > 0 ? 1.0 : 0.0, rest}}};
}

std::vector<Blocks> blocks(MatrixShape shape) {
    std::vector<Blocks> all;
    for (const auto& [tall, rows] : parts(shape.rows)) {
        for (const auto& [wide, columns] : parts(shape.columns)) {
            if (tall * wide > 0) {
                all.push_back({tall * wide, {rows, columns}});
            }
        }
    }
    return all;
}

/// The statistics and the root of each side of each block.
Bytes shampoo_states(MatrixShape shape) {
    Bytes states;
    for (const Blocks& block : blocks(shape)) {
        const MatrixShape& b = block.shape;
        states += 2 * block.count * (b.rows * b.rows + b.columns * b.columns) * kFour;
    }
    return states;
}

/// Kernels of each side of a block: its statistics and the product of the gradient with its root; every 100 steps the root from
/// eigenvectors, 9 n^3 operations (Golub and Van Loan, section 8.3), and the product of those.
std::vector<Kernel> shampoo_kernels(MatrixShape shape) {
    std::vector<Kernel> kernels;
    for (const Blocks& block : blocks(shape)) {
        const auto add = [&](double side, double other) {
            kernels.push_back(times(block.count, matmul(side, side, other)));
            kernels.push_back(times(block.count, matmul(side, other, side)));
            const double roots = block.count / kShampooPeriod;
            kernels.push_back(times(roots, matmul(side, side, side)));
            kernels.push_back(times(roots, factorisation(9 * side * side * side, side * side)));
        };
        add(block.shape.rows, block.shape.columns);
        add(block.shape.columns, block.shape.rows);
    }
    return kernels;
}

/// The gradient between the two products, and the update.
Bytes shampoo_workspace(MatrixShape shape) { return 2 * shape.elements() * kFour; }

/// The default of huggingface/transformers: src/transformers/trainer.py, galore_adamw: rank, update_proj_gap.
constexpr double kRank = 128;
constexpr double kGalorePeriod = 200;

double rank_of(MatrixShape shape) { return std::min(kRank, shape.smaller()); }

/// The projection, of the smaller side, and two moments of what is projected.
Bytes galore_states(MatrixShape shape) { return rank_of(shape) * (shape.smaller() + 2 * shape.larger()) * kFour; }

/// The gradient projected and the update taken back; every 200 steps a singular value decomposition, 6 m n^2 + 20 n^3
/// operations with both bases (Golub and Van Loan, section 8.6).
std::vector<Kernel> galore_kernels(MatrixShape shape) {
    const double n = shape.smaller();
    const double m = shape.larger();
    const double r = rank_of(shape);
    return {matmul(r, m, n), matmul(n, m, r),
            times(1 / kGalorePeriod, factorisation(6 * m * n * n + 20 * n * n * n, m * n))};
}

/// The update.
Bytes galore_workspace(MatrixShape shape) { return shape.elements() * kFour; }

/// Half of the smaller side: ortho_fraction of microsoft/dion: configs/dion_160m.yaml.
constexpr double kRankShare = 0.5;

double basis_of(MatrixShape shape) { return std::ceil(kRankShare * shape.smaller()); }

/// The right basis, from step to step.
Bytes dion_states(MatrixShape shape) { return basis_of(shape) * shape.columns * kFour; }

/// Kernels of one power iteration P = M Q with P made orthonormal by a sketched QR and a Cholesky factorisation, R = M' P,
/// what P R' takes out of the momentum, and the update P Q'. Products of r x r and the triangular solves count as products.
std::vector<Kernel> dion_kernels(MatrixShape shape) {
    constexpr double kOversampling = 1.25;
    const double m = shape.rows;
    const double n = shape.columns;
    const double r = basis_of(shape);
    return {matmul(m, r, n),
            matmul(kOversampling * r, r, m),
            factorisation(2 * kOversampling * r * r * r, kOversampling * r * r),
            times(2, matmul(m, r, r)),
            matmul(r, r, m),
            factorisation(r * r * r / 3, r * r),
            matmul(n, r, m),
            times(2, matmul(m, n, r))};
}

/// P and R.
Bytes dion_workspace(MatrixShape shape) { return basis_of(shape) * (shape.rows + shape.columns) * kFour; }

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
    Optimizer{OptimizerKind::lion, each(kFour), each(kFour), 0, 0, "Chen et al., arXiv:2302.06675, algorithm 2"},
    Optimizer{
        OptimizerKind::adam_mini,
        {.per_element = kFour, .per_factor = {}, .per_row = kFour},
        {.per_element = kFour, .per_factor = {}, .per_row = kFour},
        0,
        0,
        "Zhang et al., arXiv:2406.16793, algorithm 3: one second moment for each output neuron or token; those of "
        "queries and keys, one for each head, are counted likewise"},
    Optimizer{OptimizerKind::schedule_free, each(2 * kFour), each(2 * kFour), 0, 0,
              "Defazio et al., arXiv:2405.15682; facebookresearch/schedule_free: adamw_schedulefree.py keeps z and the "
              "second moment"},
    Optimizer{OptimizerKind::muon, each(2 * kFour), each(2 * kFour), 0, 0,
              "Jordan et al., kellerjordan.github.io/posts/muon; Liu et al., arXiv:2502.16982, section 2",
              muon(newton_schulz, Precision::bf16)},
    Optimizer{OptimizerKind::muon_gram, each(2 * kFour), each(2 * kFour), 0, 0,
              "deepspeedai/DeepSpeed: docs/_pages/config-json.md, ns_method: gram, the default",
              muon(gram_newton_schulz, Precision::fp16)},
    Optimizer{
        OptimizerKind::soap, each(2 * kFour), each(2 * kFour), 0, 0,
        "Vyas et al., arXiv:2409.11321, algorithm 3; nikhilvyas/SOAP: soap.py: max_precond_dim 10,000",
        MatrixUpdate{
            .per_element = 2 * kFour, .states = soap_states, .kernels = soap_kernels, .workspace = soap_workspace}},
    Optimizer{
        OptimizerKind::shampoo, each(2 * kFour), each(2 * kFour), 0, 0,
        "Shi et al., arXiv:2309.06497: grafted on Adam; facebookresearch/optimizers: distributed_shampoo/README.md",
        MatrixUpdate{.per_element = 2 * kFour,
                     .states = shampoo_states,
                     .kernels = shampoo_kernels,
                     .workspace = shampoo_workspace}},
    Optimizer{OptimizerKind::galore, each(2 * kFour), each(2 * kFour), 0, 0,
              "Zhao et al., arXiv:2403.03507, algorithm 2; jiaweizzhao/GaLore: galore_torch/galore_projector.py",
              MatrixUpdate{.per_element = {},
                           .states = galore_states,
                           .kernels = galore_kernels,
                           .workspace = galore_workspace,
                           .whole = true}},
    Optimizer{
        OptimizerKind::dion, each(2 * kFour), each(2 * kFour), 0, 0,
        "Ahn et al., arXiv:2504.05295, algorithms 1 to 3; microsoft/dion: dion/dion.py: ranks update their parts of a "
        "split matrix with all-reduces of the bases, which are not in the time",
        MatrixUpdate{
            .per_element = kFour, .states = dion_states, .kernels = dion_kernels, .workspace = dion_workspace}},
    Optimizer{OptimizerKind::sophia, each(2 * kFour), each(2 * kFour), 0, 0,
              "Liu et al., arXiv:2305.14342, algorithm 3: momentum and the diagonal of the curvature"},
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
    hidden += other.hidden;
    return *this;
}

WeightSize operator*(double times, const WeightSize& size) {
    return {times * size.elements, times * size.rows, times * size.factors, times * size.touched, times * size.hidden};
}

Bytes kept_bytes(const Optimizer& optimizer, const WeightSize& size, const TrainingBytes& bytes) {
    const Moments& kept = moments(optimizer, size);
    const Bytes master = kept.master ? bytes.master : Bytes{};
    const Bytes all =
        size.elements * (master + kept.per_element) + size.factors * kept.per_factor + size.rows * kept.per_row;
    return optimizer.hidden ? all + size.hidden * (optimizer.hidden->per_element - kept.per_element) : all;
}

Bytes update_traffic(const Optimizer& optimizer, const WeightSize& size, const TrainingBytes& bytes) {
    const bool master = moments(optimizer, size).master && bytes.master > Bytes{};
    const Bytes read = master ? Bytes{} : bytes.weight;
    const Bytes extra = optimizer.weight_reads * (master ? bytes.master : bytes.weight);
    return 2.0 * kept_bytes(optimizer, size, bytes) +
           size.elements * ((1 + optimizer.gradient_passes) * bytes.gradient + read + bytes.weight + extra);
}

}  // namespace dodona::plan
