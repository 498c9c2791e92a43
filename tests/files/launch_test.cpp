// Launch scripts and configurations as questions, and plans as launch scripts.
#include "files/launch/launch.hpp"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "files/hf/condition.hpp"
#include "files/launch/exported_plan.hpp"
#include "files/launch/launch_text.hpp"
#include "files/launch/references.hpp"
#include "files/launch/shell_branches.hpp"
#include "files/launch/stage_layout.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace launch_test {

Library shelf() { return Library(here() / "../.."); }

const std::vector<Target>& all_targets() {
    static const std::vector<Target> targets = shelf().targets();
    return targets;
}

const Target& target_named(const std::string& name) {
    for (const Target& target : all_targets()) {
        if (target.keys.name == name) {
            return target;
        }
    }
    throw std::runtime_error("no target " + name);
}

std::string option(const Launch& launch, const std::string& name) {
    for (const auto& [option, value] : launch.options) {
        if (option == name) {
            return value;
        }
    }
    return "";
}

Document shell(const std::string& text) { return read_shell(text, "run.sh"); }

std::string value_of(const Document& document, const std::string& key) { return text_at(*document.root, key); }

/// What a file of this text and name asks, or what is wrong with it.
Launch launched_text(const std::string& text, const std::string& name, std::int64_t gpus = 0) {
    return read_launch(read_launch_text(text, name), all_targets(), gpus, false, here() / "../../models/hf");
}

std::string refused(const std::string& text, const std::string& name) {
    try {
        return "read as " + launched_text(text, name, 8).target;
    } catch (const InputError& error) {
        return error.what();
    }
}

TEST(Launch, AFileThatSettingsNameIsThere) {
    EXPECT_NE(refused("finetuning_type: full\nstage: sft\nbf16: true\ndeepspeed: nowhere.json\n", "a.yaml")
                  .find("a.yaml:4:12: error: deepspeed: nowhere.json is not there"),
              std::string::npos);
}

TEST(Launch, OptimizersOfDeepSpeedHaveItsNames) {
    const auto optimizer = [](const std::string& described) {
        return option(
            launched_text("{\"train_batch_size\": 256, \"train_micro_batch_size_per_gpu\": 4, \"optimizer\": {" +
                              described + "}, \"zero_optimization\": {\"stage\": 2}}",
                          "ds.json", 64),
            "--optimizer");
    };
    EXPECT_EQ(optimizer("\"type\": \"Muon\", \"params\": {\"lr\": 0.002}"), "muon-gram") << "its default";
    EXPECT_EQ(optimizer("\"type\": \"Muon\", \"params\": {\"ns_method\": \"standard\"}"), "muon");
    EXPECT_EQ(optimizer("\"type\": \"Lion\""), "lion");
    EXPECT_EQ(optimizer("\"type\": \"AdamW\""), "adam");
}

TEST(Launch, MuonOfMegatronSharesStatesLayerByLayer) {
    const auto launch = [](const std::string& flags) {
        return launched_text(
            "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 "
            "--num-attention-heads 16 --seq-length 2048 --micro-batch-size 2 --global-batch-size 256 "
            "--vocab-size 32000 --bf16 --tensor-model-parallel-size 1 " +
                flags + "\n",
            "run.sh");
    };
    for (const char* flags : {"--optimizer dist_muon", "--optimizer muon --use-distributed-optimizer"}) {
        EXPECT_EQ(option(launch(flags), "--optimizer"), "muon") << flags;
        EXPECT_EQ(option(launch(flags), "--zero"), "1") << flags;
    }
    EXPECT_EQ(option(launch("--optimizer muon --muon-momentum 0.95"), "--zero"), "0") << "every rank updates all";
    EXPECT_EQ(launch("--optimizer muon --muon-tp-mode blockwise").not_modelled.size(), 1U);
    EXPECT_EQ(launch("--optimizer muon --muon-tp-mode duplicated --muon-num-ns-steps 5").not_modelled.size(), 0U);
}

TEST(Launch, OptimizersOfTheTrainerHaveItsNames) {
    const auto optimizer = [](const std::string& name) {
        return option(launched_text("torchrun --nproc_per_node=8 train.py --model_name_or_path llama-7b --bf16 True "
                                    "--per_device_train_batch_size 4 --optim " +
                                        name + "\n",
                                    "run.sh"),
                      "--optimizer");
    };
    EXPECT_EQ(optimizer("adamw_torch_fused"), "adam");
    EXPECT_EQ(optimizer("paged_adamw_8bit"), "adam-8bit");
    EXPECT_EQ(optimizer("adafactor"), "adafactor");
    EXPECT_EQ(optimizer("lion_32bit"), "lion");
    EXPECT_EQ(optimizer("galore_adamw"), "galore");
    EXPECT_EQ(optimizer("schedule_free_adamw"), "schedule-free-adamw");
}

TEST(Launch, FilesOfWrappersAreKnownBySettingsOfTheirOwn) {
    EXPECT_EQ(refused("pipe_parallel_size: 2\nmodel-parallel-size: 4\ntrain_micro_batch_size_per_gpu: 4\n"
                      "gradient_accumulation_steps: 2\nzero_optimization: {stage: 1}\nfp16: {enabled: true}\n",
                      "a.yaml"),
              "read as gpt-neox");
    EXPECT_EQ(refused("deepspeed train.py --pretrain m --micro_train_batch_size 2 --zero_stage 3 --bf16 "
                      "--learning_rate 1\n",
                      "run.sh"),
              "read as openrlhf");
    EXPECT_EQ(refused("batch_size: 2\ngradient_accumulation_steps: 8\nmodel:\n  _component_: m\noptimizer:\n"
                      "  _component_: o\n",
                      "a.yaml"),
              "read as torchtune");
    EXPECT_EQ(refused("model: m\ntuner_type: lora\nlora_rank: 8\nper_device_train_batch_size: 1\n", "a.yaml"),
              "read as ms-swift");
}

TEST(Launch, AWrapperIsKnownByTheCommandThatStartsIt) {
    const auto target = [](const std::string& script) { return launched_text(script, "run.sh", 8).target; };
    EXPECT_EQ(target("swift sft --model m --dataset d\n"), "ms-swift");
    EXPECT_EQ(target("echo hello\nexport A=1\nmegatron pt --load m\n"), "ms-swift-megatron");
    EXPECT_EQ(target("python3 -m verl.trainer.main_ppo trainer.nnodes=2\n"), "verl");
    EXPECT_EQ(target("trl sft --model_name_or_path m --packing\n"), "trl");
    // Words of two commands are none of one.
    EXPECT_EQ(refused("echo swift\nsft --dataset d\n", "run.sh").find("read as"), std::string::npos);
    // The arguments of the Trainer alone are not those of what wraps it.
    EXPECT_EQ(target("torchrun --nproc_per_node 8 train.py --per_device_train_batch_size 4 --bf16 --max_length 512 "
                     "--num_train_epochs 1 --output_dir o\n"),
              "trainer");
}

