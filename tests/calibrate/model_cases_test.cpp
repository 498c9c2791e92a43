// Networks' kernels as cases, and what was measured of the cases as those kernels again.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "calibrate/cases/model_cases.hpp"
#include "calibrate/machine/measured_device.hpp"
#include "cost/device_time.hpp"
#include "files/library.hpp"
#include "plan/plan.hpp"

namespace dodona::calibrate {
namespace model_cases_test {

files::Library library() { return files::Library(std::getenv("DODONA_SOURCE")); }

plan::ShardedGraph sharded(const graph::Graph& graph, const std::string& strategy, std::vector<plan::MeshAxis> axes,
                           std::int64_t microbatch) {
    plan::Plan plan;
    plan.strategy = library().strategy(strategy);
    plan.mesh = std::move(axes);
    plan.microbatch = microbatch;
    plan.fold_axes();
    return plan::shard(graph, plan::Mesh(plan, {}), plan.strategy, microbatch);
}

/// A time that no two cases share.
Record timed(const Case& of, int i) {
    const Seconds time = (100.0 + i) * 1_us;
    Measurement measured;
    measured.of = of;
    measured.time = {.least = time, .first_quartile = time, .median = time, .third_quartile = time};
    measured.time.samples = 10;
    return {.backend = "cpu", .date = "2026-11-20T12:00:00Z", .what = measured};
}

std::vector<Record> measured(const ModelCases& cases) {
    std::vector<Record> records{{.backend = "cpu",
                                 .date = "2026-11-20T12:00:00Z",
                                 .what = Environment{{{"device", "a table"}, {"memory", "1e12"}}}}};
    int i = 0;
    records.push_back(timed({.benchmark = "stream", .parameters = {{"bytes", 1e9}, {"pattern", "copy"}}}, i++));
    records.push_back(timed({.benchmark = "matmul", .parameters = {{"m", 7.0}, {"n", 7.0}, {"k", 7.0}}}, i++));
    for (const Case& one : cases.cases) {
        records.push_back(timed(one, i++));
    }
    return records;
}

/// The share of kernels of products, and of all, that the device made of the cases has measured.
struct Covered {
    int products = 0;
    int products_measured = 0;
    int passes_measured = 0;
};

Covered covered(const plan::ShardedGraph& sharded, const cluster::Device& device) {
    Covered found;
    const graph::Graph& graph = *sharded.graph;
    for (graph::Vertex v = 0; v < graph.layers.size(); ++v) {
        const graph::Work work = plan::work_of(graph.layer(v), sharded.layers[v].local);
        std::vector<const std::vector<graph::Kernel>*> all{&work.forward, &work.backward_weight};
        if (graph.layer(v).input_gradient) {
            all.push_back(&work.backward_input);
        }
        for (const auto* kernels : all) {
            for (const graph::Kernel& kernel : *kernels) {
                const bool exact = cost::kernel_time(device, kernel, Precision::fp32).evidence == Evidence::measured;
                const bool product =
                    kernel.kind != graph::KernelKind::stream && kernel.kind != graph::KernelKind::gather;
                found.products += product ? 1 : 0;
                found.products_measured += product && exact ? 1 : 0;
                found.passes_measured += !product && exact ? 1 : 0;
                EXPECT_TRUE(exact || !product) << graph.layer(v).name << ", " << name(kernel.direction);
            }
        }
    }
    return found;
}

class EveryProduct : public testing::TestWithParam<std::string> {};

TEST_P(EveryProduct, OfANetworkIsMeasuredExactly) {
    const graph::Graph graph = graph::build(library().model(GetParam()));
    const plan::ShardedGraph whole = sharded(graph, "data", {{"data", 1}}, 2);
    const ModelCases cases = model_cases(graph, whole, Precision::fp32);
    EXPECT_TRUE(cases.without_case.empty());
    const auto records = measured(cases);
    const auto device = measured_device({.records = records, .backend = "cpu"});
    ASSERT_TRUE(device.has_value());
    const Covered found = covered(whole, *device);
    EXPECT_GT(found.products, 5);
    EXPECT_EQ(found.products_measured, found.products);
    EXPECT_GT(found.passes_measured, 0);
}

INSTANTIATE_TEST_SUITE_P(Networks, EveryProduct, testing::Values("resnet50", "vgg16", "alexnet", "gnmt", "bert-large"),
                         [](const auto& network) {
                             std::string name = network.param;
                             std::erase(name, '-');
                             return name;
                         });

TEST(ModelCases, ConvolutionsCarryTheirImages) {
    const graph::Graph graph = graph::build(library().model("resnet50"));
    const ModelCases cases = model_cases(graph, sharded(graph, "data", {{"data", 1}}, 4), Precision::fp32);
    const Case first{.benchmark = "convolution",
                     .parameters = {{"images", 4.0},
                                    {"channels", 3.0},
                                    {"filters", 64.0},
                                    {"groups", 1.0},
                                    {"input", "224x224"},
                                    {"window", "7x7"},
                                    {"stride", "2x2"},
                                    {"pad", "3x3"},
                                    {"dilation", "1x1"},
                                    {"precision", "fp32"},
                                    {"layout", "nchw"},
                                    {"direction", "forward"}}};
    EXPECT_NE(std::find(cases.cases.begin(), cases.cases.end(), first), cases.cases.end());
    // Nothing asks for the gradient of the image.
    Case gradient = first;
    gradient.parameters["direction"] = std::string("backward-input");
    EXPECT_EQ(std::find(cases.cases.begin(), cases.cases.end(), gradient), cases.cases.end());
}

TEST(ModelCases, ShardsAreMeasuredAsAPlanLaysThem) {
    const graph::Graph graph = graph::build(library().model("bert-large"));
    const plan::ShardedGraph tensor = sharded(graph, "megatron", {{"tensor", 4}}, 1);
    const ModelCases cases = model_cases(graph, tensor, Precision::fp32);
    std::set<double> widths;
    for (const Case& one : cases.cases) {
        if (one.benchmark == "matmul" && one.word("direction") == "forward") {
            widths.insert(one.number("n"));
        }
    }
    EXPECT_TRUE(widths.contains(4096.0 / 4));
    EXPECT_FALSE(widths.contains(4096.0));
}

/// The cases of one benchmark in one direction.
std::vector<Case> of_benchmark(const ModelCases& cases, const std::string& benchmark, const std::string& direction) {
    std::vector<Case> found;
    std::copy_if(cases.cases.begin(), cases.cases.end(), std::back_inserter(found),
                 [&](const Case& one) { return one.benchmark == benchmark && one.word("direction") == direction; });
    return found;
}

TEST(ModelCases, AttentionsSayWhetherTheyAreCausal) {
    const auto causal = [](const std::string& name) {
        const graph::Graph graph = graph::build(library().model(name));
        const ModelCases cases = model_cases(graph, sharded(graph, "data", {{"data", 1}}, 1), Precision::bf16);
        std::set<double> words;
        for (const std::string direction : {"forward", "backward-input"}) {
            for (const Case& one : of_benchmark(cases, "attention", direction)) {
                words.insert(one.number("causal"));
            }
        }
        return words;
    };
    EXPECT_EQ(causal("llama-3.1-8b"), std::set<double>{1});
    EXPECT_EQ(causal("vit-large"), std::set<double>{0});
}

TEST(ModelCases, LookUpsAreThoseOfTheTokensInEitherDirection) {
    const graph::Graph graph = graph::build(library().model("llama-3.1-8b"));
    const ModelCases cases = model_cases(graph, sharded(graph, "data", {{"data", 1}}, 1), Precision::bf16);
    for (const std::string direction : {"forward", "backward-weight"}) {
        const std::vector<Case> gathers = of_benchmark(cases, "gather", direction);
        ASSERT_EQ(gathers.size(), 1U) << direction;
        EXPECT_EQ(gathers[0].number("lookups"), 8192) << direction;
        EXPECT_EQ(gathers[0].number("rows"), 128256) << direction;
        EXPECT_EQ(gathers[0].number("width"), 4096) << direction;
    }
}

}  // namespace model_cases_test
}  // namespace dodona::calibrate
