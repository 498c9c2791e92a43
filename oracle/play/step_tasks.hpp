// A plan's step as tasks: the order of its schedule, with what each task takes.
//
// A stage has a stream for compute. It runs the tasks in the order of the schedule, and at the end exchanges and updates
// its weights. A pass waits for the pass at the next position and for the transfer between both:
//
//   without overlap   the transfer occupies the compute stream of the stage that receives it: sends are buffered, and a
//                     stage waits for what it receives. A stage that sends and receives at once takes the time once.
//   with overlap      the receiving stage has a stream for each direction beside compute
//
// Updates wait for the gradients of all stages, as training that clips gradients by the norm of all of them does.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/order.hpp"
#include "simulate/task_graph.hpp"
#include "step/pipeline_costs.hpp"

namespace dodona::play {

enum class Work : std::uint8_t {
    forward,
    recompute,
    backward,
    weights,     ///< gradients of weights, where the schedule puts them off
    pipeline,    ///< receiving from another stage
    gradients,   ///< exposed reduction
    optimizer,   ///< update, with exposed copies to and from the host
    parameters,  ///< exposed gathers
    overhead,    ///< compute lost to transfers that it hides
};
inline constexpr std::array kWorkTable{
    Enumerator(Work::forward, "forward", "forward passes"),
    Enumerator(Work::recompute, "recompute", "forward passes repeated in backward"),
    Enumerator(Work::backward, "backward", "backward passes"),
    Enumerator(Work::weights, "weights", "gradients of weights that were put off"),
    Enumerator(Work::pipeline, "pipeline", "receiving from other stages"),
    Enumerator(Work::gradients, "gradients", "gradient reduction after the last backward pass"),
    Enumerator(Work::optimizer, "optimizer", "weight update"),
    Enumerator(Work::parameters, "parameters", "gathers of sharded weights"),
    Enumerator(Work::overhead, "overhead", "compute lost to communication that it hides")};
constexpr const auto& enumerators(Work /*type*/) { return kWorkTable; }
inline constexpr std::array kWork = values_of(kWorkTable);
constexpr std::string_view name(Work work) { return name_of(work); }

/// The streams of a stage.
enum class Stream : std::uint8_t { compute, receive_forward, receive_backward };
inline constexpr std::size_t kStreams = 3;

/// What a task of the graph is.
struct StepTask {
    Work work = Work::forward;
    Stream stream = Stream::compute;
    std::int32_t stage = 0;
    std::int32_t micro_batch = -1;  ///< -1: of no one micro-batch
    std::int32_t position = -1;     ///< -1: of the whole stage
    bool frees = false;             ///< activations of its micro-batch at the position are free after it
    bool splits = false;            ///< a backward pass that puts off its gradients of weights: what these need stays
    simulate::TaskId sender = simulate::kNoTask;  ///< of a transfer: the pass whose result it brings
};

struct StepTasks {
    simulate::TaskGraph graph;
    std::vector<StepTask> tasks;  ///< of each task of the graph
    std::int32_t stages = 1;

    [[nodiscard]] static simulate::ResourceId stream_of(std::int32_t stage, Stream stream) {
        return simulate::id_at<simulate::ResourceId>(static_cast<std::size_t>(stage) * kStreams +
                                                     static_cast<std::size_t>(stream));
    }
};

/// `order`: for as many stages and positions as `costs` has. Two passes that run together take their turns on the stream,
/// shorter by what they hide of each other (step::PositionCost::hidden), begin when both can and end together. Throws
/// InputError for an order that does not run to its end.
StepTasks step_tasks(const schedule::Order& order, const step::PipelineCosts& costs);

}  // namespace dodona::play