TEST(Launch, AVariableOfAScriptIsASettingWhereTheTargetReadsIt) {
    EXPECT_EQ(option(launched_text("export NPROC_PER_NODE=4 NNODES=2\nswift sft --model m\n", "run.sh"), "--gpus"),
              "8");
    EXPECT_EQ(option(launched_text("CUDA_VISIBLE_DEVICES=0 swift sft --model m\n", "run.sh"), "--gpus"), "1");
    EXPECT_THROW(static_cast<void>(launched_text("swift sft --model m\n", "run.sh")), InputError);
    const Launch megatron =
        launched_text("NNODES=2\ntorchrun --nproc_per_node 8 train.py --num-layers 4 --micro-batch-size 1\n", "run.sh");
    EXPECT_EQ(option(megatron, "--gpus"), "8") << "which Megatron does not";
    EXPECT_TRUE(megatron.unknown.empty()) << join(megatron.unknown);
}

TEST(Launch, OneGenericSettingMakesNoFileThatOfALauncher) {
    const std::string text = refused("gradient_accumulation_steps: 4\nrounds: 3\nteacher: big\n", "a.yaml");
    EXPECT_NE(text.find("nearest is deepspeed, which does not know 2 of its 3 settings: rounds, teacher"),
              std::string::npos)
        << text;
    EXPECT_EQ(refused("python train.py --num-layers 12 --epochs 3 --teacher big\n", "run.sh").find("read as"),
              std::string::npos);
    EXPECT_EQ(refused("{gradient_accumulation_steps: 4, zero_optimization: {stage: 2}}", "a.json"),
              "read as deepspeed");
}

TEST(Launch, AScriptThatOnlyStartsAFileOfSettingsNamesIt) {
    EXPECT_NE(refused("FORCE_TORCHRUN=1 llamafactory-cli train sft.yaml\n", "run.sh").find("`--from sft.yaml` reads"),
              std::string::npos);
}

TEST(Launch, NumbersThatDoNotDivideNameTheirLineAndTheFewestGpus) {
    const std::string script =
        "NNODES=4\n"
        "torchrun --nproc_per_node 8 --nnodes $NNODES train.py --num-layers 48 --micro-batch-size 1 \\\n"
        "  --global-batch-size 32 --tensor-model-parallel-size 2 \\\n"
        "  --pipeline-model-parallel-size 6 ";
    const Launch dense = launched_text(script + "\n", "run.sh");
    ASSERT_EQ(dense.uneven.all().size(), 1U);
    EXPECT_EQ(dense.uneven.all().front().message, "32 GPUs do not divide by tensor 2 x pipeline 6");
    EXPECT_EQ(dense.uneven.all().front().where.line, 4);
    EXPECT_EQ(dense.uneven.all().front().help, "12 GPUs are the least, and its multiples");
    const std::string experts = script + "--expert-model-parallel-size 8 --expert-tensor-parallel-size 1\n";
    const Launch mixture = launched_text(experts, "run.sh");
    ASSERT_FALSE(mixture.uneven.all().empty());
    EXPECT_EQ(mixture.uneven.all().front().help,
              "48 GPUs are the least, and its multiples: experts need expert 8 x pipeline 6");
    EXPECT_TRUE(launched_text(experts, "run.sh", 48).uneven.all().empty());
    EXPECT_EQ(launched_text(experts, "run.sh", 36).uneven.all().front().message,
              "36 GPUs do not divide by expert 8 x pipeline 6");
    const Launch stages = launched_text(script + "--num-layers-per-virtual-pipeline-stage 5\n", "run.sh", 48);
    ASSERT_EQ(stages.uneven.all().size(), 1U);
    EXPECT_EQ(stages.uneven.all().front().message, "layers 48 do not divide by pipeline 6 x layers_of_virtual 5");
}

TEST(Launch, LayoutsOfMegatronAreStages) {
    const std::string start =
        "torchrun --nproc_per_node 8 --nnodes 2 train.py --num-layers 62 --micro-batch-size 1 --global-batch-size 32 "
        "--pipeline-model-parallel-size 4 --pipeline-model-parallel-layout ";
    const auto read = [&](const std::string& layout) {
        return launched_text(start + "\"" + layout + "\"\n", "run.sh");
    };
    EXPECT_EQ(option(read("Et*17|t*15|t*15|t*15,L"), "--cut"), "17,15,15,15");
    EXPECT_EQ(option(read("Et*17|t*15|t*15|t*15,L"), "--virtual-stages"), "");
    EXPECT_EQ(option(read("Ettt|(tt|)*6L"), "--cut"), "3,2,2,2,2,2,2,0");
    EXPECT_EQ(option(read("Ettt|(tt|)*6L"), "--virtual-stages"), "2");
    EXPECT_EQ(option(read("E|(t|(tt|)*2)*2mL"), "--cut"), "0,1,2,2,1,2,2,0");
    // A stage of the second token alone is none of Dodona's.
    const Launch lone = read("Et*3|(tt|)*29,m|L");
    EXPECT_EQ(option(lone, "--virtual-stages"), "8");
    ASSERT_EQ(lone.not_modelled.size(), 1U);
    EXPECT_NE(lone.not_modelled.front().find("a stage of m alone"), std::string::npos);
    ASSERT_EQ(read("Ett|(tt|)*8L").uneven.all().size(), 1U);
    EXPECT_EQ(read("Ett|(tt|)*8L").uneven.all().front().message, "layout_stages 10 do not divide by pipeline 4");
    for (const char* wrong : {"Et|x|t|L", "E(t|", "Et)|", "Et*|t", "(t*10000)*10000", "((((((((((t))))))))))"}) {
        EXPECT_THROW(static_cast<void>(read(wrong)), InputError) << wrong;
    }
}

RC_GTEST_PROP(Launch, AnyLayoutIsReadOrRefused, ()) {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::element('E', 't', 'm', 'L', '|', ',', '(', ')', '*', '3'));
    try {
        const Node node{.kind = Node::Kind::scalar, .text = text};
        RC_ASSERT(read_layout(node).layers.size() >= 1);
    } catch (const InputError&) {
    }
}

