// What results of convolutions and attention are compared with: gradients are the derivatives of the forward pass.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "calibrate/cuda/network_check.hpp"

namespace dodona::calibrate::cuda {
namespace {

std::vector<float> numbers(std::int64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> all(static_cast<std::size_t>(count));
    for (float& one : all) {
        one = normal(random);
    }
    return all;
}

double inner(const std::vector<double>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * static_cast<double>(b[i]);
    }
    return sum;
}

std::vector<double> whole(const ConvolutionShape& shape, const char* direction, const std::vector<float>& x,
                          const std::vector<float>& w, const std::vector<float>& y, std::int64_t count) {
    std::vector<double> all;
    for (std::int64_t at = 0; at < count; ++at) {
        all.push_back(convolution_entry(shape, direction, x, w, y, at));
    }
    return all;
}

class Convolution : public ::testing::TestWithParam<bool> {};

TEST_P(Convolution, IsLinearInBothAndItsGradientsAreItsAdjoints) {
    const ConvolutionShape shape{.images = 2,
                                 .channels = 4,
                                 .filters = 6,
                                 .groups = 2,
                                 .input = {7, 6},
                                 .window = {3, 2},
                                 .strides = {2, 1},
                                 .pads = {1, 1},
                                 .dilations = {1, 2},
                                 .channels_last = GetParam()};
    const auto x = numbers(shape.x_elements(), 1);
    const auto w = numbers(shape.w_elements(), 2);
    const auto dy = numbers(shape.y_elements(), 3);
    // <conv(x, w), dy> = <x, dx> = <w, dw>
    const double forward = inner(whole(shape, "forward", x, w, dy, shape.y_elements()), dy);
    EXPECT_NEAR(inner(whole(shape, "backward-input", x, w, dy, shape.x_elements()), x), forward,
                1e-9 * std::abs(forward));
    EXPECT_NEAR(inner(whole(shape, "backward-weight", x, w, dy, shape.w_elements()), w), forward,
                1e-9 * std::abs(forward));
}

TEST_P(Convolution, OfOnePointIsAProduct) {
    const ConvolutionShape shape{.images = 1,
                                 .channels = 2,
                                 .filters = 1,
                                 .groups = 1,
                                 .input = {1, 2},
                                 .window = {1, 1},
                                 .strides = {1, 1},
                                 .pads = {0, 0},
                                 .dilations = {1, 1},
                                 .channels_last = GetParam()};
    // Pixels (1, 2) and (3, 4), filter (10, 100): 210 and 430.
    const std::vector<float> x = GetParam() ? std::vector<float>{1, 2, 3, 4} : std::vector<float>{1, 3, 2, 4};
    EXPECT_EQ(whole(shape, "forward", x, {10, 100}, {}, 2), (std::vector<double>{210, 430}));
}

INSTANTIATE_TEST_SUITE_P(Layouts, Convolution, ::testing::Bool(),
                         [](const auto& last) { return last.param ? "nhwc" : "nchw"; });

class Attention : public ::testing::TestWithParam<bool> {
protected:
    AttentionShape shape_{2, 4, 2, 5, 6, 3, GetParam()};
    std::int64_t queries_ = 2 * 4 * 5 * 3;
    std::int64_t keys_ = 2 * 2 * 6 * 3;
    HostAttention host_{shape_, numbers(queries_, 1), numbers(keys_, 2), numbers(keys_, 3), numbers(queries_, 4)};

    /// The inner product of all outputs with their gradient.
    [[nodiscard]] double loss(const HostAttention& host) const {
        double sum = 0;
        for (std::int64_t b = 0; b < shape_.batch; ++b) {
            for (std::int64_t q = 0; q < shape_.queries; ++q) {
                for (std::int64_t h = 0; h < shape_.heads; ++h) {
                    const auto out = host.output(b, h, q);
                    for (std::int64_t i = 0; i < shape_.head; ++i) {
                        const auto at = ((b * shape_.queries + q) * shape_.heads + h) * shape_.head + i;
                        sum += out[static_cast<std::size_t>(i)] *
                               static_cast<double>(host.dout[static_cast<std::size_t>(at)]);
                    }
                }
            }
        }
        return sum;
    }

    double slope(std::vector<float> HostAttention::*tensor, std::int64_t at) const {
        constexpr float kStep = 1.0F / 64;
        HostAttention up = host_;
        HostAttention down = host_;
        (up.*tensor)[static_cast<std::size_t>(at)] += kStep;
        (down.*tensor)[static_cast<std::size_t>(at)] -= kStep;
        return (loss(up) - loss(down)) / (2.0 * static_cast<double>(kStep));
    }
};

TEST_P(Attention, SharesOfAQueryAreOne) {
    for (std::int64_t q = 0; q < shape_.queries; ++q) {
        double sum = 0;
        const auto shares = host_.shares(1, 3, q);
        for (std::int64_t key = 0; key < shape_.keys; ++key) {
            sum += shares[static_cast<std::size_t>(key)];
            EXPECT_EQ(shares[static_cast<std::size_t>(key)] == 0, shape_.causal && key > q) << q << ' ' << key;
        }
        EXPECT_NEAR(sum, 1, 1e-12);
    }
}

TEST_P(Attention, GradientsAreDerivatives) {
    constexpr double kOfStep = 2e-3;  // the step's square
    const std::int64_t b = 1, h = 3, q = 3, key = 2, shared = 1;
    const auto of_query = host_.query_gradient(b, h, q);
    const auto of_key = host_.key_gradient(b, shared, key);
    for (std::int64_t i = 0; i < shape_.head; ++i) {
        const auto q_at = ((b * shape_.queries + q) * shape_.heads + h) * shape_.head + i;
        const auto k_at = ((b * shape_.keys + key) * shape_.kv_heads + shared) * shape_.head + i;
        const auto at = static_cast<std::size_t>(i);
        EXPECT_NEAR(of_query[at], slope(&HostAttention::q, q_at), kOfStep);
        EXPECT_NEAR(of_key[at], slope(&HostAttention::k, k_at), kOfStep);
        EXPECT_NEAR(of_key[static_cast<std::size_t>(shape_.head) + at], slope(&HostAttention::v, k_at), kOfStep);
    }
}

INSTANTIATE_TEST_SUITE_P(Masks, Attention, ::testing::Bool(),
                         [](const auto& causal) { return causal.param ? "causal" : "full"; });

}  // namespace
}  // namespace dodona::calibrate::cuda
