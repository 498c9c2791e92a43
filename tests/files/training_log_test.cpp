// Logs of training: lines in the form that each software prints them.
#include "files/logs/training_log.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "../cases.hpp"
#include "files/launch/launch.hpp"
#include "files/launch/launch_text.hpp"
#include "files/logs/log_lines.hpp"
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

/// By hand from the files: torchtitan 16 * 8192 / (32 * 5851) and 16 * 8192 / (8 * 6497) s, DeepSpeed 256 / 51.2 = 5 s
/// and 64 / 400 = 0.16 s, HF Trainer 204.9 s for 128 steps, Composer 1 / 0.32 steps a second.
const std::vector<Expected> kLogs{{"megatron.log", "Megatron-LM", 3, 1.1003},
                                  {"megatron-srun.log", "Megatron-LM", 4, 14.6499},
                                  {"nemo.log", "NeMo", 3, 14.95},
                                  {"nemo-bar.log", "NeMo", 3, 3.35},
                                  {"torchtitan.log", "torchtitan", 2, 16 * 8192 / (32 * 5851.0)},
                                  {"torchtitan-color.log", "torchtitan", 9, 16 * 8192 / (8 * 6497.0)},
                                  {"deepspeed.log", "DeepSpeed", 2, 5.0},
                                  {"deepspeed-2022.log", "DeepSpeed", 2, 0.16},
                                  {"nanotron.log", "nanotron", 2, 2.31},
                                  {"trainer.log", "HF Trainer", 1, 204.9 / 128},
                                  {"maxtext.log", "MaxText", 3, 7.9},
                                  {"composer.log", "Composer", 2, 3.125}};

/// Those of logs.txt, as files.
std::string log_file(const std::string& name) {
    static const cases::Unpacked unpacked(here() / "logs.txt");
    return (unpacked.path() / name).string();
}

TrainingLog read_training_log(const std::string& text, const std::string& name) {
    static const std::vector<LogForm> forms = Library(here() / "../..").log_forms();
    return files::read_training_log(text, name, forms);
}

TrainingLog read(const std::string& file) { return read_training_log(cases::content(log_file(file)), file); }

TEST(TrainingLog, StepsAfterWarmUpHaveTheirMedian) {
    for (const Expected& expected : kLogs) {
        const TrainingLog log = read(expected.file);
        EXPECT_EQ(log.software, expected.software);
        EXPECT_EQ(log.steps, expected.steps) << expected.file;
        EXPECT_NEAR(log.median.in(unit::second), expected.median, 1e-9) << expected.file;
        EXPECT_LE(log.low, log.median);
        EXPECT_LE(log.median, log.high);
    }
}

TEST(TrainingLog, ARunThatGoesOnHasThePaceOfItsProgressBar) {
    const TrainingLog log = read_training_log(
        "Loading checkpoint shards: 100%|██████████| 4/4 [00:05<00:00,  1.40s/it]\n"
        "Map: 100%|██████████| 900/900 [00:01<00:00, 812.10 examples/s]\n"
        " 30%|███       | 240/800 [25:30<59:20,  6.36s/it]\n"
        "{'loss': 1.11, 'learning_rate': 1.2e-05, 'epoch': 0.3}\n"
        "100%|██████████| 4/4 [00:01<00:00,  3.10it/s]\n"
        " 31%|███       | 250/800 [26:34<58:18,  6.37s/it]\r 31%|███       | 250/800 [26:35<58:18,  6.37s/it]\n"
        " 32%|███▏      | 260/800 [27:37<57:14,  6.36s/it, loss=1.09]\n",
        "run.log");
    EXPECT_EQ(log.software, "tqdm");
    EXPECT_EQ(log.steps + log.warm_up, 3U);
    EXPECT_NEAR(log.median.in(unit::second), 6.365, 0.006);
    const TrainingLog fast =
        read_training_log("Epoch 0:   1%|▏  | 9/900 [00:04<07:25,  2.00it/s, v_num=1]\n", "run.log");
    EXPECT_NEAR(fast.median.in(unit::second), 0.5, 1e-9);
    EXPECT_THROW(read_training_log("Loading checkpoint shards: 100%|█| 4/4 [00:05<00:00,  1.40s/it]\n", "run.log"),
                 InputError);
    EXPECT_THROW(read_training_log(" 0%|          | 0/800 [00:00<?, ?it/s]\n", "run.log"), InputError);
}

