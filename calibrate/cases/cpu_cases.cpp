#include "calibrate/cases/cpu_cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "cluster/thread_times.hpp"

namespace dodona::calibrate {

namespace {

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

// Products: skewed ones (one row, tall, deep) and batches.
constexpr const char* kOnAnyThreads = R"(
matmul m:n:k:batch=1:64:64:1,1:256:256:1,1:1024:1024:1,1024:64:64:1,4096:64:64:1,16384:64:64:1,64:64:1024:1,64:64:4096:1,
 64:64:16384:1,32:32:64:16,128:128:64:16,512:512:64:16 direction=forward*,backward-input,backward-weight precision=fp32
 threads=$threads
matmul m:n:k=128:128:128,512:512:512,1024:1024:1024 batch=1 direction=forward precision=bf16 threads=$threads
recurrent gates:inputs=256:64,1024:256*,4096:1024,192:64,768:256,3072:1024,64:64,256:256,1024:1024 samples=1,16*,64 cells=1
 direction=forward precision=fp32 threads=$threads
recurrent inputs:gates=256:64,1024:256*,4096:1024,192:64,768:256,3072:1024,64:64,256:256,1024:1024 samples=1,16*,64 cells=1
 direction=backward-weight precision=fp32 threads=$threads
attention batch=1 heads=4 kv_heads=4 queries:keys=32:32,128:128*,512:512 head=64 causal=0
 direction=forward,backward-input precision=fp32 threads=$threads
stream pattern=read,write,copy,triad bytes=4Ki..1Gi^2|4Ki..1Gi^16 threads=$threads
)";

// Layers at sizes that a CPU trains: ResNet-18/50 (He et al., arXiv:1512.03385, table 1), VGG (arXiv:1409.1556, table 1),
// MobileNet (arXiv:1704.04861, table 1), at 32 to 112 pixels a side.
constexpr const char* kConvolutions = R"(
convolution channels:filters:groups:input:window:stride:pad=3:64:1:112x112:7x7:2x2:3x3*,64:64:1:28x28:3x3:1x1:1x1,
 64:128:1:28x28:3x3:2x2:1x1,64:128:1:28x28:1x1:2x2:0x0*,128:128:1:14x14:3x3:1x1:1x1,256:256:1:7x7:3x3:1x1:1x1,
 256:64:1:14x14:1x1:1x1:0x0*,64:256:1:14x14:1x1:1x1:0x0,3:64:1:32x32:3x3:1x1:1x1,128:256:1:16x16:3x3:1x1:1x1*,
 512:512:1:4x4:3x3:1x1:1x1,32:32:32:56x56:3x3:1x1:1x1,128:128:128:28x28:3x3:2x2:1x1*,32:64:1:56x56:1x1:1x1:0x0,
 16:16:1:32x32:3x3:1x1:1x1,192:384:1:13x13:3x3:1x1:1x1*,96:256:2:27x27:5x5:1x1:2x2,1:32:1:28x28:3x3:1x1:1x1
 images:layout=1:nchw,8:nchw*,32:nchw,8:blocked dilation=1x1 direction=forward,backward-input,backward-weight
 precision=fp32 threads=$threads
)";

// The second look-ups are of tables far larger than caches, as those of recommendation networks are. Compression:
// densities, passes and blocks are those of exchanges that do not say theirs (oracle/exchange/exchange.hpp).
constexpr const char* kOnOneThread = R"(
operator operator=relu,gelu,sigmoid,tanh,softmax,layer-norm,rms-norm rows=32,512*,8192 columns=512
 direction=forward,backward-input precision=fp32 threads=1
operator operator=batch-norm images=8 channels=8,128*,2048 input=16x16 direction=forward,backward-input precision=fp32
 threads=1
operator operator=max-pool images=8 channels=8,128*,2048 input=16x16 window=2x2 stride=2x2 pad=0x0
 direction=forward,backward-input precision=fp32 threads=1
gather rows=1000,100000* width=16,64*,512 lookups=4096 direction=forward,backward-weight precision=fp32
gather rows:width=4Mi:16,1Mi:64*,512Ki:128 lookups=4Ki,32Ki,256Ki,2Mi|4Ki,128Ki,2Mi pooled=32
 direction=forward,backward-weight precision=fp32
