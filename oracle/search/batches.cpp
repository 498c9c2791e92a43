#include "search/batches.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/ranges.hpp"
#include "graph/sample_tokens.hpp"

namespace dodona::search {

namespace {

/// Farther from what was asked for is another question.
constexpr double kNearBatch = 0.1;

constexpr double kTokensAStep = 4.0 * 1024 * 1024;
/// Beyond, not every device gets a sample of its own. Source: Llama team, arXiv:2407.21783, section 3.4.1: 16 million
/// tokens a step, on 16,384 GPUs.
constexpr double kMaxTokensAStep = 16.0 * 1024 * 1024;
/// Fine-tuning: what recipes take. Source: tatsu-lab/stanford_alpaca, README:
/// batches of 128 samples; tloen/alpaca-lora: finetune.py, the same.
constexpr double kFineTuningSamples = 128;
/// Images on a device: a number that fits any of them, and that of recipes for those with more memory. Source:
/// NVIDIA/DeepLearningExamples: PyTorch/Classification/ConvNets/configs.yml, resnet50, DGXA100: 256 on each GPU, of 40 and
/// of 80 GB.
constexpr double kImagesADevice = 64;
constexpr double kImagesALargeDevice = 256;
constexpr Bytes kLargeDevice = 36_GiB;  ///< A GPU of 40 GB has somewhat less to give.
/// Sequences that a recurrent network reads step by step. Source: NVIDIA/DeepLearningExamples:
/// PyTorch/Translation/GNMT/README.md, training performance: batches of 128 sentences on each GPU.
constexpr double kSequencesADevice = 128;
/// Samples of a step of a network with tables, on any number of devices. Source: mlcommons/training:
/// recommendation_v2/torchrec_dlrm/README.md, a global batch of 65,536.
constexpr double kTableSamples = 65536;
constexpr double kImageElements = 3.0 * 224 * 224;

double input_elements(const graph::Graph& graph) {
    double elements = 0;
    for (graph::Vertex vertex = 0; vertex < graph.layers.size(); ++vertex) {
        const graph::Layer& layer = graph.layer(vertex);
        elements += layer.kind == "input" ? layer.nest.result.elements() : 0;
    }
    return elements;
}

/// Whether a step reads a few rows of some weight.
bool has_tables(const graph::Graph& graph) {
    return std::any_of(graph.layers.begin(), graph.layers.end(), [](const graph::Layer& layer) {
        return any_of(layer.nest.weights, [](const graph::Weight& weight) { return weight.touched > 0; });
    });
}

}  // namespace

bool is_recurrent(const graph::Graph& graph) {
    // Features that a loss compares over the whole batch are a recurrence of one step.
    return std::any_of(graph.layers.begin(), graph.layers.end(), [](const graph::Layer& layer) {
        return std::any_of(layer.nest.recurrences.begin(), layer.nest.recurrences.end(),
                           [](const graph::Recurrence& recurrence) { return recurrence.steps > 1; });
    });
}

std::int64_t default_batch(const graph::Graph& graph, const cluster::Cluster& cluster, std::int64_t devices) {
    const double length = graph::tokens_a_sample(graph);
    const double n = static_cast<double>(devices);
    double each = is_recurrent(graph) ? kSequencesADevice : kTokensAStep / std::max(length, 1.0) / n;
    const graph::Counts counts = graph::count(graph);
    if (length > 0 && (!graph.post_training.tasks.empty() || counts.trained < counts.parameters / 2)) {
        each = kFineTuningSamples / n;
    }
    if (length == 0 && has_tables(graph)) {
        each = kTableSamples / n;
    } else if (length == 0) {
        const double images = cluster.device.memory >= kLargeDevice ? kImagesALargeDevice : kImagesADevice;
        each = images * std::min(1.0, kImageElements / std::max(input_elements(graph), 1.0));
    }
    // A power of two on each device, or one sample for so many of them, keeps the batch divisible by usual meshes.
    std::int64_t sharing = 1;
    while (n * length > static_cast<double>(sharing) * kMaxTokensAStep && devices % (2 * sharing) == 0) {
        sharing *= 2;
    }
    const std::int64_t least = devices / sharing;
    const auto batch = least * static_cast<std::int64_t>(std::exp2(std::floor(std::log2(std::max(1.0, each)))));
    const std::int64_t whole = std::lcm(least, graph.post_training.group);
    return (batch + whole - 1) / whole * whole;
}

std::vector<std::int64_t> dividing_batches(std::int64_t batch, std::int64_t devices) {
    for (std::int64_t ranks = devices; ranks > 1; ranks /= 2) {
        if (batch % ranks == 0) {
            return {};
        }
        std::vector<std::int64_t> found;
        for (const std::int64_t near : {batch / ranks * ranks, (batch / ranks + 1) * ranks}) {
            const double off = static_cast<double>(near - batch) / static_cast<double>(batch);
            if (near > 0 && off >= -kNearBatch && off <= kNearBatch) {
                found.push_back(near);
            }
        }
        if (!found.empty() || ranks % 2 != 0) {
            return found;
        }
    }
    return {};
}

std::int64_t nearest_dividing_batch(std::int64_t batch, std::int64_t devices) {
    const auto off = [batch](std::int64_t other) { return other > batch ? other - batch : batch - other; };
    const std::vector<std::int64_t> near = dividing_batches(batch, devices);
    const auto best = min_element(near, [&](std::int64_t a, std::int64_t b) { return off(a) < off(b); });
    return best == near.end() ? batch : *best;
}

std::vector<OtherBatch> better_batches(const graph::Graph& graph, const cluster::Cluster& cluster, const Space& space,
                                       const Answer& answer, const Progress& progress) {
    std::vector<OtherBatch> better;
    const double now = answer.plans.empty() ? 0 : answer.plans.front().samples_per_second;
    for (const std::int64_t batch : dividing_batches(space.batch, space.devices)) {
        Space other = space;
        other.batch = batch;
        other.top = 1;
        Answer found = search(graph, cluster, other, progress);
        if (found.counts.optimal && !found.plans.empty() &&
            found.plans.front().samples_per_second > (1 + kEqualTime) * now) {
            const double gain = now > 0 ? found.plans.front().samples_per_second / now : 0;
            better.push_back({batch, gain, std::move(found.plans.front())});
        }
    }
    std::stable_sort(better.begin(), better.end(), [](const OtherBatch& a, const OtherBatch& b) {
        return a.plan.samples_per_second > b.plan.samples_per_second;
    });
    return better;
}

}  // namespace dodona::search