TEST(TrainingLog, LinesOfSwiftHaveItsSpeedAndItsMemory) {
    const TrainingLog log = read_training_log(
        "{'loss': 0.51, 'memory(GiB)': 71.3, 'train_speed(iter/s)': 0.2011, 'global_step/max_steps': '100/2000'}\n"
        "{'loss': 0.50, 'memory(GiB)': 71.3, 'train_speed(iter/s)': 0.2013, 'global_step/max_steps': '105/2000'}\n",
        "run.log");
    EXPECT_EQ(log.software, "ms-swift");
    EXPECT_NEAR(log.median.in(unit::second), 1 / 0.2012, 0.003);
    ASSERT_TRUE(log.memory);
    EXPECT_NEAR(log.memory->in(unit::byte), 71.3 * 0x1p30, 1);
    EXPECT_EQ(log.memory_kind, "reserved");
}

TEST(TrainingLog, MemoryIsTheMostThatALineSays) {
    const auto check = [](const char* file, double bytes, const char* kind) {
        const TrainingLog log = read(file);
        ASSERT_TRUE(log.memory) << file;
        EXPECT_NEAR(log.memory->in(unit::byte) / bytes, 1, 1e-12) << file;
        EXPECT_EQ(log.memory_kind, kind) << file;
    };
    check("megatron.log", 61440 * 0x1p20, "reserved");
    check("torchtitan.log", 47.33 * 0x1p30, "reserved");
    check("torchtitan-color.log", 58.12 * 0x1p30, "reserved");
    check("deepspeed.log", 40.5 * 0x1p30, "allocated");
    check("nanotron.log", 31.5e9, "reserved");
    check("composer.log", 41.328e9, "reserved");
    EXPECT_FALSE(read("maxtext.log").memory) << "what is in use at the start is not the peak";
}

TEST(TrainingLog, TheJobIsReadWhereItIsPrinted) {
    const auto check = [](const char* file, std::optional<std::int64_t> batch, std::optional<std::int64_t> sequence,
                          std::optional<std::int64_t> gpus) {
        const TrainingLog log = read(file);
        EXPECT_EQ(log.batch, batch) << file;
        EXPECT_EQ(log.sequence, sequence) << file;
        EXPECT_EQ(log.gpus, gpus) << file;
    };
    check("megatron-srun.log", 128, std::nullopt, 8);
    check("nemo.log", 128, std::nullopt, std::nullopt);
    check("torchtitan.log", 16, 8192, 32);
    check("torchtitan-color.log", 16, 8192, 8);
    check("deepspeed-2022.log", 64, std::nullopt, 8);
    check("nanotron.log", std::nullopt, std::nullopt, std::nullopt);  // 1.02K is rounded
    check("trainer.log", 64, std::nullopt, std::nullopt);
    check("maxtext.log", 64, 8192, std::nullopt);
}

