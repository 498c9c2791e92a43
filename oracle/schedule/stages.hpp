// Cuts the units of a graph into pipeline stages and chunks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/unit_cost.hpp"

namespace dodona::schedule {

/// How many instances of each unit a chunk holds.
struct Chunk {
    std::vector<std::int64_t> counts;  ///< by unit
};

/// A pipeline stage: the chunks of one rank, in model order. Chunk c of stage s is virtual stage c * stages + s.
struct Stage {
    std::vector<Chunk> chunks;
    [[nodiscard]] std::int64_t count(std::size_t unit) const;
};

/// Cuts into `stages` x `chunks` virtual stages. Equal blocks where the number of blocks divides evenly (layers before
/// and after them join the first and the last), as training frameworks do; otherwise the cut whose slowest virtual
/// stage is fastest. `given` (blocks per virtual stage) overrides. Empty if there are fewer units than stages.
std::vector<Stage> cut_stages(const CostedGraph& costed, std::int64_t stages, std::int64_t chunks,
                              const std::vector<std::int64_t>& given);

/// What arrives from earlier stages for one micro-batch: the largest over the chunks.
Bytes incoming_bytes(const CostedGraph& costed, const Stage& stage);

/// "embedding, 12 x layers".
std::string describe(const CostedGraph& costed, const Stage& stage);

}  // namespace dodona::schedule
