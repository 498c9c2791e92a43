// Halos of transposed convolutions, whose window lies on the output: against counting every row that is read.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "meshes.hpp"
#include "plan/operands.hpp"
#include "rows.hpp"
#include "tests/graph/networks.hpp"

namespace dodona::plan::test {
namespace transposed_halo_test {

using graph::test::nest;
using graph::test::tensor;
using std::int64_t;

struct Case {
    int64_t inputs = 1, kernel = 1, stride = 1, pad = 0, output_pad = 0, ways = 2;
};

graph::Tensor signal(int64_t length) { return tensor({{"channel", 1}, {"length", length}}); }

graph::Nest transposed(const Case& c) {
    return nest("conv_transpose", {signal(c.inputs)},
                {{"filters", int64_t{1}},
                 {"kernel", c.kernel},
                 {"stride", c.stride},
                 {"pad", c.pad},
                 {"output_pad", c.output_pad}});
}

/// Rows of X forward and of dY backward that the exchanges bring, one sample of one channel.
struct Exchanged {
    Halo forward, backward;
};

Exchanged exchanged(const graph::Nest& built, int64_t inputs, int64_t ways) {
    const Mesh mesh = mesh_of({{"spatial", ways}});
    AtomList loops(built.loops.size(), 0);
    loops[static_cast<std::size_t>(built.loop("length"))] = mesh.axis("spatial");
    Exchanged result;
    for (const HaloExchange& exchange : halo_exchanges(built, 0, signal(inputs), mesh, loops, 1)) {
        (exchange.phase == Phase::forward ? result.forward : result.backward) = {
            .rows = static_cast<int64_t>(exchange.transfer.elements),
            .neighbours = exchange.transfer.messages,
            .too_wide = exchange.too_wide};
    }
    return result;
}

Case random_case() {
    Case c;
    c.inputs = *rc::gen::inRange<int64_t>(1, 40);
    c.kernel = *rc::gen::inRange<int64_t>(1, 8);
    c.stride = *rc::gen::inRange<int64_t>(1, 5);
    c.pad = *rc::gen::inRange<int64_t>(0, c.kernel);
    c.output_pad = *rc::gen::inRange<int64_t>(0, c.stride);
    c.ways = *rc::gen::inRange<int64_t>(2, 9);
    RC_PRE((c.inputs - 1) * c.stride - 2 * c.pad + c.kernel + c.output_pad >= 1);
    return c;
}

/// Whether input i adds to output o.
bool meets(const Case& c, int64_t i, int64_t o) {
    const int64_t tap = o - (c.stride * i - c.pad);
    return 0 <= tap && tap < c.kernel;
}

// A U-Net's 2 x 2 windows that step by two: every output row has one input row, of the same shard.
TEST(ATransposedConvolution, ThatStepsByItsKernelNeedsNoHalo) {
    const Case c{.inputs = 16, .kernel = 2, .stride = 2};
    const Exchanged halo = exchanged(transposed(c), 16, 4);
    EXPECT_EQ(halo.forward, Halo{});
    EXPECT_EQ(halo.backward, Halo{});
}

// DCGAN's 4 x 4 windows, stride 2, padding 1: 16 -> 32 rows. Shard 1 of 4 owns outputs 8..15 and inputs 4..7; output 8
// meets inputs 3 and 4, output 15 inputs 7 and 8. Backward, its inputs spread over outputs 2*4-1 = 7 ... 2*7+2 = 16.
TEST(ATransposedConvolution, WithOverlappingWindowsNeedsARowFromEachSide) {
    const Case c{.inputs = 16, .kernel = 4, .stride = 2, .pad = 1};
    const graph::Nest built = transposed(c);
    EXPECT_EQ(built.result.dimensions[2].extent, 32);
    const Exchanged halo = exchanged(built, 16, 4);
    EXPECT_EQ(halo.forward, (Halo{.rows = 2, .neighbours = 2}));
    EXPECT_EQ(halo.backward, (Halo{.rows = 2, .neighbours = 2}));
}

RC_GTEST_PROP(ATransposedConvolution, BringsEveryRowThatAShardReadsAndDoesNotOwn, ()) {
    const Case c = random_case();
    const graph::Nest built = transposed(c);
    const int64_t outputs = built.result.dimensions[2].extent;
    Halo forward, backward;
    for (int64_t shard = 0; shard < c.ways; ++shard) {
        const Rows own_inputs = owned(c.inputs, c.ways, shard);
        const Rows own_outputs = owned(outputs, c.ways, shard);
        Rows read, gradients;
        for (int64_t i = 0; i < c.inputs; ++i) {
            for (int64_t o = 0; o < outputs; ++o) {
                if (meets(c, i, o) && own_outputs.count(o) > 0) {
                    read.insert(i);
                }
                if (meets(c, i, o) && own_inputs.count(i) > 0) {
                    gradients.insert(o);
                }
            }
        }
        note(read, own_inputs, divide_up(c.inputs, c.ways), forward);
        note(gradients, own_outputs, divide_up(outputs, c.ways), backward);
    }
    const Exchanged halo = exchanged(built, c.inputs, c.ways);
    RC_ASSERT(halo.forward == forward);
    RC_ASSERT(halo.backward == backward);
}

}  // namespace transposed_halo_test
}  // namespace dodona::plan::test
