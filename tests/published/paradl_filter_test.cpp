// Filter, channel and data+filter predictions that ParaDL's oracle printed for ABCI, and every difference between them
// and what is derived from the layers.
// Source: authors' logs (GitHub TruongThaoNguyen/paraDL-analysis); Kahira et al., HPDC'21, Table 3. One iteration, per
// convolution l of n: 3 (p-1)(alpha + 4 B y_l beta/p): an all-gather and an all-reduce of its own output y_l.
//
// In a network, tensors are read where the next convolution reads them. x_l is what convolution l reads: after pooling,
// smaller than y_(l-1). So, with ring(c, e) = (p-1)(c alpha + 4 B e beta/p) for c collectives of e elements together:
//
//   filter   Y is gathered at once: as printed. dX is a partial sum at x_2 .. x_n: all-reduced there; the classifier
//            after y_n is replicated, so its gradient is complete.
//            printed - ours = 2 ring(1, y_n) + 2 ring(0, sum_(l>1) (y_(l-1) - x_l))
//   channel  Y is partial from layer 2 on (three channels are not split): all-reduced at once. dX is gathered at x_l.
//            printed - ours = 2 ring(1, y_1) + ring(1, y_n) + ring(0, sum_(l>1) (y_(l-1) - x_l))
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "scenes.hpp"

