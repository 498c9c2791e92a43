// Lists of neighbours of all vertices of a graph, in one array (compressed sparse rows).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dodona::simulate {

class Adjacency {
public:
    struct Edge {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
    };

    Adjacency() = default;

    /// The `to` of all edges by `from`, each list in the order of `edges`.
    Adjacency(std::size_t vertices, std::span<const Edge> edges) : offsets_(vertices + 1), neighbours_(edges.size()) {
        for (const Edge& edge : edges) {
            ++offsets_[edge.from + 1];
        }
        for (std::size_t i = 0; i < vertices; ++i) {
            offsets_[i + 1] += offsets_[i];
        }
        std::vector<std::uint64_t> next(offsets_.begin(), offsets_.end() - 1);
        for (const Edge& edge : edges) {
            neighbours_[next[edge.from]++] = edge.to;
        }
    }

    [[nodiscard]] std::span<const std::uint32_t> of(std::size_t vertex) const {
        return std::span(neighbours_).subspan(offsets_[vertex], offsets_[vertex + 1] - offsets_[vertex]);
    }
    [[nodiscard]] std::size_t count(std::size_t vertex) const { return offsets_[vertex + 1] - offsets_[vertex]; }
    [[nodiscard]] bool empty() const { return neighbours_.empty(); }

private:
    std::vector<std::uint64_t> offsets_;
    std::vector<std::uint32_t> neighbours_;
};

}  // namespace dodona::simulate
