// A plan that `dodona plan --save` wrote, read again by the command that it names.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace saved_plan_test {

namespace fs = std::filesystem;

nlohmann::json answer(const Folder& place, const std::string& words, int code = 0) {
    const Outcome outcome = place.run(words + " --format json");
    EXPECT_EQ(outcome.code, code) << words << "\n" << outcome.err;
    return outcome.code == code ? nlohmann::json::parse(outcome.out) : nlohmann::json();
}

constexpr const char* kPlan = "plan resnet50 --machine abci --gpus 8 --batch 512 --strategy data --set image=224";

TEST(Export, WritesAFileOfAnyNameAndNoOtherFormat) {
    const Folder place;
    const std::string command = std::string(kPlan) + " --export accelerate";
    const Outcome to_file = place.run(command + " -o train.sh");
    EXPECT_EQ(to_file.code, 0) << to_file.err;
    EXPECT_EQ(content(place.path() / "train.sh"), place.run(command).out);
    for (const char* format : {" --json", " --format md"}) {
        EXPECT_EQ(place.run(command + format).code, 2) << format;
    }
}

TEST(From, WhatIsTypedBesideTheFileWins) {
    const Folder place;
    std::ofstream(place.path() / "train.sh")
        << "torchrun --nproc_per_node 8 train.py --tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 "
           "--num-layers-per-virtual-pipeline-stage 4 --num-layers 32 --sequence-parallel --micro-batch-size 1 "
           "--global-batch-size 64 --seq-length 4096 --bf16 --use-distributed-optimizer "
           "--num-distributed-optimizer-instances 1\n";
    const std::string words = "predict llama-3.1-8b --from train.sh --machine dgx-h100 ";
    const auto tokens = [&](const std::string& typed) {
        const auto plan = answer(place, words + typed)["plan"];
        return plan["samples_per_s"].get<double>();
    };
    const double as_written = tokens("");
    EXPECT_GT(as_written, 1.5 * tokens("--seq 8192"));
    EXPECT_EQ(tokens("--seq 8192"), tokens("--set sequence=8192"));
    EXPECT_EQ(answer(place, words + "--schedule 1f1b")["plan"]["virtual_stages"], 1);
    EXPECT_EQ(answer(place, words + "--mesh tensor=2,data=2,pipeline=2 --schedule 1f1b")["plan"]["mesh"]["tensor"], 2);
    std::ofstream(place.path() / "uneven.sh")
        << "torchrun --nproc_per_node 8 train.py --tensor-model-parallel-size 3 --pipeline-model-parallel-size 1 "
           "--micro-batch-size 1 --global-batch-size 64 --seq-length 4096 --bf16\n";
    const Outcome uneven = place.run("predict llama-3.1-8b --from uneven.sh --machine dgx-h100");
    EXPECT_EQ(uneven.code, 2);
    EXPECT_NE(uneven.err.find("uneven.sh:1:"), std::string::npos) << uneven.err;
    EXPECT_EQ(place.run("predict llama-3.1-8b --from uneven.sh --machine dgx-h100 --mesh tensor=2,data=4").code, 0);
}

/// Every launcher that `--export` knows, and the software that a search for it is in; "": what is usual.
const std::vector<std::pair<std::string, std::string>> kTargets{{"accelerate", "transformers"},
                                                                {"bridge", "megatron-2026"},
                                                                {"deepspeed", "deepspeed"},
                                                                {"fsdp", "pytorch-fsdp"},
                                                                {"kubernetes", ""},
                                                                {"maxtext", "maxtext"},
                                                                {"megatron", ""},
                                                                {"nanotron", "nanotron"},
                                                                {"nemo", "megatron-2024"},
                                                                {"slurm", ""},
                                                                {"torchtitan", "torchtitan"}};

TEST(Export, WritesABestPlanOfTheSoftwareOfEachTarget) {
    const Folder place;
    for (const char* machine : {"dgx-h100", "selene"}) {
        for (const char* network : {"llama-3.1-8b", "gpt3-20b", "mixtral-8x7b"}) {
            for (const auto& [target, software] : kTargets) {
                const std::string words = std::string("plan ") + network + " --machine " + machine +
                                          " --gpus 64 --batch 256 --export " + target;
                const Outcome outcome = place.run(words);
                EXPECT_EQ(outcome.code, 0) << words << "\n" << outcome.err;
                EXPECT_FALSE(outcome.out.empty()) << words;
            }
        }
    }
}

TEST(Export, SearchesInTheSoftwareOfItsTargetUnlessAnotherIsTyped) {
    const Folder place;
    const std::string words = "plan llama-3.1-8b --machine dgx-h100 --gpus 16 --batch 256 --export ";
    for (const auto& [target, software] : kTargets) {
        if (!software.empty()) {
            EXPECT_EQ(place.run(words + target).out, place.run(words + target + " --software " + software).out)
                << target;
        }
    }
    EXPECT_NE(place.run(words + "accelerate").out, place.run(words + "accelerate --software composer-fsdp").out);
}

TEST(Export, OfTheFastestPlanThatItsTargetExpressesSaysSo) {
    const Folder place;
    const Outcome outcome = place.run("plan llama-3.1-8b --machine dgx-h100 --gpus 64 --batch 256 --export nanotron");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("nanotron cannot express plan No. 1 as it is"), std::string::npos) << outcome.err;
}