namespace dodona::published {
namespace paradl_filter_test {

constexpr double kSamples = 1'280'000;

/// Elements per sample.
struct Convolution {
    double reads, writes;
};

/// Inputs of 226 x 226; conv1 halves, the pool after it has no padding: 113, 56; the first 1x1 of a stage halves.
std::vector<Convolution> resnet50() {
    std::vector<Convolution> all{{3 * 226 * 226, 64 * 113 * 113}};
    double reads = 64 * 56 * 56;
    double width = 64, side = 56;
    for (const int blocks : {3, 4, 6, 3}) {
        const double narrow = width * side * side;
        for (int i = 0; i < blocks; ++i) {
            all.insert(all.end(), {{reads, narrow}, {narrow, narrow}, {narrow, 4 * narrow}});
            reads = 4 * narrow;
        }
        width *= 2;
        side /= 2;
    }
    return all;
}

/// Inputs of 226 x 226; pools round up.
std::vector<Convolution> vgg16() {
    struct Stage {
        int convolutions;
        double width, side;
    };
    std::vector<Convolution> all;
    double reads = 3 * 226 * 226;
    for (const Stage& stage : {Stage{2, 64, 226}, {2, 128, 113}, {3, 256, 57}, {3, 512, 29}, {3, 512, 15}}) {
        for (int i = 0; i < stage.convolutions; ++i) {
            const double writes = stage.width * stage.side * stage.side;
            all.push_back({reads, writes});
            reads = writes;
        }
        reads = stage.width * std::ceil(stage.side / 2) * std::ceil(stage.side / 2);
    }
    return all;
}

/// Sums over a layer table.
struct Sums {
    explicit Sums(const std::vector<Convolution>& table)
        : count(static_cast<double>(table.size())), first(table.front().writes), last(table.back().writes) {
        for (const Convolution& c : table) {
            writes += c.writes;
            reads += c.reads;
        }
        reads -= table.front().reads;
    }
    double count;
    double first, last;  ///< y_1, y_n
    double writes = 0;   ///< sum of y
    double reads = 0;    ///< sum of x from the second on
};

/// c collectives of e elements a sample together, B samples, on a ring of p.
struct Ring {
    double p, batch, alpha, beta;
    [[nodiscard]] double operator()(double collectives, double elements) const {
        return (p - 1) * (collectives * alpha + 4 * batch * elements * beta / p);
    }
};

Ring filter_ring(std::int64_t p, double batch) {
    const bool in_node = p <= 4;
    return {static_cast<double>(p), batch, in_node ? 9e-6 : 30.31e-6, in_node ? 2e-11 : 8e-11};
}

double sent(const step::Prediction& prediction, const std::string& collective, const std::string& axis) {
    double bytes = 0;
    for (const step::CommunicationLine& line : prediction.communication) {
        const bool over = line.axes == std::vector<std::string>{axis};
        bytes += name(line.collective) == collective && over ? line.sent.in(unit::byte) : 0;
    }
    return bytes;
}

struct Row {
    std::int64_t p;
    double communication;  ///< seconds an epoch
};

struct Table {
    const char* model;
    std::vector<Convolution> convolutions;
    std::int64_t batch;  ///< of all GPUs
    std::vector<Row> rows;
};

std::vector<Table> tables() {
    return {{"resnet50-paradl",
             resnet50(),
             64,
             {{2, 1423.6449216},
              {4, 2175.1573824},
              {8, 10404.0742512},
              {16, 11815.557912},
              {32, 13590.6365424},
              {64, 16616.8494576}}},
            {"vgg16-paradl",
             vgg16(),
             32,
             {{4, 3253.71168}, {8, 15318.41304}, {16, 16767.2124}, {32, 18059.01528}, {64, 19839.72312}}}};
}

TEST(ParaDLLayerTables, AreTheOnesBehindThePrintedRows) {
    EXPECT_EQ(Sums(resnet50()).count, 49);
    EXPECT_EQ(Sums(resnet50()).writes, 9'096'256);
    EXPECT_EQ(Sums(vgg16()).count, 13);
    EXPECT_EQ(Sums(vgg16()).writes, 13'939'200);
}

TEST(ParaDLFilter, DiffersFromEachPrintedRowByWhereGradientsAreReducedOnly) {
    for (const Table& table : tables()) {
        const Sums sums(table.convolutions);
        const graph::Graph graph = network(table.model);
        for (const Row& row : table.rows) {
            const step::Prediction p = step::predict(
                graph, library().cluster("abci-paradl"),
                convolutional_plan(library().strategy("filter-paradl"), {{"filter", row.p}}, table.batch));
            const auto batch = static_cast<double>(table.batch);
            const Ring ring = filter_ring(row.p, batch);
            const double iterations = std::ceil(kSamples / batch);
            const double smaller = sums.writes - sums.last - sums.reads;
            const double explained = iterations * (2 * ring(1, sums.last) + 2 * ring(0, smaller));
            ASSERT_TRUE(p.epoch);
            EXPECT_NEAR((p.epoch->communication.in(unit::second) + explained) / row.communication, 1, 1e-9)
                << table.model << " on " << row.p;
            // Bytes that one rank sends in an iteration: forward exactly a third of the printed ones.
            const double share = (ring.p - 1) / ring.p * 4 * batch;
            EXPECT_NEAR(sent(p, "all-gather", "filter"), share * sums.writes, 1e-3);
            EXPECT_NEAR(sent(p, "all-reduce", "filter"), 2 * share * sums.reads, 1e-3);
        }
    }
}

TEST(ParaDLChannel, DiffersFromEachPrintedRowByFirstLayerAndWhereGradientsAreGatheredOnly) {
    for (const Table& table : tables()) {
        const Sums sums(table.convolutions);
        const graph::Graph graph = network(table.model);
        for (const Row& row : table.rows) {
            const step::Prediction p = step::predict(
                graph, library().cluster("abci-paradl"),
                convolutional_plan(library().strategy("channel-paradl"), {{"channel", row.p}}, table.batch));
            const auto batch = static_cast<double>(table.batch);
            const Ring ring = filter_ring(row.p, batch);
            const double iterations = std::ceil(kSamples / batch);
            const double smaller = sums.writes - sums.last - sums.reads;
            const double explained = iterations * (2 * ring(1, sums.first) + ring(1, sums.last) + ring(0, smaller));
            ASSERT_TRUE(p.epoch);
            EXPECT_NEAR((p.epoch->communication.in(unit::second) + explained) / row.communication, 1, 1e-9)
                << table.model << " on " << row.p;
            const double share = (ring.p - 1) / ring.p * 4 * batch;
            EXPECT_NEAR(sent(p, "all-reduce", "channel"), 2 * share * (sums.writes - sums.first), 1e-3);
            EXPECT_NEAR(sent(p, "all-gather", "channel"), share * sums.reads, 1e-3);
        }
    }
}

// ResNet-50, 64 images a node, 4 filter shards in a node, p/4 nodes. Printed, per iteration:
//   3 (4-1)(49 alpha + 4 B sum(y)/4 beta) + 2 (p1-1)(alpha' + S/p1 beta'), S = 28,878,016 bytes: the convolutions'
//   quarter and the whole classifier, alpha' = 40.31 us (the runs of 2020), beta' = 4 * 8e-11: phi = 4, here a result.
struct HybridRow {
    std::int64_t p;
    double compute, communication;  ///< seconds an epoch
};
constexpr HybridRow kHybrid[] = {{16, 287.611185142, 614.305884}, {64, 71.9027962855, 159.1174734}};

constexpr double kBatch = 64;  ///< of a node
constexpr double kClassifier = 4.0 * 2048 * 1000;
constexpr double kSegment = 28'878'016;
constexpr double kRail = 4 * 8e-11;

step::Prediction hybrid(const plan::Strategy& strategy, std::int64_t p) {
    const std::int64_t nodes = p / 4;
    return step::predict(network("resnet50-paradl"), library().cluster("abci-paradl"),
                         convolutional_plan(strategy, {{"filter", 4}, {"data", nodes}}, 64 * nodes));
}

double gradient_contention(const step::Prediction& prediction) {
    double phi = 0;
    for (const step::CommunicationLine& line : prediction.communication) {
        phi = std::max(phi, line.axes == std::vector<std::string>{"data"} ? line.contention : 0.0);
    }
    return phi;
}

// The forced hybrid: filter-paradl within a node. Beyond the two differences of filter: the printed rows reduce the
// whole classifier (8,192,000 B, the same on the four ranks of a node) four times over the node's one link; here its
// copies are reduced jointly, in one ring over all ranks. And start-ups are 30.31 us, not 40.31 us.
TEST(ParaDLDataFilter, ForcedDiffersByWhereGradientsAreReducedAndByStartUps) {
    const Sums sums(resnet50());
    for (const HybridRow& row : kHybrid) {
        const step::Prediction p = hybrid(library().strategy("data+filter-paradl"), row.p);
        const double ranks = static_cast<double>(row.p);
        const double nodes = ranks / 4;
        const Ring ring = filter_ring(4, kBatch);
        const double iterations = kSamples / (kBatch * nodes);
        const double layers = 2 * ring(1, sums.last) + 2 * ring(0, sums.writes - sums.last - sums.reads);
        const double start_ups = 2 * (nodes - 1) * (40.31e-6 - 30.31e-6);
        const double printed = 2 * (nodes - 1) * kClassifier / nodes * 4 * 8e-11;
        const double jointly = 2 * (ranks - 1) * (30.31e-6 + kClassifier / ranks * 8e-11);
        const double explained = layers + start_ups + printed - jointly;
        ASSERT_TRUE(p.epoch);
        EXPECT_NEAR((p.epoch->communication.in(unit::second) + iterations * explained) / row.communication, 1, 1e-9)
            << row.p;
        EXPECT_DOUBLE_EQ(gradient_contention(p), 4);
        EXPECT_NEAR(sent(p, "all-reduce", "data"), 2 * (nodes - 1) / nodes * (kSegment - kClassifier), 1e-3);
    }
}

// The built-in hybrid: Y stays split until the next convolution (or the classifier, 2048 channels) reads it, dX is
// reduce-scattered, and the classifier is split too, so that its gradient is a quarter.
TEST(ParaDLDataFilter, BuiltInDiffersByReduceScattersSmallerTensorsAndASplitClassifier) {
    const Sums sums(resnet50());
    for (const HybridRow& row : kHybrid) {
        const step::Prediction p = hybrid(library().strategy("data+filter"), row.p);
        const double nodes = static_cast<double>(row.p) / 4;
        const Ring ring = filter_ring(4, kBatch);
        const double iterations = kSamples / (kBatch * nodes);
        // A third less: one of the three passes. Then 48 convolutions and the classifier read what is smaller.
        const double third = ring(sums.count, sums.writes);
        const double smaller = 2 * ring(0, sums.writes - sums.reads - 2048);
        const double gradients = 2 * (nodes - 1) * (40.31e-6 - 30.31e-6 + 0.75 * kClassifier / nodes * kRail);
        ASSERT_TRUE(p.epoch);
        const double ours = p.epoch->communication.in(unit::second);
        EXPECT_NEAR((ours + iterations * (third + smaller + gradients)) / row.communication, 1, 1e-9) << row.p;
        EXPECT_DOUBLE_EQ(gradient_contention(p), 4);
        EXPECT_NEAR(sent(p, "all-reduce", "data"), 2 * (nodes - 1) / nodes * (kSegment - 0.75 * kClassifier), 1e-3);
    }
}

// Compute: everything is split, so (D/p) t. The printed rows leave 5.083 % of the time whole, because their table
// counts max-pooling a factor of its channels too high: t (s + (1-s)/4) a sample of the node.
TEST(ParaDLDataFilter, ComputeDiffersByTheShareThatThePrintedRowsLeaveWhole) {
    for (const HybridRow& row : kHybrid) {
        const step::Prediction p = hybrid(library().strategy("data+filter"), row.p);
        const double t = 0.003119502;
        const double ours = p.epoch->compute.in(unit::second);
        EXPECT_NEAR(ours / (kSamples / static_cast<double>(row.p) * t), 1, 1e-9);
        const double whole = (row.compute / ours - 1) / 3;
        EXPECT_NEAR(whole, 0.05083, 1e-5) << row.p;
    }
}

}  // namespace paradl_filter_test
}  // namespace dodona::published