launch kind=plain
compression kernel=exact-top-k,threshold-top-k elements=16Ki,128Ki,1Mi*,8Mi density=0.001 passes=20
compression kernel=int8,fp8,int4,1-bit elements=16Ki,128Ki,1Mi*,8Mi block=256
)";

// A stream beside every load that needs no directory, and a product, which hardly needs memory.
constexpr const char* kBesideLoads = R"(
interference kernel=stream bytes=128Mi pattern=triad resource=memory,network,cpu
full interference kernel=matmul m=256 n=256 k=256 resource=memory,network,cpu
)";

// On more threads than cores: passes that stay in the caches, a product and a convolution of about a tenth of a
// millisecond.
constexpr const char* kInCrowds = R"(
stream bytes=1Mi pattern=triad passes=50
matmul m=64 n=256 k=256 batch=1 direction=forward precision=fp32 passes=20
convolution images=1 channels=64 filters=64 groups=1 input=28x28 window=3x3 stride=1x1 pad=1x1 dilation=1x1
 direction=forward layout=nchw precision=fp32 passes=20
)";

/// Products over the whole range of sizes and skews.
void add_drawn_products(std::vector<Case>& cases, bool quick, int threads) {
    constexpr std::array kDirections{"forward", "backward-input", "backward-weight"};
    const std::uint64_t count = quick ? 24 : 120;
    for (std::uint64_t i = 1; i <= count; ++i) {
        cases.push_back({.benchmark = "matmul",
                         .parameters = {{"m", spread(halton(i, 2), 1, 4096, i % 2 == 0)},
                                        {"n", spread(halton(i, 3), 8, 4096, i % 2 == 0)},
                                        {"k", spread(halton(i, 5), 8, 4096, i % 2 == 0)},
                                        {"batch", 1.},
                                        {"direction", kDirections[i % 3]},
                                        {"precision", "fp32"},
                                        {"threads", static_cast<double>(threads)}}});
    }
}

/// A kernel on as many threads as there are cores, on twice as many, and two operators of as many.
void add_crowds(std::vector<Case>& cases, const Case& kernel, int cores) {
    struct Crowd {
        int threads, operators;
    };
    for (const Crowd& crowd : {Crowd{cores, 1}, Crowd{2 * cores, 1}, Crowd{cores, 2}}) {
        Case of = kernel;
        of.benchmark = "crowd";
        of.parameters["kernel"] = kernel.benchmark;
        of.parameters["cores"] = static_cast<double>(cores);
        of.parameters["operators"] = static_cast<double>(crowd.operators);
        of.parameters["threads"] = static_cast<double>(crowd.threads);
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
            large[i].parameters["passes"] = 20.;
            add_crowds(all, large[i], cores);
        }
    }
    return all;
}

std::vector<Case> cpu_cases(const CaseOptions& options, int threads) {
    std::vector<Case> cases;
    const auto add = [&](const char* list, int on) {
        const std::vector<Case> more = listed_cases(list, options, {{"threads", static_cast<double>(on)}});
        cases.insert(cases.end(), more.begin(), more.end());
    };
    add_drawn_products(cases, options.quick, 1);
    add(kConvolutions, 1);
    add(kOnAnyThreads, 1);
    add(kOnOneThread, 1);
    if (threads > 1) {
        add_drawn_products(cases, options.quick, threads);
        add(kOnAnyThreads, threads);
        if (!options.quick) {
            add(kConvolutions, threads);
        }
    }
    std::erase_if(cases, [](const Case& of) {
        const bool products = of.benchmark == "matmul" || of.benchmark == "convolution";
        return products &&
               2 * multiplications(of) * unit::flop / kAssumedCpuRate > kLongestCpuCase * of.number("threads");
    });
    for (int some = 2; some < 2 * threads; some *= 2) {  // empty regions
        cases.push_back(
            {.benchmark = "fork", .parameters = {{"threads", static_cast<double>(std::min(some, threads))}}});
    }
    if (threads > 1) {
        for (const Case& kernel : listed_cases(kInCrowds, options)) {
            add_crowds(cases, kernel, threads);
        }
        add(kBesideLoads, threads);
    }
    return cases;
}

}  // namespace dodona::calibrate
