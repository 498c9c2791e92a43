// Output extents of sliding windows, against counting every position.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace windows_test {

/// Positions o whose window stride*o - pad ... + span - 1 lies within the padded input.
Extent counted(Extent in, const Window& window) {
    Extent count = 0;
    for (Extent start = -window.pad; start + window.span() <= in + window.pad; start += window.stride) {
        ++count;
    }
    return count;
}

Extent length_of(const Nest& built) { return built.result.dimensions[2].extent; }

Tensor signal(Extent length) { return tensor({{"channel", 1}, {"length", length}}); }

RC_GTEST_PROP(AConvolution, HasAsManyOutputsAsWindowsFit, ()) {
    const Window window{.kernel = *rc::gen::inRange<Extent>(1, 8),
                        .stride = *rc::gen::inRange<Extent>(1, 5),
                        .pad = *rc::gen::inRange<Extent>(0, 5),
                        .dilation = *rc::gen::inRange<Extent>(1, 4)};
    const auto in = *rc::gen::inRange<Extent>(1, 60);
    RC_PRE(window.span() <= in + 2 * window.pad);
    const Nest conv = nest("conv", {signal(in)},
                           {{"filters", std::int64_t{1}},
                            {"kernel", window.kernel},
                            {"stride", window.stride},
                            {"pad", window.pad},
                            {"dilation", window.dilation}});
    RC_ASSERT(length_of(conv) == counted(in, window));
}

RC_GTEST_PROP(CeilMode, AddsAtMostOneOutputAndEveryInputIsRead, ()) {
    const auto kernel = *rc::gen::inRange<Extent>(1, 8);
    const auto stride = *rc::gen::inRange<Extent>(1, kernel + 1);
    const auto pad = *rc::gen::inRange<Extent>(0, kernel / 2 + 1);
    const auto in = *rc::gen::inRange<Extent>(kernel, 60);
    const Values values{{"kernel", kernel}, {"stride", stride}, {"pad", pad}};
    Values rounded_up = values;
    rounded_up["ceil"] = true;
    const Extent down = length_of(nest("max_pool", {signal(in)}, values));
    const Extent up = length_of(nest("max_pool", {signal(in)}, rounded_up));
    RC_ASSERT(up == down || up == down + 1);
    const Extent last_start = stride * (up - 1) - pad;
    RC_ASSERT(last_start < in);
    RC_ASSERT(last_start + kernel >= in);
}

// ResNet's stem: 224 -> (224 + 6 - 7)/2 + 1 = 112 -> (112 + 2 - 3)/2 + 1 = 56 (He et al., CVPR 2016, Table 1).
TEST(TheStemOfResNet, HalvesTwice) {
    const Nest conv = nest("conv", {tensor({{"channel", 3}, {"height", 224}, {"width", 224}})},
                           {{"filters", std::int64_t{64}},
                            {"kernel", std::int64_t{7}},
                            {"stride", std::int64_t{2}},
                            {"pad", std::int64_t{3}}});
    EXPECT_EQ(length_of(conv), 112);
    const Nest pool = nest("max_pool", {conv.result},
                           {{"kernel", std::int64_t{3}}, {"stride", std::int64_t{2}}, {"pad", std::int64_t{1}}});
    EXPECT_EQ(length_of(pool), 56);
}

TEST(AWindow, WiderThanThePaddedInputIsAFault) {
    EXPECT_EQ(
        faults(network(signal(4),
                       {layer("c", "conv",
                              {{"filters", std::int64_t{1}}, {"kernel", std::int64_t{7}}, {"pad", std::int64_t{1}}})})),
        "c.kernel: a window of 7 is wider than the length of 4 with 2 of padding\n");
}

TEST(APool, WithMorePaddingThanHalfItsKernelIsAFault) {
    EXPECT_EQ(
        faults(network(signal(4), {layer("p", "max_pool", {{"kernel", std::int64_t{2}}, {"pad", std::int64_t{2}}})})),
        "p.pad: 2 is more than half the kernel of 2\n");
}

}  // namespace windows_test
}  // namespace dodona::graph::test
