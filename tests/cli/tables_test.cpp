// `dodona tables`: DLRM's benchmark by hand, MLPerf's DLRM-DCNv2, and twelve trillion parameters on 128 GPUs.
//
// Source: facebookresearch/dlrm: bench/dlrm_s_benchmark.sh (8 tables of 1,000,000 rows of 64, 100 look-ups, batch 2048);
// mlcommons/training: recommendation_v2/torchrec_dlrm/README.MD (rows and look-ups of DLRM-DCNv2); Mudigere et al., ISCA
// 2022, abstract (12e12 parameters on 128 GPUs).
#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "running.hpp"

namespace dodona::cli::testing {
namespace tables_test {

nlohmann::json asked(const std::string& words, int code = 0) {
    const Folder place;
    const Outcome outcome = place.run("tables " + words + " --format json");
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return nlohmann::json::parse(outcome.out);
}

TEST(Tables, OfDlrmsBenchmarkAreByHand) {
    const nlohmann::json answer = asked("dlrm-bench --machine zion --gpus 8 --batch 2048 --optimizer sgd");
    EXPECT_EQ(answer["tables"], 8);
    EXPECT_EQ(answer["table_bytes"], 2'048'000'000);
    EXPECT_EQ(answer["held_bytes"], 2'048'000'000);
    EXPECT_EQ(answer["lookup_bytes"], 419'430'400);
    EXPECT_EQ(answer["dense_parameters"], 295'488 + 2'203'649);
    EXPECT_EQ(answer["placement"].size(), 8U);
    EXPECT_EQ(answer["best_of_parts"], true);
    EXPECT_NEAR(answer["busiest_s"].get<double>() / answer["bound_s"].get<double>(), 1, 1e-9) << "a table on each GPU";
    double sum = 0;
    for (const auto& part : answer["parts_s"].items()) {
        sum += part.value().get<double>();
    }
    EXPECT_NEAR(sum, answer["step_s"], 1e-12);
}

/// The busiest GPU sends 524,288 bytes of sums, an eighth to each: over 7 links of 21.4 GB/s at once, or in a ring of the
/// same 149.8 GB/s 1, 2, 3, 4, 3, 2 and 1 links far, 16 eighths; forward and back, 9 us each.
TEST(Tables, OfZionAreExchangedOverARingOrAMesh) {
    const nlohmann::json answer = asked("dlrm-bench --machine zion --gpus 8 --batch 2048 --optimizer sgd --fabrics");
    std::map<std::string, double> exchange;
    for (const nlohmann::json& one : answer["fabrics"]) {
        exchange[one["kind"]] = one["exchange_s"];
    }
    EXPECT_NEAR(exchange["all-to-all"], 2 * (9e-6 + 524'288 * 7 / 8 / (7 * 21.4e9)), 1e-10);
    EXPECT_NEAR(exchange["ring"], 2 * (9e-6 + 524'288 / 8 * 16 / (7 * 21.4e9)), 1e-10);
    EXPECT_DOUBLE_EQ(exchange["all-to-all"], answer["parts_s"]["exchange"]) << "as the machine is";
    const nlohmann::json& parts = answer["parts_s"];
    EXPECT_DOUBLE_EQ(answer["overlapped_s"], parts["look-ups"].get<double>() + parts["dense layers"].get<double>())
        << "longer than both exchanges";
}

/// `plan` names the same parts, and adds what software takes.
TEST(Tables, TakeWhatPlanSaysOfThem) {
    const Folder place;
    const std::string job = "dlrm-dcnv2 --machine dgx-h100 --gpus 16 --batch 65536";
    const nlohmann::json plan = nlohmann::json::parse(place.run("plan " + job + " --format json").out)["tables"];
    EXPECT_DOUBLE_EQ(plan["kernels_and_transfers_s"], asked(job)["step_s"]);
    EXPECT_GT(plan["step_s"], plan["kernels_and_transfers_s"]);
}

/// Zion's question: tables where the processors are, or on the accelerators.
TEST(Tables, HostsThatPoolSendSumsOnly) {
    const nlohmann::json host = asked("dlrm-bench --machine zion --gpus 8 --batch 2048 --optimizer sgd --tier host");
    // A GPU's share of the host: 3 x 419,430,400 / 8 bytes at 1,024 / 8 GB/s; 2 x 524,288 bytes at 15.8 GB/s.
    const double share = 3 * 419'430'400.0 / 8;
    EXPECT_NEAR(host["busiest_s"], share / 128e9 + 2 * 524'288 / 15.8e9, 1e-9);
    const nlohmann::json device =
        asked("dlrm-bench --machine zion --gpus 8 --batch 2048 --optimizer sgd --tier device");
    EXPECT_LT(device["busiest_s"], host["busiest_s"]) << "900 GB/s for each accelerator, 128 for its share of the host";
}

TEST(Tables, OfDlrmDcnv2AreBalanced) {
    const nlohmann::json answer = asked("dlrm-dcnv2 --machine zionex --gpus 16 --batch 65536");
    EXPECT_EQ(answer["tables"], 26);
    EXPECT_EQ(answer["parameters"], 204'184'588.0 * 128);
    // 214 look-ups of 512 bytes a sample.
    EXPECT_EQ(answer["lookup_bytes"], 65'536.0 * 214 * 512);
    EXPECT_LE(answer["busiest_s"].get<double>(), 1.1 * answer["bound_s"].get<double>());
    const nlohmann::json whole = asked("dlrm-dcnv2 --machine zionex --gpus 16 --batch 65536 --whole");
    EXPECT_GT(whole["busiest_s"], answer["busiest_s"]) << "100 of 214 look-ups are in one table";
    // 3 x 214 x 512 bytes and states of 4 bytes a row, read and written: (3 x 512 + 8) x 214 x 65,536 bytes on 16 GPUs.
    const nlohmann::json given = asked("dlrm-dcnv2 --machine zionex --gpus 16 --batch 65536 --row-bandwidth 1000GB/s");
    EXPECT_NEAR(given["bound_s"], (3 * 512 + 8) * 214 * 65'536.0 / 16 / 1e12, 1e-9);
}

TEST(Tables, OfTwelveTrillionParametersLieOn128Gpus) {
    const nlohmann::json answer = asked("dlrm-12t --machine zionex --gpus 128 --batch 65536");
    EXPECT_EQ(answer["parameters"], 12e12);
    EXPECT_EQ(answer["fits"], true);
    std::map<std::string, double> held;
    for (const nlohmann::json& part : answer["placement"]) {
        held[part["tier"].get<std::string>()] += part["bytes"].get<double>();
    }
    const double all = held["device"] + held["host"] + held["ssd"];
    EXPECT_GE(all, answer["held_bytes"]);
    EXPECT_LE(all, 1.02 * answer["held_bytes"].get<double>()) << "parts by columns have states of rows each";
    EXPECT_LE(held["device"], 128 * 0.8 * 40 * 1.074e9);
    EXPECT_LE(held["host"], 16e12);
    EXPECT_GT(held["ssd"], 0);
    const nlohmann::json cached = asked("dlrm-12t --machine zionex --gpus 128 --batch 65536 --zipf 1.05 --cache 0.2");
    EXPECT_LT(cached["busiest_s"], answer["busiest_s"]) << "a cache of the rows that are looked up most";
    EXPECT_EQ(asked("dlrm-12t --machine dgx-a100 --gpus 128 --batch 65536", 1)["fits"], false);
}

TEST(Tables, WhatIsWrongIsTold) {
    const Folder place;
    const auto told = [&](const std::string& words) {
        const Outcome outcome = place.run("tables " + words);
        EXPECT_EQ(outcome.code, 2) << outcome.out;
        return outcome.err;
    };
    EXPECT_NE(told("resnet50 --machine zion --gpus 8").find("has no embedding tables"), std::string::npos);
    EXPECT_NE(told("dlrm-bench --machine zion --gpus 9").find("9 are more than zion has"), std::string::npos);
    EXPECT_NE(told("dlrm-bench --machine zion --gpus 8 --tier disk").find("not one of device, host"),
              std::string::npos);
    EXPECT_NE(told("dlrm-bench --machine zion --gpus 8 --cache 1").find("--cache"), std::string::npos);
    EXPECT_NE(told("dlrm-bench --machine zion").find("--gpus"), std::string::npos);
    std::ofstream(place.path() / "lab.yaml")
        << "cluster: lab\nsource: here\ndevice: rtx-a6000\n"
           "levels: [{name: box, size: 2, kind: switch, bandwidth: 25 GB/s, latency: 5 us}]\n"
           "tiers: [{name: ssd, memory: 2 TB}]\n";
    EXPECT_NE(told("dlrm-bench --machine lab.yaml --gpus 2").find("tiers[0].bandwidth"), std::string::npos);
}

/// `plan` asks the placement too: what it says is what `tables` says with the same optimizer and batch.
TEST(Tables, PlacedOneByOneStandBesideThePlans) {
    const Folder place;
    const Outcome outcome =
        place.run("plan dlrm-bench --machine zion --gpus 8 --batch 2048 --optimizer sgd --format json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const nlohmann::json plan = nlohmann::json::parse(outcome.out);
    const nlohmann::json tables = asked("dlrm-bench --machine zion --gpus 8 --batch 2048 --optimizer sgd");
    EXPECT_EQ(plan["tables"]["fits"], true);
    EXPECT_EQ(plan["tables"]["busiest_s"], tables["busiest_s"]);
    EXPECT_EQ(plan["tables"]["chosen"], plan["tables"]["step_s"] < plan["plans"][0]["step_time_s"]["value"]);
    EXPECT_FALSE(
        nlohmann::json::parse(place.run("plan vgg16 --machine abci --gpus 4 --format json").out).contains("tables"))
        << "a network without tables";
}

/// Where tables fit into no device's memory, plan answers with their placement over all memories.
TEST(Tables, ThatFitNoPlanArePlacedByIt) {
    const Folder place;
    const std::string words = "plan dlrm-12t --machine zionex --gpus 128 --batch 65536";
    const Outcome outcome = place.run(words + " --format json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const nlohmann::json plan = nlohmann::json::parse(outcome.out);
    EXPECT_TRUE(plan["plans"].empty());
    EXPECT_EQ(plan["tables"]["chosen"], true);
    EXPECT_EQ(plan["tables"]["step_s"], asked("dlrm-12t --machine zionex --gpus 128 --batch 65536")["step_s"]);
    EXPECT_NE(place.run(words).out.find("of kernels and transfers a step with tables"), std::string::npos);
    const Outcome none = place.run("plan dlrm-12t --machine zionex --gpus 8 --batch 65536 --format json");
    EXPECT_EQ(none.code, 1) << "eight GPUs hold them nowhere";
    EXPECT_EQ(nlohmann::json::parse(none.out)["tables"]["fits"], false);
}

}  // namespace tables_test
}  // namespace dodona::cli::testing
