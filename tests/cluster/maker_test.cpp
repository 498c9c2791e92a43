// Makers of devices by the families that files name.
#include "cluster/maker.hpp"

#include <gtest/gtest.h>

namespace dodona::cluster {
namespace maker_test {

TEST(Maker, IsTheFirstWordOfAFamilyWhateverItsCapitals) {
    EXPECT_EQ(maker_of("NVIDIA Ada"), Maker::nvidia);
    EXPECT_EQ(maker_of("nvidia"), Maker::nvidia);
    EXPECT_EQ(maker_of("Amd CDNA 3"), Maker::amd);
    EXPECT_EQ(maker_of("Google TPU"), Maker::google);
    EXPECT_EQ(maker_of("Intel Xeon Phi"), Maker::intel);
    EXPECT_EQ(maker_of("AWS Trainium"), Maker::aws);
    EXPECT_EQ(maker_of("NVIDIAs Ada"), Maker::other);
    EXPECT_EQ(maker_of("Maker One"), Maker::other);
    EXPECT_EQ(maker_of(""), std::nullopt);
}

}  // namespace maker_test
}  // namespace dodona::cluster
