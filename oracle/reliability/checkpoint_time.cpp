#include "reliability/checkpoint_time.hpp"

namespace dodona::reliability {

namespace {

Seconds time_of(Bytes bytes, const std::optional<BytesPerSecond>& rate) { return rate ? bytes / *rate : Seconds{}; }

}  // namespace

CheckpointTimes checkpoint_times(const CheckpointShape& shape, const CheckpointRates& rates) {
    const bool sharded = shape.writers == CheckpointWriters::sharded;
    const double nodes = sharded ? static_cast<double>(shape.nodes) : 1;
    const double writers = sharded ? static_cast<double>(shape.devices) : 1;
    const double a_node = static_cast<double>(shape.devices) / static_cast<double>(shape.nodes);
    const Bytes of_writer = shape.tensors / writers;
    const Bytes held = sharded ? shape.held_by_node / a_node : shape.tensors;
    // A node reads files of what it holds.
    const Bytes read_by_node =
        sharded && shape.tensors > Bytes{} ? (shape.held_by_node / shape.tensors) * shape.size : shape.size;
    return {.copy = of_writer / rates.copy,
            .encode = time_of(of_writer, rates.encode),
            .write = max(shape.size / nodes / rates.node_write, time_of(shape.size, rates.system_write)),
            .read = max(read_by_node / rates.node_read, time_of(nodes * read_by_node, rates.system_read)),
            .decode = time_of(held, rates.decode),
            .copy_back = held / rates.copy};
}

}  // namespace dodona::reliability
