// How replicas agree: who exchanges what with whom, when, and in which form. An exchange is a file in
// oracle/exchange/exchanges (keys in docs/exchanges.md); its costs follow from the machine.
//
// Dodona says how long exchanges take and how stale what they bring is. It does not say how many more steps a network
// needs for it: statistical efficiency is not predicted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "cluster/algorithm.hpp"

namespace dodona::exchange {

/// Who exchanges with whom. What each costs stands in the table of pattern_cost.cpp.
enum class Pattern {
    all_reduce,
    recursive_doubling,
    sharded_update,
    servers,
    scatter_reduce,
    tree,
    ring,
    torus,
    gossip,
    master
};

inline constexpr std::array kPatternTable{
    Enumerator(Pattern::all_reduce, "all-reduce", "all workers get the sum of all, by the machine's collectives"),
    Enumerator(Pattern::recursive_doubling, "recursive-doubling",
               "in ceil(log2 n) rounds each worker exchanges all with another one"),
    Enumerator(Pattern::sharded_update, "sharded-update",
               "reduce-scatter, each worker updates its part, all-gather of the parts"),
    Enumerator(Pattern::servers, "servers",
               "parameter servers on nodes of their own, or, without `servers`, a part on each worker"),
    Enumerator(Pattern::scatter_reduce, "scatter-reduce",
               "workers reduce and scatter among themselves and send the parts to one server"),
    Enumerator(Pattern::tree, "tree", "a binomial tree of workers below one server"),
    Enumerator(Pattern::ring, "ring", "both neighbours on a closed ring"),
    Enumerator(Pattern::torus, "torus", "the four neighbours on a torus"),
    Enumerator(Pattern::gossip, "gossip", "with a probability, a peer drawn anew each time"),
    Enumerator(Pattern::master, "master", "each worker with one master, which keeps an average of all")};
constexpr const auto& enumerators(Pattern /*type*/) { return kPatternTable; }
constexpr std::string_view name(Pattern pattern) { return name_of(pattern); }

enum class Scheduling { synchronous, asynchronous, bounded };
inline constexpr std::array kSchedulingTable{
    Enumerator(Scheduling::synchronous, "synchronous", "nobody goes on before the exchange is over"),
    Enumerator(Scheduling::asynchronous, "asynchronous", "nobody waits for other workers"),
    Enumerator(Scheduling::bounded, "bounded", "nobody is more than `bound` steps ahead of the slowest")};
constexpr const auto& enumerators(Scheduling /*type*/) { return kSchedulingTable; }
constexpr std::string_view name(Scheduling scheduling) { return name_of(scheduling); }

/// What becomes of the replicas' weights in an exchange.
enum class Outer { none, average, nesterov, elastic };
inline constexpr std::array kOuterTable{
    Enumerator(Outer::none, "none", "gradients are summed; the optimizer of the step applies them"),
    Enumerator(Outer::average, "average", "weights are averaged"),
    Enumerator(Outer::nesterov, "nesterov", "the mean change since the last exchange is a gradient with momentum"),
    Enumerator(Outer::elastic, "elastic", "weights and those of the master move towards each other")};
constexpr const auto& enumerators(Outer /*type*/) { return kOuterTable; }
constexpr std::string_view name(Outer outer) { return name_of(outer); }

/// What travels; all three have as many elements as the weights.
enum class Sent { gradients, weights, increments };
inline constexpr std::array kSentTable{
    Enumerator(Sent::gradients, "gradients", "gradients of the step"), Enumerator(Sent::weights, "weights", "weights"),
    Enumerator(Sent::increments, "increments", "changes of the weights since the last exchange")};
constexpr const auto& enumerators(Sent /*type*/) { return kSentTable; }
constexpr std::string_view name(Sent sent) { return name_of(sent); }

/// Which message of a step is served first, and what the next step waits for.
enum class Order { barrier, first_ready, newest_first };
inline constexpr std::array kOrderTable{
    Enumerator(Order::barrier, "barrier", "as gradients become ready; the next step waits for all of them"),
    Enumerator(Order::first_ready, "first-ready",
               "as gradients become ready; a layer of the next step waits for its own message"),
    Enumerator(
        Order::newest_first, "newest-first",
        "the newest message overtakes between chunks: what the next step needs first; a layer waits for its own")};
constexpr const auto& enumerators(Order /*type*/) { return kOrderTable; }
constexpr std::string_view name(Order order) { return name_of(order); }

enum class CompressionKind { none, top_k, int8, fp8, int4, one_bit };
inline constexpr std::array kCompressionKindTable{
    Enumerator(CompressionKind::none, "none", "elements as they are"),
    Enumerator(CompressionKind::top_k, "top-k", "the largest elements by magnitude, with their 4-byte indices"),
    Enumerator(CompressionKind::int8, "int8", "8-bit integers with a 4-byte scale a block"),
    Enumerator(CompressionKind::fp8, "fp8", "8-bit floating point with a 4-byte scale a block"),
    Enumerator(CompressionKind::int4, "int4", "4-bit integers with a 4-byte scale a block"),
    Enumerator(CompressionKind::one_bit, "1-bit", "signs with a 4-byte scale a block")};
constexpr const auto& enumerators(CompressionKind /*type*/) { return kCompressionKindTable; }
constexpr std::string_view name(CompressionKind kind) { return name_of(kind); }

/// How sparse gradients are summed.
enum class SparseScheme { all_gather, tree, hierarchical };
inline constexpr std::array kSparseSchemeTable{
    Enumerator(SparseScheme::all_gather, "all-gather", "each worker sends its elements to all others"),
    Enumerator(SparseScheme::tree, "tree", "pairs merge and keep the largest k, in log2 n rounds; then a broadcast"),
    Enumerator(SparseScheme::hierarchical, "hierarchical",
               "dense reduce-scatter in a node, sparse all-gather between equal parts of nodes, all-gather in a node")};
constexpr const auto& enumerators(SparseScheme /*type*/) { return kSparseSchemeTable; }
constexpr std::string_view name(SparseScheme scheme) { return name_of(scheme); }

enum class Selection { exact, threshold };
inline constexpr std::array kSelectionTable{
    Enumerator(Selection::exact, "exact", "by radix selection: four passes of 8 bits"),
    Enumerator(Selection::threshold, "threshold", "by a binary search for the threshold, one pass a step")};
constexpr const auto& enumerators(Selection /*type*/) { return kSelectionTable; }

struct Compression {
    CompressionKind kind = CompressionKind::none;
    double density = 0.001;  ///< top-k: elements kept, over all
    SparseScheme scheme = SparseScheme::hierarchical;
    Selection selection = Selection::threshold;
    std::int64_t passes = 20;     ///< of the search for the threshold: it is found to 2^-passes of its range
    std::int64_t block = 256;     ///< elements with one scale
    bool error_feedback = false;  ///< what was not sent is added to the next gradient
};

/// Cores of each worker that only send and receive (endpoints.hpp).
struct Endpoints {
    BytesPerSecond rate;                ///< what one sends while it receives as much
    std::optional<std::int64_t> cores;  ///< none: as many as make the step shortest
    std::int64_t most = 16;             ///< of those that are tried
    Location where;
};

struct Exchange {
    std::string name;
    std::string source;
    std::string summary;  ///< one line
    Pattern pattern = Pattern::all_reduce;
    std::optional<cluster::Algorithm> algorithm;  ///< of collectives; none: the machine's choice
    std::optional<std::int64_t> servers;          ///< on nodes of their own; none: a part on each worker (master: one)
    std::optional<std::int64_t> rows;             ///< torus; none: as square as can be
    double probability = 1;                       ///< gossip: of an exchange after a step
    double moving_rate = 0.9;                     ///< elastic: of all workers together; each moves by moving_rate / n
    Scheduling scheduling = Scheduling::synchronous;
    std::int64_t bound = 1;   ///< bounded: steps
    std::int64_t period = 1;  ///< steps from one exchange to the next
    std::optional<std::int64_t>
        best_worker;  ///< steps after which all continue with the weights of the best; none: never
    Outer outer = Outer::none;
    Sent sends = Sent::gradients;
    Order order = Order::barrier;
    bool overlap = true;                         ///< beside compute, where the pattern allows it
    Bytes bucket = Bytes::of_base(25 * 0x1p20);  ///< gradients that are joined to one message; 0: none
    Bytes chunk = Bytes::of_base(0x1p20);        ///< newest-first: what is sent between two looks at newer messages
    Compression compression;
    std::optional<Endpoints> endpoints;  ///< none: communication takes no cores
    Location where;

    /// Whether all replicas have the same weights after every step.
    [[nodiscard]] bool keeps_replicas_equal() const {
        return scheduling == Scheduling::synchronous && period == 1 && pattern != Pattern::ring &&
               pattern != Pattern::torus && pattern != Pattern::gossip && pattern != Pattern::master;
    }
};

}  // namespace dodona::exchange
