#include "simulate/distances.hpp"

#include <utility>

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/filtered_graph.hpp>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::simulate {

namespace {

using Links = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                 boost::no_property, std::uint32_t, std::uint32_t>;

/// Nodes that a route between two groups may pass.
struct MayPass {
    const std::vector<std::int32_t>* groups = nullptr;
    std::int32_t from = Node::kNoGroup;
    std::int32_t to = Node::kNoGroup;

    bool operator()(std::uint32_t node) const {
        const std::int32_t group = (*groups)[node];
        return group == Node::kNoGroup || from == Node::kNoGroup || group == from || group == to;
    }
};

}  // namespace

struct Distances::Graph {
    Links reversed;  ///< live links, from their ends to their starts
    std::vector<std::int32_t> groups;
};

Distances::Distances(const Topology& topology) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const Link& link : topology.links()) {
        if (link.factor > 0) {
            edges.emplace_back(static_cast<std::uint32_t>(link.to), static_cast<std::uint32_t>(link.from));
        }
    }
    const auto nodes = static_cast<std::uint32_t>(topology.nodes().size());
    auto groups = mapped<std::int32_t>(topology.nodes(), &Node::group);
    graph_ = std::make_unique<const Graph>(
        Graph{Links(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), nodes), std::move(groups)});
}

Distances::~Distances() = default;
Distances::Distances(Distances&&) noexcept = default;
Distances& Distances::operator=(Distances&&) noexcept = default;

std::vector<std::uint16_t> Distances::to(NodeId to, std::int32_t from_group) const {
    const std::int32_t to_group = graph_->groups[index(to)];
    const boost::filtered_graph<Links, boost::keep_all, MayPass> passable(
        graph_->reversed, {}, {.groups = &graph_->groups, .from = from_group, .to = to_group});
    std::vector<std::uint16_t> links(graph_->groups.size(), kUnreachable);
    links[index(to)] = 0;
    boost::breadth_first_search(
        passable, static_cast<std::uint32_t>(to),
        boost::visitor(boost::make_bfs_visitor(boost::record_distances(links.data(), boost::on_tree_edge()))));
    return links;
}

}  // namespace dodona::simulate
