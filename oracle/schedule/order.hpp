// The order of tasks on every stage of a pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/task.hpp"

namespace dodona::schedule {

/// What a schedule is generated for.
struct Shape {
    std::int32_t stages = 1;          ///< p: stages, each a device or a group of devices
    std::int32_t micro_batches = 1;   ///< m: micro-batches of a step
    std::int32_t virtual_stages = 1;  ///< v: positions on each stage
    auto operator<=>(const Shape&) const = default;
};

/// Where the positions of the network are, p stages with v positions each:
/// loop           position k is on stage k mod p
/// v_shape        two positions on each stage, k and 2p - 1 - k: down the stages and up again
/// bidirectional  p positions, each on two stages: k for the first half of the micro-batches, p - 1 - k for the second
enum class Placement : std::uint8_t { loop, v_shape, bidirectional };

/// Where the positions of a network are, as numbers: of a placement on p stages. Stages count from 0.
struct Places {
    Placement placement = Placement::loop;
    std::int64_t stages = 1;
    std::int64_t virtual_stages = 1;

    [[nodiscard]] std::int64_t positions() const { return stages * virtual_stages; }
    /// Stages that hold the same position.
    [[nodiscard]] std::int64_t copies() const { return placement == Placement::bidirectional ? 2 : 1; }
    /// Positions on each stage.
    [[nodiscard]] std::int64_t on_stage() const { return copies() * virtual_stages; }
    /// The positions of a stage, `index` from 0: in forward order, or the one of each direction.
    [[nodiscard]] std::int64_t position(std::int64_t stage, std::int64_t index) const {
        const bool up = placement != Placement::loop && index % 2 == 1;
        const std::int64_t before = placement == Placement::bidirectional ? 0 : index * stages;
        return before + (up ? stages - 1 - stage : stage);
    }
    /// The stage of a position, in the direction of the first micro-batches.
    [[nodiscard]] std::int64_t stage(std::int64_t position) const {
        const bool up = placement == Placement::v_shape && position / stages % 2 == 1;
        return up ? stages - 1 - position % stages : position % stages;
    }
    /// Its index there.
    [[nodiscard]] std::int64_t index(std::int64_t position) const { return position / stages; }
    /// The stage that sends its input to a stage's position `index`; none if that is the first, or the stage itself.
    [[nodiscard]] std::optional<std::int64_t> sender(std::int64_t stage, std::int64_t index) const;
    /// The position on the same stage whose backward passes run together with the forward passes of a position, in
    /// schedules that have such pairs: the other one where a stage has two, else the position itself, which stands for
    /// all of a loop.
    [[nodiscard]] std::int64_t partner(std::int64_t position) const {
        return placement == Placement::loop ? position : positions() - 1 - position;
    }
};

/// For each direction in which micro-batches pass the stages, the stage of each position.
std::vector<std::vector<std::int32_t>> place(Placement placement, const Shape& shape);

/// Tasks of every stage in the order in which it runs them.
struct Order {
    std::int32_t micro_batches = 1;
    std::vector<std::vector<std::int32_t>> directions;  ///< see place; micro-batches are dealt to them in equal blocks
    std::vector<std::vector<Task>> stages;

    [[nodiscard]] std::int32_t positions() const { return static_cast<std::int32_t>(directions.front().size()); }
    [[nodiscard]] std::size_t tasks() const;
    /// The stage that runs the tasks of a micro-batch at a position.
    [[nodiscard]] std::int32_t stage_of(std::int32_t position, std::int32_t micro_batch) const;
};

/// An order without tasks.
Order empty_order(Placement placement, const Shape& shape);

/// A fault of an order, at one of its tasks or, with `index` past the end, of a stage as a whole.
struct OrderFault {
    std::int32_t stage = 0;
    std::size_t index = 0;
    std::string message;
};

/// Whether every task is there exactly once, on the stage that holds its position: for every micro-batch and position
/// one forward pass and either a whole backward pass or one of each part; pairs are a forward and a backward pass.
std::vector<OrderFault> find_faults(const Order& order);

}  // namespace dodona::schedule
