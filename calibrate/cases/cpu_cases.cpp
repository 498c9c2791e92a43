#include "calibrate/cases/cpu_cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cluster/thread_times.hpp"

namespace dodona::calibrate {

namespace {

constexpr std::array kDirections{"forward", "backward-input", "backward-weight"};

double flop_limit(double threads) { return (kLongestCpuCase * kAssumedCpuRate).in(unit::flop)*threads; }

/// Radical inverse of `index`: points of any number fill (0, 1) evenly. Source: Halton, Numer. Math. 2 (1960) 84.
double halton(std::uint64_t index, std::uint64_t base) {
    double inverse = 0;
    double digit = 1;
    for (; index > 0; index /= base) {
        digit /= static_cast<double>(base);
        inverse += digit * static_cast<double>(index % base);
    }
    return inverse;
}

/// Log-uniform between the ends, rounded to whole numbers; every other one to a multiple of 16, as layers have it.
double spread(double share, double least, double most, bool round) {
    const double value = least * std::pow(most / least, share);
    return round && value >= 16 ? std::round(value / 16) * 16 : std::round(value);
}

void add_threads(Case& of, int threads) { of.parameters["threads"] = static_cast<double>(threads); }

void products(std::vector<Case>& cases, bool quick, int threads) {
    const auto add = [&](double m, double n, double k, double batch, const char* direction, const char* precision) {
        if (2 * m * n * k * batch > flop_limit(threads)) {
            return;
        }
        Case of{
            .benchmark = "matmul",
            .parameters = {
                {"m", m}, {"n", n}, {"k", k}, {"batch", batch}, {"direction", direction}, {"precision", precision}}};
        add_threads(of, threads);
        cases.push_back(of);
    };
    const std::uint64_t count = quick ? 24 : 120;
    for (std::uint64_t i = 1; i <= count; ++i) {
        const double m = spread(halton(i, 2), 1, 4096, i % 2 == 0);
        const double n = spread(halton(i, 3), 8, 4096, i % 2 == 0);
        const double k = spread(halton(i, 5), 8, 4096, i % 2 == 0);
        add(m, n, k, 1, kDirections[i % 3], "fp32");
    }
    for (const double size : {64., 256., 1024.}) {  // skewed: one row, tall, deep; and batches
        for (const char* direction : kDirections) {
            if (quick && direction != kDirections[0]) {
                continue;
            }
            add(1, size, size, 1, direction, "fp32");
            add(16 * size, 64, 64, 1, direction, "fp32");
            add(64, 64, 16 * size, 1, direction, "fp32");
            add(size / 2, size / 2, 64, 16, direction, "fp32");
        }
    }
    for (const double size : {128., 512., 1024.}) {
        add(size, size, size, 1, "forward", "bf16");
    }
}

/// One layer of a usual network, at a size that a CPU trains.
struct CpuConvolution {
    double channels, filters, groups, input, window, stride;
};

// ResNet-18/50 (He et al., arXiv:1512.03385, table 1), VGG (arXiv:1409.1556, table 1), MobileNet (arXiv:1704.04861,
// table 1), at 32 to 112 pixels a side.
constexpr std::array kLayers{
    CpuConvolution{3, 64, 1, 112, 7, 2},     CpuConvolution{64, 64, 1, 28, 3, 1},
    CpuConvolution{64, 128, 1, 28, 3, 2},    CpuConvolution{64, 128, 1, 28, 1, 2},
    CpuConvolution{128, 128, 1, 14, 3, 1},   CpuConvolution{256, 256, 1, 7, 3, 1},
    CpuConvolution{256, 64, 1, 14, 1, 1},    CpuConvolution{64, 256, 1, 14, 1, 1},
    CpuConvolution{3, 64, 1, 32, 3, 1},      CpuConvolution{128, 256, 1, 16, 3, 1},
    CpuConvolution{512, 512, 1, 4, 3, 1},    CpuConvolution{32, 32, 32, 56, 3, 1},
    CpuConvolution{128, 128, 128, 28, 3, 2}, CpuConvolution{32, 64, 1, 56, 1, 1},
    CpuConvolution{16, 16, 1, 32, 3, 1},     CpuConvolution{192, 384, 1, 13, 3, 1},
    CpuConvolution{96, 256, 2, 27, 5, 1},    CpuConvolution{1, 32, 1, 28, 3, 1},
};

Case convolution(const CpuConvolution& layer, double images, const char* direction, const char* layout,
                 const char* precision) {
    return {.benchmark = "convolution",
            .parameters = {{"images", images},
                           {"channels", layer.channels},
                           {"filters", layer.filters},
                           {"groups", layer.groups},
                           {"input", fmt::format("{0}x{0}", layer.input)},
                           {"window", fmt::format("{0}x{0}", layer.window)},
                           {"stride", fmt::format("{0}x{0}", layer.stride)},
                           {"pad", fmt::format("{0}x{0}", std::floor(layer.window / 2))},
                           {"dilation", "1x1"},
                           {"direction", direction},
                           {"layout", layout},
                           {"precision", precision}}};
}

void convolutions(std::vector<Case>& cases, bool quick, int threads) {
    for (std::size_t i = 0; i < kLayers.size(); i += quick ? 3 : 1) {
        const CpuConvolution& layer = kLayers[i];
        for (const double images : quick ? std::vector{8.} : std::vector{1., 8., 32.}) {
            const double side = std::floor((layer.input - 1) / layer.stride) + 1;
            const double flops =
                2 * images * layer.channels / layer.groups * layer.filters * side * side * layer.window * layer.window;
            if (flops > flop_limit(threads)) {
                continue;
            }
            for (const char* direction : kDirections) {
                cases.push_back(convolution(layer, images, direction, "nchw", "fp32"));
                add_threads(cases.back(), threads);
                if (!quick && images == 8.) {
                    cases.push_back(convolution(layer, images, direction, "blocked", "fp32"));
                    add_threads(cases.back(), threads);
                }
            }
        }
    }
}

void operators(std::vector<Case>& cases, bool quick, int threads) {
    const std::vector<double> sizes = quick ? std::vector{262144.} : std::vector{16384., 262144., 4194304.};
    for (const double elements : sizes) {
        for (const char* direction : {"forward", "backward-input"}) {
            for (const char* kind : {"relu", "gelu", "sigmoid", "tanh", "softmax", "layer-norm", "rms-norm"}) {
                cases.push_back({.benchmark = "operator",
                                 .parameters = {{"operator", kind},
                                                {"rows", elements / 512},
                                                {"columns", 512.},
                                                {"direction", direction},
                                                {"precision", "fp32"}}});
                add_threads(cases.back(), threads);
            }
            for (const char* kind : {"batch-norm", "max-pool"}) {
                cases.push_back({.benchmark = "operator",
                                 .parameters = {{"operator", kind},
                                                {"images", 8.},
                                                {"channels", elements / 2048},
                                                {"input", "16x16"},
                                                {"direction", direction},
                                                {"precision", "fp32"}}});
                add_threads(cases.back(), threads);
                if (cases.back().parameters["operator"] == Parameter{std::string("max-pool")}) {
                    cases.back().parameters.insert({{"window", "2x2"}, {"stride", "2x2"}, {"pad", "0x0"}});
                }
            }
        }
    }
}

void cells(std::vector<Case>& cases, bool quick, int threads) {
    for (const double hidden : quick ? std::vector{256.} : std::vector{64., 256., 1024.}) {
        for (const double samples : quick ? std::vector{16.} : std::vector{1., 16., 64.}) {
            for (const double gates : quick ? std::vector{4.} : std::vector{4., 3., 1.}) {
                cases.push_back({.benchmark = "recurrent",
                                 .parameters = {{"samples", samples},
                                                {"gates", gates * hidden},
                                                {"inputs", hidden},
                                                {"cells", 1.},
                                                {"direction", "forward"},
                                                {"precision", "fp32"}}});
                add_threads(cases.back(), threads);
                cases.push_back({.benchmark = "recurrent",
                                 .parameters = {{"samples", samples},
                                                {"gates", hidden},
                                                {"inputs", gates * hidden},
                                                {"cells", 1.},
                                                {"direction", "backward-weight"},
                                                {"precision", "fp32"}}});
                add_threads(cases.back(), threads);
            }
        }
    }
}

void attentions(std::vector<Case>& cases, bool quick, int threads) {
    for (const double tokens : quick ? std::vector{128.} : std::vector{32., 128., 512.}) {
        for (const char* direction : {"forward", "backward-input"}) {
            cases.push_back({.benchmark = "attention",
                             .parameters = {{"batch", 1.},
                                            {"heads", 4.},
                                            {"kv_heads", 4.},
                                            {"queries", tokens},
                                            {"keys", tokens},
                                            {"head", 64.},
                                            {"causal", 0.},
                                            {"direction", direction},
                                            {"precision", "fp32"}}});
            add_threads(cases.back(), threads);
        }
    }
}

void streams(std::vector<Case>& cases, bool quick, int threads) {
    for (const char* pattern : {"read", "write", "copy", "triad"}) {
        const double least = 0x1p12;
        const double most = quick ? 0x1p28 : 0x1p30;
        for (double bytes = least; bytes <= most; bytes *= quick ? 16 : 2) {
            cases.push_back({.benchmark = "stream", .parameters = {{"bytes", bytes}, {"pattern", pattern}}});
            add_threads(cases.back(), threads);
        }
    }
}

void moves(std::vector<Case>& cases, bool quick) {
    for (const double width : quick ? std::vector{64.} : std::vector{16., 64., 512.}) {
        for (const double rows : quick ? std::vector{100'000.} : std::vector{1'000., 100'000.}) {
            for (const char* direction : {"forward", "backward-weight"}) {
                cases.push_back({.benchmark = "gather",
                                 .parameters = {{"rows", rows},
                                                {"width", width},
                                                {"lookups", 4096.},
                                                {"direction", direction},
                                                {"precision", "fp32"}}});
            }
        }
    }
    // Tables far larger than caches, as those of recommendation networks are.
    for (const double width : quick ? std::vector{64.} : std::vector{16., 64., 128.}) {
        for (const double lookups :
             quick ? std::vector{4096., 131072., 2097152.} : std::vector{4096., 32768., 262144., 2097152.}) {
            for (const char* direction : {"forward", "backward-weight"}) {
                cases.push_back({.benchmark = "gather",
                                 .parameters = {{"rows", 0x1p26 / width},
                                                {"width", width},
                                                {"lookups", lookups},
                                                {"pooled", 32.},
                                                {"direction", direction},
                                                {"precision", "fp32"}}});
            }
        }
    }
    for (const double elements : quick ? std::vector{1e6} : std::vector{1e4, 1e6, 2e7}) {
        for (const char* optimizer : {"sgd", "adam"}) {
            cases.push_back({.benchmark = "update",
                             .parameters = {{"elements", elements}, {"optimizer", optimizer}, {"precision", "fp32"}}});
        }
        cases.push_back(
            {.benchmark = "reorder",
             .parameters = {{"elements", elements}, {"from", "nchw"}, {"to", "blocked"}, {"precision", "fp32"}}});
    }
    cases.push_back({.benchmark = "launch", .parameters = {{"kind", "plain"}}});
}

/// A kernel on as many threads as there are cores, on twice as many, and two operators of as many.
void add_crowds(std::vector<Case>& cases, const Case& kernel, double passes, int cores) {
    struct Crowd {
        int threads, operators;
    };
    for (const Crowd& crowd : {Crowd{cores, 1}, Crowd{2 * cores, 1}, Crowd{cores, 2}}) {
        Case of = kernel;
        of.benchmark = "crowd";
        of.parameters["kernel"] = kernel.benchmark;
        of.parameters["passes"] = passes;
        of.parameters["cores"] = static_cast<double>(cores);
        of.parameters["operators"] = static_cast<double>(crowd.operators);
        add_threads(of, crowd.threads);
        cases.push_back(std::move(of));
    }
}

/// Multiplications of a product or convolution, roughly: to tell small from large.
double multiplications(const Case& of) {
    if (of.benchmark == "matmul") {
        return of.number("m") * of.number("n") * of.number("k") * of.number("batch", 1);
    }
    double all = of.number("images") * of.number("channels") * of.number("filters") / of.number("groups", 1);
    const auto grows = [&](const char* name, bool divides) {
        for (const std::int64_t extent : extents(of.word(name))) {
            all *= divides ? 1 / static_cast<double>(extent) : static_cast<double>(extent);
        }
    };
    grows("input", false);
    grows("window", false);
    grows("stride", true);
    return all;
}

/// Empty regions of two and more threads, and a kernel of each kind on more threads than cores: passes that stay in the
/// caches, a product and a convolution of about a tenth of a millisecond.
void forks(std::vector<Case>& cases, int threads) {
    for (int some = 2; some < 2 * threads; some *= 2) {
        cases.push_back({.benchmark = "fork", .parameters = {}});
        add_threads(cases.back(), std::min(some, threads));
    }
    add_crowds(cases, {.benchmark = "stream", .parameters = {{"bytes", 0x1p20}, {"pattern", "triad"}}}, 50, threads);
    add_crowds(
        cases,
        {.benchmark = "matmul",
         .parameters =
             {{"m", 64.}, {"n", 256.}, {"k", 256.}, {"batch", 1.}, {"direction", "forward"}, {"precision", "fp32"}}},
        20, threads);
    add_crowds(cases, convolution({64, 64, 1, 28, 3, 1}, 1, "forward", "nchw", "fp32"), 20, threads);
}

/// Densities, passes and blocks are those of exchanges that do not say theirs (oracle/exchange/exchange.hpp).
void compressions(std::vector<Case>& cases, bool quick) {
    for (const double elements : quick ? std::vector{0x1p20} : std::vector{0x1p14, 0x1p17, 0x1p20, 0x1p23}) {
        for (const char* kernel : {"exact-top-k", "threshold-top-k"}) {
            cases.push_back(
                {.benchmark = "compression",
                 .parameters = {{"kernel", kernel}, {"elements", elements}, {"density", 0.001}, {"passes", 20.}}});
        }
        for (const char* kernel : {"int8", "fp8", "int4", "1-bit"}) {
            cases.push_back({.benchmark = "compression",
                             .parameters = {{"kernel", kernel}, {"elements", elements}, {"block", 256.}}});
        }
    }
}

/// A stream beside every load that needs no directory, and a product, which hardly needs memory.
void interferences(std::vector<Case>& cases, bool quick) {
    for (const char* resource : {"memory", "network", "cpu"}) {
        cases.push_back(
            {.benchmark = "interference",
             .parameters = {{"kernel", "stream"}, {"bytes", 0x1p27}, {"pattern", "triad"}, {"resource", resource}}});
        if (!quick) {
            cases.push_back(
                {.benchmark = "interference",
                 .parameters = {{"kernel", "matmul"}, {"m", 256.}, {"n", 256.}, {"k", 256.}, {"resource", resource}}});
        }
    }
}

}  // namespace

std::vector<Case> crowds_of(const std::vector<Case>& network, int cores) {
    constexpr std::size_t kMax = 3;
    std::vector<Case> all;
    for (const char* kind : {"matmul", "convolution"}) {
        std::vector<Case> large;
        for (const Case& one : network) {
            if (one.benchmark == kind && one.word("direction") == "forward" && one.word("precision") == "fp32" &&
                multiplications(one) > cluster::kLargestUndivided) {
                large.push_back(one);
            }
        }
        std::stable_sort(large.begin(), large.end(),
                         [](const Case& a, const Case& b) { return multiplications(a) > multiplications(b); });
        for (std::size_t i = 0; i < std::min(kMax, large.size()); ++i) {
            add_crowds(all, large[i], 20, cores);
        }
    }
    return all;
}

std::vector<Case> cpu_cases(const CaseOptions& options, int threads) {
    std::vector<Case> cases;
    products(cases, options.quick, 1);
    convolutions(cases, options.quick, 1);
    operators(cases, options.quick, 1);
    cells(cases, options.quick, 1);
    attentions(cases, options.quick, 1);
    streams(cases, options.quick, 1);
    moves(cases, options.quick);
    compressions(cases, options.quick);
    if (threads > 1) {
        streams(cases, options.quick, threads);
        products(cases, options.quick, threads);
        cells(cases, options.quick, threads);
        attentions(cases, options.quick, threads);
        if (!options.quick) {
            convolutions(cases, false, threads);
        }
        forks(cases, threads);
        interferences(cases, options.quick);
    }
    return cases;
}

}  // namespace dodona::calibrate
