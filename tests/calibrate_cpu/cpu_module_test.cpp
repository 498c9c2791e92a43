// The module as it is shipped: every benchmark runs, times are positive and grow with the work, refusals are sentences.
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "calibrate/measure/child.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {
namespace {

/// In a child process: opens the module and runs it.
int run_module(int in, int out) {
    const char* const path = std::getenv("DODONA_CPU_MODULE");
    void* const module = dlopen(path == nullptr ? "" : path, RTLD_NOW | RTLD_LOCAL);
    void* const found = module == nullptr ? nullptr : dlsym(module, "dodona_measure");
    return found == nullptr ? 70 : reinterpret_cast<int (*)(int, int)>(found)(in, out);
}

/// The process that has the module open.
class Backend {
public:
    explicit Backend(const Settings& settings) { send(to_line(settings)); }

    void send(const std::string& line) { ASSERT_TRUE(child_.write(line)); }
    Record receive() {
        const Child::Reply reply = child_.read(600_s, {});
        if (reply.kind != Child::Reply::Kind::line) {
            ADD_FAILURE() << "the back end " << child_.end();
            return {.what = Failure{{}, "ended"}};
        }
        return record_from(reply.line, {});
    }
    Record ask(const Case& asked) {
        send(to_line(asked));
        return receive();
    }
    /// The exit status.
    int end() {
        child_.end();
        return child_.status();
    }

private:
    Child child_ = Child::forked(run_module);
};

Settings quick() { return {.quick = true, .most_seconds = 0.1}; }

Case product(double size) { return {.benchmark = "matmul", .parameters = {{"m", size}, {"n", size}, {"k", size}}}; }

Case layer(const char* direction, const char* layout, double images = 2) {
    return {.benchmark = "convolution",
            .parameters = {{"images", images},
                           {"channels", 16.},
                           {"filters", 16.},
                           {"input", "16x16"},
                           {"window", "3x3"},
                           {"pad", "1x1"},
                           {"direction", direction},
                           {"layout", layout}}};
}

Case rows(const char* kind, const char* direction) {
    return {.benchmark = "operator",
            .parameters = {{"operator", kind}, {"rows", 64.}, {"columns", 256.}, {"direction", direction}}};
}

Case images(const char* kind, const char* direction) {
    return {.benchmark = "operator",
            .parameters = {
                {"operator", kind}, {"images", 2.}, {"channels", 16.}, {"input", "16x16"}, {"direction", direction}}};
}

/// One small case of every benchmark, direction and layout.
std::vector<Case> one_of_each() {
    std::vector<Case> cases;
    for (const char* direction : {"forward", "backward-input", "backward-weight"}) {
        Case of = product(64);
        of.parameters["direction"] = direction;
        of.parameters["batch"] = 2.;
        cases.push_back(of);
        for (const char* layout : {"nchw", "nhwc", "blocked"}) {
            cases.push_back(layer(direction, layout));
        }
        cases.push_back(layer(direction, "nchw"));  // window 1: a product for each image
        cases.back().parameters["window"] = "1x1";
        cases.back().parameters["pad"] = "0x0";
    }
    for (const char* direction : {"forward", "backward-input"}) {
        for (const char* kind :
             {"relu", "gelu", "sigmoid", "tanh", "silu", "add", "softmax", "layer-norm", "rms-norm"}) {
            cases.push_back(rows(kind, direction));
        }
        for (const char* kind : {"batch-norm", "max-pool", "average-pool", "relu"}) {
            cases.push_back(images(kind, direction));
        }
        cases.push_back({.benchmark = "attention",
                         .parameters = {{"heads", 4.},
                                        {"kv_heads", 2.},
                                        {"queries", 32.},
                                        {"keys", 32.},
                                        {"head", 16.},
                                        {"direction", direction}}});
    }
    for (const double gates : {4., 3., 1.}) {
        cases.push_back({.benchmark = "recurrent",
                         .parameters = {{"samples", 4.}, {"gates", 32 * gates}, {"inputs", 32.}, {"cells", 2.}}});
        cases.push_back(
            {.benchmark = "recurrent",
             .parameters = {
                 {"samples", 4.}, {"gates", 32.}, {"inputs", 32 * gates}, {"direction", "backward-weight"}}});
    }
    for (const char* pattern : {"read", "write", "copy", "triad"}) {
        cases.push_back({.benchmark = "stream", .parameters = {{"bytes", 65536.}, {"pattern", pattern}}});
    }
    for (const char* direction : {"forward", "backward-weight"}) {
        cases.push_back({.benchmark = "gather",
                         .parameters = {{"rows", 1000.}, {"width", 16.}, {"lookups", 64.}, {"direction", direction}}});
        cases.push_back(cases.back());
        cases.back().parameters["pooled"] = 8.;
    }
    cases.push_back({.benchmark = "fork", .parameters = {{"threads", 1.}}});
    cases.push_back({.benchmark = "crowd", .parameters = {{"bytes", 65536.}, {"passes", 5.}, {"threads", 2.}}});
    cases.push_back({.benchmark = "crowd",
                     .parameters = {{"kernel", "matmul"},
                                    {"m", 16.},
                                    {"n", 16.},
                                    {"k", 16.},
                                    {"passes", 5.},
                                    {"operators", 2.},
                                    {"threads", 1.}}});
    for (const char* kernel : {"exact-top-k", "threshold-top-k", "int8", "fp8", "int4", "1-bit"}) {
        cases.push_back({.benchmark = "compression", .parameters = {{"kernel", kernel}, {"elements", 65536.}}});
    }
    cases.push_back({.benchmark = "launch", .parameters = {{"kind", "plain"}}});
    return cases;
}

TEST(CpuModule, OneOfEachTakesSomeTime) {
    Backend backend(quick());
    EXPECT_TRUE(std::holds_alternative<Environment>(backend.receive().what));
    for (const Case& each : one_of_each()) {
        const Record record = backend.ask(each);
        const auto* measured = std::get_if<Measurement>(&record.what);
        ASSERT_NE(measured, nullptr) << each.key() << ": " << std::get<Failure>(record.what).why;
        EXPECT_EQ(measured->of, each);
        EXPECT_GT(measured->time.value(), Seconds{}) << each.key();
        EXPECT_LT(measured->time.value(), 1_s) << each.key();
        EXPECT_EQ(measured->time.estimator, Estimator::least);
        EXPECT_GT(measured->values.at("cpu"), 0) << each.key();
    }
    EXPECT_EQ(backend.end(), 0);
}

TEST(CpuModule, TheEnvironmentSaysWhatItIs) {
    Backend backend(quick());
    const auto facts = std::get<Environment>(backend.receive().what).facts;
    for (const char* fact : {"device", "cores", "threads", "memory", "clock", "onednn", "blas", "flushed"}) {
        EXPECT_FALSE(facts.at(fact).empty()) << fact;
    }
    const double clock = std::stod(facts.at("clock"));
    EXPECT_GT(clock, 0.2e9);
    EXPECT_LT(clock, 8e9);
}

/// The least of three measurements of a case.
Seconds least_of_three(Backend& backend, const Case& asked) {
    Seconds least = 1000_s;
    for (int i = 0; i < 3; ++i) {
        const Record record = backend.ask(asked);
        if (const auto* measured = std::get_if<Measurement>(&record.what)) {
            least = min(least, measured->time.value());
        } else {
            ADD_FAILURE() << std::get<Failure>(record.what).why;
        }
    }
    return least;
}

TEST(CpuModule, EightTimesTheWorkTakesLonger) {
    Backend backend(quick());
    backend.receive();
    const auto grown = [](Case of, const char* parameter) {
        of.parameters[parameter] = 8 * of.number(parameter);
        return of;
    };
    const Case stream{.benchmark = "stream", .parameters = {{"bytes", 0x1p22}, {"pattern", "triad"}}};
    const std::vector<std::pair<Case, Case>> pairs{
        {product(96), product(192)},
        {layer("forward", "nchw"), layer("forward", "nchw", 16)},
        {layer("backward-weight", "blocked"), layer("backward-weight", "blocked", 16)},
        {rows("gelu", "forward"), grown(rows("gelu", "forward"), "rows")},
        {images("batch-norm", "forward"), grown(images("batch-norm", "forward"), "images")},
        {stream, grown(stream, "bytes")}};
    for (const auto& [small, large] : pairs) {
        EXPECT_GT(least_of_three(backend, large), 1.5 * least_of_three(backend, small)) << small.key();
    }
}

TEST(CpuModule, NoProductBeatsAnyCpu) {
    Backend backend(quick());
    const auto facts = std::get<Environment>(backend.receive().what).facts;
    // Two units of 32 fused multiply-adds of fp32 a cycle are twice what any x86 core of today has.
    const double peak = std::stod(facts.at("clock")) * 2 * 32 * 2 * 2;
    const double flops = 2 * 384. * 384 * 384 / least_of_three(backend, product(384)).in(1_s);
    EXPECT_LT(flops, peak);
    EXPECT_GT(flops, 1e8);
}

TEST(CpuModule, ReordersArePartOfAPlainConvolution) {
    Backend backend(quick());
    backend.receive();
    const auto plain = std::get<Measurement>(backend.ask(layer("forward", "nchw", 16)).what);
    if (plain.values.contains("reorder")) {  // a CPU may have a primitive for plain tensors
        EXPECT_GT(plain.values.at("reorder"), 0);
        EXPECT_LE(plain.values.at("reorder") + plain.values.at("primitive"), plain.time.third_quartile.in(1_s));
    }
    const auto blocked = std::get<Measurement>(backend.ask(layer("forward", "blocked", 16)).what);
    EXPECT_FALSE(blocked.values.contains("reorder"));
}

TEST(CpuModule, WinogradsTransformsRunWhereOneDnnHasThem) {
    Backend backend(quick());
    EXPECT_EQ(std::get<Environment>(backend.receive().what).facts.at("algorithms"), "winograd");
    for (const char* direction : {"forward", "backward-input", "backward-weight"}) {
        for (const char* layout : {"nchw", "blocked"}) {
            Case asked = layer(direction, layout, 8);
            asked.parameters["algorithm"] = "winograd";
            const Record record = backend.ask(asked);
            if (const auto* failure = std::get_if<Failure>(&record.what)) {
                EXPECT_NE(failure->why.find("has no convolution by winograd of this shape and precision here"),
                          std::string::npos)
                    << failure->why;
                GTEST_SKIP() << "this CPU has no such convolutions";
            }
            const auto& measured = std::get<Measurement>(record.what);
            EXPECT_EQ(measured.of, asked);
            EXPECT_GT(measured.time.value(), Seconds{});
            EXPECT_GT(measured.values.at("workspace"), 0);
            EXPECT_NE(measured.words.at("implementation").find("wino"), std::string::npos)
                << measured.words.at("implementation");
        }
    }
    const auto direct = std::get<Measurement>(backend.ask(layer("forward", "nchw", 8)).what);
    EXPECT_EQ(direct.words.at("implementation").find("wino"), std::string::npos);
    EXPECT_FALSE(direct.values.contains("workspace"));
}

TEST(CpuModule, InterferenceComparesAloneAndBeside) {
    Backend backend(quick());
    const auto facts = std::get<Environment>(backend.receive().what).facts;
    Case asked = product(128);
    asked.benchmark = "interference";
    asked.parameters["kernel"] = "matmul";
    asked.parameters["load"] = "M0.1S0.1";
    const Record record = backend.ask(asked);
    if (facts.at("cores") == "1") {
        EXPECT_EQ(
            std::get<Failure>(record.what).why,
            "a kernel of 1 threads and a load on other cores do not fit on the 1 cores that this process may use; "
            "allow it more or ask for fewer threads");
        return;
    }
    const auto* measured = std::get_if<Measurement>(&record.what);
    ASSERT_NE(measured, nullptr) << std::get<Failure>(record.what).why;
    EXPECT_GT(measured->values.at("alone"), 0);
    EXPECT_GT(measured->values.at("beside"), 0);
    EXPECT_DOUBLE_EQ(measured->values.at("slow_down"), measured->values.at("beside") / measured->values.at("alone"));
    EXPECT_GT(measured->values.at("load_alone"), 0);
}

TEST(CpuModule, RefusalsAreSentences) {
    Backend backend(quick());
    const auto facts = std::get<Environment>(backend.receive().what).facts;
    const auto why = [&](const Case& asked) {
        const Record record = backend.ask(asked);
        const auto* failure = std::get_if<Failure>(&record.what);
        EXPECT_NE(failure, nullptr) << asked.key();
        return failure == nullptr ? "" : failure->why;
    };
    Case narrow = product(64);
    narrow.parameters["precision"] = "fp16";
    EXPECT_EQ(why(narrow), "the CPU back end measures fp32 and bf16, not fp16; ask for one of them");
    EXPECT_EQ(why({.benchmark = "matmul", .parameters = {{"m", 4.}, {"n", 4.}}}),
              "matmul needs k, a whole number from 1; give the case one");
    EXPECT_EQ(
        why({.benchmark = "copy", .parameters = {{"bytes", 4.}}}),
        "the CPU back end has no benchmark copy; it has matmul, convolution, attention, recurrent, operator, stream, "
        "gather, launch, compression, fork, crowd, interference");
    EXPECT_EQ(why({.benchmark = "compression", .parameters = {{"kernel", "int3"}, {"elements", 64.}}}),
              "int3 is no kernel of a compression; there are exact-top-k, threshold-top-k, int8, fp8, int4 and 1-bit");
    EXPECT_EQ(why({.benchmark = "compression",
                   .parameters = {{"kernel", "exact-top-k"}, {"elements", 64.}, {"density", 2.}}}),
              "the density of a compression is above 0 and at most 1; correct the case");
    Case threads = product(64);
    threads.parameters["threads"] = 1e6;
    EXPECT_EQ(why(threads),
              fmt::format("1000000 threads are more than the {} CPUs that this process may use; ask for fewer",
                          facts.at("threads")));
    EXPECT_NE(why({.benchmark = "stream", .parameters = {{"bytes", 0x1p50}, {"pattern", "copy"}}}).find("GB are free"),
              std::string::npos);
    Case outside = layer("forward", "nchw");
    outside.parameters["window"] = "64x64";
    EXPECT_EQ(
        why(outside),
        "this convolution has no result: its window does not fit, or its groups do not divide channels and filters; "
        "correct the case");
    Case fft = layer("forward", "nchw");
    fft.parameters["algorithm"] = "fft";
    EXPECT_EQ(
        why(fft),
        "the CPU back end runs convolutions by winograd, or directly where no algorithm is asked for, not by fft; "
        "leave out the algorithm");
    Case wide = layer("forward", "nchw");
    wide.parameters["window"] = "5x5";
    wide.parameters["pad"] = "2x2";
    wide.parameters["algorithm"] = "winograd";
    EXPECT_NE(why(wide).find("has no convolution by winograd of this shape and precision here"), std::string::npos);
    EXPECT_EQ(backend.end(), 0);
}

TEST(CpuModule, ItHasNoCounters) {
    Backend backend({.pass = Pass::counters});
    EXPECT_TRUE(std::holds_alternative<Lacking>(backend.receive().what));
    EXPECT_EQ(backend.end(), 3);
}

}  // namespace
}  // namespace dodona::calibrate
