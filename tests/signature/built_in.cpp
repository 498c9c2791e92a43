#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "../worlds/drawn_world.hpp"
#include "plan/usual_framework.hpp"
#include "prediction.hpp"
#include "search/space.hpp"
#include "step/predict.hpp"

namespace dodona::signature {

namespace {

/// Networks of each kind: images, volumes, text, translation, speech's like, recommendation, mixtures of experts.
constexpr std::array kNetworks{"alexnet-owt",   "bert-large",     "clip-vit-base-patch32",
                               "cosmoflow-128", "deepseek-v3",    "dlrm-mlperf",
                               "gnmt",          "gpt3-175b",      "llama-2-70b",
                               "mixtral-8x7b",  "resnet50",       "resnext101-32x4d",
                               "t5-large",      "unet3d-medical", "vgg16",
                               "vit-large"};

/// A machine of each generation and maker.
constexpr std::array kMachines{"abci", "selene", "eos", "dgx-b200", "mi300x-8x400", "tpu-v5p-pod"};

/// `devices` over all axes as evenly as powers of two go.
std::vector<plan::MeshAxis> even_mesh(const plan::Strategy& strategy, std::int64_t devices) {
    std::vector<plan::MeshAxis> mesh;
    for (const std::string& axis : strategy.axes) {
        mesh.push_back({axis, 1});
    }
    for (std::size_t i = 0; !mesh.empty() && devices > 1; ++i, devices /= 2) {
        mesh[i % mesh.size()].size *= 2;
    }
    return mesh;
}

struct Software {
    plan::Framework framework;
    plan::MemoryProfile memory;
};

plan::Plan plan_of(const cluster::Cluster& cluster, const plan::Strategy& strategy, Precision precision,
                   const Software& software) {
    plan::Plan plan;
    plan.strategy = strategy;
    plan.shard = strategy.shard.value_or(plan::ShardLevel::none);
    plan.mesh = even_mesh(strategy, std::min<std::int64_t>(cluster.devices(), 16));
    plan.precision = precision;
    plan.batch = 8 * plan.devices();
    plan.microbatch = 2;
    plan.overlap = {.gradients = true, .parameters = true};
    plan.framework = software.framework;
    plan.memory = software.memory;
    plan.fold_axes();
    return plan;
}

/// Those in which a device of these trains: fp32, and bf16 or, where it has none, fp16.
std::vector<Precision> precisions_of(const cluster::Device& device) {
    std::vector<Precision> precisions;
    for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::fp16}) {
        if (device.supports(precision) && precisions.size() < 2) {
            precisions.push_back(precision);
        }
    }
    return precisions;
}

}  // namespace

void add_built_in(Records& records) {
    const files::Library library = drawn::library().remembering();
    const std::vector<plan::Framework> frameworks = library.all_frameworks();
    std::vector<plan::Strategy> strategies;
    for (const std::string& name : library.strategies()) {
        strategies.push_back(library.strategy(name));
    }
    for (const char* const model : kNetworks) {
        const graph::Graph network = graph::build(library.model(model));
        for (const char* const machine : kMachines) {
            const cluster::Cluster cluster = library.cluster(machine);
            for (const plan::Strategy& strategy : strategies) {
                if (!search::considered(strategy, network) || !strategy.considered.usual.ever) {
                    continue;
                }
                const plan::Framework* const usual =
                    plan::usual_framework(frameworks, network, &strategy, cluster.device.maker(), false);
                const Software software = usual == nullptr ? Software{}
                                          : usual->memory.empty()
                                              ? Software{*usual, {}}
                                              : Software{*usual, library.memory_profile(usual->memory)};
                for (const Precision precision : precisions_of(cluster.device)) {
                    records.ask(fmt::format("{} on {}", model, machine),
                                fmt::format("{} {}", strategy.name, name(precision)));
                    add(records, step::predict(network, cluster, plan_of(cluster, strategy, precision, software)));
                }
            }
        }
    }
}

}  // namespace dodona::signature
