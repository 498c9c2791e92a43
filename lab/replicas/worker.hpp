// The compute of one worker: it trains its replica on data of its own, step by step, and marks the time of each.
//
// With a stated compute a step's passes take it, a third forward and two thirds backward, layers in proportion to their
// weights: the thread sleeps for what the real ones leave of it, and for less where earlier passes took longer.
#pragma once

#include <functional>
#include <vector>

#include "exchange/exchange_cost.hpp"
#include "lab/replicas/messenger.hpp"
#include "lab/replicas/perceptron.hpp"
#include "lab/replicas/replica.hpp"
#include "lab/replicas/settings.hpp"

namespace dodona::calibrate {

class Worker {
public:
    Worker(const TrainingSettings& settings, std::size_t rank);

    Replica replica;

    [[nodiscard]] std::size_t layers() const { return network_.layers().size(); }
    [[nodiscard]] Part range_of(std::size_t first, std::size_t last) const;
    [[nodiscard]] std::size_t elements() const { return network_.weights(); }

    [[nodiscard]] std::vector<float> first_weights() const {
        return network_.first_weights(settings_.seed + (settings_.apart ? rank_ : 0));
    }
    void start_step(std::int64_t step);
    void forward(std::size_t layer);
    void backward(std::size_t layer);
    /// The loss of these weights on samples that no worker trains on.
    [[nodiscard]] double held_out_loss();
    /// Time in which it computed, over all steps.
    [[nodiscard]] Seconds computed() const { return computed_; }

private:
    void pass(std::size_t layer, double share, const std::function<void()>& work);

    const TrainingSettings& settings_;
    std::size_t rank_;
    Perceptron network_;
    Seconds computed_;
    double late_ = 0;  ///< seconds that passes took beyond their time
};

/// The layers of the network as predictions have them; without a stated compute their passes take no time.
exchange::ReplicaWork replica_work(const TrainingSettings& settings);

}  // namespace dodona::calibrate
