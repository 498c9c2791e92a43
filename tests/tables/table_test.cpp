// What a table holds and what a step reads of it, by hand.
#include "tables/table.hpp"

#include <gtest/gtest.h>

namespace dodona::tables::testing {
namespace table_test {

/// One table of DLRM's benchmark: bench/dlrm_s_benchmark.sh.
const Table kBench{"one", 1e6, 64, 100};

TEST(Table, OfDlrmsBenchmarkHoldsAndReadsWhatItsShapesSay) {
    const RowFormat plain;
    EXPECT_DOUBLE_EQ(8 * held(kBench, {}, plain).in(unit::byte), 2.048e9);
    EXPECT_DOUBLE_EQ(8 * forward_traffic(kBench, {}, plain, 2048).in(unit::byte), 419'430'400);
    EXPECT_DOUBLE_EQ(8 * pooled(kBench, {}, plain, 2048).in(unit::byte), 4'194'304);
    EXPECT_DOUBLE_EQ(backward_traffic(kBench, {}, plain, 2048) / forward_traffic(kBench, {}, plain, 2048), 2);
}

TEST(Table, StatesAreReadAndWrittenWithTheirRows) {
    RowFormat rowwise;
    rowwise.moments.per_row = 4_B;
    EXPECT_DOUBLE_EQ(held(kBench, {}, rowwise).in(unit::byte), 1e6 * (256 + 4));
    EXPECT_DOUBLE_EQ(backward_traffic(kBench, {}, rowwise, 1).in(unit::byte), 2 * 100 * (256 + 4));
    RowFormat adagrad;
    adagrad.moments.per_element = 4_B;
    EXPECT_DOUBLE_EQ(held(kBench, {}, adagrad).in(unit::byte), 1e6 * 512);
}

TEST(Table, PartsByRowsShareLookUpsAndMakeSumsOfTheirOwn) {
    const RowFormat plain;
    const Shard rows{.row_ways = 4};
    EXPECT_DOUBLE_EQ(held(kBench, rows, plain).in(unit::byte), 1e6 * 256 / 4);
    EXPECT_DOUBLE_EQ(forward_traffic(kBench, rows, plain, 2048).in(unit::byte), 2048 * 25 * 256.0);
    EXPECT_DOUBLE_EQ(pooled(kBench, rows, plain, 2048).in(unit::byte), 2048 * 256.0) << "as many as of the whole";
    const Shard columns{.column_ways = 4};
    EXPECT_DOUBLE_EQ(forward_traffic(kBench, columns, plain, 2048).in(unit::byte), 2048 * 100 * 64.0);
    EXPECT_DOUBLE_EQ(pooled(kBench, columns, plain, 2048).in(unit::byte), 2048 * 64.0) << "a quarter of each sum";
}

}  // namespace table_test
}  // namespace dodona::tables::testing