TEST(Launch, PoliciesOfMaxTextSayWhatIsSaved) {
    const auto recomputed = [](const std::string& model, const std::string& policy) {
        const Launch launch =
            launched_text("model_name: " + model + "\nper_device_batch_size: 4\nremat_policy: " + policy +
                              "\nici_fsdp_parallelism: -1\n",
                          "a.yaml", 64);
        return option(launch, "--recompute") + (launch.not_modelled.empty() ? "" : " (not modelled)");
    };
    EXPECT_EQ(recomputed("llama2-70b", "full"), "full");
    EXPECT_EQ(recomputed("llama2-70b", "minimal"), "modules=minimal");
    EXPECT_EQ(recomputed("llama2-70b", "save_qkv_proj"), "modules=save_qkv_proj");
    EXPECT_EQ(recomputed("llama2-70b", "save_dot_with_context_except_mlp"), "modules=save_dot_with_context_except_mlp");
    EXPECT_EQ(recomputed("llama2-70b", "minimal_flash"), "modules=minimal_with_context");
    EXPECT_EQ(recomputed("llama2-70b", "minimal_offloaded"), "modules=minimal (not modelled)");
    EXPECT_EQ(recomputed("llama2-70b", "custom"), "full (not modelled)");
    EXPECT_EQ(recomputed("mixtral-8x7b", "save_qkv_proj"), "full");
}

TEST(Launch, OfTorchtitanEverySecondBlockIsRecomputed) {
    const std::string text =
        "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nseq_len = 8192\n[compile]\nenable = true\n"
        "[activation_checkpoint]\nmode = \"selective\"\nselective_ac_option = ";
    const Launch second = launched_text(text + "\"2\"\n", "a.toml", 8);
    EXPECT_EQ(option(second, "--recompute"), "one-in-2");
    EXPECT_TRUE(second.not_modelled.empty());
    const Launch each = launched_text(text + "\"1\"\n", "a.toml", 8);
    EXPECT_EQ(option(each, "--recompute"), "full");
    EXPECT_TRUE(each.not_modelled.empty());
}

TEST(Launch, OptionsOfNoLauncherAreNoPlan) {
    EXPECT_THROW(read_launch(shell("echo --hello 3\n"), all_targets(), 8, true, here() / "../../models/hf"),
                 InputError);
}

TEST(Launch, WhatSettingsReferToIsPutIn) {
    const auto settings = [](const std::string& text) {
        return with_references(*flattened(parse_document(text, "a.yaml")).root, false);
    };
    const Node flat = settings(
        "batch: 4\nmodel: {name: m, tokenizer: \"${.name}-tok\", of: \"${..batch}\"}\nagain: ${model.name}\n"
        "ref: ${model}\nmul: \"${mul:${batch}, 8}\"\nopen: ${nowhere}\nkept: \"${oc.env:HOME}\"\n");
    EXPECT_EQ(text_at(flat, "model.tokenizer"), "m-tok");
    EXPECT_EQ(text_at(flat, "model.of"), "4");
    EXPECT_EQ(text_at(flat, "again"), "m");
    EXPECT_EQ(text_at(flat, "ref.tokenizer"), "m-tok") << "a mapping";
    EXPECT_EQ(flat.member("ref"), nullptr);
    EXPECT_EQ(text_at(flat, "mul"), "32");
    EXPECT_EQ(text_at(flat, "open"), "${nowhere}");
    EXPECT_EQ(text_at(flat, "kept"), "${oc.env:HOME}");
    const auto fault = [&](const std::string& text) {
        try {
            settings(text);
            return std::string();
        } catch (const InputError& error) {
            return std::string(error.what());
        }
    };
    EXPECT_NE(fault("a: ${b}\nb: ${a}\n").find("a.yaml:1:4: error: a: it refers to itself"), std::string::npos);
    std::string doubled = "k0: xxxxxxxx\n";
    for (int i = 1; i < 40; ++i) {
        doubled += fmt::format("k{}: \"${{k{}}}${{k{}}}\"\n", i, i - 1, i - 1);
    }
    EXPECT_NE(fault(doubled).find("characters after what settings refer to is put in"), std::string::npos);
}

TEST(Launch, FilesOfSettingsThatNameOneAnotherAreRefused) {
    const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "itself.yaml";
    std::ofstream(file) << "defaults: itself.yaml\npolicy: {model_name: m, train_micro_batch_size: 1}\n"
                           "cluster: {num_nodes: 1}\n";
    EXPECT_NE(refused("defaults: " + file.string() +
                          "\npolicy: {model_name: m, train_micro_batch_size: 1}\ncluster: {num_nodes: 1}\n",
                      "a.yaml")
                  .find("files name one another"),
              std::string::npos);
}

TEST(Launch, WhatIsLikeAnotherIsKnownByTheSettingsOfBoth) {
    const std::string megatron =
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 64 --num-attention-heads 4 "
        "--micro-batch-size 1 --global-batch-size 8 --tensor-model-parallel-size 1 ";
    EXPECT_EQ(refused(megatron, "run.sh"), "read as megatron");
    EXPECT_EQ(refused(megatron + "--deepspeed --zero-stage 1", "run.sh"), "read as megatron-deepspeed");
    EXPECT_EQ(refused(megatron + "--use-fused-rmsnorm", "run.sh"), "read as mindspeed");
    EXPECT_EQ(refused("xtuner train internlm2_chat_7b --deepspeed deepspeed_zero2\n", "run.sh").find("read as"),
              std::string::npos);
}

TEST(Launch, FewSettingsOfAWrapperMakeNoFileOfItWhereMostAreOthers) {
    const std::string text =
        refused("pretrain: m\nrollout_batch_size: 64\nname: x\npasses: 1\nlength: 9\ncards: 8\n", "a.yaml");
    EXPECT_NE(text.find("nearest is openrlhf, which does not know 4 of its 6 settings"), std::string::npos) << text;
}

TEST(Launch, TruthHasTheWordsOfYamlAndPython) {
    const auto recompute = [](const std::string& word) {
        return option(launched_text("finetuning_type: full\nstage: sft\nbf16: true\nmodel_name_or_path: m\n"
                                    "disable_gradient_checkpointing: " +
                                        word + "\n",
                                    "a.yaml", 8),
                      "--recompute");
    };
    for (const char* word : {"true", "True", "yes", "on", "1"}) {
        EXPECT_EQ(recompute(word), "none") << word;
    }
    for (const char* word : {"false", "False", "no", "off", "0", "None"}) {
        EXPECT_EQ(recompute(word), "full") << word;
    }
}

