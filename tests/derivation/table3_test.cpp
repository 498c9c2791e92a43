// ParaDL's Table 3, row by row: what is derived for random chains of convolutions equals its closed forms.
//
// Kahira et al., HPDC'21 (arXiv:2104.09075), Table 3, one iteration (D = B) on a flat ring: p ranks, B samples, delta =
// 4 bytes, |w| weights and |y| outputs of a layer a sample, alpha and beta of a link. Convolutions have odd kernels,
// stride 1, "same" padding and no bias; extents divide evenly. Relative tolerance 1e-9: only sums differ in order.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "derived.hpp"
#include "step/predict.hpp"
#include "tests/graph/networks.hpp"

namespace dodona::derivation {
namespace table3_test {

using std::int64_t;
using step::Prediction;
using step::TimePart;

constexpr double kDelta = 4;
const Seconds kAlpha = 7_us;
const BytesPerSecond kBandwidth = 3_GB_per_s;
const double kBeta = 1 / 3e9;

/// Layer l reads channels[l] and writes channels[l + 1], with kernels[l], on images of side by side.
struct Chain {
    std::vector<int64_t> channels;
    std::vector<int64_t> kernels;
    int64_t side = 64;
    bool relu = false;

    [[nodiscard]] std::size_t layers() const { return kernels.size(); }
    [[nodiscard]] double weights(std::size_t l) const {
        return static_cast<double>(channels[l] * channels[l + 1] * kernels[l] * kernels[l]);
    }
    [[nodiscard]] double all_weights() const {
        double sum = 0;
        for (std::size_t l = 0; l < layers(); ++l) {
            sum += weights(l);
        }
        return sum;
    }
    /// Elements of a sample's output of layer l.
    [[nodiscard]] double output(std::size_t l) const { return static_cast<double>(channels[l + 1] * side * side); }
    /// What one neighbour needs of a tensor with `c` channels below layer l: C ((K-1)/2) W.
    [[nodiscard]] double halo(std::size_t l, int64_t c) const {
        const int64_t rows = (kernels[l] - 1) / 2;
        return static_cast<double>(c * rows * side);
    }

