// Data-parallel predictions that ParaDL's oracle printed for ABCI, by the whole program: network file, machine file,
// strategy file, derivation, schedule.
// Source: authors' logs (GitHub TruongThaoNguyen/paraDL-analysis). I = ceil(D/(bp)), T_comp = (D/p) t, T_comm =
// I 2(p-1)(alpha + 4|w| beta/p), D = 1,280,000; digits as printed.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "../cli/running.hpp"
#include "scenes.hpp"

namespace dodona::published {
namespace paradl_test {

struct Row {
    const char* model;
    std::int64_t batch;  ///< per GPU
    std::int64_t p;
    double compute;        ///< seconds an epoch
    double communication;  ///< seconds an epoch
};

constexpr Row kRows[] = {
    {"resnet50-paradl", 64, 4, 998.24064, 13.9104096},      {"resnet50-paradl", 64, 8, 499.12032, 32.8884724},
    {"resnet50-paradl", 64, 16, 249.56016, 18.187137},      {"resnet50-paradl", 64, 32, 124.78008, 9.9839437},
    {"resnet50-paradl", 64, 64, 62.39004, 5.67828639504},   {"resnet50-paradl", 64, 128, 31.19502, 3.48234794512},
    {"resnet50-paradl", 64, 256, 15.59751, 2.3931260808},   {"resnet50-paradl", 64, 512, 7.798755, 1.8473165088},
    {"resnet50-paradl", 64, 1024, 3.8993775, 1.5584128296}, {"vgg16-paradl", 32, 8, 1319.29424, 477.5656424},
    {"vgg16-paradl", 32, 32, 329.82356, 133.9451162},       {"vgg16-paradl", 32, 128, 82.45589, 36.172894827},
    {"vgg16-paradl", 32, 1024, 10.30698625, 6.8780742096},  {"alexnet-paradl", 512, 1, 782.00064, 0},
    {"alexnet-paradl", 512, 64, 12.21876, 1.7244303552},    {"alexnet-paradl", 512, 1024, 0.7636725, 0.30978443034},
};

TEST(ParaDLData, EveryRowIsAsPrinted) {
    const cluster::Cluster abci = library().cluster("abci-paradl");
    for (const Row& row : kRows) {
        const plan::Plan plan = convolutional_plan(library().strategy("data"), {{"data", row.p}}, row.batch * row.p);
        const step::Prediction prediction = step::predict(network(row.model), abci, plan);
        ASSERT_TRUE(prediction.epoch) << row.model;
        const step::Epoch& epoch = *prediction.epoch;
        EXPECT_NEAR(epoch.compute.in(unit::second), row.compute, 1e-9 * row.compute) << row.model << " on " << row.p;
        EXPECT_NEAR(epoch.communication.in(unit::second), row.communication, 1e-9 * row.communication)
            << row.model << " on " << row.p;
        // Nothing is hidden: the epoch is their sum.
        EXPECT_NEAR(epoch.total.in(unit::second), row.compute + row.communication, 1e-9 * row.compute);
    }
}

TEST(ParaDLData, TheProgramPrintsTheRowInItsJson) {
    const cli::testing::Folder folder;
    const cli::testing::Outcome outcome = folder.run(
        "predict resnet50-paradl --machine abci-paradl --gpus 64 --batch 4096 --precision fp32 --strategy data "
        "--overlap none --software none --format json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto epoch = nlohmann::json::parse(outcome.out).at("epoch");
    EXPECT_EQ(epoch.at("iterations").get<double>(), 313);
    EXPECT_NEAR(epoch.at("compute_s").get<double>() / 62.39004, 1, 1e-9);
    EXPECT_NEAR(epoch.at("communication_s").get<double>() / 5.67828639504, 1, 1e-9);
}

}  // namespace paradl_test
}  // namespace dodona::published
