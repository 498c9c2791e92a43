#include "exchange/message_queue.hpp"

#include "base/ranges.hpp"
#include "simulate/play.hpp"

namespace dodona::exchange {

namespace {

using simulate::kNoTask;
using simulate::TaskId;

constexpr int kSteps = 4;  // the last one is in the steady state: its network is idle when its first gradient is ready

/// The steps of one worker as tasks: compute in order, messages on the network.
class StepTasks {
public:
    StepTasks(const std::vector<LayerWork>& layers, const std::vector<Message>& messages, Order order, Seconds chunk)
        : layers_(layers), messages_(messages), order_(order) {
        compute_ = tasks_.add_resource({.name = "compute"});
        const bool by_priority = order == Order::newest_first;
        network_ = tasks_.add_resource(
            {.name = "network",
             .discipline = by_priority ? simulate::Discipline::priority : simulate::Discipline::fifo,
             .chunk = by_priority ? chunk : Seconds{}});
        arrived_.assign(messages.size(), kNoTask);
    }

    /// Time of the last step.
    Seconds last_step() && {
        std::vector<TaskId> ends;
        for (int step = 0; step < kSteps; ++step) {
            forward();
            ends.push_back(backward());
        }
        const simulate::Timeline timeline = simulate::play(std::move(tasks_).build());
        return timeline.end[index(ends[kSteps - 1])] - timeline.end[index(ends[kSteps - 2])];
    }

private:
    /// The messages that a layer of the next step waits for.
    [[nodiscard]] std::vector<TaskId> awaited(std::size_t layer) const {
        std::vector<TaskId> tasks;
        for (std::size_t m = 0; m < messages_.size(); ++m) {
            const bool own = messages_[m].first <= layer && layer <= messages_[m].last;
            if (arrived_[m] != kNoTask && (order_ == Order::barrier || own)) {
                tasks.push_back(arrived_[m]);
            }
        }
        return tasks;
    }

    void forward() {
        for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
            tasks_.add({.duration = layers_[layer].forward, .resource = compute_}, awaited(layer));
        }
    }

    TaskId backward() {
        TaskId last = kNoTask;
        std::size_t next = 0;
        for (std::size_t layer = layers_.size(); layer-- > 0;) {
            last = tasks_.add({.duration = layers_[layer].backward, .resource = compute_});
            if (next < messages_.size() && messages_[next].first == layer) {
                arrived_[next] = tasks_.add({.duration = messages_[next].time,
                                             .resource = network_,
                                             .priority = static_cast<std::int32_t>(next)},
                                            {last});
                ++next;
            }
        }
        return last;
    }

    const std::vector<LayerWork>& layers_;
    const std::vector<Message>& messages_;
    Order order_;
    simulate::TaskGraphBuilder tasks_;
    simulate::ResourceId compute_{};
    simulate::ResourceId network_{};
    std::vector<TaskId> arrived_;  ///< by message, of the step before
};

}  // namespace

std::vector<Message> messages_of(const std::vector<LayerWork>& layers, Bytes bucket) {
    std::vector<Message> messages;
    Message open;
    bool is_open = false;
    for (std::size_t layer = layers.size(); layer-- > 0;) {
        if (layers[layer].bytes <= Bytes{}) {
            continue;
        }
        open.last = is_open ? open.last : layer;
        open.first = layer;
        open.bytes += layers[layer].bytes;
        open.elements += layers[layer].elements;
        is_open = open.bytes < bucket;
        if (!is_open) {
            messages.push_back(open);
            open = {};
        }
    }
    if (is_open) {
        messages.push_back(open);
    }
    return messages;
}

Seconds exposed_messages(const std::vector<LayerWork>& layers, const std::vector<Message>& messages, Order order,
                         Seconds chunk) {
    if (layers.empty() || messages.empty()) {
        return Seconds{};
    }
    const auto compute = sum_of<Seconds>(layers, [](const LayerWork& layer) { return layer.forward + layer.backward; });
    return max(Seconds{}, StepTasks(layers, messages, order, chunk).last_step() - compute);
}

}  // namespace dodona::exchange
