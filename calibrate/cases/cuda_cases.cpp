#include "calibrate/cases/cuda_cases.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

namespace dodona::calibrate {

namespace {

constexpr double kMiB = 0x1p20;
constexpr std::array kGpuDirections{"forward", "backward-input", "backward-weight"};
constexpr std::array kBothWays{"forward", "backward-input"};

using Cases = std::vector<Case>;

struct Shape {
    double m, n, k;
};

Case product(Shape of, const char* precision, const char* direction = "forward", double batch = 1) {
    return {
        "matmul",
        {{"m", of.m}, {"n", of.n}, {"k", of.k}, {"batch", batch}, {"precision", precision}, {"direction", direction}}};
}

void add_products(Cases& cases, bool quick) {
    // Square ones, then the four of a transformer's block (7B: width 4096, 11008 inside), then tall, flat, deep and
    // prime ones, and such as leave a wave of tiles nearly empty.
    const std::vector<Shape> main{{512, 512, 512},    {1024, 1024, 1024},  {2048, 2048, 2048},  {4096, 4096, 4096},
                                  {8192, 8192, 8192}, {4096, 12288, 4096}, {4096, 11008, 4096}, {4096, 4096, 11008}};
    const std::vector<Shape> more{
        {128, 4096, 4096},   {256, 4096, 4096},   {512, 4096, 4096},   {1024, 4096, 4096},  {2048, 4096, 4096},
        {16384, 4096, 4096}, {32768, 1024, 1024}, {64, 8192, 8192},    {16, 8192, 8192},    {8192, 256, 8192},
        {8192, 8192, 256},   {8192, 8192, 1024},  {1024, 1024, 32768}, {256, 256, 65536},   {2112, 2048, 4096},
        {2176, 2048, 4096},  {4224, 4096, 4096},  {4352, 4096, 4096},  {1536, 1536, 1536},  {3072, 3072, 3072},
        {6144, 6144, 6144},  {1000, 1000, 1000},  {4088, 4088, 4088},  {4096, 32000, 4096}, {4096, 50304, 1024},
        {65536, 256, 256},   {256, 65536, 256},   {12544, 512, 2048},  {50176, 64, 256},    {16384, 16384, 4096}};
    for (const char* precision : {"bf16", "fp16", "tf32", "fp32", "fp8"}) {
        const std::string bf16 = "bf16";
        for (std::size_t i = 0; i < main.size(); ++i) {
            if (!quick || i == 1 || i == 3 || (i == 4 && precision == bf16)) {
                cases.push_back(product(main[i], precision));
            }
        }
        if (quick) {
            continue;
        }
        for (std::size_t i = 0; i < more.size(); ++i) {
            const bool sixteens = more[i].m != 1000 && more[i].m != 4088;
            if (precision == bf16 || (i % 3 == 0 && (sixteens || precision != std::string("fp8")))) {
                cases.push_back(product(more[i], precision));
            }
        }
    }
    for (const char* direction : {"backward-input", "backward-weight"}) {
        for (const Shape& shape : main) {
            if (!quick || shape.m == 4096) {
                cases.push_back(product(shape, "bf16", direction));
            }
        }
    }
    for (const double batch : quick ? std::vector<double>{64} : std::vector<double>{16, 64, 256, 1024}) {
        cases.push_back(product({512, 512, 64}, "bf16", "forward", batch));
        cases.push_back(product({512, 64, 512}, "bf16", "backward-input", batch));
    }
}

struct GpuConvolution {
    double channels, filters;
    int image, window, stride;
};

Case convolution(const GpuConvolution& of, const char* precision, const char* direction, const char* layout,
                 double images) {
    return {"convolution",
            {{"images", images},
             {"channels", of.channels},
             {"filters", of.filters},
             {"groups", 1.0},
             {"input", fmt::format("{0}x{0}", of.image)},
             {"window", fmt::format("{0}x{0}", of.window)},
             {"stride", fmt::format("{0}x{0}", of.stride)},
             {"pad", fmt::format("{0}x{0}", of.window / 2)},
             {"dilation", "1x1"},
             {"precision", precision},
             {"direction", direction},
             {"layout", layout}}};
}

void add_convolutions(Cases& cases, bool quick) {
    // ResNet-50 (He et al., arXiv:1512.03385, table 1): its first layer, and of each stage the bottleneck's three.
    const std::vector<GpuConvolution> layers{
        {3, 64, 224, 7, 2},    {64, 64, 56, 1, 1},   {64, 64, 56, 3, 1},   {64, 256, 56, 1, 1},  {256, 128, 56, 1, 1},
        {128, 128, 56, 3, 2},  {128, 512, 28, 1, 1}, {512, 256, 28, 1, 1}, {256, 256, 28, 3, 2}, {256, 1024, 14, 1, 1},
        {1024, 512, 14, 1, 1}, {512, 512, 14, 3, 2}, {512, 2048, 7, 1, 1}};
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (quick && i != 2) {
            continue;
        }
        for (const char* direction : kGpuDirections) {
            cases.push_back(convolution(layers[i], "bf16", direction, "nhwc", 128));
        }
        if (i % 3 == 2) {
            cases.push_back(convolution(layers[i], "bf16", "forward", "nchw", 128));
            cases.push_back(convolution(layers[i], "tf32", "forward", "nhwc", 64));
            cases.push_back(convolution(layers[i], "fp32", "forward", "nchw", 32));
        }
    }
}

Case attention(double batch, double heads, double kv_heads, double length, double head, double causal,
               const char* direction) {
    return {"attention",
            {{"batch", batch},
             {"heads", heads},
             {"kv_heads", kv_heads},
             {"queries", length},
             {"keys", length},
             {"head", head},
             {"causal", causal},
             {"precision", "bf16"},
             {"direction", direction}}};
}

void add_attention(Cases& cases, bool quick) {
    constexpr double kTokens = 16384;
    for (const char* direction : kBothWays) {
        for (const double length :
             quick ? std::vector<double>{2048} : std::vector<double>{512, 1024, 2048, 4096, 8192}) {
            for (const double head : quick ? std::vector<double>{128} : std::vector<double>{64, 128}) {
                for (const double causal : {0.0, 1.0}) {
                    cases.push_back(
                        attention(kTokens / length, 2048 / head, 2048 / head, length, head, causal, direction));
                }
            }
        }
        cases.push_back(attention(4, 32, 8, 4096, 128, 1, direction));
    }
}

Case pass(const char* name, const char* direction, const char* precision, double rows, double columns) {
    return {
        "operator",
        {{"operator", name}, {"rows", rows}, {"columns", columns}, {"precision", precision}, {"direction", direction}}};
}

Case image_pass(const char* name, const char* direction, const char* precision, double images) {
    const bool pool = std::string(name) != "batch-norm";
    Case of{"operator",
            {{"operator", name},
             {"images", images},
             {"channels", 64.0},
             {"input", pool ? "112x112" : "56x56"},
             {"precision", precision},
             {"direction", direction}}};
    if (pool) {
        of.parameters["window"] = "3x3";
        of.parameters["stride"] = "2x2";
        of.parameters["pad"] = "1x1";
    }
    return of;
}

void add_operators(Cases& cases, bool quick) {
    for (const char* direction : kBothWays) {
        for (const char* name : {"relu", "gelu", "silu", "sigmoid", "tanh", "layer-norm", "rms-norm", "softmax"}) {
            cases.push_back(pass(name, direction, "bf16", 16384, 4096));
            if (!quick) {
                cases.push_back(pass(name, direction, "bf16", 2048, 1024));
                cases.push_back(pass(name, direction, "fp32", 8192, 4096));
            }
        }
        for (const char* name : {"batch-norm", "max-pool", "average-pool"}) {
            cases.push_back(image_pass(name, direction, "bf16", 64));
            if (!quick) {
                cases.push_back(image_pass(name, direction, "fp32", 32));
            }
        }
    }
}

void add_streams(Cases& cases, bool quick) {
    for (const char* pattern : {"read", "write", "copy", "triad"}) {
        for (double bytes = 4096; bytes <= 4096 * kMiB; bytes *= quick ? 32 : 4) {
            cases.push_back({"stream", {{"bytes", bytes}, {"pattern", pattern}}});
        }
    }
}

void add_tables(Cases& cases, bool quick) {
    for (const char* direction : kBothWays) {
        for (const double width : quick ? std::vector<double>{1024} : std::vector<double>{64, 128, 1024, 4096}) {
            cases.push_back({"gather",
                             {{"rows", 50304.0},
                              {"width", width},
                              {"lookups", 16384.0},
                              {"precision", "bf16"},
                              {"direction", direction}}});
        }
    }
    for (const char* optimizer : {"adam", "sgd"}) {
        for (const double elements :
             quick ? std::vector<double>{64 * kMiB} : std::vector<double>{kMiB, 16 * kMiB, 256 * kMiB}) {
            for (const char* precision : {"bf16", "fp32"}) {
                cases.push_back(
                    {"update", {{"elements", elements}, {"optimizer", optimizer}, {"precision", precision}}});
            }
        }
    }
    for (const double elements :
         quick ? std::vector<double>{16 * kMiB} : std::vector<double>{kMiB, 16 * kMiB, 128 * kMiB}) {
        for (const char* to : {"nhwc", "nchw"}) {
            const std::string from = to == std::string("nhwc") ? "nchw" : "nhwc";
            cases.push_back(
                {"reorder", {{"elements", elements}, {"precision", "bf16"}, {"from", from}, {"to", std::string(to)}}});
        }
    }
}

Case selection(const char* kernel, double elements, double density, double passes) {
    return {"compression", {{"kernel", kernel}, {"elements", elements}, {"density", density}, {"passes", passes}}};
}

Case quantisation(const char* kernel, double elements, double block) {
    return {"compression", {{"kernel", kernel}, {"elements", elements}, {"block", block}}};
}

constexpr std::array kSelections{"exact-top-k", "threshold-top-k"};
constexpr std::array kFormats{"int8", "fp8", "int4", "1-bit"};

/// Densities, passes and blocks are those of exchanges that do not say theirs (oracle/exchange/exchange.hpp).
void add_compressions(Cases& cases, bool quick) {
    for (const double elements :
         quick ? std::vector<double>{16 * kMiB} : std::vector<double>{kMiB / 16, kMiB, 16 * kMiB, 128 * kMiB}) {
        for (const char* kernel : kSelections) {
            cases.push_back(selection(kernel, elements, 0.001, 20));
        }
        for (const char* kernel : kFormats) {
            cases.push_back(quantisation(kernel, elements, 256));
        }
    }
}

Case recurrent(double samples, double gates, double units, double cells, const char* precision, bool backward) {
    return {"recurrent",
            {{"samples", samples},
             {"gates", backward ? units : gates * units},
             {"inputs", backward ? gates * units : units},
             {"cells", cells},
             {"precision", precision},
             {"direction", backward ? "backward-weight" : "forward"}}};
}

void add_recurrent(Cases& cases, bool quick) {
    for (const bool backward : {false, true}) {
        for (const double gates : quick ? std::vector<double>{4} : std::vector<double>{4, 3, 1}) {
            for (const double units : quick ? std::vector<double>{1024} : std::vector<double>{512, 1024, 2048}) {
                cases.push_back(recurrent(64, gates, units, 1, "fp16", backward));
            }
        }
        if (!quick) {
            cases.push_back(recurrent(64, 4, 1024, 4, "fp16", backward));
            cases.push_back(recurrent(64, 4, 1024, 1, "fp32", backward));
        }
    }
}

void add_copies(Cases& cases, bool quick) {
    constexpr std::array<std::array<const char*, 2>, 5> kSides{{{"pinned", "device"},
                                                                {"device", "pinned"},
                                                                {"pageable", "device"},
                                                                {"device", "pageable"},
                                                                {"device", "device"}}};
    for (const auto& [from, to] : kSides) {
        for (double bytes = 4096; bytes <= 1024 * kMiB; bytes *= quick ? 512 : 8) {
            cases.push_back({"copy", {{"bytes", bytes}, {"from", from}, {"to", to}}});
        }
    }
    for (const char* kind : {"plain", "graph"}) {
        cases.push_back({"launch", {{"kind", kind}}});
    }
}

Case collective(const char* name, double bytes, double ranks, double in_place = 0) {
    return {"collective",
            {{"collective", name},
             {"bytes", bytes},
             {"ranks", ranks},
             {"ranks_per_node", ranks},
             {"groups", 1.0},
             {"in_place", in_place},
             {"algorithm", "free"}}};
}

Case beside(Case kernel, const char* resource) {
    kernel.parameters["kernel"] = kernel.benchmark;
    kernel.parameters["resource"] = resource;
    kernel.benchmark = "interference";
    return kernel;
}

void add_links(Cases& cases, bool quick, int devices) {
    for (const char* resource : {"copy", "memory"}) {
        cases.push_back(beside(product({4096, 4096, 4096}, "bf16"), resource));
        cases.push_back(beside({"stream", {{"bytes", 256 * kMiB}, {"pattern", "copy"}}}, resource));
    }
    if (devices < 2) {
        return;
    }
    cases.push_back(beside(product({4096, 4096, 4096}, "bf16"), "collective"));
    for (double ranks = 2; ranks <= devices; ranks = ranks * 2 <= devices || ranks == devices ? ranks * 2 : devices) {
        for (const char* name : {"all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast"}) {
            for (double bytes = 4096; bytes <= 1024 * kMiB; bytes *= quick ? 32 : 2) {
                cases.push_back(collective(name, bytes, ranks));
            }
        }
        cases.push_back(collective("all-reduce", 64 * kMiB, ranks, 1));
    }
    for (const char* pattern : {"ping-pong", "window"}) {
        for (double bytes = 8; bytes <= 256 * kMiB; bytes *= quick ? 64 : 4) {
            cases.push_back({"send", {{"bytes", bytes}, {"pattern", pattern}, {"groups", 1.0}}});
        }
    }
}

Case checked(Case of) {
    of.parameters["check"] = 1.0;
    return of;
}

void add_small_products(Cases& cases) {
    for (const char* direction : kGpuDirections) {
        for (const char* precision : {"fp32", "tf32", "fp16", "bf16", "fp8"}) {
            cases.push_back(product({96, 160, 224}, precision, direction, std::string(precision) == "fp8" ? 1 : 3));
            cases.push_back(convolution({16, 32, 14, 3, 2}, precision, direction, "nhwc", 2));
            cases.push_back(convolution({16, 32, 14, 3, 1}, precision, direction, "nchw", 2));
        }
    }
    std::erase_if(cases, [](const Case& of) { return of.benchmark == "convolution" && of.word("precision") == "fp8"; });
    for (const bool backward : {false, true}) {
        for (const double gates : {4.0, 3.0, 1.0}) {
            cases.push_back(recurrent(8, gates, 64, 2, "fp32", backward));
            cases.push_back(recurrent(8, gates, 64, 2, "bf16", backward));
        }
    }
    for (const char* direction : kBothWays) {
        for (const double causal : {0.0, 1.0}) {
            for (const double kv_heads : {4.0, 2.0}) {
                cases.push_back(attention(2, 4, kv_heads, 256, 64, causal, direction));
            }
        }
    }
}

/// Parts of eight values and of blocks, few elements and all.
void add_small_compressions(Cases& cases) {
    for (const double elements : {5.0, 2048.0, 12345.0}) {
        for (const char* kernel : kSelections) {
            cases.push_back(selection(kernel, elements, 0.01, 20));
            cases.push_back(selection(kernel, elements, 1, 3));
        }
        for (const char* kernel : kFormats) {
            cases.push_back(quantisation(kernel, elements, 256));
            cases.push_back(quantisation(kernel, elements, 24));
        }
    }
}

}  // namespace