TEST(TrainingLog, TheRateOfTheTrainerCountsWhereItsStepsDoNot) {
    const std::string rate = "{'train_runtime': 512.0, 'train_steps_per_second': 0.25}\n";
    EXPECT_EQ(read_training_log(rate, "a.log").median, Seconds::of_base(4));
    EXPECT_EQ(read_training_log("Total optimization steps = 127\n" + rate, "a.log").median, Seconds::of_base(4))
        << "127 / 512.0 is 0.248: the run did not make all of its steps";
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

std::string option(const Launch& launch, const std::string& name) {
    for (const auto& [option, value] : launch.options) {
        if (option == name) {
            return value;
        }
    }
    return "";
}

Launch launch_of(const std::string& file) { return Library(here() / "../..").launch(log_file(file), 0, true); }

TEST(TrainingLog, SettingsThatMegatronPrintsAreALaunch) {
    const Library shelf(here() / "../..");
    const Launch launch = shelf.launch(log_file("megatron.log"), 0, true);
    EXPECT_EQ(launch.target, "megatron");
    EXPECT_EQ(option(launch, "--gpus"), "8");
    EXPECT_EQ(option(launch, "--mesh"), "tensor=8,data=1,pipeline=1");
    EXPECT_EQ(option(launch, "--recompute"), "selective");
    EXPECT_EQ(option(launch, "--precision"), "fp16");
    const graph::Graph network = graph::build(shelf.model_from_text(launch.model, "megatron.log", {}));
    EXPECT_EQ(graph::count(network).parameters, graph::count(graph::build(shelf.model("megatron-22b"))).parameters);
}

TEST(TrainingLog, ABlockOfJsonIsALaunch) {
    const Launch titan = launch_of("torchtitan-color.log");
    EXPECT_EQ(titan.target, "torchtitan");
    EXPECT_EQ(option(titan, "MODEL"), "llama-3.1-8b");
    EXPECT_EQ(option(titan, "--mesh"), "data=8");
    EXPECT_EQ(option(titan, "--zero"), "3");
    EXPECT_EQ(option(titan, "--batch"), "16");
    EXPECT_EQ(option(titan, "--recompute"), "modules=op");
    const Launch deepspeed = launch_of("deepspeed.log");
    EXPECT_EQ(deepspeed.target, "deepspeed");
    EXPECT_EQ(option(deepspeed, "--gpus"), "8") << "of the lines before the JSON";
    EXPECT_EQ(option(deepspeed, "--zero"), "2");
    EXPECT_EQ(option(deepspeed, "--micro-batch"), "8");
}

TEST(TrainingLog, ABlockOfYamlIsALaunch) {
    const Launch nemo = launch_of("nemo-bar.log");
    EXPECT_EQ(nemo.target, "nemo");
    EXPECT_EQ(option(nemo, "--mesh"), "tensor=1,data=8,pipeline=1");
    EXPECT_EQ(option(nemo, "--batch"), "256");
    EXPECT_NE(nemo.model.find("hidden"), std::string::npos);
}

TEST(TrainingLog, LabelsOfALauncherAreNoPartOfSettings) {
    const Launch launch = launch_of("megatron-srun.log");
    EXPECT_EQ(option(launch, "--mesh"), "tensor=2,data=4,pipeline=1");
    const Library shelf(here() / "../..");
    const graph::Graph network = graph::build(shelf.model_from_text(launch.model, "megatron-srun.log", {}));
    EXPECT_EQ(graph::count(network).parameters, graph::count(graph::build(shelf.model("llama-3.1-8b"))).parameters);
}

TEST(TrainingLog, ABlockThatIsCutOffIsNone) {
    EXPECT_TRUE(read_printed("Running with configs: {\n  \"model\": {\n", "a.log").root->members.empty());
}

TEST(TrainingLog, BlocksThatNeverCloseAreNotReadAgainAndAgain) {
    std::string text;
    for (int i = 0; i < 500'000; ++i) {
        text += "json = {\n";
    }
    EXPECT_TRUE(read_printed(text, "a.log").root->members.empty());
}

TEST(TrainingLog, WhatTerminalsAreToldIsNoText) {
    EXPECT_EQ(read_log_text("a\tb\x01\x7F \x1B[31mc\x1B[0m\r\nd", "a.log", "").text, "a\tb c\r\nd");
}

TEST(TrainingLog, NamesOfLogsAreKnownByTheirEnds) {
    EXPECT_TRUE(is_log_name("slurm-123.out"));
    EXPECT_FALSE(is_log_name("runs.csv"));
}

RC_GTEST_PROP(TrainingLog, AnyTextIsReadOrRefused, (const std::string& text)) {
    for (const char* before :
         {"completed step: 1, seconds: 2", "json = {", "** Experiment configuration **\n", "\x1b["}) {
        try {
            static_cast<void>(read_training_log(before + text, "a.log"));
        } catch (const InputError&) {
        }
        try {
            static_cast<void>(read_printed(before + text, "a.log"));
        } catch (const InputError&) {
        }
    }
}

}  // namespace training_log_test
}  // namespace dodona::files::testing
