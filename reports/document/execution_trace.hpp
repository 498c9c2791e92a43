// What a rank does in a step, as a graph of compute and communication: before it has a format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/quantity.hpp"

namespace dodona::reports {

enum class TraceNodeKind : std::uint8_t { compute, all_reduce, all_gather, reduce_scatter, all_to_all, send, receive };

struct TraceNode {
    std::uint64_t id = 1;  ///< unique in its rank
    std::string name;
    TraceNodeKind kind = TraceNodeKind::compute;
    Seconds start;
    Seconds duration;
    std::vector<std::uint64_t> data;   ///< nodes whose result it reads
    std::vector<std::uint64_t> order;  ///< nodes that it follows on its stream
    Bytes size;                        ///< of communication: what one rank puts in (an all-gather too)
    std::int64_t group = 0;            ///< of a collective: number of its group
    std::int64_t peer = 0;             ///< of a send or receive: the other rank
    std::int64_t tag = 0;              ///< of a send or receive: equal at both ends
};

struct TraceGroup {
    std::int64_t number = 1;
    std::vector<std::int64_t> ranks;
};

}  // namespace dodona::reports