std::vector<Case> cuda_cases(const CaseOptions& options, int devices) {
    Cases cases;
    add_products(cases, options.quick);
    add_convolutions(cases, options.quick);
    add_attention(cases, options.quick);
    add_operators(cases, options.quick);
    add_streams(cases, options.quick);
    add_tables(cases, options.quick);
    add_compressions(cases, options.quick);
    add_recurrent(cases, options.quick);
    add_copies(cases, options.quick);
    add_links(cases, options.quick, devices);
    return cases;
}

std::vector<Case> cuda_check_cases(int devices) {
    Cases cases;
    add_small_products(cases);
    for (const char* direction : kBothWays) {
        for (const char* precision : {"fp32", "fp16", "bf16"}) {
            for (const char* name : {"relu", "gelu", "silu", "sigmoid", "tanh", "layer-norm", "rms-norm", "softmax"}) {
                cases.push_back(pass(name, direction, precision, 37, 1000));
                cases.push_back(pass(name, direction, precision, 5, 333));
            }
            for (const char* name : {"batch-norm", "max-pool", "average-pool"}) {
                cases.push_back(image_pass(name, direction, precision, 1));
            }
            cases.push_back({"gather",
                             {{"rows", 50.0},
                              {"width", 96.0},
                              {"lookups", 70.0},
                              {"precision", precision},
                              {"direction", direction}}});
        }
    }
    for (const char* precision : {"fp32", "bf16"}) {
        for (const char* optimizer : {"adam", "sgd"}) {
            cases.push_back({"update", {{"elements", 12345.0}, {"optimizer", optimizer}, {"precision", precision}}});
        }
        cases.push_back(
            {"reorder", {{"elements", 64.0 * 77}, {"precision", precision}, {"from", "nchw"}, {"to", "nhwc"}}});
        cases.push_back(
            {"reorder", {{"elements", 64.0 * 77}, {"precision", precision}, {"from", "nhwc"}, {"to", "nchw"}}});
    }
    add_small_compressions(cases);
    for (const char* pattern : {"write", "copy", "triad"}) {
        cases.push_back({"stream", {{"bytes", 48000.0}, {"pattern", pattern}}});
    }
    for (const char* from : {"pinned", "pageable", "device"}) {
        cases.push_back({"copy", {{"bytes", 100000.0}, {"from", from}, {"to", "device"}}});
    }
    for (int ranks = 2; ranks <= devices; ranks *= 2) {
        for (const char* name : {"all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast"}) {
            cases.push_back(collective(name, 16384, ranks));
        }
    }
    for (Case& one : cases) {
        one = checked(one);
    }
    return cases;
}

}  // namespace dodona::calibrate
