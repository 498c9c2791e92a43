// Numbers of the things that a simulation knows, each a type of its own. All count from 0 in the order of adding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace dodona::simulate {

enum class NodeId : std::uint32_t {};      ///< an endpoint or a switch of a topology
enum class LinkId : std::uint32_t {};      ///< a directed link of a topology
enum class RouteId : std::uint32_t {};     ///< a route between two nodes
enum class ResourceId : std::uint32_t {};  ///< what tasks run on
enum class KindId : std::uint32_t {};      ///< a kind of task, by which times are added up
enum class TaskId : std::uint32_t {};

inline constexpr ResourceId kNoResource{0xffffffffU};
inline constexpr TaskId kNoTask{0xffffffffU};

template <class Id>
requires std::is_enum_v<Id>
constexpr std::size_t index(Id id) { return static_cast<std::size_t>(id); }

/// The number of the thing at `position`.
template <class Id>
constexpr Id id_at(std::size_t position) {
    return static_cast<Id>(position);
}

}  // namespace dodona::simulate
