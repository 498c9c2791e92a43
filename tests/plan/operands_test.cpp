// Operands of nests written by hand: partial sums of weights' gradients, rows that are looked up, blocks round a ring.
#include <gtest/gtest.h>

#include "meshes.hpp"
#include "plan/operands.hpp"

namespace dodona::plan::test {
namespace operands_test {

using cluster::Collective;

// Y[batch, out] = X[batch, in] A[in, rank] B[rank, out], a product of low rank.
graph::Nest low_rank() {
    graph::Nest nest;
    nest.loops = {{"batch", 1}, {"in", 64}, {"rank", 8}, {"out", 32}};
    nest.inputs = {{{0, 1}, {}}};
    nest.weights = {{"a", {{"in", 64}, {"rank", 8}}, {{1, 2}, {}}, ""},
                    {"b", {{"rank", 8}, {"out", 32}}, {{2, 3}, {}}, ""}};
    nest.output = {{0, 3}, {}};
    return nest;
}

// dA = X^T dY B^T contracts samples and the outputs, which are in Y; dB = (X A)^T dY contracts samples alone: the inputs
// are contracted before, in X A.
TEST(AWeight, HasAGradientThatIsPartialOverWhatYOrXHasAndItHasNot) {
    const graph::Nest nest = low_rank();
    const Mesh mesh = mesh_of({{"data", 2}, {"in", 4}, {"out", 8}});
    const AtomList loops{mesh.axis("data"), mesh.axis("in"), 0, mesh.axis("out")};
    const WeightShard a = weight_shard(nest, nest.weights[0], mesh, loops);
    EXPECT_EQ(a.partial, mesh.axes({"data", "out"}));
    EXPECT_EQ(a.laid, mesh.axis("in"));
    EXPECT_DOUBLE_EQ(a.elements, 16 * 8);
    const WeightShard b = weight_shard(nest, nest.weights[1], mesh, loops);
    EXPECT_EQ(b.partial, mesh.axis("data"));
    EXPECT_DOUBLE_EQ(b.elements, 8 * 4);
}

// Tables of 1,000 rows of 10 features; of 8 look-ups half are made in the mean. A sample touches 4 rows. Of them 2 are
// looked up here, with half of their features, by 3 samples: 3 * 2 * 5 elements.
TEST(ATable, IsTouchedByTheLookUpsThatAreMadeHere) {
    graph::Nest nest;
    nest.loops = {{"batch", 1}, {"look_up", 8}, {"row", 1000}, {"feature", 10}};
    nest.loops[1].density = 0.5;
    const graph::Weight table{"table", {{"row", 1000}, {"feature", 10}}, {{2, 3}, {}}, "", 40};
    const auto touched = [&](double samples) {
        return touched_elements(nest, table, 1000 * 5, {{samples, 2, 1000, 5}, {}, {}});
    };
    EXPECT_DOUBLE_EQ(touched(3), 30);
    EXPECT_DOUBLE_EQ(touched(3000), 5000) << "no more than there are";
}

LayerTransfer of(Collective collective, Atoms atoms) { return {{collective, atoms, 1000}}; }

// A block of a quarter goes on three times.
TEST(AGather, OverAxesThatAreStreamedGoesRoundARingInBlocks) {
    const Mesh mesh = mesh_of({{"context", 4}, {"data", 2}});
    for (const Collective collective : {Collective::all_gather, Collective::reduce_scatter}) {
        LayerTransfer round = of(collective, mesh.axis("context"));
        send_round(mesh, mesh.axis("context"), round);
        EXPECT_EQ(round.transfer.collective, Collective::send);
        EXPECT_DOUBLE_EQ(round.transfer.elements, 250);
        EXPECT_DOUBLE_EQ(round.times, 3);
        EXPECT_EQ(round.purpose, Purpose::stream);
        LayerTransfer other = of(collective, mesh.axes({"context", "data"}));
        send_round(mesh, mesh.axis("context"), other);
        EXPECT_EQ(other.transfer.collective, collective);
    }
}

TEST(AnotherCollective, OverAxesThatAreStreamedStaysWhatItIs) {
    const Mesh mesh = mesh_of({{"context", 4}});
    for (const Collective collective : {Collective::all_reduce, Collective::all_to_all, Collective::halo}) {
        LayerTransfer kept = of(collective, mesh.axis("context"));
        send_round(mesh, mesh.axis("context"), kept);
        EXPECT_EQ(kept.transfer.collective, collective);
        EXPECT_DOUBLE_EQ(kept.transfer.elements, 1000);
        EXPECT_DOUBLE_EQ(kept.times, 1);
    }
}

}  // namespace operands_test
}  // namespace dodona::plan::test