    [[nodiscard]] graph::NetworkSpec spec() const {
        std::vector<graph::Entry> entries;
        for (std::size_t l = 0; l < layers(); ++l) {
            const std::string number = std::to_string(l + 1);
            const bool last = l + 1 == layers();
            entries.push_back(graph::test::layer(
                last ? "last" : "conv" + number, "conv",
                {{"filters", channels[l + 1]}, {"kernel", kernels[l]}, {"pad", kernels[l] / 2}, {"bias", false}}));
            if (relu && !last) {
                entries.push_back(graph::test::layer("relu" + number, "relu"));
            }
        }
        return graph::test::network(graph::test::tensor({{"channel", channels[0]}, {"height", side}, {"width", side}}),
                                    std::move(entries));
    }
};

Chain random_chain() {
    Chain chain;
    const int layers = *rc::gen::inRange(2, 6);
    chain.channels = {*rc::gen::element<int64_t>(3, 16)};
    for (int l = 0; l < layers; ++l) {
        chain.channels.push_back(8 * *rc::gen::inRange<int64_t>(1, 9));
        chain.kernels.push_back(*rc::gen::element<int64_t>(3, 5, 7));
    }
    chain.side = *rc::gen::element<int64_t>(64, 128);
    chain.relu = *rc::gen::arbitrary<bool>();
    return chain;
}

/// `groups` share the batch between them: of `batch` samples each takes its part.
Prediction run(const Chain& chain, plan::Plan plan, int64_t batch, int64_t groups = 1) {
    plan.batch = batch;
    plan.microbatch = batch / groups;
    const graph::Graph graph = graph::build(chain.spec());
    return step::predict(graph, flat_ring(plan.devices(), kAlpha, kBandwidth), plan);
}

double seconds(const Prediction& prediction, TimePart part) { return prediction.busy[part].in(1.0_s); }

bool near(double found, double expected) { return std::abs(found - expected) <= 1e-9 * std::abs(expected); }

double alpha() { return kAlpha.in(1.0_s); }

/// 2 (p-1) (alpha + sum |w| delta beta / p)
double gradient_exchange(double p, double weights) { return 2 * (p - 1) * (alpha() + weights * kDelta * kBeta / p); }

/// (p2-1) (alpha + B |y_l| delta beta / p): one pass of a ring with B |y_l| / p elements a step.
double ring_pass(const Chain& chain, std::size_t l, double batch, double group, double ranks) {
    return (group - 1) * (alpha() + batch * chain.output(l) * kDelta * kBeta / ranks);
}

/// sum over l < G of a ring pass: no communication after the last layer.
double passes_before_the_last(const Chain& chain, double batch, double group, double ranks) {
    double sum = 0;
    for (std::size_t l = 0; l + 1 < chain.layers(); ++l) {
        sum += ring_pass(chain, l, batch, group, ranks);
    }
    return sum;
}

/// 2 sum_l (2 alpha + b (halo(x_l) + halo(dL/dy_l)) delta beta), less what Table 3 counts and nobody needs: the first
/// layer's dX, and so its halo of dL/dy, 2 (alpha + b halo(dL/dy_1) delta beta).
double halos(const Chain& chain, double samples) {
    double sum = 0;
    for (std::size_t l = 0; l < chain.layers(); ++l) {
        const double both = chain.halo(l, chain.channels[l]) + chain.halo(l, chain.channels[l + 1]);
        sum += 2 * (2 * alpha() + samples * both * kDelta * kBeta);
    }
    return sum - 2 * (alpha() + samples * chain.halo(0, chain.channels[1]) * kDelta * kBeta);
}

/// Table 3's filter row: outputs gathered at once, but for the last.
plan::Strategy forced_filter(const std::string& everywhere = "axes: [filter]\n") {
    return strategy_of(everywhere + R"(
rules:
  - {match: {name: last}, lay: {filter: filter}}
  - {match: {kind: conv}, lay: {filter: filter}, output: {}}
)");
}

const std::string kWithData = "axes: [filter, data]\neverywhere: {batch: data}\nshard: {axes: [data]}\n";

RC_GTEST_PROP(Table3, DataRow, ()) {
    const Chain chain = random_chain();
    const auto p = *rc::gen::element<int64_t>(2, 4, 8, 16);
    const Prediction found = run(chain, plan_of("data", {{"data", p}}), 2 * p, p);
    RC_ASSERT(
        near(seconds(found, TimePart::gradients), gradient_exchange(static_cast<double>(p), chain.all_weights())));
    RC_ASSERT(seconds(found, TimePart::layer) + seconds(found, TimePart::halo) == 0);
}

RC_GTEST_PROP(Table3, SpatialRow, ()) {
    const Chain chain = random_chain();
    const auto p = *rc::gen::element<int64_t>(4, 8);  // side / p >= 8: every shard is wider than a window
    const Prediction found = run(chain, plan_of("spatial", {{"spatial", p}}), 3);
    RC_ASSERT(
        near(seconds(found, TimePart::gradients), gradient_exchange(static_cast<double>(p), chain.all_weights())));
    RC_ASSERT(near(seconds(found, TimePart::halo), halos(chain, 3)));
    RC_ASSERT(seconds(found, TimePart::layer) == 0);
}

RC_GTEST_PROP(Table3, FilterRow, ()) {
    const Chain chain = random_chain();
    const auto p = *rc::gen::element<int64_t>(2, 4, 8);
    const auto ranks = static_cast<double>(p);
    const double table = 3 * passes_before_the_last(chain, 3, ranks, ranks);
    const Prediction forced = run(chain, plan_of(forced_filter(), {{"filter", p}}), 3);
    RC_ASSERT(near(seconds(forced, TimePart::layer), table));
    RC_ASSERT(seconds(forced, TimePart::gradients) == 0);
    // The built-in strategy cannot know the last layer and gathers its output, too, as ParaDL's code does.
    const Prediction built_in = run(chain, plan_of("filter-paradl", {{"filter", p}}), 3);
    const double last = ring_pass(chain, chain.layers() - 1, 3, ranks, ranks);
    RC_ASSERT(near(seconds(built_in, TimePart::layer), table + last));
}

// The all-reduce of dL/dx gives way to a reduce-scatter: 2 passes instead of 3.
RC_GTEST_PROP(Table3, FilterRowIsAThirdMoreThanNeeded, ()) {
    const Chain chain = random_chain();
    const auto p = *rc::gen::element<int64_t>(2, 4, 8);
    const auto ranks = static_cast<double>(p);
    const Prediction natural = run(chain, plan_of("filter", {{"filter", p}}), 3);
    RC_ASSERT(near(seconds(natural, TimePart::layer), 2 * passes_before_the_last(chain, 3, ranks, ranks)));
}

// Forward, layers 2 to G are split and reduce their own outputs; backward, their inputs' gradients are gathered. Table
// 3 sums both over l < G: the same where the first output is as large as the last.
RC_GTEST_PROP(Table3, ChannelRow, ()) {
    Chain chain = random_chain();
    chain.channels.front() = 16;
    chain.channels.back() = chain.channels[1];
    const auto p = *rc::gen::element<int64_t>(2, 4, 8);
    const auto ranks = static_cast<double>(p);
    const double table = 3 * passes_before_the_last(chain, 3, ranks, ranks);
    const Prediction forced = run(chain, plan_of("channel-paradl", {{"channel", p}}), 3);
    RC_ASSERT(near(seconds(forced, TimePart::layer), table));
    RC_ASSERT(seconds(forced, TimePart::gradients) == 0);
    // With reduce-scatters onto the next layer's channels, 2 passes; the last layer has no next and stays partial.
    const Prediction natural = run(chain, plan_of("channel", {{"channel", p}}), 3);
    const double last = ring_pass(chain, chain.layers() - 1, 3, ranks, ranks);
    RC_ASSERT(near(seconds(natural, TimePart::layer), 2 * table / 3 - last));
}

RC_GTEST_PROP(Table3, DataFilterRow, ()) {
    const Chain chain = random_chain();
    const auto p1 = *rc::gen::element<int64_t>(2, 4, 8);
    const auto p2 = *rc::gen::element<int64_t>(2, 4);
    const auto batch = 2 * p1;
    const auto group = static_cast<double>(p2);
    const auto ranks = static_cast<double>(p1 * p2);
    // (p1-1) (alpha + sum |w| delta beta / p): a rank has 1/p2 of the weights.
    const double exchange = gradient_exchange(static_cast<double>(p1), chain.all_weights() / group);
    const double passes = passes_before_the_last(chain, static_cast<double>(batch), group, ranks);
    const std::vector<plan::MeshAxis> mesh{{"filter", p2}, {"data", p1}};
    const Prediction forced = run(chain, plan_of(forced_filter(kWithData), mesh), batch, p1);
    RC_ASSERT(near(seconds(forced, TimePart::layer), 3 * passes));
    RC_ASSERT(near(seconds(forced, TimePart::gradients), exchange));
    const Prediction natural = run(chain, plan_of("data+filter", mesh), batch, p1);
    RC_ASSERT(near(seconds(natural, TimePart::layer), 2 * passes));
    RC_ASSERT(near(seconds(natural, TimePart::gradients), exchange));
}

// Halos stay in the group and are of its b = B/p1 samples. Table 3 reduces gradients in two steps, inside a node and
// between leaders; the derivation knows one partial sum over all p = p1 p2 ranks, which is the spatial row's exchange.
// Which algorithm carries it, hierarchical or not, is the cost layer's choice.
RC_GTEST_PROP(Table3, DataSpatialRow, ()) {
    const Chain chain = random_chain();
    const auto p1 = *rc::gen::element<int64_t>(2, 4, 8);
    const auto p2 = *rc::gen::element<int64_t>(4, 8);
    const Prediction found = run(chain, plan_of("data+spatial", {{"spatial", p2}, {"data", p1}}), 2 * p1, p1);
    RC_ASSERT(near(seconds(found, TimePart::halo), halos(chain, 2)));
    RC_ASSERT(near(seconds(found, TimePart::gradients),
                   gradient_exchange(static_cast<double>(p1 * p2), chain.all_weights())));
    RC_ASSERT(seconds(found, TimePart::layer) == 0);
}

/// A pipeline over convolutions behind a batch norm, whose weights make the first convolution need its dX, too.
struct Pipeline {
    int64_t stages = 2;
    int64_t segments = 4;
    std::vector<double> layer_seconds;  ///< forward and backward of one segment, by layer
    Prediction found;
};

Pipeline run_pipeline(const Chain& chain, int64_t stages, int64_t segments, int64_t samples) {
    graph::NetworkSpec spec = chain.spec();
    spec.entries.insert(spec.entries.begin(), graph::test::layer("norm", "batch_norm"));
    const graph::Graph graph = graph::build(spec);
    plan::Plan plan = plan_of("pipeline", {{"pipeline", stages}});
    plan.microbatch = samples;
    plan.batch = samples * segments;
    plan.schedule = plan::ScheduleKind::gpipe;
    Pipeline pipeline{.stages = stages, .segments = segments, .layer_seconds = {}, .found = {}};
    pipeline.found = step::predict(graph, flat_ring(stages, kAlpha, kBandwidth), plan);
    plan.mesh = {};
    const cluster::Cluster one = flat_ring(1);
    const step::CostedGraph serial = step::cost_graph(graph, one, plan, {});
    for (const step::SegmentCost& unit : serial.segments) {
        const double each = (unit.forward.compute.value + unit.backward.compute.value).in(1.0_s);
        if (each > 1e-9) {  // norms and activations cost nothing on this machine
            pipeline.layer_seconds.push_back(each);
        }
    }
    return pipeline;
}

double compute(const Prediction& found) {
    return seconds(found, TimePart::forward) + seconds(found, TimePart::backward) +
           found.time[TimePart::bubble].in(1.0_s);
}

// (D (p+S-1)/S) (max FW + max BW) and 2 (p+S-2) max (alpha + (B/S) |y| delta beta), B/S samples a segment.
RC_GTEST_PROP(Table3, LayerRow, ()) {
    Chain chain;
    const auto p = *rc::gen::element<int64_t>(2, 4);
    const auto width = *rc::gen::element<int64_t>(16, 64);
    chain.kernels.assign(static_cast<std::size_t>(p), 3);  // of several layers a stage, the ends may get more
    chain.channels.assign(chain.kernels.size() + 1, width);
    const auto segments = *rc::gen::inRange<int64_t>(1, 9);
    const Pipeline run = run_pipeline(chain, p, segments, 2);
    const auto slots = static_cast<double>(p + segments - 1);
    RC_ASSERT(near(compute(run.found), slots * run.layer_seconds.front()));
    const double send = alpha() + 2 * chain.output(0) * kDelta * kBeta;
    RC_ASSERT(near(run.found.time[TimePart::pipeline].in(1.0_s), 2 * (slots - 1) * send));
}

// Where stages differ, Table 3's (p+S-1) max is an upper bound: only the slowest stage fills every slot.
RC_GTEST_PROP(Table3, LayerRowBoundsUnevenStages, ()) {
    Chain chain = random_chain();
    const auto p = *rc::gen::inRange<int64_t>(2, static_cast<int64_t>(chain.layers()) + 1);
    const auto segments = *rc::gen::inRange<int64_t>(1, 9);
    const Pipeline run = run_pipeline(chain, p, segments, 2);
    const auto slots = static_cast<double>(p + segments - 1);
    double slowest = 0;
    double all = 0;
    for (const step::StagePrediction& stage : run.found.stages) {
        slowest = std::max(slowest, stage.time.in(1.0_s) / static_cast<double>(segments));
    }
    for (const double each : run.layer_seconds) {
        all += each;
    }
    RC_ASSERT(compute(run.found) <= slots * slowest * (1 + 1e-9));
    RC_ASSERT(compute(run.found) >=
              (all + static_cast<double>(segments - 1) * all / static_cast<double>(p)) * (1 - 1e-9));
    double largest = 0;
    for (std::size_t l = 0; l + 1 < chain.layers(); ++l) {
        largest = std::max(largest, alpha() + 2 * chain.output(l) * kDelta * kBeta);
    }
    RC_ASSERT(run.found.time[TimePart::pipeline].in(1.0_s) <= 2 * (slots - 1) * largest * (1 + 1e-9));
}

}  // namespace table3_test
}  // namespace dodona::derivation
