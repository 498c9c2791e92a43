// Recurrent layers by hand and against PyTorch's parameter counts.
#include <gtest/gtest.h>

#include "networks.hpp"

namespace dodona::graph::test {

namespace recurrent_test {

using std::int64_t;

constexpr double kSteps = 5;
const Tensor kWords = tensor({{"sequence", 5}, {"feature", 10}});

Nest recurrent(const std::string& op, int64_t layers, bool bidirectional = false) {
    return nest(op, {kWords}, {{"hidden", int64_t{20}}, {"layers", layers}, {"bidirectional", bidirectional}});
}

double flop(const std::vector<Kernel>& kernels) {
    double sum = 0;
    for (const Kernel& kernel : kernels) {
        sum += kernel.times * kernel.flops.in(unit::flop);
    }
    return sum;
}

const Kernel& wave_of(const std::vector<Kernel>& kernels) {
    for (const Kernel& kernel : kernels) {
        if (kernel.kind == KernelKind::recurrent) {
            return kernel;
        }
    }
    throw InternalError("no recurrent kernel");
}

// torch.nn.LSTM(10, 20, 2): 80*(10 + 20) + 160 = 2560, then 80*(20 + 20) + 160 = 3360. GRU three quarters, RNN one.
// Bidirectional, the second layer reads 40: 2 * (2560 + 80*(40 + 20) + 160) = 15040.
TEST(RecurrentLayers, HaveTheParametersOfPyTorch) {
    EXPECT_EQ(weights(recurrent("lstm", 2)), 5920);
    EXPECT_EQ(weights(recurrent("gru", 2)), 4440);
    EXPECT_EQ(weights(recurrent("rnn", 2)), 1480);
    EXPECT_EQ(weights(recurrent("lstm", 2, true)), 15040);
    const Values without{{"hidden", int64_t{20}}, {"bias", false}};
    EXPECT_EQ(weights(nest("lstm", {kWords}, without)), 80 * 30);
}

// 5 steps of 2*80*(10 + 20) and 2*80*(20 + 20) flop: 5 * 11,200 = 56,000; twice as much backward.
TEST(Lstm, DoesTheArithmeticOfItsProducts) {
    const Nest lstm = recurrent("lstm", 2);
    const Work work = lstm.work(lstm.whole());
    EXPECT_DOUBLE_EQ(work.model_forward.in(unit::flop), 56'000);
    EXPECT_DOUBLE_EQ(flop(work.forward), 56'000);
    EXPECT_DOUBLE_EQ(flop(work.backward_input) + flop(work.backward_weight), 112'000);
    EXPECT_EQ(flop(work.backward_input), 2 * kSteps * 80 * 10) << "only the first layer's dX may be left out";
    EXPECT_EQ(lstm.result, tensor({{"sequence", 5}, {"feature", 20}}));
    EXPECT_EQ(recurrent("lstm", 2, true).result, tensor({{"sequence", 5}, {"feature", 40}}));
}

// 2 layers of 5 steps: 6 waves of 10/6 cells. Both directions: 2 layers of 5 steps, two cells side by side.
TEST(Lstm, RunsItsStepsAsAWavefront) {
    const Nest lstm = recurrent("lstm", 2);
    const Work work = lstm.work(lstm.whole());
    const Kernel& wave = wave_of(work.forward);
    EXPECT_EQ(wave.times, 6);
    EXPECT_DOUBLE_EQ(wave.batch, 10.0 / 6);
    EXPECT_EQ(wave.m, 1);
    EXPECT_EQ(wave.n, 80);
    EXPECT_EQ(wave.k, 20);
    EXPECT_EQ(wave_of(work.backward_weight).n, 20);
    EXPECT_EQ(wave_of(work.backward_weight).k, 80);
    const Nest both = recurrent("lstm", 2, true);
    EXPECT_EQ(wave_of(both.work(both.whole()).forward).times, 10);
    EXPECT_EQ(wave_of(both.work(both.whole()).forward).batch, 2);
}

// A cell of 3 samples: weights 80*20, h 3*20, gates 3*80; kept 5*20, its h and c, 7*60.
TEST(Lstm, MovesItsWeightsInEveryWave) {
    const Nest lstm = recurrent("lstm", 1);
    LocalExtents local = lstm.whole();
    local.loops[0] = 3;
    EXPECT_EQ(wave_of(lstm.work(local).forward).elements, 1600 + 60 + 240 + 420);
}

// Gates and c of every step, 5*20; the lower layer's h. GRU: three gates and the new gate's W_h h.
TEST(RecurrentLayers, KeepGatesAndStates) {
    const Nest lstm = recurrent("lstm", 2);
    ASSERT_EQ(lstm.saved.size(), 4U);
    EXPECT_EQ(lstm.saved[0].what, Saved::What::input);
    EXPECT_EQ(lstm.saved[1].what, Saved::What::output);
    EXPECT_EQ(lstm.saved[2].factor, 2 * 5) << "a hidden unit and step, of two layers";
    EXPECT_EQ(lstm.saved[3].factor, 20);
    EXPECT_EQ(recurrent("gru", 1).saved[2].factor, 4);
    EXPECT_EQ(recurrent("rnn", 1).saved.size(), 2U);
}

TEST(RecurrentLayers, SplitHiddenUnitsButNoSteps) {
    const Nest lstm = recurrent("lstm", 2);
    EXPECT_FALSE(lstm.loops[static_cast<std::size_t>(lstm.loop("sequence"))].can_split);
    EXPECT_TRUE(lstm.loops[static_cast<std::size_t>(lstm.loop("hidden"))].can_split);
    ASSERT_EQ(lstm.recurrences.size(), 1U);
    EXPECT_EQ(lstm.recurrences[0].steps, 10) << "every step of every layer";
    LocalExtents half = lstm.whole();
    half.loops[static_cast<std::size_t>(lstm.loop("hidden"))] /= 2;
    EXPECT_DOUBLE_EQ(lstm.work(half).model_forward.in(unit::flop), 28'000);
    EXPECT_THROW(nest("lstm", {tensor({{"feature", 10}})}, {{"hidden", int64_t{20}}}), InputError);
}

}  // namespace recurrent_test
}  // namespace dodona::graph::test