TEST(Launch, NearlyATruthIsASlip) {
    const std::string start = "torchrun --nproc_per_node 8 train.py --model_name_or_path m --output_dir o --bf16";
    const std::string text = refused(start + " Tru\n", "run.sh");
    EXPECT_NE(text.find("Tru is neither true nor false; did you mean \"true\"?"), std::string::npos) << text;
    EXPECT_EQ(option(launched_text(start + " data.json\n", "run.sh"), "--precision"), "bf16") << "a flag, and a file";
}

TEST(Launch, ASettingThatIsEmptyIsNotSet) {
    const auto with = [](const std::string& line) {
        return launched_text(
                   "base_config: base.yml\nmodel_name: m\nper_device_batch_size: 1\nmax_target_length: 64\n"
                   "ici_fsdp_parallelism: 8\nremat_policy: full\n" +
                       line,
                   "a.yml", 8)
            .options;
    };
    EXPECT_EQ(with("quantization: \"\"\n"), with(""));
    EXPECT_NE(with("quantization: fp8\n"), with(""));
}

TEST(Condition, IsNegatedInAllItsForms) {
    Scope scope;
    scope.set("word", {std::string("swiglu_oai"), {}});
    scope.set("is_gated", {true, {}});
    const auto is_true = [&](const std::string& text) {
        return holds({.kind = Node::Kind::scalar, .text = text}, scope);
    };
    for (const char* text : {"word has oai", "word == swiglu_oai", "word != gelu", "is_gated"}) {
        EXPECT_TRUE(is_true(text)) << text;
        EXPECT_FALSE(is_true(std::string("not ") + text)) << text;
    }
    EXPECT_TRUE(is_true("not word has gelu"));
}

TEST(Launch, AMissingSettingNamesWhoAsksForIt) {
    const std::string text = refused(
        "step_scheduler: {global_batch_size: 8}\nmodel: {_target_: m}\n"
        "distributed: {strategy: fsdp2}\n",
        "a.yaml");
    EXPECT_NE(text.find("step_scheduler.local_batch_size: missing"), std::string::npos) << text;
    EXPECT_NE(text.find("automodel asks for it"), std::string::npos) << text;
}

TEST(Launch, EveryWordOfASettingHasAMeaning) {
    for (const Target& target : all_targets()) {
        Scope scope;  // as it is when the key is read
        for (const ConfigKey& key : target.keys.keys) {
            for (const auto& [word, meaning] : key.values) {
                EXPECT_NO_THROW(static_cast<void>(scope.value(meaning)))
                    << target.keys.name << " " << key.names.front() << " " << word;
            }
            if (!key.parameter.empty()) {
                scope.set(key.parameter, {std::int64_t{1}, {}});
            }
        }
    }
}

TEST(Shell, VariablesArraysAndArithmeticArePutIn) {
    const Document document = shell(
        "A=2\nB=$((A * 3))\nARGS=(--one ${A} --two=\"$B\")\nARGS+=(--flag)\n"
        "run ${ARGS[@]} --default ${MISSING:-7} --unset ${NOTHING} --cmd $(nproc) model.layers=12 # --no 1\n");
    EXPECT_EQ(value_of(document, "one"), "2");
    EXPECT_EQ(value_of(document, "two"), "6");
    EXPECT_EQ(value_of(document, "flag"), "true");
    EXPECT_EQ(value_of(document, "default"), "7");
    EXPECT_EQ(value_of(document, "unset"), "${NOTHING}");
    EXPECT_EQ(value_of(document, "cmd"), "$(nproc)");
    EXPECT_EQ(value_of(document, "model.layers"), "12");
    EXPECT_EQ(child(*document.root, "no"), nullptr);
}

TEST(Shell, BranchesRunWhereTheirConditionsHold) {
    struct Row {
        const char* condition;
        bool first;   ///< runs
        bool second;  ///< the branch of `else` runs
    };
    constexpr Row kRows[] = {
        {"[ a = a ]", true, false},    {"[ a = b ]", false, true},     {"[[ a == a ]]", true, false},
        {"[[ a == b ]]", false, true}, {"[ a != b ]", true, false},    {"[ a != a ]", false, true},
        {"[ 4 -eq 4 ]", true, false},  {"[ 3 -eq 4 ]", false, true},   {"[ 3 -ne 4 ]", true, false},
        {"[ 4 -ne 4 ]", false, true},  {"[ 5 -gt 4 ]", true, false},   {"[ 4 -gt 4 ]", false, true},
        {"[ 3 -lt 4 ]", true, false},  {"[ 4 -lt 4 ]", false, true},   {"[ 4 -ge 4 ]", true, false},
        {"[ 3 -ge 4 ]", false, true},  {"[ 4 -le 4 ]", true, false},   {"[ 5 -le 4 ]", false, true},
        {"[ a -gt 4 ]", true, true},   {"[ 4 -gt a ]", true, true},    {"[ 4 -like 4 ]", true, true},
        {"[ $A = b ]", true, true},    {"[ a = `date` ]", true, true}, {"[ -n a ]", true, true},
        {"grep a b", true, true}};
    for (const Row& row : kRows) {
        ShellBranches branches([](const std::string& text) { return text; });
        branches.running(std::string("if ") + row.condition + "; then");
        EXPECT_EQ(branches.running("A=1"), row.first ? "A=1" : "") << row.condition;
        branches.running("else");
        EXPECT_EQ(branches.running("A=2"), row.second ? "A=2" : "") << row.condition;
        branches.running("fi");
        EXPECT_EQ(branches.running("A=3"), "A=3");
        const std::string whole = branches.running(std::string("if ") + row.condition + "; then A=1; else A=2; fi");
        EXPECT_EQ(whole.find("A=1") != std::string::npos, row.first) << whole;
        EXPECT_EQ(whole.find("A=2") != std::string::npos, row.second) << whole;
        EXPECT_EQ(branches.running("A=3"), "A=3");
    }
}

TEST(Shell, BranchesOnOneLineSetVariables) {
    const Document document = shell(
        "P=bf16\nif [ $P = fp16 ]; then O=\" --fp16\"; elif [ $P = bf16 ]; then O=\" --bf16\"; fi\n"
        "run train.py $O\n");
    EXPECT_EQ(value_of(document, "bf16"), "true");
    EXPECT_EQ(child(*document.root, "fp16"), nullptr);
    EXPECT_EQ(child(*document.root, "O"), nullptr);
}

