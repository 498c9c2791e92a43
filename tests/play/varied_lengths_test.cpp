// Segments that PyTorch's allocator keeps where samples have lengths of their own.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "../seeds.hpp"
#include "play/caching_allocator.hpp"

namespace dodona::play::testing {
namespace varied_lengths_test {

/// A decoder whose frozen blocks are recomputed, in 16 bits, with a loss in fp32: what its steps allocate and free.
struct Decoder {
    std::int64_t layers, hidden, ffn, vocabulary, kv_share;
};

class Steps {
public:
    explicit Steps(const Decoder& of) : of_(of) {}

    void step(std::int64_t tokens) {
        tokens_ = tokens;
        std::vector<Tensor> kept{take(of_.hidden)};
        for (std::int64_t i = 0; i < of_.layers; ++i) {
            kept.push_back(block({}));
        }
        loss();
        Tensor gradient = take(of_.hidden);
        for (std::int64_t i = 0; i < of_.layers; ++i) {
            std::vector<Tensor> again;
            free({block(&again)});
            const Tensor product = take(of_.ffn);
            const Tensor gate = take(of_.ffn);
            const Tensor up = take(of_.ffn);
            const Tensor input = take(of_.hidden);
            free({product, gate, up});
            const Tensor query = take(of_.hidden);
            const Tensor next = take(of_.hidden);
            free({query, input, gradient});
            free(again);
            free({kept.back()});
            kept.pop_back();
            gradient = next;
        }
        free({gradient, kept.back()});
    }

    /// Reserved and not allocated, over allocated.
    [[nodiscard]] double kept() const {
        return static_cast<double>(memory_.most_reserved()) / static_cast<double>(memory_.most_allocated()) - 1;
    }

private:
    using Tensor = CachingAllocator::Tensor;

    Tensor take(std::int64_t features, std::int64_t bytes = 2) { return *memory_.allocate(tokens_ * features * bytes); }
    void free(const std::vector<Tensor>& tensors) {
        for (const Tensor tensor : tensors) {
            memory_.free(tensor);
        }
    }
    Tensor norm() {
        const Tensor wide = take(of_.hidden, 4);
        const Tensor result = take(of_.hidden);
        free({wide});
        return result;
    }

    /// Its result; `kept`: what backward reads, else nothing is.
    Tensor block(std::vector<Tensor>* kept) {
        const std::int64_t kv = of_.hidden / of_.kv_share;
        std::vector<Tensor> all{norm()};
        for (const std::int64_t features : {of_.hidden, kv, kv, of_.hidden, kv, of_.hidden, of_.hidden}) {
            all.push_back(take(features));  // queries, keys, values, rotated, attention, the sum with the input
        }
        all.push_back(norm());
        for (int i = 0; i < 4; ++i) {  // gate, up, its activation, their product
            all.push_back(take(of_.ffn));
        }
        const Tensor down = take(of_.hidden);
        const Tensor result = take(of_.hidden);
        free({down});
        if (kept != nullptr) {
            *kept = all;
        } else {
            free(all);
        }
        return result;
    }

    void loss() {
        const Tensor half = take(of_.vocabulary);
        const Tensor logits = take(of_.vocabulary, 4);
        free({half});
        const Tensor shifted = take(of_.vocabulary, 4);
        const Tensor logarithms = take(of_.vocabulary, 4);
        const Tensor gradient = take(of_.vocabulary, 4);
        free({logarithms});
        const Tensor unshifted = take(of_.vocabulary, 4);
        free({gradient, shifted, logits});
        const Tensor cast = take(of_.vocabulary);
        free({unshifted, cast});
    }

    const Decoder& of_;
    std::int64_t tokens_ = 0;
    CachingAllocator memory_{Segments::fixed, std::numeric_limits<std::int64_t>::max() / 4};
};

/// The mean of networks of 1.8, 6 and 7 billion weights over lengths at which samples are cut, of `steps` steps.
template <class Draw>
double kept(int steps, Draw&& draw) {
    const std::vector<Decoder> decoders{
        {24, 2048, 5504, 151936, 1}, {32, 4096, 11008, 64000, 8}, {32, 4096, 11008, 151936, 1}};
    const unsigned seeds = drawn::full() ? 4 : 1;
    double sum = 0;
    int count = 0;
    for (const Decoder& decoder : decoders) {
        for (const std::int64_t longest : {512, 2048, 8192}) {
            for (unsigned seed = 1; seed <= seeds; ++seed) {
                std::mt19937 random(seed);
                Steps run(decoder);
                for (int i = 0; i < steps; ++i) {
                    run.step(draw(random, longest));
                }
                sum += run.kept();
                ++count;
            }
        }
    }
    return sum / count;
}

// Source of `varied_fragmentation` in software/*/*.memory.yaml.
TEST(VariedLengths, LeaveSegmentsOfShorterSamples) {
    const auto same = [](std::mt19937&, std::int64_t longest) { return longest; };
    // Instructions and answers: median 400 tokens, deviation of the logarithm 0.8.
    std::lognormal_distribution<double> lengths(std::log(400.0), 0.8);
    const auto drawn = [&](std::mt19937& random, std::int64_t longest) {
        return std::clamp(static_cast<std::int64_t>(lengths(random)), std::int64_t{16}, longest);
    };
    const double more = kept(100, drawn) - kept(1, same);
    EXPECT_NEAR(more, 1.2, drawn::full() ? 0.1 : 0.2);
}

}  // namespace varied_lengths_test
}  // namespace dodona::play::testing