TEST(GradientPrecision, IsOfTheJobThatPlansAreSearchedFor) {
    const Folder place;
    const std::string words = "plan llama-3.1-8b --machine dgx-h100 --gpus 8 --batch 128 --strategy megatron-context ";
    const auto found = answer(place, words + "--gradient-precision bf16 --save best.yaml")["plans"][0];
    EXPECT_EQ(found["gradient_precision"], "bf16");
    const auto read = answer(place, "predict llama-3.1-8b --machine dgx-h100 --plan best.yaml")["plan"];
    EXPECT_EQ(read["step_time_s"]["value"], found["step_time_s"]["value"]);
    EXPECT_EQ(read["memory_bytes"], found["memory_bytes"]);
    // A buffer of gradients in fp32 leaves no room for whole weights and half of each sequence.
    const std::string one_stage = words + "--fixed context=2,data=4,zero=1,recompute=none ";
    EXPECT_EQ(place.run(one_stage + "--gradient-precision bf16").code, 0);
    EXPECT_EQ(place.run(one_stage).code, 1);
    const Outcome script = place.run(words + "--gradient-precision bf16 --export bridge");
    EXPECT_NE(script.out.find("mixed_precision.grad_reduce_in_fp32=false"), std::string::npos) << script.out;
}

TEST(SavedPlan, NamesAFrameworkOfAFileAsItsOwnFolderSeesIt) {
    const Folder place;
    fs::create_directory(place.path() / "plans");
    std::ofstream(place.path() / "eager.yaml") << "framework: eager\nsource: here\n"
                                                  "parameters: {stream: {value: 1.5, source: here}}\n";
    const auto asked =
        answer(place, std::string(kPlan) + " --software ./eager.yaml --save plans/best.yaml")["plans"][0];
    EXPECT_NE(content(place.path() / "plans/best.yaml").find("../eager.yaml"), std::string::npos);
    const auto read = answer(place, "predict resnet50 --machine abci --plan plans/best.yaml --set image=224")["plan"];
    EXPECT_EQ(read["step_time_s"]["value"], asked["step_time_s"]["value"]);
}

TEST(SavedPlan, HoldsAStrategyOfAFileThatIsCalledLikeABuiltInOne) {
    const Folder place;
    std::ofstream(place.path() / "mine.yaml")
        << "strategy: zero1\nsource: here\naxes: [data]\neverywhere: {batch: data}\n";
    ASSERT_EQ(place.run("plan resnet50 --machine abci --gpus 8 --strategy ./mine.yaml --save best.yaml").code, 0);
    EXPECT_EQ(content(place.path() / "best.yaml").find("\nstrategy: zero1\n"), std::string::npos)
        << content(place.path() / "best.yaml");
    EXPECT_EQ(place.run("predict resnet50 --machine abci --plan best.yaml").code, 0);
}

TEST(SavedPlan, MayHaveAStageOfTheHeadAlone) {
    const Folder place;
    const std::string words =
        "predict gpt3-20b --machine selene --gpus 8 --batch 8 --strategy megatron --mesh tensor=2,pipeline=4 --cut ";
    EXPECT_EQ(answer(place, words + "15,15,14,0")["plan"]["stages"].size(), 4U);
    const Outcome hollow = place.run(words + "15,0,15,14");
    EXPECT_EQ(hollow.code, 2);
    EXPECT_NE(hollow.err.find("stage 2 holds nothing"), std::string::npos) << hollow.err;

    std::ofstream(place.path() / "plan.yaml")
        << "plan: one\nstrategy: megatron\nmesh: {tensor: 2, pipeline: 4}\nbatch: 8\nmicrobatch: 1\nprecision: bf16\n"
           "schedule: {kind: 1f1b, stages: [15, 15, 14, 0]}\noptimizer: adam\n";
    EXPECT_EQ(answer(place, "predict gpt3-20b --machine selene --plan plan.yaml")["plan"]["stages"].size(), 4U);
}

TEST(SavedPlan, NamesItsSchemaForEditors) {
    const Folder place;
    ASSERT_EQ(place.run("plan alexnet --machine abci --gpus 2 --batch 8 --strategy data --save plan.yaml").code, 0);
    const std::string text = content(place.path() / "plan.yaml");
    const std::string start = "# yaml-language-server: $schema=";
    ASSERT_TRUE(text.starts_with(start)) << text;
    const std::string schema = text.substr(start.size(), text.find('\n') - start.size());
    EXPECT_TRUE(schema.ends_with("/docs/schemas/plan.schema.json")) << schema;
    const std::filesystem::path path = place.path() / schema;
    EXPECT_TRUE(std::filesystem::exists(path.parent_path())) << schema;
    ASSERT_EQ(place.run("check --schemas schemas").code, 0);
    EXPECT_EQ(place.run("check --schemas schemas plan.yaml").code, 2) << "it checks nothing";
    EXPECT_TRUE(std::filesystem::exists(place.path() / "schemas" / path.filename())) << schema;
}

TEST(SavedPlan, ThatCannotRunHasNoFigures) {
    const Folder place;
    const std::string words =
        "predict gpt3-20b --machine selene --gpus 8 --batch 10 --strategy megatron --mesh tensor=2,pipeline=4 "
        "--schedule interleaved-1f1b --virtual-stages ";
    for (const char* virtual_stages : {"2", "20"}) {
        const auto plan = answer(place, words + virtual_stages, 1)["plan"];
        EXPECT_FALSE(plan["fits"]);
        EXPECT_TRUE(plan["why_not"].is_string());
        for (const char* figure : {"step_time_s", "samples_per_s", "mfu", "hfu", "time_s", "memory_bytes"}) {
            EXPECT_TRUE(plan[figure].is_null()) << figure;
        }
    }
    const Outcome text = place.run(words + "2");
    EXPECT_EQ(text.out.find("0 s"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("runs  no: interleaving deals out micro-batches"), std::string::npos) << text.out;
    EXPECT_EQ(place.run(words + "2 --export megatron").code, 2);
}

}  // namespace saved_plan_test
}  // namespace dodona::cli::testing