TEST(Shell, WhatFollowsAFlagIsItsValueThoughItLooksLikeAnAssignment) {
    const Document document = shell("run train.py --config_overrides n_embd=1024,n_head=16 --bf16 batch=4\n");
    EXPECT_EQ(value_of(document, "config-overrides"), "n_embd=1024,n_head=16");
    EXPECT_EQ(child(*document.root, "n_embd"), nullptr);
}

TEST(Shell, TheScriptBehindTheLastFlagIsNoValue) {
    const Document document = shell("torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 4\n");
    EXPECT_EQ(value_of(document, "nproc-per-node"), "8");
    EXPECT_EQ(value_of(document, "num-layers"), "4");
}

TEST(Shell, ALineOfSlurmHasAnyNumberOfFlags) {
    const Document document = shell(
        "#SBATCH -t 0:30:00 --exclusive --mem=0 --ntasks-per-node=8 -N 4   # a comment --no\n#SBATCH --partition "
        "big\n");
    EXPECT_EQ(value_of(document, "sbatch.exclusive"), "true");
    EXPECT_EQ(value_of(document, "sbatch.ntasks-per-node"), "8");
    EXPECT_EQ(value_of(document, "sbatch.nodes"), "4");
    EXPECT_EQ(value_of(document, "sbatch.partition"), "big");
    EXPECT_EQ(child(*document.root, "sbatch.no"), nullptr);
}

TEST(Shell, VariablesThatDoubleAreBounded) {
    std::string text = "A=--xxxxxxxxxxxxxxxx\n";
    for (int i = 0; i < 64; ++i) {
        text += "A=\"$A $A\"\n";
    }
    EXPECT_THROW(shell(text), InputError);
}

