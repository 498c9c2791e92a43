// What a row of a table of runs asks.
#include <set>

#include "plan/recompute.hpp"
#include "runs.hpp"
#include "validate/comparison.hpp"
#include "validate/plan_of_run.hpp"

namespace dodona::validate::testing {
namespace questions_test {

TEST(PlanOfRun, HasTheLayoutOfItsRow) {
    const plan::Plan plan = plan_of_row({{"strategy", "megatron"},
                                         {"sequence_parallel", "yes"},
                                         {"tensor", "8"},
                                         {"data", "2"},
                                         {"pipeline", "4"},
                                         {"virtual_stages", "3"},
                                         {"gpus", "64"},
                                         {"recompute", "selective"},
                                         {"shard", "states"},
                                         {"overlap_parameters", "no"},
                                         {"global_batch", "128"}});
    EXPECT_EQ(plan.strategy.name, "megatron-sequence");
    EXPECT_EQ(plan.mesh, (std::vector<plan::MeshAxis>{{"tensor", 8}, {"data", 2}, {"pipeline", 4}}));
    EXPECT_EQ(plan.batch, 128);
    EXPECT_EQ(plan.schedule, plan::ScheduleKind::interleaved);
    EXPECT_EQ(plan.virtual_stages, 3);
    EXPECT_EQ(plan.stages, std::vector<std::int64_t>(12, 8)) << "96 blocks, dealt evenly";
    EXPECT_EQ(plan.recompute, plan::RecomputeKind::selective);
    EXPECT_EQ(plan.shard, plan::ShardLevel::states);
    EXPECT_EQ(plan.shard_group, 0);
    EXPECT_EQ(plan.optimizer, plan::OptimizerKind::adam);
    EXPECT_TRUE(plan.overlap.gradients);
    EXPECT_FALSE(plan.overlap.parameters);
    EXPECT_FALSE(plan.overlap.tensor);
}

TEST(PlanOfRun, TakesStrategiesByTheirWordAndLayout) {
    const Cells eight{{"strategy", "megatron"}, {"tensor", "8"}};
    EXPECT_EQ(plan_of_row(eight).strategy.name, "megatron");
    const Cells images{{"model", "resnet50"},
                       {"input", "image=3x224x224"},
                       {"spatial", "4"},
                       {"data", "2"},
                       {"strategy", "data+spatial"}};
    EXPECT_EQ(plan_of_row(images).mesh, (std::vector<plan::MeshAxis>{{"spatial", 4}, {"data", 2}}));
    EXPECT_EQ(plan_of_row(images).optimizer, plan::OptimizerKind::momentum);
    Cells filters = images;
    filters.merge(Cells{{"filter", "4"}, {"framework", "ChainerMNX"}});
    filters["strategy"] = "data+filter";
    EXPECT_EQ(plan_of_published_row(filters).strategy.name, "data+filter-paradl");
    EXPECT_EQ(plan_of_row(filters).strategy.name, "data+filter") << "other tables say what they mean";
    filters["framework"] = "PyTorch";
    EXPECT_EQ(plan_of_published_row(filters).strategy.name, "data+filter");
}

TEST(PlanOfRun, ShardsOverAGroupWhereItIsSmallerThanTheDataRanks) {
    Cells row{{"strategy", "fsdp"}, {"data", "64"}, {"gpus", "64"}, {"global_batch", "64"}, {"shard", "parameters"}};
    row["shard_group"] = "8";
    EXPECT_EQ(plan_of_row(row).shard_group, 8);
    row["shard_group"] = "64";
    EXPECT_EQ(plan_of_row(row).shard_group, 0);
    row["shard_group"] = "128";
    EXPECT_EQ(refusal(row), "shard_group: 128 is more than the 64 ranks that hold the same weights");
}

TEST(PlanOfRun, LaysContextAndExpertsOverTheirAxes) {
    Cells row{{"strategy", "megatron"}, {"tensor", "4"},     {"sequence_parallel", "yes"},
              {"context", "2"},         {"data", "8"},       {"gpus", "64"},
              {"global_batch", "64"},   {"shard", "states"}, {"shard_group", "16"}};
    EXPECT_EQ(plan_of_row(row).strategy.name, "megatron-context");
    EXPECT_EQ(plan_of_row(row).mesh,
              (std::vector<plan::MeshAxis>{{"tensor", 4}, {"context", 2}, {"data", 8}, {"pipeline", 1}}));
    EXPECT_EQ(plan_of_row(row).shard_group, 0);
    row["expert"] = "8";
    const plan::Plan plan = plan_of_row(row);
    EXPECT_EQ(plan.strategy.name, "megatron-moe");
    EXPECT_EQ(plan.mesh.size(), 4U);
    ASSERT_EQ(plan.folds.size(), 2U);
    EXPECT_EQ(plan.folds[1].name, "expert");
    EXPECT_EQ(plan.folds[1].size, 8);
    EXPECT_EQ(plan.shard_group, 0) << "all ranks that can";
}

TEST(PlanOfRun, ReadsWordsOfItsNotes) {
    const Cells row{{"strategy", "data"}, {"data", "8"}};
    EXPECT_FALSE(plan_of_published_row(row).gradient_precision);
    Cells noted = row;
    noted["notes"] = "gradient accumulation 1; parameters, gradients and reductions all in bf16 (mixed_precision=PURE)";
    EXPECT_EQ(plan_of_published_row(noted).gradient_precision, Precision::bf16);
    noted["notes"] = "TP_COMM_OVERLAP=True FP8=True";
    EXPECT_TRUE(plan_of_published_row(noted).overlap.tensor);
    noted["notes"] = "data=synthetic; SGD; CUDA 8";
    EXPECT_EQ(plan_of_published_row(noted).optimizer, plan::OptimizerKind::sgd);
}

TEST(PlanOfRun, ComputesInWhatItsProgramSays) {
    Cells row{{"model", "bert-large"}, {"input", "seq=512"}, {"precision", "fp16"}, {"gpus", "1"}};
    row["framework"] = "PyTorch (MLPerf)";
    row["device"] = "h100-sxm5-80gb";
    row["machine"] = "single-gpu";
    EXPECT_EQ(plan_of_published_row(row).precision, Precision::fp8) << "layers of Transformer Engine";
    row["device"] = "a100-sxm4-80gb";
    EXPECT_EQ(plan_of_published_row(row).precision, Precision::fp16);
}

// A block of Llama-2 7B multiplies 4 x 4096^2 + 3 x 4096 x 11008 weights, the head 32000 x 4096: 0.648 of a block. Of
// 32.648 a stage of eight has 4.081, and the first ends with its fifth block.
TEST(PlanOfRun, FillsStagesByWeightsWhereItsProgramDoes) {
    Cells row{{"model", "llama-2-7b"}, {"input", "seq=4096"}, {"precision", "bf16"}, {"gpus", "8"}, {"pipeline", "8"}};
    row["data"] = "1";
    row["strategy"] = "megatron";
    row["global_batch"] = "8";
    row["microbatch"] = "1";
    row["framework"] = "nanotron";
    EXPECT_EQ(plan_of_published_row(row).stages, (std::vector<std::int64_t>{5, 4, 4, 4, 4, 4, 4, 3}));
    // Of 32.648 a stage of 32 has 1.020: the first takes two, the rule would leave the last but one the head alone.
    row["gpus"] = row["pipeline"] = "32";
    std::vector<std::int64_t> of_32(32, 1);
    of_32.front() = 2;
    of_32.back() = 0;
    EXPECT_EQ(plan_of_published_row(row).stages, of_32);
    row["framework"] = "Megatron-LM";
    EXPECT_EQ(plan_of_published_row(row).stages, std::vector<std::int64_t>(32, 1));
}

TEST(StageSizes, LeaveRoomForEmbeddingAndHeadWhereThatMakesThemEven) {
    EXPECT_EQ(stage_sizes(96, 8), std::vector<std::int64_t>(8, 12)) << "of whatever kind they are";
    EXPECT_EQ(stage_sizes(97, 8), std::vector<std::int64_t>{}) << "balanced";
    EXPECT_EQ(stage_sizes(70, 12), (std::vector<std::int64_t>{5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 5}));
    EXPECT_EQ(stage_sizes(94, 8), (std::vector<std::int64_t>{11, 12, 12, 12, 12, 12, 12, 11}));
    EXPECT_EQ(stage_sizes(126, 64).front(), 1);
    EXPECT_EQ(stage_sizes(126, 64)[1], 2);
    EXPECT_EQ(stage_sizes(61, 16), std::vector<std::int64_t>{});  // not stated: balanced
    EXPECT_EQ(stage_sizes(13, 1), std::vector<std::int64_t>{});
}

TEST(NetworkOfRun, HasTheOverridesAndTheSampleOfItsRow) {
    const Question question = questions().of(
        run({{"model_overrides", "layers=24;hidden=2048;heads=16"}, {"input", "seq=1024"}, {"gpus", "1"}}));
    // Narayanan et al., SC 2021, equation 2 with the last norm: 12 l h^2 + 13 l h + (V + s) h + 2 h.
    const double l = 24;
    const double h = 2048;
    EXPECT_EQ(graph::count(*question.graph).parameters, 12 * l * h * h + 13 * l * h + (51200 + 1024) * h + 2 * h);
}

// "hidden" alone has the feed-forward follow it, by a line of the conventions.
TEST(NetworkOfRun, OwnOverridesComeBeforeConventions) {
    const auto weights = [](const char* overrides) {
        const Question question = questions().of(
            run({{"model", "llama-tied"}, {"model_overrides", overrides}, {"input", "seq=1024"}, {"gpus", "1"}}));
        return graph::count(*question.graph).parameters;
    };
    EXPECT_EQ(weights("hidden=1024;ffn=4096"), weights("hidden=1024"));
    EXPECT_EQ(weights("hidden=1024;ffn=5120") - weights("hidden=1024"), 16 * 3 * 1024.0 * 1024.0);
}

TEST(NetworkOfRun, MayBeAFileBesideTheTable) {
    const std::string folder = root() + "/lab/evidence/tables/steps";
    const files::MeasuredRun row = files::load_runs(folder + "/runs.csv", {}).at(12);
    EXPECT_EQ(row.model, "lstm-lm.yaml");
    EXPECT_EQ(published_questions().of(row).graph->name, "lstm-lm");
}

TEST(NetworkOfRun, KeepsFrozenWeightsAsItsNotesSay) {
    const auto kept_in = [](const char* precision, const char* notes) {
        std::set<graph::WeightStorage> found;
        const Question question = questions().of(run({{"model", "llama-3.1-8b-lora"},
                                                      {"machine", "dgx-h100"},
                                                      {"precision", precision},
                                                      {"notes", notes},
                                                      {"gpus", "1"}}));
        for (graph::Vertex v = 0; v < question.graph->layers.size(); ++v) {
            const graph::Layer& layer = question.graph->layer(v);
            if (layer.frozen && layer.nest.linear && layer.role != "head") {
                found.insert(layer.storage);
            }
        }
        return found;
    };
    using graph::WeightStorage;
    EXPECT_EQ(kept_in("fp8", "frozen weights in fp8"), std::set{WeightStorage::fp8});
    EXPECT_EQ(kept_in("bf16", "frozen weights in fp8"), std::set{WeightStorage::full})
        << "its products do not read them";
    EXPECT_EQ(kept_in("fp8", ""), std::set{WeightStorage::full});
}

TEST(Conventions, NameWaysToKeepWeights) {
    files::RunConventions conventions;
    conventions.frozen_weights.push_back({.when = {}, .word = "int5", .where = {}});
    EXPECT_THROW(Questions(files::Library(root()), {}, conventions), InputError);
}

TEST(PlanOfRun, TakesTheSoftwareThatItsRowNames) {
    const plan::Plan plan = plan_of_row({{"framework", "Hugging Face Transformers"}, {"gpus", "1"}});
    EXPECT_EQ(plan.framework.name, "transformers");
    EXPECT_TRUE(plan.memory.has(plan::MemoryAction::keep, plan::MemoryTensors::loss_inputs));
}

TEST(NetworkOfRun, IsTheOneThatWasTrainedUnderItsName) {
    const Question question =
        published_questions().of(run({{"model", "resnet50-paradl"}, {"input", "image=3x226x226"}, {"gpus", "1"}}));
    EXPECT_EQ(question.graph->name, "resnet50-v1");
}

TEST(NetworkOfRun, RefusesWhatItCannotBe) {
    EXPECT_EQ(refusal({{"model", "gpt3-175c"}, {"gpus", "1"}}),
              "unknown model \"gpt3-175c\"; did you mean \"gpt3-175b\"?");
    EXPECT_EQ(refusal({{"model_overrides", "dense_layers=1"}, {"gpus", "1"}}),
              "model_overrides: dense_layers: the model has no such parameter");
    EXPECT_EQ(refusal({{"input", "image=3x224x224"}, {"gpus", "1"}}),
              "input: gpt3-175b reads samples of 2048, the run's are 3x224x224");
    EXPECT_EQ(refusal({{"model", "resnet50"}, {"input", "image=4x224x224"}, {"gpus", "1"}}),
              "input: resnet50 reads samples of 3x224x224, the run's are 4x224x224");
    EXPECT_EQ(refusal({{"model", "resnet50"}, {"input", "image=3x224x256"}, {"gpus", "1"}}),
              "input: resnet50 reads samples of 3x256x256, the run's are 3x224x256");
}

TEST(NetworkOfRun, ComputesTheFilledPositionsOfBinnedSamples) {
    Cells row{{"model", "bert-large"}, {"input", "seq=512"}, {"gpus", "1"}, {"machine", "single-gpu"}};
    row["device"] = "a100-sxm4-80gb";
    const auto work = [&] { return graph::count(*published_questions().of(run(row)).graph).forward_per_sample; };
    const Flop whole = work();
    row["framework"] = "PyTorch (NVIDIA DeepLearningExamples)";
    EXPECT_NEAR(work() / whole, 288.0 / 512, 0.02) << "attention is less than linear in them";
}

TEST(MachineOfRun, IsAsItsSoftwareFoundIt) {
    Cells row{{"model", "resnet50-paradl"}, {"input", "image=3x226x226"}, {"gpus", "1"}, {"machine", "abci-v100"}};
    row["strategy"] = "data";
    EXPECT_EQ(published_questions().of(run(row)).cluster->name, "abci-v100");
    row["framework"] = "ChainerMNX";
    EXPECT_EQ(published_questions().of(run(row)).cluster->name, "abci-chainermn");
}

TEST(MachineOfRun, HasTheDeviceOfItsRow) {
    const Question alone = questions().of(run({{"machine", "single-gpu"}, {"device", "rtx-a6000"}, {"gpus", "1"}}));
    EXPECT_EQ(alone.cluster->devices(), 1);
    EXPECT_EQ(alone.cluster->device.name, "rtx-a6000");
    const Question other = questions().of(run({{"device", "a100-sxm4-40gb"}, {"gpus", "1"}}));
    EXPECT_EQ(other.cluster->device.name, "a100-sxm4-40gb");
    EXPECT_EQ(refusal({{"machine", "single-gpu"}, {"gpus", "1"}}), "device: machine \"single-gpu\" needs one");
}

TEST(MachineOfRun, HasSmallerNodesWhereTheRunTakesFewerDevicesOfEach) {
    const Cells row{{"strategy", "data"}, {"data", "8"}};
    Cells half = row;
    half["gpus_per_node"] = "4";
    const auto whole = questions().of(run(row)).cluster;
    const auto part = questions().of(run(half)).cluster;
    EXPECT_EQ(whole->node_size(), 8);
    EXPECT_EQ(part->node_size(), 4);
    EXPECT_EQ(part->levels[1].links, whole->levels[1].links);
    half["gpus"] = "4";
    half["data"] = "4";
    EXPECT_EQ(questions().of(run(half)).cluster->node_size(), 8) << "four devices of one node are that node's";
    half["gpus"] = "32";
    half["data"] = "32";
    half["gpus_per_node"] = "16";
    EXPECT_EQ(refusal(half), "gpus_per_node: selene has nodes of 8 GPUs, the run 16 on each");
}

// 64 trays of 4: 16 of each rack of 18 divide them evenly, 17 and 18 do not. 64 experts' ranks then share one rack.
TEST(MachineOfRun, TakesAsManyTraysOfEachRack) {
    Cells row{{"strategy", "data"}, {"machine", "dgx-gb200"}, {"device", "gb200"},
              {"gpus", "256"},      {"data", "256"},          {"gpus_per_node", "4"}};
    row["global_batch"] = "256";
    EXPECT_EQ(questions().of(run(row)).cluster->taken(1, 256), 16);
    row["gpus"] = row["data"] = row["global_batch"] = "72";
    EXPECT_EQ(questions().of(run(row)).cluster->taken(1, 72), 18);
    row["gpus"] = row["data"] = row["global_batch"] = "144";
    EXPECT_EQ(questions().of(run(row)).cluster->taken(1, 144), 18);
}

TEST(MachineOfRun, HasItsParameterServersWhereTheRunHadThem) {
    using Place = cluster::ParameterServers::Place;
    Cells row{{"strategy", "parameter-server"}, {"data", "8"}};
    EXPECT_EQ(plan_of_published_row(row).algorithm, cluster::Algorithm::parameter_server);
    EXPECT_EQ(published_questions().of(run(row)).cluster->parameter_servers.place, Place::host);
    row["notes"] = "data=synthetic; variables: parameter_server/gpu; SGD";
    EXPECT_EQ(published_questions().of(run(row)).cluster->parameter_servers.place, Place::device);
}

TEST(Questions, KnowWordsThatNameLayers) {
    const plan::Plan plan = plan_of_published_row(
        {{"model", "llama2-70b"}, {"input", "seq=4096"}, {"gpus", "1"}, {"recompute", "custom: save_dot_except_mlp"}});
    EXPECT_EQ(plan.recompute, plan::RecomputeKind::layers);
    ASSERT_EQ(plan.recompute_layers.size(), 9U);
    EXPECT_EQ(plan::layer_name(plan.recompute_layers[3]), "attention");
}

TEST(Questions, KnowWhatSoftwareKeeps) {
    EXPECT_EQ(plan_of_row({{"gpus", "1"}, {"framework", "NeMo"}}).memory.name, "nemo");
    const auto version = [](const std::string& release) {
        return plan_of_row({{"gpus", "1"}, {"framework", "Megatron-LM"}, {"version", release}}).framework.name;
    };
    EXPECT_EQ(version("v3.0"), "megatron-2021");
    EXPECT_EQ(version("core_v0.11.0"), "megatron-2024");
    EXPECT_EQ(version("core_v0.12.1"), "megatron-2026");
    EXPECT_EQ(plan_of_row({{"gpus", "1"}, {"framework", "Megatron-Bridge"}}).memory.name, "megatron-core");
    EXPECT_EQ(plan_of_row({{"gpus", "1"}, {"framework", "Foo"}}).memory, plan::MemoryProfile{});
}

TEST(Questions, KnowTheDeviceOfTheMachineWhereTheRowNamesNone) {
    Cells megatron{{"strategy", "megatron"}, {"tensor", "8"}, {"framework", "Megatron-LM"}};
    EXPECT_EQ(plan_of_row(megatron).framework.name, "megatron-2024") << "selene has a100";
    megatron["source"] = "Korthikanti et al., arXiv:2205.05198, Table 5";
    EXPECT_EQ(plan_of_row(megatron).framework.name, "megatron-2021") << "of its time";
}

TEST(Questions, TakeLoopsInPyTorchAsOperatorsOneByOne) {
    Cells own{{"strategy", "megatron"}, {"tensor", "8"}, {"precision", "bf16"}, {"framework", "Our trainer (PyTorch)"}};
    const plan::Plan eager = plan_of_row(own);
    EXPECT_EQ(eager.framework.name, "typical");
    EXPECT_EQ(eager.framework[plan::FrameworkParameter::unfused_norms], 1);
    EXPECT_TRUE(eager.memory.has(plan::MemoryAction::keep, plan::MemoryTensors::normalised_inputs));
    EXPECT_EQ(eager.gradient_precision, Precision::bf16) << "as their parameters";
    own["notes"] = "flash attention + RMS kernel";
    const plan::Plan fused = plan_of_row(own);
    EXPECT_EQ(fused.framework[plan::FrameworkParameter::unfused_norms], 0);
    EXPECT_EQ(fused.framework[plan::FrameworkParameter::unfused_passes], 1);
    EXPECT_TRUE(fused.memory.has(plan::MemoryAction::free, plan::MemoryTensors::normalised_inputs))
        << "the first counts";
}

TEST(Questions, TakeUsualSoftwareWhereNoneIsNamed) {
    const auto usual = [](const Cells& cells) { return plan_of_row(cells).framework.name; };
    EXPECT_EQ(usual({{"strategy", "megatron"}, {"tensor", "8"}}), "megatron-2026");
    EXPECT_EQ(plan_of_row({{"strategy", "megatron"}, {"tensor", "8"}, {"date", "2024-09"}}).framework.name,
              "megatron-2024");
    EXPECT_EQ(plan_of_row({{"strategy", "megatron"}, {"tensor", "8"}, {"date", "2024-09"}}).memory.name, "nemo");
    EXPECT_EQ(usual({{"strategy", "fsdp"}, {"data", "8"}, {"shard", "parameters"}}), "pytorch-fsdp");
    EXPECT_EQ(usual({{"strategy", "megatron"},
                     {"tensor", "2"},
                     {"data", "4"},
                     {"sequence_parallel", "yes"},
                     {"shard", "gradients"}}),
              "torchtitan");
    EXPECT_EQ(usual({{"strategy", "fsdp"}, {"data", "8"}, {"shard", "parameters"}, {"framework", "Foo"}}), "typical");
    EXPECT_EQ(usual({{"strategy", "data"}, {"data", "8"}, {"machine", "tpu-v5p-pod"}}), "maxtext");
}

TEST(Questions, RefuseWhatCannotBeExpressed) {
    EXPECT_EQ(refusal({{"strategy", "gossip"}}).find("strategy: \"gossip\" is not known; these are: "), 0);
    EXPECT_EQ(refusal({{"strategy", "data"}, {"data", "4"}}), "gpus: the layout makes 4, the run has 8");
    EXPECT_EQ(refusal({{"gpus", "1"}, {"recompute", "custom: some of it"}}),
              "recompute: \"custom: some of it\" cannot be expressed: none, selective (attention's core) and full can, "
              "and the layers of a line under recompute: in the conventions");
}

TEST(Questions, LeaveOutWhatTheMeasurementDid) {
    EXPECT_TRUE(published_questions().of(run({{"gpus", "1"}})).not_timed.empty());
    const Question question =
        published_questions().of(run({{"gpus", "1"}, {"notes", "forward + backward, no optimizer step"}}));
    EXPECT_EQ(question.not_timed, std::vector<step::TimePart>{step::TimePart::optimizer});
}

TEST(Questions, KnowRowsWhoseMemoryIsInBinaryUnits) {
    EXPECT_DOUBLE_EQ(questions().of(run({{"gpus", "1"}})).memory_unit, 1);
    files::RunConventions own;
    own.memory_units = {{.when = {}, .word = "GiB", .where = {}}};
    const files::Library library(root());
    EXPECT_DOUBLE_EQ(Questions(library, {}, own).of(run({{"gpus", "1"}})).memory_unit, 1.073741824);
    own.memory_units.front().word = "MB";
    EXPECT_THROW(Questions(library, {}, own), InputError);
}

TEST(Questions, KnowWhoseMemoryARowHas) {
    EXPECT_EQ(questions().of(run({{"gpus", "1"}})).memory_rank, MemoryRank::fullest);
    files::RunConventions own;
    own.memory_ranks = {{.when = {}, .word = "first", .where = {}}};
    const files::Library library(root());
    EXPECT_EQ(Questions(library, {}, own).of(run({{"gpus", "1"}})).memory_rank, MemoryRank::first);
    own.memory_ranks.front().word = "last";
    EXPECT_EQ(Questions(library, {}, own).of(run({{"gpus", "1"}})).memory_rank, MemoryRank::last);
    own.memory_ranks.front().word = "middle";
    EXPECT_THROW(Questions(library, {}, own), InputError);
}

// The first of two stages holds two micro-batches, the last one and the logits.
TEST(Memory, IsThatOfTheRankThatARowHasItOf) {
    const std::vector<files::MeasuredRun> runs{run({{"model", "llama-3.1-8b"},
                                                    {"gpus", "2"},
                                                    {"pipeline", "2"},
                                                    {"strategy", "megatron"},
                                                    {"peak_memory_bytes", "6e10"},
                                                    {"memory_kind", "reserved"}})};
    const auto predicted = [&](const std::string& whose) {
        files::RunConventions own;
        if (!whose.empty()) {
            own.memory_ranks = {{.when = {}, .word = whose, .where = {}}};
        }
        Questions asked(files::Library(root()), {}, own);
        const RunResult row = compare(runs, asked, [](std::int64_t, std::int64_t) { return true; }).rows.front();
        EXPECT_EQ(row.refusal, "");
        return row.predicted_memory.value_or(Bytes{});
    };
    EXPECT_NE(predicted("first"), predicted("last"));
    EXPECT_EQ(predicted(""), max(predicted("first"), predicted("last")));
}

TEST(Questions, KnowWhatSoftwareDoes) {
    const auto software = [](const Cells& changed) {
        Cells cells = changed;
        cells.insert({{"model", "llama-2-70b"}, {"input", "seq=4096"}, {"gpus", "1"}});
        return questions().of(run(cells)).plan.framework;
    };
    const plan::Framework graphs = software({{"framework", "NeMo (MLPerf)"}, {"notes", "MLPerf Training v4.1"}});
    EXPECT_EQ(graphs.label(), "megatron-2024+graphs");
    EXPECT_EQ(graphs[plan::FrameworkParameter::launch], 0);
    const plan::Framework fitted = software({{"framework", "NeMo"}, {"group", "nemo-h100"}});
    EXPECT_EQ(fitted.label(), "megatron-2024");
    EXPECT_EQ(fitted.between_sources, 0) << "the framework was fitted to this group";
    EXPECT_GT(graphs.between_sources, 0);
    const plan::Framework unknown = software({{"framework", "something new"}});
    EXPECT_EQ(unknown.label(), "typical");
    const Cells bert{{"framework", "PyTorch (MLPerf)"}, {"model", "bert-large"}, {"input", "seq=512"}};
    EXPECT_EQ(software(bert).label(), "typical+graphs")
        << "no program of a user's own, which runs operator by operator";
    EXPECT_EQ(software({{"notes", "trial 1; kernel flash_attentionv1.0.8"}, {"framework", "Own"}}).label(),
              "typical+flash-attention-1");
    EXPECT_EQ(software({{"framework", "LLaMA-Factory 0.9"}, {"strategy", "zero3"}}).label(),
              "transformers+zero3-hooks");
    EXPECT_EQ(software({{"framework", "Levanter"}}).label(), "typical+compiled");
    Cells images{{"model", "resnet50"}, {"input", "image=3x224x224"}, {"framework", "MXNet (MLPerf)"}};
    images["precision"] = "fp16";
    EXPECT_EQ(software(images).label(), "dle-pytorch+fused-batch-norms+compiled");
    EXPECT_EQ(unknown.between_sources, graphs.between_sources) << "as `predict` says it";
}

TEST(Questions, KnowWordsForWhatRunsAgain) {
    const auto layers = [](const std::string& recompute) {
        const plan::Plan plan =
            plan_of_row({{"model", "llama-2-70b"}, {"input", "seq=4096"}, {"gpus", "1"}, {"recompute", recompute}});
        std::string names;
        for (const plan::Match& layer : plan.recompute_layers) {
            names += plan::layer_name(layer).value_or("?") + " ";
        }
        return names;
    };
    EXPECT_EQ(layers("selective:moe_act+layernorm"), "gated norm1 norm2 ");
    EXPECT_EQ(layers("selective (op)"), "norm1 k rotary_q rotary_k projection add1 norm2 up gated ");
    EXPECT_EQ(refusal({{"gpus", "1"}, {"recompute", "selective:moe_act+magic"}}).substr(0, 10), "recompute:");
}

TEST(Questions, ReduceGradientsOnceAStepWhereAPipelineHoldsThem) {
    const Cells cells{{"strategy", "megatron"}, {"shard", "gradients"}, {"data", "2"}, {"gpus", "4"}};
    Cells pipeline = cells;
    pipeline["pipeline"] = "2";
    EXPECT_EQ(plan_of_row(pipeline).shard, plan::ShardLevel::states);
    Cells plain = cells;
    plain["gpus"] = "2";
    EXPECT_EQ(plan_of_row(plain).shard, plan::ShardLevel::gradients);
}

}  // namespace questions_test
}  // namespace dodona::validate::testing
