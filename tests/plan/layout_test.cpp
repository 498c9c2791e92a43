// The conversion table, row by row, and its invariants.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "meshes.hpp"
#include "plan/sharding.hpp"

namespace dodona::plan::test {
namespace layout_test {

using cluster::Collective;

/// Two axes, x of 4 and y of 2, and a tensor of 64 by 32 elements.
struct Plane {
    Mesh mesh = mesh_of({{"x", 4}, {"y", 2}});
    std::vector<Division> divisions{{.extent = 64}, {.extent = 32}};
    Atoms x = mesh.axis("x");
    Atoms y = mesh.axis("y");

    [[nodiscard]] std::vector<Transfer> convert(const Sharding& from, const Sharding& to,
                                                Via via = Via::reduce_scatter) const {
        return plan::convert(mesh, divisions, from, to, via);
    }
};

void expect_one(const std::vector<Transfer>& transfers, Collective collective, Atoms atoms, double elements) {
    ASSERT_EQ(transfers.size(), 1u);
    EXPECT_EQ(transfers[0].collective, collective);
    EXPECT_EQ(transfers[0].atoms, atoms);
    EXPECT_DOUBLE_EQ(transfers[0].elements, elements);
    EXPECT_EQ(transfers[0].messages, 1);
}

TEST(AConversion, SendsNothingWhereTheLayoutStays) {
    const Plane p;
    EXPECT_TRUE(p.convert({{p.x, p.y}}, {{p.x, p.y}}).empty());
    EXPECT_TRUE(p.convert({{p.x, 0}, p.y}, {{p.x, 0}, p.y}).empty());
}

TEST(AConversion, SlicesWhereEveryRankHoldsAll) {
    const Plane p;
    EXPECT_TRUE(p.convert({{0, 0}}, {{p.x, p.y}}).empty());
}

TEST(AConversion, GathersWhatWasSharded) {
    const Plane p;
    expect_one(p.convert({{p.x, 0}}, {{0, 0}}), Collective::all_gather, p.x, 64 * 32);
    expect_one(p.convert({{p.x, p.y}}, {{0, p.y}}), Collective::all_gather, p.x, 64 * 16);  // y stays: half a row
}

TEST(AConversion, ReducesPartialSumsThatAllNeed) {
    const Plane p;
    expect_one(p.convert({{0, 0}, p.x}, {{0, 0}}), Collective::all_reduce, p.x, 64 * 32);
}

TEST(AConversion, ReducesAndScattersPartialSumsThatBecomeShards) {
    const Plane p;
    expect_one(p.convert({{0, 0}, p.x}, {{p.x, 0}}), Collective::reduce_scatter, p.x, 64 * 32);
}

TEST(AConversion, ReducesAtOnceWhereARuleForcesIt) {
    const Plane p;
    expect_one(p.convert({{0, 0}, p.x}, {{p.x, 0}}, Via::all_reduce_slice), Collective::all_reduce, p.x, 64 * 32);
}

TEST(AConversion, ExchangesWhereAnAxisMovesToAnotherDimension) {
    const Plane p;
    expect_one(p.convert({{p.x, 0}}, {{0, p.x}}), Collective::all_to_all, p.x, 16 * 32);  // one rank's buffer
}

TEST(AConversion, RunsOverTheProductOfAxesThatConvertAlike) {
    const Plane p;
    expect_one(p.convert({{p.x | p.y, 0}}, {{0, 0}}), Collective::all_gather, p.x | p.y, 64 * 32);
    expect_one(p.convert({{p.x, p.y}}, {{0, 0}}), Collective::all_gather, p.x | p.y, 64 * 32);
    expect_one(p.convert({{0, 0}, p.x | p.y}, {{0, 0}}), Collective::all_reduce, p.x | p.y, 64 * 32);
    expect_one(p.convert({{0, 0}, p.x | p.y}, {{p.x, p.y}}), Collective::reduce_scatter, p.x | p.y, 64 * 32);
}

// Reduce-scatter 64 * 32 over x first, then gather 16 rows' worth over y: 64/4 * 32.
TEST(AConversion, ScattersBeforeItGathersSoThatTheGatherIsSmall) {
    const Plane p;
    const auto transfers = p.convert({{0, p.y}, p.x}, {{p.x, 0}});
    ASSERT_EQ(transfers.size(), 2u);
    EXPECT_EQ(transfers[0].collective, Collective::reduce_scatter);
    EXPECT_DOUBLE_EQ(transfers[0].elements, 64 * 16);
    EXPECT_EQ(transfers[1].collective, Collective::all_gather);
    EXPECT_DOUBLE_EQ(transfers[1].elements, 16 * 32);
}

// A slice halves what is reduced: 64 * 16 instead of 64 * 32.
TEST(AConversion, SlicesBeforeAnythingIsSent) {
    const Plane p;
    expect_one(p.convert({{0, 0}, p.x}, {{0, p.y}}), Collective::all_reduce, p.x, 64 * 16);
}

TEST(AConversion, SumsWhatEachStepSends) {
    const Plane p;
    // all-gather (4-1)/4 * 2048 = 1536; all-reduce 2 (4-1)/4 * 2048 = 3072; over both axes 7/8 * 2048 = 1792
    EXPECT_DOUBLE_EQ(sent_elements(p.mesh, p.convert({{p.x, 0}}, {{0, 0}})), 1536);
    EXPECT_DOUBLE_EQ(sent_elements(p.mesh, p.convert({{0, 0}, p.x}, {{0, 0}})), 3072);
    EXPECT_DOUBLE_EQ(sent_elements(p.mesh, p.convert({{p.x | p.y, 0}}, {{0, 0}})), 1792);
}

TEST(ADivision, GivesTheLargestShardWhereItIsUneven) {
    EXPECT_DOUBLE_EQ((Division{.extent = 10}.local(4)), 3);  // 3 + 3 + 3 + 1
    EXPECT_DOUBLE_EQ((Division{.extent = 10}.local(1)), 10);
    EXPECT_DOUBLE_EQ((Division{.extent = 3}.local(4)), 1);  // the fourth rank has nothing
    const Plane p;
    EXPECT_DOUBLE_EQ(local_elements(p.mesh, std::vector<Division>{{.extent = 10}, {.extent = 32}}, {{p.x, p.y}}),
                     3 * 16);
}

// Tables of 5, 3, 1 and 1 rows instead of 2.5 each: the fullest rank has 2, 1.5 and 1 times the mean of its shards.
TEST(ADivision, OfUnlikePiecesIsThatOfTheFullestRank) {
    const std::vector<double> fullest{1, 1.5, 2};
    const Division division{.extent = 4, .fullest = fullest};
    EXPECT_DOUBLE_EQ(division.local(1), 4);
    EXPECT_DOUBLE_EQ(division.local(2), 3);
    EXPECT_DOUBLE_EQ(division.local(3), 2 * 2);
    EXPECT_DOUBLE_EQ(division.local(4), 1 * 2) << "more ways than are known: as the last";
}

TEST(ADivision, KeepsUnitsWhole) {
    EXPECT_DOUBLE_EQ((Division{.extent = 1024, .granule = 128}.local(3)), 384);  // 8 heads of 128: 3 + 3 + 2
}

TEST(ADivision, HoldsAUnitSeveralTimesWhereThereAreMoreWaysThanUnits) {
    EXPECT_DOUBLE_EQ((Division{.extent = 1024, .granule = 128}.local(16)), 128);
}

/// A mesh of up to four axes whose sizes divide 64, and two shardings of a tensor of two dimensions on it.
struct World {
    Mesh mesh;
    Sharding from;
    Sharding to;
    std::vector<Division> divisions{{.extent = 64}, {.extent = 64}};
};

Sharding random_layout(int atoms) {
    Sharding sharding{{0, 0}};
    for (int i = 0; i < atoms; ++i) {
        const int where = *rc::gen::inRange(0, 3);
        if (where < 2) {
            sharding.dimensions[static_cast<std::size_t>(where)] |= Atoms{1} << i;
        }
    }
    return sharding;
}

World random_world() {
    std::vector<MeshAxis> axes;
    const int count = *rc::gen::inRange(1, 4);
    for (int i = 0; i < count; ++i) {
        axes.push_back({std::string(1, static_cast<char>('a' + i)), *rc::gen::element<std::int64_t>(2, 4)});
    }
    return {mesh_of(axes), random_layout(count), random_layout(count)};
}

using Kinds = std::map<Collective, std::pair<Atoms, double>>;

Kinds kinds_of(const std::vector<Transfer>& transfers) {
    Kinds kinds;
    for (const Transfer& transfer : transfers) {
        kinds[transfer.collective] = {transfer.atoms, transfer.elements};
    }
    return kinds;
}

/// What runs backward where `kinds` ran forward and the reader's work is laid on what it gathered.
Kinds mirrored(const Kinds& kinds) {
    Kinds mirror;
    for (const auto& [collective, what] : kinds) {
        switch (collective) {
            case Collective::all_gather: mirror[Collective::reduce_scatter] = what; break;
            case Collective::reduce_scatter: mirror[Collective::all_gather] = what; break;
            case Collective::all_to_all: mirror[Collective::all_to_all] = what; break;
            default: break;  // all-reduce: nothing
        }
    }
    return mirror;
}

Atoms gathered(const Sharding& from, const Sharding& to) { return from.sharded() & ~to.sharded(); }

Sharding complete(Sharding sharding) {
    sharding.partial = 0;
    return sharding;
}

RC_GTEST_PROP(Conversions, AreMirroredByTheirGradients, ()) {
    World w = random_world();
    RC_PRE((w.to.sharded() & ~w.from.sharded()) == 0);  // no slices: see the next property
    // Some atoms that neither sharding shards may hold summands.
    const Atoms all = w.mesh.axes({"a", "b", "c"});
    const Atoms free = all & ~w.from.sharded();
    w.from.partial = free & *rc::gen::arbitrary<Atoms>();
    for (Atoms rest = w.from.partial; rest != 0; rest &= rest - 1) {
        if (*rc::gen::arbitrary<bool>()) {  // ends sharded: a reduce-scatter
            w.to.dimensions[0] |= rest & -rest;
        }
    }
    const Kinds forward = kinds_of(convert(w.mesh, w.divisions, w.from, w.to));
    Sharding gradient = w.to;
    gradient.partial = gathered(w.from, w.to);
    const Kinds backward = kinds_of(convert(w.mesh, w.divisions, gradient, complete(w.from)));
    RC_ASSERT(backward == mirrored(forward));
}

// A slice sends nothing; its gradient is gathered from the shards.
RC_GTEST_PROP(Slices, AreMirroredByGathers, ()) {
    const World w = random_world();
    const Sharding all{{0, 0}};
    RC_ASSERT(convert(w.mesh, w.divisions, all, w.to).empty());
    const auto backward = convert(w.mesh, w.divisions, w.to, all);
    RC_ASSERT(backward.size() == (w.to.sharded() == 0 ? 0u : 1u));
    for (const Transfer& transfer : backward) {
        RC_ASSERT(transfer.collective == Collective::all_gather);
        RC_ASSERT(transfer.elements == 64.0 * 64.0);
    }
}

// n/(ab) to n/b takes (a-1)/a n/b, and n/b to n takes (b-1)/b n: together (ab-1)/(ab) n, as over one axis of ab.
RC_GTEST_PROP(TwoAxesInARow, SendAsMuchAsOneAxisOfTheirProduct, ()) {
    const auto a = *rc::gen::element<std::int64_t>(2, 4, 8);
    const auto b = *rc::gen::element<std::int64_t>(2, 4, 8);
    const Mesh two = mesh_of({{"a", a}, {"b", b}});
    const Mesh one = mesh_of({{"ab", a * b}});
    const std::vector<Division> divisions{{.extent = 64}};
    const Sharding whole{{0}}, outer{{two.axis("b")}}, both{{two.axes({"a", "b"})}}, merged{{one.axis("ab")}};
    const auto sent = [&](const Mesh& mesh, const Sharding& from, const Sharding& to) {
        return sent_elements(mesh, convert(mesh, divisions, from, to));
    };
    const double gather = sent(one, merged, whole);
    RC_ASSERT(std::abs(sent(two, both, outer) + sent(two, outer, whole) - gather) < 1e-9);
    RC_ASSERT(std::abs(sent(two, both, whole) - gather) < 1e-9);

    const Sharding sums{{0}, two.axes({"a", "b"})}, inner_sums{{two.axis("b")}, two.axis("a")};
    const double scatter = sent(one, {{0}, one.axis("ab")}, merged);
    RC_ASSERT(std::abs(sent(two, sums, inner_sums) + sent(two, inner_sums, both) - scatter) < 1e-9);
    RC_ASSERT(scatter == gather);
}

}  // namespace layout_test
}  // namespace dodona::plan::test
