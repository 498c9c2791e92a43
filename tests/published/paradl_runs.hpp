// Seconds per epoch on ABCI, measured and as ParaDL projected them.
// Source: Table VIII of ParaDL's technical report (Kahira et al.; the HPDC'21 paper is arXiv:2104.09075). Batches as
// the projections imply: ResNet-50 filter and channel 64 in all, data+filter 64 and data+spatial 256 a node; VGG16
// filter and channel 32 in all, both hybrids 32 a node; 4 GPUs a node, fp32, nothing overlapped.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "scenes.hpp"

namespace dodona::published {

struct ParaDLRun {
    const char* model;
    std::int64_t gpus;
    const char* strategy;
    double measured;
    double projected;
};

inline constexpr std::array<ParaDLRun, 24> kTableEight{{
    {"resnet50", 32, "data+spatial", 481, 335}, {"resnet50", 32, "data+filter", 763, 672},
    {"resnet50", 32, "filter", 9970, 13912},    {"resnet50", 32, "channel", 17567, 13912},
    {"resnet50", 64, "data+spatial", 244, 150}, {"resnet50", 64, "data+filter", 395, 231},
    {"resnet50", 64, "filter", 18364, 18731},   {"resnet50", 64, "channel", 20858, 18731},
    {"resnet50", 128, "data+spatial", 136, 85}, {"resnet50", 128, "data+filter", 233, 175},
    {"resnet50", 256, "data+spatial", 73, 43},  {"resnet50", 256, "data+filter", 124, 90},
    {"vgg16", 32, "data+spatial", 11393, 5593}, {"vgg16", 32, "data+filter", 2307, 2500},
    {"vgg16", 32, "filter", 86299, 19236},      {"vgg16", 32, "channel", 108814, 19236},
    {"vgg16", 64, "data+spatial", 5691, 3046},  {"vgg16", 64, "data+filter", 1156, 1287},
    {"vgg16", 64, "filter", 102443, 34097},     {"vgg16", 64, "channel", 110213, 34097},
    {"vgg16", 128, "data+spatial", 2950, 1503}, {"vgg16", 128, "data+filter", 607, 655},
    {"vgg16", 256, "data+spatial", 1533, 761},  {"vgg16", 256, "data+filter", 313, 332},
}};

/// Measured seconds per epoch on 64 GPUs; of ResNet-50 filter the source's parts add up to more than its total.
struct ParaDLParts {
    const char* model;
    const char* strategy;
    double compute;
    double communication;
};

inline constexpr std::array<ParaDLParts, 8> kTableEightParts{{
    {"resnet50", "data+spatial", 33, 211},
    {"resnet50", "data+filter", 232, 163},
    {"resnet50", "filter", 6676, 14988},
    {"resnet50", "channel", 3273, 17574},
    {"vgg16", "data+spatial", 513, 5178},
    {"vgg16", "data+filter", 376, 779},
    {"vgg16", "filter", 32102, 70341},
    {"vgg16", "channel", 49929, 60284},
}};

/// Strategies as those runs carried them out (gathered after every convolution, the classifier whole), or as ours do
/// (conversions where tensors are smallest).
enum class Carried { as_run, naturally };

inline plan::Strategy strategy_of(std::string_view name, Carried carried) {
    const bool forced = carried == Carried::as_run && name != "data+spatial";
    return library().strategy(std::string(name) + (forced ? "-paradl" : ""));
}

/// One of the table's runs, or one that it leaves out.
inline step::Prediction predict_paradl(std::string_view model, const std::string& machine, std::string_view strategy,
                                       std::int64_t gpus, Carried carried) {
    const std::int64_t in_all = model == "resnet50" ? 64 : 32;
    const std::int64_t nodes = gpus / 4;
    plan::Plan plan;
    if (strategy == "filter" || strategy == "channel") {
        const std::string axis(strategy);
        plan = convolutional_plan(strategy_of(axis, carried), {{axis, gpus}}, in_all);
    } else {
        const std::string axis = strategy == "data+filter" ? "filter" : "spatial";
        const std::int64_t a_node = model == "resnet50" && axis == "spatial" ? 256 : in_all;
        plan = convolutional_plan(strategy_of(strategy, carried), {{axis, 4}, {"data", nodes}}, a_node * nodes);
    }
    return step::predict(network(std::string(model)), library().cluster(machine), plan);
}

}  // namespace dodona::published
