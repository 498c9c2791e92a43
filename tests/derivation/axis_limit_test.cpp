// How far each strategy goes on known networks: counted by hand from their files, and against a walk over all sizes.
#include "plan/axis_limit.hpp"

#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "derived.hpp"

namespace dodona::derivation {
namespace axis_limit_test {

using plan::AxisLimit;
using std::int64_t;

constexpr std::optional<int64_t> kAny = std::nullopt;

struct Limits {
    std::vector<AxisLimit> axes;
    plan::Reach reach;

    [[nodiscard]] const AxisLimit& at(const std::string& axis) const {
        for (const AxisLimit& limit : axes) {
            if (limit.axis == axis) {
                return limit;
            }
        }
        throw InternalError("no axis " + axis);
    }
};

Limits limits_of(const graph::Graph& graph, const std::string& name, std::optional<int64_t> batch = kAny) {
    const plan::Strategy strategy = library().strategy(name);
    Limits limits{plan::axis_limits(graph, strategy, batch), {}};
    limits.reach = plan::reach(graph, strategy, limits.axes, batch);
    return limits;
}

const graph::Graph& resnet50() {
    static const graph::Graph graph = graph::build(model("resnet50"));
    return graph;
}

TEST(AxisLimit, OfFiltersIsTheSmallestLayer) {
    // He et al., Table 1: stage 1 has 64 filters; the classifier's 1000 = 2^3 5^3 share 8 with powers of two.
    const AxisLimit filter = limits_of(resnet50(), "filter").at("filter");
    EXPECT_EQ(filter.largest, 64);
    EXPECT_EQ(text(filter.set_by.value()), "filter <= 64: layer stage1[1]/conv1 (conv) cannot be split further");
    EXPECT_EQ(filter.even, 8);
    EXPECT_EQ(text(filter.uneven.value()),
              "out_feature 1000 of layer fc divides unevenly 64 ways: the largest shard has 16");
    // As ParaDL ran it the classifier stays whole: p <= min F_l.
    EXPECT_EQ(limits_of(resnet50(), "filter-paradl").at("filter").even, 64);
    EXPECT_EQ(limits_of(graph::build(model("vgg16")), "filter").at("filter").largest, 64);
}

TEST(AxisLimit, OfChannelsIsTheSmallestLayerFromTheSecondOn) {
    EXPECT_EQ(limits_of(resnet50(), "channel").at("channel").largest, 64);
    EXPECT_EQ(limits_of(graph::build(model("vgg16")), "channel").at("channel").largest, 64);
}

TEST(AxisLimit, OfSamplesIsTheBatchWhereItIsFixed) {
    for (const char* name : {"data", "zero1", "zero3"}) {
        const AxisLimit weak = limits_of(resnet50(), name).at("data");
        EXPECT_EQ(weak.largest, std::nullopt) << "the batch grows";
        EXPECT_FALSE(weak.set_by.has_value());
        const Limits strong = limits_of(resnet50(), name, 256);
        EXPECT_EQ(strong.at("data").largest, 256);
        EXPECT_EQ(text(strong.at("data").set_by.value()), "data <= 256: the batch has 256 samples");
        EXPECT_EQ(strong.reach.devices, 256);
    }
}

TEST(AxisLimit, OfStagesIsThePiecesToCut) {
    // Stem and 16 bottlenecks are blocks; then pool, and the classifier with its loss.
    const AxisLimit pipeline = limits_of(resnet50(), "pipeline").at("pipeline");
    EXPECT_EQ(pipeline.largest, 19);
    EXPECT_EQ(text(pipeline.set_by.value()), "pipeline <= 19: the network has 19 pieces to cut");
    EXPECT_EQ(pipeline.even, 17) << "equal blocks on every stage";
}

TEST(AxisLimit, OfImagesIsWhereTheFirstWindowNoLongerFits) {
    // VGG-16 begins with windows of 3 on 224 rows: 224 / 3. All rows that are split divide by 56: at 56 ways the next
    // layers have 112 / 56 < 3 rows and are whole.
    const AxisLimit rows = limits_of(graph::build(model("vgg16")), "spatial").at("spatial");
    EXPECT_EQ(rows.largest, 224 / 3);
    EXPECT_EQ(rows.even, 56);
    EXPECT_EQ(text(rows.set_by.value()),
              "no layer can be split over axis spatial that many ways: the while-condition of its rule fails at "
              "layer stage1[1]/conv (conv)");
    // ResNet-50 begins with 112 rows of windows of 7: 16 ways. But then the pool's 56 rows are dealt out by 4 and the
    // 112 that it reads by 7: the 14th shard starts 13 rows off what it holds. With 15 ways they are 4 and 8.
    const AxisLimit residual = limits_of(resnet50(), "spatial").at("spatial");
    EXPECT_EQ(residual.largest, 15);
    EXPECT_EQ(text(residual.set_by.value()), "the window of layer stem/pool is wider than its neighbour's shard");
    EXPECT_EQ(residual.even, 14) << "of 112 and 56";
}

TEST(AxisLimit, OfHybridsMultiply) {
    EXPECT_EQ(limits_of(resnet50(), "data+filter", 256).reach.devices, 64 * 256) << "B min F_l: ParaDL, Table 3";
    EXPECT_EQ(limits_of(resnet50(), "data+filter").reach.devices, std::nullopt);
    EXPECT_EQ(limits_of(resnet50(), "hybrid-shard", 256).reach.devices, 256) << "both axes share the samples";
    EXPECT_EQ(limits_of(resnet50(), "pipeline", 256).reach.devices, 19 * 256);
    EXPECT_EQ(limits_of(resnet50(), "serial").reach.devices, 1);
}

/// Most devices for 256 samples, by hand: 256 for the samples; ResNet-50 and VGG-16 have layers of 64 filters and
/// channels, 1000 classes, 19 and 22 pieces, a loss with its logits; GPT-3 has 96 heads, 2048 tokens and 101 pieces.
struct Most {
    const char* strategy;
    int64_t resnet50;
    int64_t vgg16;
    int64_t gpt3;
};
constexpr std::array kMax{
    Most{"channel", 64, 64, 96},
    Most{"channel-paradl", 64, 64, 1},
    Most{"context-all-gather", 256, 256, 2048 * 256},
    Most{"context-ring", 256, 256, 2048 * 256},
    Most{"context-ulysses", 256, 256, 96 * 256},
    Most{"data", 256, 256, 256},
    Most{"data+channel", 64 * 256, 64 * 256, 96 * 256},
    Most{"data+filter", 64 * 256, 64 * 256, 96 * 256},
    Most{"data+filter-paradl", 64 * 256, 64 * 256, 256},
    Most{"data+spatial", 15 * 256, 74 * 256, 256},
    Most{"embedding-column", 256, 256, 256},
    Most{"embedding-row", 256, 256, 256},
    Most{"embedding-table", 256, 256, 256},
    Most{"expert", 256, 256, 256},
    Most{"filter", 64, 64, 96},
    Most{"filter-paradl", 64, 64, 1},
    Most{"hidden", 256, 256, 256},
    Most{"hybrid-shard", 256, 256, 256},
    Most{"megatron", 1000 * 256 * 19, 1000 * 256 * 22, 96 * 256 * 101},
    Most{"megatron-context", 1000 * 256 * 19, 1000 * 256 * 22, 2048 * 256 * 101},
    Most{"megatron-moe", 1000 * 256 * 19, 1000 * 256 * 22, 2048 * 256 * 101},
    Most{"megatron-sequence", 1000 * 256 * 19, 1000 * 256 * 22, 96 * 256 * 101},
    Most{"megatron-ulysses", 1000 * 256 * 19, 1000 * 256 * 22, 96 * 256 * 101},
    Most{"one-weird-trick", 256, 256, 64},
    Most{"pipeline", 19 * 256, 22 * 256, 101 * 256},
    Most{"serial", 1, 1, 1},
    Most{"spatial", 15, 74, 1},
    Most{"spatial-2d", 15 * 15, 74 * 74, 1},
    Most{"spatial-3d", 15 * 15, 74 * 74, 1},
    Most{"zero1", 256, 256, 256},
    Most{"zero2", 256, 256, 256},
    Most{"zero3", 256, 256, 256},
};

TEST(AxisLimit, OfEveryStrategyIsAsCountedByHand) {
    ASSERT_EQ(kMax.size(), library().strategies().size());
    const graph::Graph vgg16 = graph::build(model("vgg16"));
    const graph::Graph gpt3 = graph::build(model("gpt3-175b"));
    for (const Most& most : kMax) {
        EXPECT_EQ(limits_of(resnet50(), most.strategy, 256).reach.devices, most.resnet50) << most.strategy;
        EXPECT_EQ(limits_of(vgg16, most.strategy, 256).reach.devices, most.vgg16) << most.strategy;
        EXPECT_EQ(limits_of(gpt3, most.strategy, 256).reach.devices, most.gpt3) << most.strategy;
    }
}

TEST(AxisLimit, OfAnAxisThatAlsoSplitsALayerIsTheTighterOfBoth) {
    const graph::Graph gpt = graph::build(model("gpt3-175b"));
    // 65 to 95 ways do not divide 256 samples, 96 heads of queries are what stands in the way of 128.
    const AxisLimit data = limits_of(gpt, "one-weird-trick", 256).at("data");
    EXPECT_EQ(data.largest, 64);
    EXPECT_EQ(text(data.set_by.value()), "out_feature <= 96: layer layers[1]/qkv (linear) cannot be split further");
}

TEST(AxisLimit, OfTransformersAreHeadsSequenceAndBlocks) {
    const graph::Graph gpt = graph::build(model("gpt3-175b"));
    const Limits limits = limits_of(gpt, "megatron-context", 256);
    EXPECT_EQ(limits.at("tensor").largest, 96);
    EXPECT_EQ(limits.at("tensor").even, 32) << "96 heads and a vocabulary of 51200 = 2^11 5^2";
    EXPECT_EQ(limits.at("context").largest, 2048);
    EXPECT_EQ(limits.at("pipeline").largest, 96 + 5) << "embedding, positions, dropout, norm, head with its loss";
    EXPECT_EQ(limits.at("pipeline").even, 96);
    // Norms share the sequence between tensor and context: 64 x 32 = 2048, not 96 x 2048.
    EXPECT_EQ(limits.reach.devices, 2048 * 256 * 101);
    EXPECT_TRUE(limits.reach.exact);
}

TEST(AxisLimit, OfFoldsMultipliesNoDevices) {
    const graph::Graph mixture = graph::build(model("mixtral-8x7b"));
    const Limits limits = limits_of(mixture, "expert", 256);
    EXPECT_EQ(limits.at("expert").largest, 8);
    EXPECT_TRUE(limits.at("expert").folded);
    EXPECT_EQ(limits.reach.devices, 256);
    EXPECT_EQ(limits_of(resnet50(), "expert", 256).at("expert").largest, 1) << "no experts";
}

/// Broken at a size, by the derivation on that very mesh.
bool broken(const graph::Graph& graph, const plan::Strategy& strategy, const std::string& axis, int64_t size,
            std::optional<int64_t> batch, bool uneven) {
    plan::Plan plan;
    plan.strategy = strategy;
    plan.mesh = {{axis, size}};
    const std::vector<plan::Limit> limits = plan::limits_on(graph, plan, batch);
    return std::any_of(limits.begin(), limits.end(),
                       [&](const plan::Limit& limit) { return limit.broken() || (uneven && limit.pieces()); });
}

TEST(AxisLimit, IsWhatAWalkOverAllSizesFinds) {
    constexpr int64_t kSizes = 150;
    for (const char* name : {"alexnet", "cosmoflow"}) {
        const graph::Graph graph = graph::build(model(name));
        for (const std::string& strategy_name : library().strategies()) {
            const plan::Strategy strategy = library().strategy(strategy_name);
            for (const std::optional<int64_t> batch : {kAny, std::optional<int64_t>(60)}) {
                for (const AxisLimit& limit : plan::axis_limits(graph, strategy, batch)) {
                    if (limit.folded || limit.largest.value_or(kSizes) >= kSizes) {
                        continue;
                    }
                    int64_t largest = 0;
                    int64_t even = 0;
                    for (int64_t size = 1; size <= kSizes; ++size) {
                        largest = broken(graph, strategy, limit.axis, size, batch, false) ? largest : size;
                        even = broken(graph, strategy, limit.axis, size, batch, true) ? even : size;
                    }
                    EXPECT_EQ(limit.largest, largest) << name << " " << strategy_name << " " << limit.axis;
                    EXPECT_EQ(limit.even, std::max<int64_t>(1, even))
                        << name << " " << strategy_name << " " << limit.axis;
                }
            }
        }
    }
}

/// Limits alone are those of the shards, of which they are a part.
TEST(LimitsOfShards, AreThoseThatShardsCarry) {
    std::size_t broken = 0;
    for (const char* name : {"resnet50", "unet2d-medical", "gpt2", "mixtral-8x7b", "gnmt"}) {
        const graph::Graph graph = graph::build(model(name));
        for (const std::string& each : library().strategies()) {
            const plan::Strategy strategy = library().strategy(each);
            for (const int64_t size : {1, 3, 64}) {
                plan::Plan plan;
                plan.strategy = strategy;
                for (const std::string& axis : strategy.axes) {
                    plan.mesh.push_back({axis, size});
                }
                const std::optional<plan::Mesh> mesh = plan::Mesh::of(plan);
                ASSERT_TRUE(mesh.has_value());
                const std::vector<plan::Limit> all = plan::shard(graph, *mesh, strategy, 1).limits;
                EXPECT_EQ(plan::text(plan::limits_of_shards(graph, *mesh, strategy)), plan::text(all))
                    << name << ", " << each << ", " << size;
                broken += plan::tightest_broken(all) != nullptr ? 1 : 0;
            }
        }
    }
    EXPECT_GT(broken, 10U);
}

}  // namespace axis_limit_test
}  // namespace dodona::derivation
