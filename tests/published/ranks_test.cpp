// Which strategy is fastest on ABCI as it was used: the ranks of Table VIII of ParaDL's technical report.
#include <gtest/gtest.h>

#include <algorithm>

#include "paradl_runs.hpp"

namespace dodona::published {
namespace ranks_test {

constexpr const char* kMachine = "abci-chainermn";

double epoch(const char* model, const char* strategy, std::int64_t gpus, Carried carried = Carried::naturally) {
    const step::Prediction prediction = predict_paradl(model, kMachine, strategy, gpus, carried);
    EXPECT_TRUE(prediction.fits) << model << ", " << strategy << " on " << gpus << ": "
                                 << text(prediction.why_not.value());
    return prediction.epoch->total.in(unit::second);
}

TEST(TableEight, Resnet50RanksAsMeasured) {
    for (const std::int64_t gpus : {32, 64}) {
        const double filter = epoch("resnet50", "filter", gpus);
        EXPECT_LT(epoch("resnet50", "data+spatial", gpus), epoch("resnet50", "data+filter", gpus)) << gpus;
        EXPECT_LT(epoch("resnet50", "data+filter", gpus), filter) << gpus;
        EXPECT_LE(filter, epoch("resnet50", "channel", gpus)) << gpus;
    }
}

TEST(TableEight, Vgg16RanksAsMeasured) {
    for (const std::int64_t gpus : {32, 64}) {
        const double filter = epoch("vgg16", "filter", gpus);
        EXPECT_LT(epoch("vgg16", "data+filter", gpus), epoch("vgg16", "data+spatial", gpus)) << gpus;
        EXPECT_LT(epoch("vgg16", "data+spatial", gpus), filter) << gpus;
        EXPECT_LE(filter, epoch("vgg16", "channel", gpus)) << gpus;
    }
}

TEST(TableEight, HybridsRankAsMeasuredOnMoreGpus) {
    for (const std::int64_t gpus : {128, 256}) {
        EXPECT_LT(epoch("resnet50", "data+spatial", gpus), epoch("resnet50", "data+filter", gpus)) << gpus;
        EXPECT_LT(epoch("vgg16", "data+filter", gpus), epoch("vgg16", "data+spatial", gpus)) << gpus;
    }
}

TEST(TableEight, Resnet50HybridsAsTheyWereRunRankTheSame) {
    for (const std::int64_t gpus : {32, 64, 128, 256}) {
        EXPECT_LT(epoch("resnet50", "data+spatial", gpus), epoch("resnet50", "data+filter", gpus, Carried::as_run));
    }
}

TEST(TableEight, NaturalConversionsAreNeverSlowerThanTheForcedOnesThatWereRun) {
    for (const char* model : {"resnet50", "vgg16"}) {
        for (const char* strategy : {"data+filter", "filter"}) {
            EXPECT_LE(epoch(model, strategy, 64), epoch(model, strategy, 64, Carried::as_run)) << model << strategy;
        }
    }
}

TEST(TableEight, FilterAndChannelEndAt64Gpus) {
    for (const char* model : {"resnet50", "vgg16"}) {
        for (const char* strategy : {"filter", "channel"}) {
            for (const std::int64_t gpus : {128, 256}) {
                const step::Prediction prediction = predict_paradl(model, kMachine, strategy, gpus, Carried::naturally);
                EXPECT_FALSE(prediction.fits);
                EXPECT_TRUE(std::any_of(prediction.limits.begin(), prediction.limits.end(),
                                        [&](const auto& limit) {
                                            return limit.broken() &&
                                                   text(limit).starts_with(std::string(strategy) + " <= 64: ");
                                        }))
                    << model << ", " << strategy << " on " << gpus;
            }
        }
    }
}

}  // namespace ranks_test
}  // namespace dodona::published
