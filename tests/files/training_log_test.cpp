// Logs of training: lines in the form that each software prints them.
#include "files/logs/training_log.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "files/launch/launch.hpp"
#include "graph/graph.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace training_log_test {

struct Expected {
    const char* file;
    const char* software;
    std::size_t steps;  ///< after one of warm-up
    double median;      ///< seconds
};

/// By hand from the files: torchtitan 16 * 8192 / (32 * 1024) = 4 s, DeepSpeed 256 / 128 = 2 s, steps a second 1 / 0.25.
const std::vector<Expected> kLogs{{"megatron.log", "Megatron-LM", 3, 1.39}, {"nemo.log", "NeMo", 3, 7.55},
                                  {"torchtitan.log", "torchtitan", 2, 4.0}, {"deepspeed.log", "DeepSpeed", 2, 2.0},
                                  {"nanotron.log", "nanotron", 2, 1.25},    {"trainer.log", "HF Trainer", 1, 4.0},
                                  {"maxtext.log", "MaxText", 3, 3.4},       {"composer.log", "Composer", 2, 4.0}};

TEST(TrainingLog, StepsAfterWarmUpHaveTheirMedian) {
    for (const Expected& expected : kLogs) {
        const TrainingLog log = load_training_log((here() / "logs" / expected.file).string(), {});
        EXPECT_EQ(log.software, expected.software);
        EXPECT_EQ(log.steps, expected.steps) << expected.file;
        EXPECT_NEAR(log.median.in(unit::second), expected.median, 1e-9) << expected.file;
        EXPECT_LE(log.low, log.median);
        EXPECT_LE(log.median, log.high);
    }
}

TEST(TrainingLog, MemoryIsTheMostThatALineSays) {
    const auto memory = [](const char* file) {
        return load_training_log((here() / "logs" / file).string(), {}).memory;
    };
    EXPECT_NEAR(memory("torchtitan.log")->in(unit::byte) / 0x1p30, 47.33, 1e-9);
    EXPECT_NEAR(memory("deepspeed.log")->in(unit::byte) / 0x1p30, 40.5, 1e-9);
    EXPECT_FALSE(memory("maxtext.log"));
}

TEST(TrainingLog, ARateWithoutItsBatchIsRefusedAtItsLine) {
    try {
        static_cast<void>(read_training_log("hello\nglobal_step=10, CurrSamplesPerSec=64.0\n", "ds.log"));
        ADD_FAILURE() << "no fault";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("ds.log:2:"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("--observed 1.23s"), std::string::npos);
    }
    EXPECT_THROW(read_training_log("nothing of a step\n", "a.log"), InputError);
}

TEST(TrainingLog, SettingsThatMegatronPrintsAreALaunch) {
    const Library shelf(here() / "../..");
    const Launch launch = shelf.launch((here() / "logs/megatron.log").string(), 0, true);
    EXPECT_EQ(launch.target, "megatron");
    const auto option = [&](const std::string& name) {
        for (const auto& [option, value] : launch.options) {
            if (option == name) {
                return value;
            }
        }
        return std::string();
    };
    EXPECT_EQ(option("--gpus"), "8");
    EXPECT_EQ(option("--mesh"), "tensor=8,data=1,pipeline=1");
    EXPECT_EQ(option("--recompute"), "selective");
    EXPECT_EQ(option("--precision"), "fp16");
    const graph::Graph network = graph::build(shelf.model_from_text(launch.model, "megatron.log", {}));
    EXPECT_EQ(graph::count(network).parameters, graph::count(graph::build(shelf.model("megatron-22b"))).parameters);
}

RC_GTEST_PROP(TrainingLog, AnyTextIsReadOrRefused, (const std::string& text)) {
    try {
        static_cast<void>(read_training_log("completed step: 1, seconds: 2" + text, "a.log"));
    } catch (const InputError&) {
    }
}

}  // namespace training_log_test
}  // namespace dodona::files::testing
