// The rows of the seed systems about how replicas agree, each answered by a command with its number: nn, mlsl, mlsl-G, topk,
// taxonomy, advise.
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace exchange_rows_test {

using nlohmann::json;

json answer(const std::string& words) {
    const Folder place;
    const Outcome outcome = place.run(words + " --format json");
    EXPECT_EQ(outcome.code, 0) << words << "\n" << outcome.err;
    return json::parse(outcome.out, nullptr, false);
}

std::string machine(const std::string& name) {
    return "--machine '" + std::string(std::getenv("DODONA_SOURCE")) + "/tests/cli/" + name + ".yaml'";
}

/// The exchanges of an answer by their names.
std::map<std::string, json> by_name(const json& document) {
    std::map<std::string, json> exchanges;
    for (const json& one : document["exchanges"]) {
        exchanges[one["exchange"]] = one;
    }
    return exchanges;
}

/// 16 workers on a torus send their gradient, 4 bytes a weight, to four neighbours, however many they are.
TEST(SeedRow, nn) {
    std::map<int, double> seconds;
    for (const auto& [workers, eigenvalue] : std::map<int, double>{{16, 0.6}, {64, 0.88284}}) {
        const json document = answer("predict resnet18-cifar --machine cori-haswell --gpus " + std::to_string(workers) +
                                     " --strategy data --precision fp32 --exchange fast-torus");
        const json torus = by_name(document)["fast-torus"];
        EXPECT_NEAR(torus["second_eigenvalue"], eigenvalue, 1e-5);
        EXPECT_DOUBLE_EQ(torus["sent_bytes_a_step"], 16 * 11'172'170.0) << "ResNet-18 v2 for CIFAR-10";
        seconds[workers] = torus["exchange_s"];
    }
    EXPECT_NEAR(seconds[16], seconds[64], 1e-12);
}

/// Against one node (Das et al., arXiv:1602.06709), within 15 %: fully connected layers split by features among all nodes,
/// as theirs are in groups. By data alone fc6 of OverFeat, 113 of its 146 million parameters, is most of the traffic.
TEST(SeedRow, mlsl) {
    struct Run {
        const char* model;
        int batch;
        int nodes;
        double speed_up;
    };
    for (const Run& run : {Run{"vgg-a", 512, 128, 90}, Run{"vgg-a", 256, 64, 53}, Run{"overfeat-fast", 256, 64, 42}}) {
        const std::string job =
            fmt::format("predict {} --machine cori-haswell --software none --batch {} --precision fp32 --strategy ",
                        run.model, run.batch);
        const double alone = answer(job + "data --gpus 1")["plan"]["step_time_s"]["value"];
        const auto speed_up = [&](const char* strategy, const char* exchange) {
            const json made = answer(job + fmt::format("{} --gpus {} --exchange {}", strategy, run.nodes, exchange));
            return alone / made["exchanges"][0]["step_time_s"].get<double>();
        };
        const double hybrid = speed_up("one-weird-trick", "mlsl-priority");
        EXPECT_NEAR(hybrid / run.speed_up, 1, 0.15) << run.model << run.nodes;
        EXPECT_LT(speed_up("data", "mlsl-priority"), hybrid);
        EXPECT_LE(speed_up("data", "mlsl-fifo"), speed_up("data", "mlsl-priority"));
    }
}

/// A fully connected layer of 4,096 outputs on 64 nodes with 256 samples: two groups.
TEST(SeedRow, mlsl_G) {
    const json document = answer("limits vgg-a --layer-groups --gpus 64 --batch 256");
    std::map<std::string, json> layers;
    for (const json& layer : document["layers"]) {
        layers[layer["layer"]] = layer;
    }
    EXPECT_EQ(layers["fc6/linear"]["groups"], 2);
    EXPECT_EQ(layers["fc7/linear"]["groups"], 2);
    EXPECT_TRUE(layers["stage1/conv"]["groups"].is_null());
    EXPECT_NEAR(layers["stage1/conv"]["flop_per_byte"], 1.5 * 4 * 224 * 224 / 2, 1);
}

/// ResNet-50 has 25.56 M parameters, the vector of the seed 25.6 M.
TEST(SeedRow, topk) {
    const json document = answer("predict resnet50 " + machine("tencent-vectors") +
                                 " --gpus 128 --strategy data --exchange hitop-k,top-k-all-gather,ring-all-reduce");
    std::map<std::string, json> exchanges = by_name(document);
    const auto wires = [&](const char* name) {
        return exchanges[name]["exchange_s"].get<double>() - exchanges[name]["compression_s"].get<double>();
    };
    EXPECT_NEAR(wires("hitop-k"), 3.72e-3, 0.01e-3);
    EXPECT_NEAR(wires("top-k-all-gather"), 69.26e-3, 0.2e-3);
    EXPECT_NEAR(wires("ring-all-reduce"), 77.72e-3, 0.2e-3);
    // End to end against the hierarchical all-reduce: 25 to 40 % faster.
    const double faster = document["step_time_s"].get<double>() / exchanges["hitop-k"]["step_time_s"].get<double>();
    EXPECT_GT(faster, 1.25);
}

TEST(SeedRow, topk_end_to_end_on_the_public_cloud) {
    const json document =
        answer("predict resnet50 --machine tencent-v100-25gbe --gpus 128 --strategy data --exchange hitop-k");
    const double faster =
        document["step_time_s"].get<double>() / by_name(document)["hitop-k"]["step_time_s"].get<double>();
    EXPECT_GE(faster, 1.25);
    EXPECT_LE(faster, 1.40);
}

/// The batch of the published Transformer is not stated: here 32,768 tokens a side and GPU. The fewer, the more it gains.
TEST(SeedRow, topk_end_to_end_of_a_transformer) {
    const auto faster = [](const char* batch) {
        const json document =
            answer(std::string("predict transformer-big --machine tencent-v100-25gbe --gpus 128 --strategy data "
                               "--exchange hitop-k --batch ") +
                   batch);
        return document["step_time_s"].get<double>() / by_name(document)["hitop-k"]["step_time_s"].get<double>();
    };
    EXPECT_GE(faster("131072"), 1.25);
    EXPECT_LE(faster("131072"), 1.40);
    EXPECT_GT(faster("16384"), 2);
}

TEST(SeedRow, taxonomy) {
    const json system = answer("systems d-psgd");
    EXPECT_EQ(system["parallelism"], "data");
    EXPECT_EQ(system["optimisation"], "decentral");
    EXPECT_EQ(system["scheduling"], "synchronous");
    EXPECT_EQ(system["topology"], "closed ring");
    const json all = answer("systems");
    int of_the_taxonomy = 0;
    for (const json& row : all["systems"]) {
        of_the_taxonomy += row["in_taxonomy"].get<bool>() ? 1 : 0;
        if (!row["runs"].is_null()) {  // the exchange that stands for it is there, and plays
            const std::string exchange = row["runs"];
            const json played = answer("simulate vgg16 --machine abci --gpus 4 --strategy data --exchange " + exchange);
            EXPECT_EQ(played["exchange"], exchange);
        }
    }
    EXPECT_EQ(of_the_taxonomy, 17);
}

/// Table 2: of easy reproduction without a large, balanced data set are the central, synchronous systems.
TEST(SeedRow, taxonomy_criteria) {
    const json document = answer("systems --criteria easy");
    ASSERT_EQ(document["techniques"].size(), 2);
    const json& central = document["techniques"][0];
    EXPECT_EQ(central["needs_large_balanced_data"], false);
    EXPECT_EQ(central["overlap_complexity"], 1);
    EXPECT_EQ(central["systems"], json({"bigdl", "caffe-on-spark", "firecaffe", "pytorch", "paradl", "mlsl", "zion",
                                        "ffn-horovod", "hitop-k"}));
    EXPECT_EQ(document["techniques"][1]["systems"], json({"d-psgd", "sparknet", "fast"}));
    EXPECT_EQ(answer("systems --criteria")["techniques"].size(), 6);
}

/// An all-reduce in the place of the plan's own takes the plan's own time in any software.
TEST(Exchange, OfThePlansOwnAllReduceIsThePlan) {
    for (const char* job : {"bert-large --machine tencent-v100-25gbe", "resnet50 --machine tencent-v100-25gbe",
                            "vgg16 --machine abci", "resnet50 --machine abci --overlap none",
                            "resnet50 --machine abci --software pytorch-fsdp --algorithm ring"}) {
        const json document =
            answer(std::string("predict ") + job + " --gpus 64 --strategy data --exchange all-reduce");
        const double own = document["step_time_s"];
        EXPECT_NEAR(by_name(document)["all-reduce"]["step_time_s"].get<double>() / own, 1, 1e-9) << job;
    }
}

/// GPT-2's embedding is its head too: 124,439,808 numbers of 1 byte with 4 more a block of 256, 15/16 of them sent twice.
TEST(Exchange, SendsATiedWeightOnce) {
    const json document =
        answer("predict gpt2 --machine tencent-v100-25gbe --gpus 16 --strategy data --exchange int8-all-reduce");
    EXPECT_NEAR(by_name(document)["int8-all-reduce"]["sent_bytes_a_step"].get<double>(),
                2 * 15.0 / 16 * 124439808 * (1 + 4.0 / 256), 1);
}

TEST(SeedRow, advise) {
    EXPECT_TRUE(answer("limits --overhead 0 --efficiency 0.8")["gpus"].is_null()) << "any number";
    EXPECT_EQ(answer("limits --overhead 0.1 --efficiency 0.8")["gpus"], 3);
    const auto servers = [](const char* compute, const char* workers) {
        const json document = answer("exchanges parameter-server --size 244MB --link 1.25GB/s --compute " +
                                     std::string(compute) + " --workers " + workers);
        return document["exchanges"][0]["delays"][0]["servers_to_hide"];
    };
    EXPECT_EQ(servers("2s", "4"), 1);
    EXPECT_EQ(servers("1s", "16"), 7);
}

/// An exchange is added as one file.
TEST(SeedRow, an_exchange_is_one_file) {
    const Folder place;
    std::ofstream(place.path() / "mine.yaml") << "exchange: mine\nsource: made up\npattern: torus\nperiod: 4\n"
                                                 "outer: average\nsends: weights\n";
    const Outcome outcome = place.run(
        "predict resnet50 --machine abci --gpus 16 --strategy data --exchange ./mine.yaml,all-reduce --format json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(by_name(json::parse(outcome.out)).count("mine"), 1U);
}

/// What the exchange replaces, and what it leaves.
TEST(PredictExchange, ReplacesTheAllReduceOfGradients) {
    const std::string job = "predict resnet50 --machine tencent-v100-25gbe --gpus 128 --strategy data";
    const json own = answer(job)["plan"];
    const json document = answer(job + " --exchange all");
    EXPECT_DOUBLE_EQ(document["step_time_s"], own["step_time_s"]["value"]);
    EXPECT_DOUBLE_EQ(document["gradient_bytes"], 4 * 25557032.0);
    const double compute = document["compute_s"];
    EXPECT_DOUBLE_EQ(compute + document["own_exposed_s"].get<double>(), document["step_time_s"]);
    EXPECT_GE(document["exchanges"].size(), 29U);
    for (const json& exchange : document["exchanges"]) {
        EXPECT_NEAR(exchange["step_time_s"], compute + exchange["exposed_s"].get<double>(), 1e-12);
        EXPECT_GE(exchange["exposed_s"], 0);
        EXPECT_EQ(exchange["workers"], 128);
    }
    std::map<std::string, json> exchanges = by_name(document);
    EXPECT_NEAR(exchanges["all-reduce"]["step_time_s"].get<double>() / own["step_time_s"]["value"].get<double>(), 1,
                0.1);  // the same collectives, in messages instead of a share of the passes
}

/// Sharded inside a node, eight ranks hold a replica: four replicas exchange an eighth each.
TEST(PredictExchange, IsBetweenReplicasOfSeveralRanks) {
    const std::string job = "predict llama-3.1-8b --machine dgx-h100 --gpus 32 --batch 512 ";
    const json sharded = answer(job + "--strategy hybrid-shard --mesh shard=8,replicate=4 --exchange diloco");
    EXPECT_EQ(by_name(sharded)["diloco"]["workers"], 4);
    EXPECT_EQ(by_name(sharded)["diloco"]["workers_per_node"], 1);
    EXPECT_NEAR(sharded["gradient_bytes"].get<double>() / (8.03e9 * 4 / 8), 1, 0.01);
    const json split = answer(job + "--strategy megatron --mesh tensor=8,data=4 --zero none --exchange diloco");
    EXPECT_EQ(by_name(split)["diloco"]["workers"], 4);
    EXPECT_NEAR(split["gradient_bytes"].get<double>() / (8.03e9 * 4 / 8), 1, 0.01);
}

/// Sending less keeps an efficiency for longer, one server for less long.
TEST(LimitsExchange, KeepEfficiencyUpToSoManyDevices) {
    const json document = answer(
        "limits resnet50 --machine tencent-v100-25gbe --exchange parameter-server,all-reduce,hitop-k --efficiency 0.8");
    std::map<std::string, json> exchanges = by_name(document);
    EXPECT_LT(exchanges["parameter-server"]["gpus"], exchanges["all-reduce"]["gpus"]);
    EXPECT_LT(exchanges["all-reduce"]["gpus"], exchanges["hitop-k"]["gpus"]);
    EXPECT_EQ(exchanges["hitop-k"]["points"][0]["efficiency"], 1);
}

/// Exchanges that leave the sum of gradients as it is or compress it, on the plans of a search; the others when asked.
TEST(ExchangeSearch, TriesThoseAskedForOnTheBestPlans) {
    const std::string job = "plan resnet50 --machine tencent-v100-25gbe --gpus 64 --top 3 --vary ";
    const json gradients = answer(job + "exchange")["exchange_search"];
    const json both = answer(job + "exchange,compress")["exchange_search"];
    const json all = answer(job + "exchange,compress,asynchronous")["exchange_search"];
    EXPECT_LT(gradients.size(), both.size());
    EXPECT_LT(both.size(), all.size());
    EXPECT_LE(both[0]["step_time_s"], gradients[0]["step_time_s"]);
    EXPECT_LE(all[0]["step_time_s"], both[0]["step_time_s"]);
    for (std::size_t i = 1; i < all.size(); ++i) {
        EXPECT_GE(all[i]["step_time_s"], all[i - 1]["step_time_s"]);
    }
    for (const json& one : both) {
        EXPECT_NE(one["changes"], "asynchronous");
    }
    EXPECT_EQ(both[0]["changes"], "compress") << "25 Gbit/s between nodes";
}

/// A choice with its plan is what `predict` says of that plan with that exchange.
TEST(ExchangeSearch, SaysWhatPredictSays) {
    const std::string job = "resnet50 --machine tencent-v100-25gbe --gpus 64 --batch 4096 --strategy data ";
    const json alone = by_name(answer("predict " + job + "--micro-batch 64 --exchange hitop-k"))["hitop-k"];
    const json document = answer("plan " + job + "--top 1 --fixed micro-batch=64,recompute=none --vary compress");
    for (const json& one : document["exchange_search"]) {
        if (one["exchange"] == "hitop-k" && one["plan"] == 1) {
            EXPECT_DOUBLE_EQ(one["step_time_s"], alone["step_time_s"]);
            return;
        }
    }
    FAIL() << "no hitop-k on the first plan";
}

/// AlexNet on a GPU of 12 GB: the larger the batch, the less workspace is left, until a batch in between trains fastest.
TEST(SeedRow, adviseMinibatch) {
    const json document = answer(
        "largest alexnet batch --machine gce-k80 --gpus 1 --precision fp32 --strategy data --fixed recompute=none "
        "--convolutions each");
    const json batches = document["convolutions"]["batches"];
    ASSERT_GT(batches.size(), 5U);
    const json* best = &batches[0];
    for (const json& one : batches) {
        EXPECT_LE(one["workspace_bytes"], one["room_bytes"]);
        EXPECT_LE(one["step_s"], one["step_without_workspace_s"]);
        double sum = 0;
        for (const json& layer : one["layers"]) {
            sum += layer["workspace_bytes"].get<double>();
        }
        EXPECT_NEAR(sum, one["workspace_bytes"], 1);
        EXPECT_EQ(one["layers"][0]["algorithm"], "implicit-gemm") << "a stride of four cannot be transformed";
        best = one["samples_per_s"] > (*best)["samples_per_s"] ? &one : best;
    }
    EXPECT_LT((*best)["batch"], batches.back()["batch"]);
    // One number for one batch: the plans' times are those of the algorithms, and their memory holds the workspaces.
    for (const json& one : batches) {
        for (const json& attempt : document["attempts"]) {
            if (attempt["value"] == one["batch"]) {
                EXPECT_DOUBLE_EQ(attempt["samples_per_s"], one["samples_per_s"]);
                EXPECT_GE(attempt["memory_bytes"], one["workspace_bytes"]);
            }
        }
    }
    EXPECT_GT((*best)["workspace_bytes"], 0);
    EXPECT_EQ(batches.back()["workspace_bytes"], 0) << "nothing is left";
}

}  // namespace exchange_rows_test
}  // namespace dodona::cli::testing
