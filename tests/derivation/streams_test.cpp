// Diffusion transformers of text and image tokens: what tensor and context parallelism send of their joined streams.
#include "derived.hpp"

namespace dodona::derivation {
namespace streams_test {

// Width 64, 8 heads of 8; 32 tokens of text and 16 * 16 of the image: 288 together.
constexpr double kHidden = 64, kText = 32, kImage = 256, kFour = 4;
constexpr double kStreams = (kText + kImage) * kHidden * kFour;  // one tensor of all tokens, bytes

graph::NetworkSpec small_flux() {
    return model("flux.1-dev", {{"layers", "2"},
                                {"single_layers", "2"},
                                {"hidden", "64"},
                                {"heads", "8"},
                                {"head_dim", "8"},
                                {"image", "256"},
                                {"text_tokens", "32"},
                                {"text_features", "64"}});
}

constexpr const char* kJoint = "layers[2]";
constexpr const char* kSingle = "single[2]";

// Each stream has two gathers and two scatters, as of a decoder: what is joined for attention, and what is parted after it,
// stays where it is. Attention and MLP of a single layer are one column-parallel part: one gather, one scatter.
TEST(JoinedStreams, AreGatheredAndScatteredOnceAPartOfALayer) {
    const Derived flux(small_flux(), plan_of("megatron-sequence", {{"tensor", 4}, {"data", 1}}));
    const Tally gathered = flux.segment(kJoint, Phase::forward, Collective::all_gather);
    EXPECT_EQ(gathered.count, 4);
    EXPECT_EQ(gathered.bytes, 2 * kStreams);
    const Tally scattered = flux.segment(kJoint, Phase::forward, Collective::reduce_scatter);
    EXPECT_EQ(scattered.count, 4);
    EXPECT_EQ(scattered.bytes, 2 * kStreams);
    EXPECT_EQ(flux.collectives(kJoint, Phase::forward), 8);
    EXPECT_EQ(flux.segment(kSingle, Phase::forward, Collective::all_gather).bytes, kStreams);
    EXPECT_EQ(flux.segment(kSingle, Phase::forward, Collective::reduce_scatter).bytes, kStreams);
    EXPECT_EQ(flux.collectives(kSingle, Phase::forward), 2);
}

TEST(JoinedStreams, AreReducedOnceAPartOfALayerWithoutSequenceParallelism) {
    const Derived flux(small_flux(), plan_of("megatron", {{"tensor", 4}, {"data", 1}}));
    EXPECT_EQ(flux.segment(kJoint, Phase::forward, Collective::all_reduce).bytes, 2 * kStreams);
    EXPECT_EQ(flux.collectives(kJoint, Phase::forward), 4);
    EXPECT_EQ(flux.segment(kSingle, Phase::forward, Collective::all_reduce).bytes, kStreams);
    EXPECT_EQ(flux.collectives(kSingle, Phase::forward), 1);
}

// Each shard holds a part of the text and a part of the image. Ulysses exchanges q, k, v and what attention returns, each a
// quarter of the streams on a rank; of a joint layer that is parted first. A ring sends keys and values to three neighbours.
TEST(JoinedStreams, AreSplitByContextParallelism) {
    const Derived ulysses(small_flux(), plan_of("context-ulysses", {{"context", 4}, {"data", 1}}));
    const Derived ring(small_flux(), plan_of("context-ring", {{"context", 4}, {"data", 1}}));
    for (const char* layer : {kJoint, kSingle}) {
        const Tally exchanged = ulysses.segment(layer, Phase::forward, Collective::all_to_all);
        EXPECT_EQ(exchanged.count, layer == kJoint ? 5 : 4);
        EXPECT_EQ(exchanged.bytes, 4 * kStreams / 4) << layer;
        EXPECT_EQ(ulysses.collectives(layer, Phase::forward), exchanged.count) << layer;
        const Tally sent = ring.segment(layer, Phase::forward, Collective::send);
        EXPECT_EQ(sent.count, 2 * 3) << layer;
        EXPECT_EQ(sent.bytes, 2 * 3 * kStreams / 4) << layer;
        EXPECT_EQ(ring.collectives(layer, Phase::forward), sent.count) << layer;
    }
}

// The modulation of a layer has no positions: its gradient is partial where they are split. A joint layer modulates each stream
// four times, by two of six numbers a feature or by one; the gradients of its uses are added before they are reduced.
TEST(JoinedStreams, ReduceTheGradientOfWhatModulatesThem) {
    const Derived flux(small_flux(), plan_of("context-ulysses", {{"context", 4}, {"data", 1}}));
    EXPECT_EQ(flux.segment(kJoint, Phase::backward, Collective::all_reduce, Purpose::conversion).bytes,
              2 * 6 * kHidden * kFour);
    EXPECT_EQ(flux.segment(kSingle, Phase::backward, Collective::all_reduce, Purpose::conversion).bytes,
              3 * kHidden * kFour);
}

}  // namespace streams_test
}  // namespace dodona::derivation
