// Numbers of links from all nodes of a topology to one of them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simulate/topology.hpp"

namespace dodona::simulate {

inline constexpr std::uint16_t kUnreachable = 0xffff;

class Distances {
public:
    explicit Distances(const Topology& topology);
    ~Distances();
    Distances(Distances&&) noexcept;
    Distances& operator=(Distances&&) noexcept;
    Distances(const Distances&) = delete;
    Distances& operator=(const Distances&) = delete;

    /// Fewest live links from every node to `to`, kUnreachable where there is no way. If `from_group` is a group, the
    /// way passes nodes of no group, of that one and of that of `to` only.
    [[nodiscard]] std::vector<std::uint16_t> to(NodeId to, std::int32_t from_group) const;

private:
    struct Graph;
    std::unique_ptr<const Graph> graph_;
};

}  // namespace dodona::simulate
