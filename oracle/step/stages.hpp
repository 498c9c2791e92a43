// Cuts the segments of a graph into pipeline stages and virtual stages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "step/segment_cost.hpp"

namespace dodona::step {

/// How many instances of each segment a virtual stage holds.
struct VirtualStage {
    std::vector<std::int64_t> counts;  ///< by segment
    bool operator==(const VirtualStage&) const = default;
};

/// A pipeline stage: the virtual stages of one rank, where schedule::Places puts them.
struct Stage {
    std::vector<VirtualStage> virtual_stages;
    [[nodiscard]] std::int64_t count(std::size_t segment) const;
    bool operator==(const Stage&) const = default;
};

/// Instances of a segment that stay together.
struct Piece {
    std::size_t segment = 0;
    std::int64_t count = 1;
    std::size_t followed_by = 0;  ///< segments after it that stay with it (Graph::stays_with_previous)

    /// Adds its instances to those of a part, by segment.
    void add_to(std::vector<std::int64_t>& counts, const graph::Graph& graph) const;
};

/// The network as a row of pieces that it may be cut between: single instances, but of very deep networks.
std::vector<Piece> pieces_of(const graph::Graph& graph, std::int64_t parts);

/// Cuts into virtual stages and places them; a stage that two directions pass has two. Equal blocks where the number of
/// blocks divides evenly (layers before and after them join the first and the last), as training frameworks do; otherwise
/// the most even cut by time, that of what crosses each boundary included: of all parts, or, where that makes no stage
/// slower, with a block more on as many parts in the middle as give each stage the same number of blocks. `given` (blocks
/// per virtual stage) overrides. Domain: no more virtual stages than segments (pipeline_limit).
std::vector<Stage> cut_stages(const CostedGraph& costed, const schedule::Places& places,
                              const std::vector<std::int64_t>& given);

/// Gives each stage the virtual stages of its positions; `parts`: instances by segment, by position.
std::vector<Stage> placed(std::vector<std::vector<std::int64_t>> parts, const schedule::Places& places);

/// Whether all blocks cost the same within 1 %, so that equally many per stage are balanced.
bool blocks_are_alike(const CostedGraph& costed);

/// Whether all blocks take the same time to the last bit: they do the same.
bool blocks_are_same(const CostedGraph& costed);

/// Why a pipeline cannot be cut or scheduled as planned; none if it can. The one rule for `evaluate` and for searches.
/// `segments`: of the network, instances counted; `microbatches`: of a data rank.
std::optional<plan::Limit> pipeline_limit(std::int64_t segments, const plan::Plan& plan, std::int64_t microbatches);

/// Tensors that a stage receives from earlier stages for one micro-batch.
struct Incoming {
    /// By one rank of the previous stage, and as much back: mean of the virtual stages. Half of what a pass that is not
    /// trained sends, which gets no gradient back.
    Bytes sent;
    Bytes gathered;  ///< all-gathered among the receivers, tensors that were split for sending: mean of the same
    Bytes whole;     ///< as the receiving rank stores it: of the virtual stage that receives most
};

/// `split`: atoms over which whole tensors are split for sending (none: sent whole).
Incoming incoming(const CostedGraph& costed, const Stage& stage, plan::Atoms split);

/// The atoms that a plan's strategy splits boundaries over.
plan::Atoms boundary_split(const CostedGraph& costed, const plan::Plan& plan);

/// "embedding, 12 x layers".
std::string describe(const CostedGraph& costed, const Stage& stage);

}  // namespace dodona::step
