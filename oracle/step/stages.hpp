// Cuts the segments of a graph into pipeline stages and chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "step/segment_cost.hpp"

namespace dodona::step {

/// How many instances of each segment a chunk holds.
struct Chunk {
    std::vector<std::int64_t> counts;  ///< by segment
    bool operator==(const Chunk&) const = default;
};

/// A pipeline stage: the chunks of one rank, in model order. Chunk c of stage s is virtual stage c * stages + s.
struct Stage {
    std::vector<Chunk> chunks;
    [[nodiscard]] std::int64_t count(std::size_t segment) const;
    bool operator==(const Stage&) const = default;
};

/// Cuts into `stages` x `chunks` virtual stages. Equal blocks where the number of blocks divides evenly (layers before
/// and after them join the first and the last), as training frameworks do; otherwise the cut whose slowest virtual
/// stage is fastest. `given` (blocks per virtual stage) overrides. Domain: no more virtual stages than segments
/// (pipeline_limit).
std::vector<Stage> cut_stages(const CostedGraph& costed, std::int64_t stages, std::int64_t chunks,
                              const std::vector<std::int64_t>& given);

/// Every block costs the same, within 1 %: an equal deal is a balanced one.
bool blocks_are_alike(const CostedGraph& costed);

/// The one rule of what a pipeline can run, for `evaluate` and for searches: why it cannot be cut or scheduled as
/// planned. None: it can. `segments`: of the network; `microbatches`: of a data rank.
std::optional<plan::Limit> pipeline_limit(std::int64_t segments, const plan::Plan& plan, std::int64_t microbatches);

/// What arrives from earlier stages for one micro-batch, for the chunk with most.
struct Incoming {
    Bytes sent;      ///< by one rank of the stage before
    Bytes gathered;  ///< of it, after a gather among the receivers: tensors that were split for sending
    Bytes whole;     ///< as the receiving rank keeps it
};

/// `split`: atoms over which whole tensors are split for sending (none: sent whole).
Incoming incoming(const CostedGraph& costed, const Stage& stage, plan::Atoms split);

/// The atoms that a plan's strategy splits boundaries over.
plan::Atoms boundary_split(const CostedGraph& costed, const plan::Plan& plan);

/// "embedding, 12 x layers".
std::string describe(const CostedGraph& costed, const Stage& stage);

}  // namespace dodona::step
