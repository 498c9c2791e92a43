// How long a checkpoint takes to write and to restore.
//
//   copy     tensors of one device / rate between device and host
//   encode   tensors of one writer / rate of the format
//   write    the slower of: files of one node / rate of a node, all files / rate of the file system
//
// Sharded, every device copies and encodes its part and every node writes an equal part; by rank 0, one process does
// all. Restoring goes the same way back: sharded, every node reads what its devices hold; by rank 0, one node reads all.
// A blocking checkpoint pauses training for the sum; of an asynchronous one only the copy does, and the rest goes on in
// the background.
//
// Not modelled: gathering the parts of other ranks at rank 0 and broadcasting them, creating files, the slow-down of
// training by a background write, other jobs on the same file system.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"

namespace dodona::reliability {

enum class CheckpointMode { blocking, asynchronous };
inline constexpr std::array kCheckpointModeTable{
    Enumerator(CheckpointMode::blocking, "blocking", "training waits until the checkpoint is written"),
    Enumerator(CheckpointMode::asynchronous, "async", "training waits for the copy to host memory only")};
constexpr const auto& enumerators(CheckpointMode /*type*/) { return kCheckpointModeTable; }
constexpr std::string_view name(CheckpointMode mode) { return name_of(mode); }

enum class CheckpointWriters { sharded, rank0 };
inline constexpr std::array kCheckpointWritersTable{
    Enumerator(CheckpointWriters::sharded, "sharded", "every rank writes an equal part"),
    Enumerator(CheckpointWriters::rank0, "rank0", "one rank writes all")};
constexpr const auto& enumerators(CheckpointWriters /*type*/) { return kCheckpointWritersTable; }
constexpr std::string_view name(CheckpointWriters writers) { return name_of(writers); }

/// Rates on the way of a checkpoint.
struct CheckpointRates {
    BytesPerSecond copy;                         ///< between one device and host memory
    std::optional<BytesPerSecond> encode;        ///< of one process; none: no time
    std::optional<BytesPerSecond> decode;        ///< of one process; none: no time
    BytesPerSecond node_write;                   ///< one node
    BytesPerSecond node_read;                    ///< one node
    std::optional<BytesPerSecond> system_write;  ///< all nodes together
    std::optional<BytesPerSecond> system_read;   ///< all nodes together
};

struct CheckpointShape {
    Bytes tensors;       ///< in memory
    Bytes size;          ///< of all files
    Bytes held_by_node;  ///< tensors that the devices of a node need to continue; at most all
    std::int64_t devices = 1;
    std::int64_t nodes = 1;
    CheckpointWriters writers = CheckpointWriters::sharded;
};

struct CheckpointTimes {
    Seconds copy, encode, write;      ///< of one checkpoint, one after another
    Seconds read, decode, copy_back;  ///< of one restore

    [[nodiscard]] Seconds all() const { return copy + encode + write; }
    [[nodiscard]] Seconds restore() const { return read + decode + copy_back; }
    /// For which training stops.
    [[nodiscard]] Seconds pause(CheckpointMode mode) const { return mode == CheckpointMode::blocking ? all() : copy; }
    /// Between the end of the pause and the checkpoint being safe.
    [[nodiscard]] Seconds background(CheckpointMode mode) const {
        return mode == CheckpointMode::blocking ? Seconds{} : encode + write;
    }
};

CheckpointTimes checkpoint_times(const CheckpointShape& shape, const CheckpointRates& rates);

}  // namespace dodona::reliability