TEST(Shell, VariablesPutInOftenAreBoundedInAll) {
    std::string text = "A=" + std::string(100'000, 'x') + "\nrun";
    for (int i = 0; i < 2'000; ++i) {
        text += " $A";
    }
    EXPECT_THROW(shell(text + "\n"), InputError);
}

RC_GTEST_PROP(Shell, AnyTextIsReadOrRefused, (const std::string& text)) {
    try {
        static_cast<void>(shell("run --a 1 " + text));
    } catch (const InputError&) {
    }
}

TEST(Shell, HereDocumentsAreFilesWithVariablesPutIn) {
    const Document document = shell(
        "STAGE=3\ncat > ds.json <<EOF\n{\"zero_optimization\": {\"stage\": $STAGE}}\nEOF\n"
        "cat <<'EOF' > kept.yaml\na: $STAGE\nEOF\npython - <<X\nrun --inside 1\nX\n"
        "sbatch <<EOT\nrun --in-a-job 1\nEOT\nrun --deepspeed ds.json <<< text\n");
    const Node* files = child(*child(*document.root, kSurroundings), kHereDocuments);
    EXPECT_EQ(text_at(*files, "ds.json"), "{\"zero_optimization\": {\"stage\": 3}}\n");
    EXPECT_EQ(text_at(*files, "kept.yaml"), "a: $STAGE\n");
    EXPECT_EQ(child(*document.root, "inside"), nullptr);
    EXPECT_EQ(value_of(document, "in-a-job"), "1");
    EXPECT_EQ(value_of(document, "deepspeed"), "ds.json");
}

TEST(Shell, DefaultsMayHaveVariablesInThem) {
    const Document document =
        shell("B=/data\nDIR=${DIR:-\"${B}/models\"}\nrun --path $DIR/a --deep ${X:-${Y:-7}} --last 1\n");
    EXPECT_EQ(value_of(document, "path"), "/data/models/a");
    EXPECT_EQ(value_of(document, "deep"), "7");
    EXPECT_EQ(value_of(document, "last"), "1");
}

TEST(Shell, WithoutArgumentsDefaultsStand) {
    const Document loop = shell(
        "TP=2\nwhile [[ $# -gt 0 ]]; do\n  case \"$1\" in\n    --tp) TP=\"$2\"; shift 2 ;;\n"
        "    --big) BIG=\"--big\" ;;\n  esac\ndone\nNAME=$1\nrun --tensor $TP --name $NAME\n");
    EXPECT_EQ(value_of(loop, "tensor"), "2");
    EXPECT_EQ(child(*loop.root, "big"), nullptr);
    EXPECT_EQ(value_of(loop, "name"), "${1}");
    const Document options = shell(
        "N=4\nwhile getopts \"n:b\" o; do\n  case $o in\n    n) N=$OPTARG ;;\n    b) B=\"--b\" ;;\n  esac\ndone\n"
        "run --n $N\n");
    EXPECT_EQ(value_of(options, "n"), "4");
    EXPECT_EQ(child(*options.root, "b"), nullptr);
}

TEST(Launch, WhatSeveralCommandsSayIsNamed) {
    const std::string start = " train.py --model_name_or_path m --bf16 True --output_dir ";
    const Launch launch =
        launched_text("torchrun --nproc_per_node 4" + start + "a --per_device_train_batch_size 8\n" +
                          "torchrun --nproc_per_node 8" + start + "b --per_device_train_batch_size 2\n",
                      "run.sh");
    ASSERT_EQ(launch.not_modelled.size(), 2U);
    EXPECT_EQ(launch.not_modelled.back(),
              "per-device-train-batch-size: 8 in one command of the script and 2 in another: the last is counted");
}

TEST(Launch, WhatAVariableIsThatNothingSetsIsAsked) {
    const std::string text = refused(
        "for tp in 1 2; do\n  torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 4 --micro-batch-size 1 "
        "--tensor-model-parallel-size $tp\ndone\n",
        "run.sh");
    EXPECT_NE(text.find("\"${tp}\" is not a whole number\n"), std::string::npos) << text;
    EXPECT_NE(text.find("help: what runs gives it a value: write one there"), std::string::npos) << text;
}

TEST(Launch, DegreesBehindLettersAreSettings) {
    const std::string rest =
        "\n  path: m\n  mb_spec: {max_tokens_per_mb: 8192}\n  kl_ctl: 0.0\ngconfig: {n_samples: 4, max_new_tokens: "
        "1024}\n"
        "train_dataset: {batch_size: 64, max_length: 1024}\nrollout: {backend: sglang:d4}\n";
    const auto mesh = [&](const std::string& backend) {
        return option(launched_text("actor:\n  backend: " + backend + rest, "a.yaml"), "--mesh");
    };
    EXPECT_EQ(mesh("fsdp:d8"), "data=8");
    EXPECT_EQ(mesh("\"megatron:d2p2t4\""), "tensor=4,data=2,pipeline=2");
    EXPECT_EQ(mesh("\"megatron:(attn:d4p1t2c2|ffn:d2p1t1e8)\""),
              "tensor=2,context=2,data=4,pipeline=1,expert_tensor=1,expert=8");
}

RC_GTEST_PROP(Toml, AnyTextIsReadOrRefused, (const std::string& text)) {
    try {
        static_cast<void>(read_toml("[a]\nb = " + text, "a.toml"));
    } catch (const InputError&) {
    }
}

/// The plan that the options of a launch stand for, as `dodona predict` would read them.
plan::Plan plan_of(const Launch& launch) {
    const auto number = [&](const std::string& name, std::int64_t otherwise) {
        const std::string text = option(launch, name);
        return text.empty() ? otherwise : std::stoll(text);
    };
    plan::Plan plan;
    plan.strategy = shelf().strategy(option(launch, "--strategy"));
    std::string mesh = option(launch, "--mesh") + ",";
    for (std::size_t at = 0; at < mesh.size();) {
        const std::size_t equals = mesh.find('=', at);
        const std::size_t end = mesh.find(',', at);
        plan.mesh.push_back({mesh.substr(at, equals - at), std::stoll(mesh.substr(equals + 1, end - equals - 1))});
        at = end + 1;
    }
    plan.fold_axes();
    std::stringstream stages(option(launch, "--cut"));
    for (std::string blocks; std::getline(stages, blocks, ',');) {
        plan.stages.push_back(std::stoll(blocks));
    }
    plan.optimizer = plan::optimizer_from(option(launch, "--optimizer")).value_or(plan.optimizer);
    plan.batch = number("--batch", 1);
    plan.microbatch = number("--micro-batch", 1);
    plan.virtual_stages = number("--virtual-stages", 1);
    plan.schedule = plan::schedule_from(option(launch, "--schedule")).value_or(plan.schedule);
    const std::string recompute = option(launch, "--recompute");
    plan.recompute = recompute.starts_with("every-") ? plan::RecomputeKind::every
                                                     : plan::recompute_from(recompute).value_or(plan.recompute);
    plan.recompute_every = recompute.starts_with("every-") ? std::stoll(recompute.substr(6)) : 1;
    if (recompute.starts_with("first-") || recompute.starts_with("one-in-")) {
        plan.recompute = plan::RecomputeKind::full;
        (recompute.starts_with("first-") ? plan.repeated.first : plan.repeated.one_in) =
            std::stoll(recompute.substr(recompute.rfind('-') + 1));
    }
    plan.gather_group = number("--gather-group", 0);
    plan.shard = static_cast<plan::ShardLevel>(number("--zero", 0));
    plan.shard_group = number("--zero-group", 0);
    plan.precision = *precision_from(option(launch, "--precision"));
    if (const std::string gradients = option(launch, "--gradient-precision"); !gradients.empty()) {
        plan.gradient_precision = precision_from(gradients);
    }
    const std::string overlap = "," + option(launch, "--overlap") + ",";
    for (const auto& flag : plan::kOverlapNames) {
        plan.overlap.*flag.member = overlap.find("," + std::string(flag.word) + ",") != std::string::npos;
    }
    std::string offload = "," + option(launch, "--offload") + ",";
    if (const std::size_t share = offload.find("optimizer="); share != std::string::npos) {
        const std::size_t value = share + std::string("optimizer=").size();
        plan.offload.optimizer_share = std::stod(offload.substr(value));
        offload.erase(value - 1, offload.find(',', value) - value + 1);
    }
    for (const auto& flag : plan::kOffloadNames) {
        plan.offload.*flag.member = offload.find("," + std::string(flag.word) + ",") != std::string::npos;
    }
    return plan;
}

/// What a plan is, whatever its strategy is called.
std::string meaning(const plan::Plan& plan, const ExportFacts& facts) {
    const Scope scope = plan_parameters(plan, facts);
    std::string text;
    for (const std::string& name : scope.names()) {
        if (name != "keep_parameters" && name != "software") {
            text += name + "=" + text_of(*scope.find(name)) + "\n";
        }
    }
    return text;
}

plan::Plan random_plan() {
    const auto power = [](int most) { return std::int64_t{1} << *rc::gen::inRange(0, most + 1); };
    const auto chance = [](int percent) { return *rc::gen::inRange(0, 100) < percent; };
    plan::Plan plan;
    const std::int64_t tensor = power(3);
    const std::int64_t context = chance(20) ? 2 : 1;
    const std::int64_t data = power(4);
    const std::int64_t pipeline = chance(50) ? power(3) : 1;
    const bool data_alone = chance(40);                              // data ranks alone
    const std::int64_t experts = !data_alone && chance(25) ? 2 : 1;  // ranks that share a layer of them
    const std::string strategy = data_alone    ? "data"
                                 : experts > 1 ? "megatron-moe"
                                 : context > 1 ? "megatron-context"
                                 : tensor > 1  ? "megatron-sequence"
                                               : "megatron";
    plan.strategy = shelf().strategy(strategy);
    if (data_alone) {
        plan.mesh = {{"data", data}};
    } else {
        plan.mesh = {{"tensor", tensor}};
        if (context > 1 || experts > 1) {
            plan.mesh.push_back({"context", context});
        }
        plan.mesh.push_back({"data", data});
        plan.mesh.push_back({"pipeline", pipeline});
        if (experts > 1) {
            plan.mesh.push_back({"expert_tensor", 1});
            plan.mesh.push_back({"expert", experts});
            plan.fold_axes();
        }
    }
    plan.microbatch = power(2);
    plan.batch = plan.microbatch * data * power(3);
    if (!data_alone && pipeline > 1 && chance(40)) {
        plan.virtual_stages = 2;
        plan.schedule = plan::ScheduleKind::interleaved;
        plan.overlap.pipeline = chance(50);
    }
    if (!data_alone && pipeline > 1 && chance(30)) {
        plan.stages.assign(static_cast<std::size_t>(pipeline * plan.virtual_stages), 2);
        plan.stages.front() = *rc::gen::inRange(3, 20);
        plan.stages.back() = *rc::gen::inRange(0, 3);
    }
    if (!data_alone && experts == 1 && chance(20)) {  // ranks of the pipeline inside those of data
        std::swap(plan.mesh[plan.mesh.size() - 2], plan.mesh.back());
    }
    plan.recompute = *rc::gen::element(plan::RecomputeKind::none, plan::RecomputeKind::selective,
                                       plan::RecomputeKind::full, plan::RecomputeKind::every);
    plan.recompute_every = plan.recompute == plan::RecomputeKind::every ? 2 : 1;
    if (plan.recompute == plan::RecomputeKind::full && chance(30)) {
        (chance(50) ? plan.repeated.first : plan.repeated.one_in) = *rc::gen::inRange(2, 5);
    }
    plan.shard = static_cast<plan::ShardLevel>(*rc::gen::inRange(0, 4));
    // A group of one rank shards nothing: no plan that runs has one.
    const std::int64_t half = data * (data_alone ? 1 : context) / 2;
    if (plan.shard != plan::ShardLevel::none && data > 1 && half > 1 && chance(20)) {
        plan.shard_group = half;
    } else if (plan.shard == plan::ShardLevel::parameters && data_alone && half > 1 && chance(30)) {
        plan.gather_group = half;
    }
    plan.precision = *rc::gen::element(Precision::bf16, Precision::fp16, Precision::fp32, Precision::fp8);
    if (chance(20)) {
        plan.gradient_precision = Precision::bf16;
    }
    if (chance(30)) {
        plan.optimizer =
            *rc::gen::element(plan::OptimizerKind::momentum, plan::OptimizerKind::lion, plan::OptimizerKind::muon,
                              plan::OptimizerKind::muon_gram, plan::OptimizerKind::soap, plan::OptimizerKind::galore);
    }
    plan.overlap.gradients = chance(80);
    plan.overlap.parameters = plan.overlap.gradients && plan.shard != plan::ShardLevel::none && chance(80);
    plan.overlap.tensor = !data_alone && tensor > 1 && chance(20);
    if (chance(20)) {
        plan.offload.optimizer = true;
        plan.offload.weights = chance(50);
        plan.offload.optimizer_share = chance(30) ? 0.25 : 1;
    }
    return plan;
}

graph::PostTraining random_tasks() {
    graph::PostTraining post_training;
    if (const auto adapts = *rc::gen::inRange(0, 3); adapts > 0) {
        post_training.tasks.push_back(adapts == 1 ? graph::Task::lora : graph::Task::qlora);
    }
    post_training.tasks.push_back(*rc::gen::element(graph::Task::sft, graph::Task::dpo, graph::Task::grpo));
    post_training.settings.rank = *rc::gen::element<std::int64_t>(8, 16, 64);
    post_training.settings.storage =
        *rc::gen::element(graph::WeightStorage::nf4, graph::WeightStorage::nf4_single, graph::WeightStorage::int8);
    post_training.settings.reference = *rc::gen::arbitrary<bool>();
    post_training.settings.old_policy = *rc::gen::arbitrary<bool>();
    post_training.settings.answers = *rc::gen::element<std::int64_t>(2, 4);
    return post_training;
}

/// Tasks of a launch, as `--task` and `--set` have it; nothing where that is a default.
std::string tasks_of(const Launch& launch) {
    std::string text = option(launch, "--task");
    std::replace(text.begin(), text.end(), ',', '+');
    std::set<std::string> words;
    for (const auto& [name, value] : launch.options) {
        const bool is_default = value == "reference=true" || value == "old_policy=true" || value == "storage=nf4";
        if (name == "--set" && !value.starts_with("sequence=") && !is_default) {
            words.insert(value);
        }
    }
    return fmt::format("{} {}", text, fmt::join(words, " "));
}

/// `tasks_of` a plan of these.
std::string tasks_of(const graph::PostTraining& post_training) {
    std::vector<std::string> names = dodona::names_of(post_training.tasks);
    std::set<std::string> words;
    const graph::TaskSettings& settings = post_training.settings;
    const auto has = [&](graph::Task task) { return contains(post_training.tasks, task); };
    if (has(graph::Task::lora) || has(graph::Task::qlora)) {
        words.insert(fmt::format("rank={}", settings.rank));
    }
    if (has(graph::Task::qlora) && settings.storage != graph::WeightStorage::nf4) {
        words.insert(fmt::format("storage={}", name_of(settings.storage)));
    }
    if ((has(graph::Task::dpo) || has(graph::Task::grpo)) && !settings.reference) {
        words.insert("reference=false");
    }
    if (has(graph::Task::grpo)) {
        words.insert(fmt::format("answers={}", settings.answers));
        if (!settings.old_policy) {
            words.insert("old_policy=false");
        }
    }
    std::erase(names, "sft");  // what is trained where nothing else is said
    return fmt::format("{} {}", fmt::join(names, "+"), fmt::join(words, " "));
}

/// Exports the plan to every target that is also read, and reads it back. Targets that refuse it are left out.
void round_trip(const plan::Plan& plan, const graph::PostTraining& post_training, std::set<std::string>& expressed) {
    const ExportFacts facts{.model = "llama-3.1-8b",
                            .machine = "dgx-h100",
                            .gpus_per_node = 8,
                            .sequence = 4096,
                            .layers = 32,
                            .post_training = post_training,
                            .comments = {"a comment"},
                            .mechanisms = {"liger"}};
    for (const Target& target : all_targets()) {
        if (target.options.empty() || target.lines.empty()) {
            continue;
        }
        std::string text;
        try {
            text = exported(plan, facts, target);
        } catch (const InputError&) {
            continue;
        }
        expressed.insert(target.keys.name);
        const std::set<std::string> yaml{"accelerate", "maxtext", "nanotron", "nemo", "nemo-rl"};
        const std::string file = target.keys.name == "deepspeed"    ? "out.json"
                                 : target.keys.name == "torchtitan" ? "out.toml"
                                 : yaml.contains(target.keys.name)  ? "out.yaml"
                                                                    : "out.sh";
        Launch launch =
            read_launch(read_launch_text(text, file), all_targets(), plan.devices(), false, here() / "../../models/hf");
        RC_ASSERT(launch.target == target.keys.name);
        RC_ASSERT(launch.unknown == std::vector<std::string>{});
        if (target.keys.name != "nemo-rl") {  // its reference waits on the host
            RC_ASSERT(launch.not_modelled == std::vector<std::string>{});
        }
        if (!post_training.tasks.empty()) {
            RC_ASSERT(tasks_of(launch) == tasks_of(post_training));
        }
        if (target.keys.name == "accelerate") {  // the script has the batch and the optimizer
            launch.options.emplace_back("--optimizer", std::string(plan::name(plan.optimizer)));
            launch.options.emplace_back("--batch", std::to_string(plan.batch));
            launch.options.emplace_back("--micro-batch", std::to_string(plan.microbatch));
        }
        const std::string due = meaning(plan, facts);
        const std::string got = meaning(plan_of(launch), facts);
        if (due != got) {
            RC_LOG() << target.keys.name << "\n" << text << "\n--- due\n" << due << "--- got\n" << got;
        }
        RC_ASSERT(due == got);
    }
}

RC_GTEST_PROP(Export, APlanThatATargetExpressesReadsBackAsTheSamePlan, ()) {
    std::set<std::string> expressed;
    round_trip(random_plan(), {}, expressed);
}

RC_GTEST_PROP(Export, APlanOfPostTrainingReadsBackAsTheSamePlan, ()) {
    plan::Plan plan = random_plan();
    const graph::PostTraining tasks = random_tasks();
    if (contains(tasks.tasks, graph::Task::dpo)) {  // micro-batches have whole pairs
        plan.batch *= 2;
        plan.microbatch *= 2;
    }
    plan.framework.name = *rc::gen::element<std::string>("transformers", "pytorch-fsdp", "torchtitan", "megatron-2026");
    plan.optimizer = plan::OptimizerKind::adam;
    std::set<std::string> expressed;
    round_trip(plan, tasks, expressed);
}

TEST(Export, PlansOfPostTrainingAreWrittenForItsSoftware) {
    plan::Plan plan;
    plan.strategy = shelf().strategy("data");
    plan.mesh = {{"data", 16}};
    plan.batch = 64;
    plan.shard = plan::ShardLevel::parameters;
    plan.overlap.gradients = plan.overlap.parameters = true;
    plan.recompute = plan::RecomputeKind::full;
    const auto expressed = [&](const char* software, std::vector<graph::Task> tasks, bool old_policy) {
        plan.framework.name = software;
        graph::PostTraining post_training{.tasks = std::move(tasks)};
        post_training.settings.old_policy = old_policy;
        std::set<std::string> all;
        round_trip(plan, post_training, all);
        return fmt::format("{}", fmt::join(all, " "));
    };
    using graph::Task;
    EXPECT_EQ(expressed("transformers", {Task::grpo}, true), "verl");
    EXPECT_EQ(expressed("transformers", {Task::grpo}, false), "trl");
    EXPECT_EQ(expressed("pytorch-fsdp", {Task::lora, Task::grpo}, true), "nemo-rl");
    plan.microbatch = 2;
    EXPECT_EQ(expressed("transformers", {Task::qlora, Task::dpo}, true), "trl");
    plan.strategy = shelf().strategy("megatron-sequence");
    plan.mesh = {{"tensor", 4}, {"data", 2}, {"pipeline", 2}};
    plan.shard = plan::ShardLevel::states;
    EXPECT_EQ(expressed("megatron-2026", {Task::grpo}, true), "nemo-rl verl");
    EXPECT_EQ(expressed("megatron-2026", {Task::dpo}, true), "");
}

/// A strategy on a mesh with two ranks on each of its axes.
plan::Plan plan_of_strategy(const std::string& name) {
    plan::Plan plan;
    plan.strategy = shelf().strategy(name);
    for (const std::string& axis : plan.strategy.axes) {
        plan.mesh.push_back({axis, 2});
    }
    plan.batch = plan.devices();
    return plan;
}

TEST(Export, SaysWhatTheRulesOfAStrategyDoWhateverItsName) {
    struct Row {
        const char* strategy;
        const char* sequence_parallel;
        const char* context_kind;
    };
    const std::array rows{Row{"megatron", "0", "none"},
                          Row{"megatron-sequence", "1", "none"},
                          Row{"megatron-context", "1", "ring"},
                          Row{"megatron-moe", "1", "ring"},
                          Row{"megatron-ulysses", "1", "all_to_all"},
                          Row{"context-ring", "0", "ring"},
                          Row{"context-all-gather", "0", "all_gather"},
                          Row{"context-ulysses", "0", "all_to_all"},
                          Row{"data", "0", "none"}};
    for (const Row& row : rows) {
        plan::Plan plan = plan_of_strategy(row.strategy);
        for (const char* name : {row.strategy, "mine", "megatron-mine", "megatron", "ulysses", "context-all-gather"}) {
            plan.strategy.name = name;
            const Scope scope = plan_parameters(plan, {});
            EXPECT_EQ(text_of(*scope.find("sequence_parallel")), row.sequence_parallel) << row.strategy << name;
            EXPECT_EQ(text_of(*scope.find("context_kind")), row.context_kind) << row.strategy << name;
        }
    }
}

TEST(Export, EveryTargetThatIsReadExpressesAPlan) {
    plan::Plan plan;
    plan.strategy = shelf().strategy("megatron-sequence");
    plan.mesh = {{"tensor", 4}, {"data", 8}, {"pipeline", 2}};
    plan.batch = 64;
    plan.shard = plan::ShardLevel::states;
    plan.overlap.gradients = true;
    const ExportFacts facts{.model = "gpt",
                            .machine = "selene",
                            .gpus_per_node = 8,
                            .sequence = 2048,
                            .layers = 24,
                            .comments = {},
                            .mechanisms = {"liger"}};
    for (const char* name : {"megatron", "bridge", "nemo", "nanotron", "slurm", "kubernetes"}) {
        EXPECT_FALSE(exported(plan, facts, target_named(name)).empty()) << name;
    }
    for (const char* name : {"deepspeed", "torchtitan", "accelerate", "fsdp", "maxtext"}) {
        try {
            static_cast<void>(exported(plan, facts, target_named(name)));
            ADD_FAILURE() << name << " has no refusal for this plan";
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find("nearest: "), std::string::npos) << name;
        }
    }
    plan.strategy = shelf().strategy("data");
    plan.mesh = {{"data", 64}};
    plan.shard = plan::ShardLevel::parameters;
    plan.overlap.parameters = true;
    plan.recompute = plan::RecomputeKind::full;
    for (const char* name : {"torchtitan", "accelerate", "fsdp", "maxtext"}) {
        EXPECT_FALSE(exported(plan, facts, target_named(name)).empty()) << name;
    }
    ExportFacts on_tpus = facts;
    on_tpus.maker = cluster::Maker::google;
    EXPECT_NE(exported(plan, facts, target_named("maxtext")).find("hardware: gpu\n"), std::string::npos);
    EXPECT_NE(exported(plan, on_tpus, target_named("maxtext")).find("hardware: tpu\n"), std::string::npos);
    plan.recompute = plan::RecomputeKind::none;
    EXPECT_FALSE(exported(plan, facts, target_named("deepspeed")).empty());
}

}  // namespace launch_test
}  // namespace dodona::files::testing
