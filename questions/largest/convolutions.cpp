#include "questions/largest/convolutions.hpp"

#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "cost/convolution_algorithms.hpp"
#include "cost/device_time.hpp"

namespace dodona::questions::largest {

namespace {

/// A convolution of the network with what each algorithm takes.
struct TimedLayer {
    std::string name;
    double instances = 1;
    Seconds own;  ///< as the step has it
    std::vector<cost::AlgorithmCost> costs;
};

Seconds time_in_step(const cluster::Device& device, const cost::Convolution& convolution, Precision precision) {
    Seconds time;
    for (const auto* pass : {&convolution.work.forward, &convolution.work.backward_weight,
                             convolution.input_gradient ? &convolution.work.backward_input : nullptr}) {
        for (std::size_t i = 0; pass != nullptr && i < pass->size(); ++i) {
            time += (*pass)[i].times * cost::kernel_time(device, (*pass)[i], precision).time.value;
        }
    }
    return time;
}

std::vector<TimedLayer> timed_layers(const graph::Graph& graph, const cluster::Device& device, const plan::Plan& plan) {
    std::vector<TimedLayer> layers;
    for (graph::Vertex vertex = 0; vertex < graph.layers.size(); ++vertex) {
        const graph::Layer& layer = graph.layer(vertex);
        const auto convolution = cost::convolution_of(graph, layer, static_cast<double>(plan.microbatch));
        if (convolution && layer.trains()) {
            layers.push_back({layer.name, static_cast<double>(graph.instances(vertex)),
                              time_in_step(device, *convolution, plan.precision),
                              cost::algorithm_costs(device, *convolution, plan.precision)});
        }
    }
    return layers;
}

/// The step, whose convolutions take other algorithms.
ConvolutionBatch batch_with(search::Workspaces workspaces, const graph::Graph& graph, const cluster::Cluster& cluster,
                            const step::Prediction& prediction) {
    const std::vector<TimedLayer> layers = timed_layers(graph, cluster.device, prediction.plan);
    if (layers.empty()) {
        fail({}, fmt::format("--convolutions: {} has no convolutions of two dimensions", graph.name),
             "leave out the option");
    }
    std::vector<std::vector<search::WorkspaceOption>> options;
    Seconds own;
    Seconds implicit;
    for (const TimedLayer& layer : layers) {
        options.emplace_back();
        for (const cost::AlgorithmCost& one : layer.costs) {
            const double held = workspaces == search::Workspaces::each ? layer.instances : 1;
            options.back().push_back({held * one.workspace, layer.instances * one.time});
        }
        own += layer.instances * layer.own;
        implicit += layer.instances * layer.costs.front().time;
    }
    const Bytes room = max(Bytes{}, prediction.memory_limit - prediction.most_memory);
    const search::WorkspaceChoice choice = search::choose(options, room, workspaces);
    const auto passes = static_cast<double>(prediction.microbatches);
    ConvolutionBatch made{.batch = prediction.plan.batch,
                          .room = room,
                          .workspace = choice.workspace,
                          .implicit = prediction.step.value - passes * (own - implicit),
                          .step = prediction.step.value - passes * (own - choice.time),
                          .layers = {}};
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const cost::AlgorithmCost& taken = layers[l].costs[choice.chosen[l]];
        made.layers.push_back(
            {layers[l].name, layers[l].instances, taken, layers[l].costs, layers[l].costs.front().time});
    }
    return made;
}

void take(const ConvolutionBatch& made, step::Prediction& plan) {
    using step::TimePart;
    const double ratio = made.step / plan.step.value;
    for (step::TimeParts* parts : {&plan.time, &plan.busy}) {
        const Seconds passes = (*parts)[TimePart::forward] + (*parts)[TimePart::backward];
        const double longer = passes > Seconds{} ? 1 + (made.step - plan.step.value) / passes : 1;
        for (const TimePart part : {TimePart::forward, TimePart::backward}) {
            (*parts)[part] = longer * (*parts)[part];
        }
    }
    plan.step = ratio * plan.step;
    plan.samples_per_second /= ratio;
    plan.mfu /= ratio;
    plan.hfu /= ratio;
    plan.memory[step::MemoryPart::workspace] += made.workspace;
    plan.totals = step::totals(plan.memory);
    plan.most_memory += made.workspace;
}

}  // namespace

ConvolutionAnswer convolution_choices(search::Workspaces workspaces, const graph::Graph& graph,
                                      const cluster::Cluster& cluster, const search::Largest& found) {
    ConvolutionAnswer answer{.workspaces = workspaces, .measured = !cluster.device.convolutions.empty(), .batches = {}};
    for (const search::Attempt& attempt : found.attempts) {
        if (attempt.fits() && attempt.plan && attempt.plan->data_ranks == attempt.plan->plan.devices()) {
            answer.batches.push_back(batch_with(workspaces, graph, cluster, *attempt.plan));
        }
    }
    return answer;
}

search::Largest with_algorithms(search::Largest found, const ConvolutionAnswer& answer) {
    for (search::Attempt& attempt : found.attempts) {
        const auto* made = found_in(answer.batches, [&](const auto& one) { return one.batch == attempt.value; });
        if (made != nullptr) {
            take(*made, *attempt.plan);
        }
    }
    return found;
}

}  // namespace dodona::questions::largest
