// Exchanges by command: laws of several answers, and rows of the seed systems beyond those of tests/expert/systems.txt.
#include <map>

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

/// The exchanges of an answer by their names.
std::map<std::string, json> by_name(const json& document) {
    std::map<std::string, json> exchanges;
    for (const json& one : document["exchanges"]) {
        exchanges[one["exchange"]] = one;
    }
    return exchanges;
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
