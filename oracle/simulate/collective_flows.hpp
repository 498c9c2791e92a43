// Collectives as tasks with flows, one function and one row of a table each.
//
// Members are nodes, in the order of the ring or chain. Every member begins when what it waits for has ended and its
// stream takes it, and holds the stream until it has its result. A transfer between two members starts once both have
// begun. On links without contention, with n members, S bytes, bandwidth B and latency a from member to member:
//
//   ring reduce-scatter, all-gather   (n - 1) (S / (n B) + a)                a step starts when the one before has arrived
//   ring all-reduce                   2 (n - 1) (S / (n B) + a)
//   double-tree all-reduce            two trees with S / 2 each in chunks: up to the roots and down again
//   direct all-to-all                 S / n from each member to each other, all at once
//   chain broadcast                   (n - 2 + c) (S / (c B) + a)            c chunks
//   send                              S / B + a                              from the first member to the second
//
// S is the buffer of an all-reduce or broadcast, the result of an all-gather, the input of a reduce-scatter, one
// member's buffer of an all-to-all, the message of a send. A chunk leaves on a tree or chain once the one before has
// arrived.
// Not modelled: the time of the reduction itself (a delay per transfer can stand for it); several channels.
// Source: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", JPDC 69 (2009),
// for the ring; double_tree.hpp for the trees.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "simulate/routes.hpp"
#include "simulate/task_graph.hpp"

namespace dodona::simulate {

enum class CollectivePattern {
    ring_all_reduce,
    ring_reduce_scatter,
    ring_all_gather,
    double_tree_all_reduce,
    direct_all_to_all,
    chain_broadcast,
    send
};

inline constexpr std::array kCollectivePatternTable{
    Enumerator(CollectivePattern::ring_all_reduce, "ring all-reduce", "reduce-scatter, then all-gather, on one ring"),
    Enumerator(CollectivePattern::ring_reduce_scatter, "ring reduce-scatter", "parts go round and are added up"),
    Enumerator(CollectivePattern::ring_all_gather, "ring all-gather", "parts go round"),
    Enumerator(CollectivePattern::double_tree_all_reduce, "double-tree all-reduce",
               "two binary trees with half of the buffer each, up and down"),
    Enumerator(CollectivePattern::direct_all_to_all, "direct all-to-all", "each member sends to all others at once"),
    Enumerator(CollectivePattern::chain_broadcast, "chain broadcast", "from member to member, starting at the first"),
    Enumerator(CollectivePattern::send, "send", "from the first member to the second")};
constexpr const auto& enumerators(CollectivePattern /*type*/) { return kCollectivePatternTable; }
inline constexpr std::array kCollectivePatterns = values_of(kCollectivePatternTable);

struct CollectiveFlows {
    CollectivePattern pattern = CollectivePattern::ring_all_reduce;
    std::vector<NodeId> members;  ///< at least 1; of a send exactly 2
    Bytes bytes;
    std::vector<ResourceId> streams;  ///< by member; empty: none is held
    std::vector<TaskId> after;        ///< by member, what it waits for, or kNoTask; empty: nothing
    KindId kind{};
    std::int32_t priority = 0;
    Seconds start;           ///< of a member: launch
    Seconds delay;           ///< of each transfer, before its latency
    std::size_t chunks = 1;  ///< of trees and chains
    double weight = 1;       ///< collectives that this one stands for, all over the same links
    BytesPerSecond most;     ///< rate of one transfer; 0: what the links leave
};

/// Adds the tasks. Returns by member the task at whose end it has its result.
std::vector<TaskId> add_collective(TaskGraphBuilder& builder, Routes& routes, const CollectiveFlows& collective);

}  // namespace dodona::simulate
