#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "../worlds/drawn_world.hpp"
#include "plan/usual_framework.hpp"
#include "prediction.hpp"
#include "search/space.hpp"
#include "step/anchor.hpp"
#include "step/predict.hpp"

namespace dodona::signature {

namespace {

/// Networks of images, volumes, text, translation and recommendation, and mixtures of experts.
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

/// What is usual for the network with this strategy on this machine.
Software usual_software(const files::Library& library, const std::vector<plan::Framework>& frameworks,
                        const graph::Graph& network, const cluster::Cluster& cluster, const plan::Strategy& strategy) {
    const plan::Framework* const usual = plan::usual_framework(frameworks, network, &strategy, cluster, {});
    if (usual == nullptr) {
        return {};
    }
    return {*usual, usual->memory.empty() ? plan::MemoryProfile{} : library.memory_profile(usual->memory)};
}

/// The step of the last plan where others were measured to take a quarter longer than predicted.
void add_observed(Records& records, const graph::Graph& network, const cluster::Cluster& cluster,
                  const std::vector<plan::Plan>& plans) {
    plan::Plan asked = plans.back();
    const auto predicted = [&](plan::Plan plan, const plan::Framework& framework) {
        plan.framework = framework;
        return step::predict(network, cluster, plan);
    };
    for (const std::size_t count : {1, 3}) {
        std::vector<Seconds> measured;
        for (std::size_t i = 0; i < std::min(count, plans.size() - 1); ++i) {
            measured.push_back(1.25 * predicted(plans[i], asked.framework).step.value);
        }
        const plan::Framework framework = step::anchored(
            asked.framework,
            [&](const plan::Framework& moved) {
                std::vector<step::Observation> all;
                for (std::size_t i = 0; i < measured.size(); ++i) {
                    const step::Prediction p = predicted(plans[i], moved);
                    all.push_back({p.uncertainty, p.step.value, measured[i], step::run_kind(network, plans[i])});
                }
                return all;
            },
            step::run_kind(network, asked));
        const Estimate step = predicted(asked, framework).step;
        records.add(fmt::format("step after observed ones: {}", count), step.value.in(1_us));
        records.add(fmt::format("interval after observed steps: {}, low", count), step.lo.in(1_us));
        records.add(fmt::format("interval after observed steps: {}, high", count), step.hi.in(1_us));
    }
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
            const std::string family = fmt::format("{} on {}", model, machine);
            std::vector<plan::Plan> ran;
            for (const plan::Strategy& strategy : strategies) {
                if (!search::considered(strategy, network) || !strategy.considered.usual.ever) {
                    continue;
                }
                const Software software = usual_software(library, frameworks, network, cluster, strategy);
                for (const Precision precision : precisions_of(cluster.device)) {
                    const plan::Plan plan = plan_of(cluster, strategy, precision, software);
                    const step::Prediction prediction = step::predict(network, cluster, plan);
                    records.ask(family, fmt::format("{} {}", strategy.name, name(precision)));
                    add(records, prediction);
                    if (prediction.runs && precision == Precision::fp32) {
                        ran.push_back(plan);
                    }
                }
            }
            if (ran.size() > 1) {
                records.ask(family, "observed steps");
                add_observed(records, network, cluster, ran);
            }
        }
    }
}

}  // namespace dodona::signature
