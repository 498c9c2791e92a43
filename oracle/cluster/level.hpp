// A level of links, which connects the children of a domain.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "cluster/link.hpp"

namespace dodona::cluster {

enum class LevelKind {
    switched,    ///< any child to any other at full link bandwidth (NVSwitch, crossbar)
    all_to_all,  ///< a link between each pair of children; `bandwidth` is of one pair
    ring,        ///< links to two neighbours; `bandwidth` is of one link
    fat_tree,    ///< as switched, with oversubscription `taper`
    rail,        ///< link i of every child leads to switch i, which connects equal positions only
    bus,         ///< one medium: all children share `links` x `bandwidth`; each byte counts once
    torus,       ///< `links` to either neighbour along each of the dimensions `sizes`, ends joined
    dragonfly,   ///< children are groups; each pair of groups has an equal part of a group's `links`
};

/// Routing between the groups of a dragonfly.
enum class Routing {
    minimal,   ///< over the links of the pair only
    valiant,   ///< over a third group: all links of a group, two hops per message
    adaptive,  ///< the faster of both for the given traffic (UGAL, Aries, Slingshot)
};

/// In-network reduction and multicast of a level's switches (NVLS, SHARP).
struct InNetwork {
    BytesPerSecond bandwidth;  ///< of one child into the reduction, and out of it
    Seconds latency;           ///< of one message through the reduction
};

struct Level {
    std::string name;
    std::int64_t size = 1;  ///< children
    LevelKind kind = LevelKind::switched;
    std::int64_t links = 1;                    ///< per child; torus: per dimension and direction; bus: of the medium
    BytesPerSecond bandwidth;                  ///< of one link, one way
    Seconds latency;                           ///< of one message between children, including start-up
    double taper = 1;                          ///< oversubscription: links * bandwidth / taper leave a child
    std::vector<std::int64_t> sizes = {};      ///< torus: children along each dimension, first innermost; none: {size}
    Routing routing = Routing::adaptive;       ///< dragonfly
    std::optional<InNetwork> in_network = {};  ///< none: switches only forward
    double efficiency = 1;                     ///< share of `bandwidth` that collectives reach; a `link` has its own
    double assumed = 0;                        ///< relative error of rates that nobody stated
    std::optional<Link> link = {};             ///< its protocols replace `latency` and `efficiency`
    /// The most children of a unit that a job over several units takes (Cluster::taken); none: it fills units.
    std::optional<std::int64_t> segment = {};

    /// Number of protocols: those of `link`, else one from `latency` and `efficiency`.
    [[nodiscard]] std::size_t protocols() const {
        return link && !link->protocols.empty() ? link->protocols.size() : 1;
    }
    /// Timing of a protocol; of the last one if there are fewer.
    [[nodiscard]] LinkTiming timing(std::size_t protocol) const {
        if (!link || link->protocols.empty()) {
            return {.step = latency, .efficiency = efficiency};
        }
        return link->protocols[std::min(protocol, link->protocols.size() - 1)].timing;
    }
};

inline constexpr std::array kLevelKindTable{
    Enumerator(LevelKind::switched, "switch",
               "any child reaches any other at full speed (NVSwitch, PCIe switch, one crossbar); `links` and "
               "`bandwidth` are of one child"),
    Enumerator(
        LevelKind::all_to_all, "all-to-all",
        "a link between each pair of children (DGX-1 quads, routers of a dragonfly group); `bandwidth` is of one "
        "pair"),
    Enumerator(LevelKind::ring, "ring",
               "links to two neighbours, one ring per link, all in one direction; `links: 2` for both directions"),
    Enumerator(LevelKind::fat_tree, "fat-tree",
               "as `switch`, but links x bandwidth / taper leave a child; `taper` is the oversubscription"),
    Enumerator(LevelKind::rail, "rail",
               "a rail-optimised pod: link i of every node leads to leaf switch i. Ranks at the same position of their "
               "nodes meet there; a message to another position first crosses the node's own level (PXN) and pays its "
               "latency too. `links` is the number of rails"),
    Enumerator(LevelKind::bus, "bus",
               "one medium that all children share (a host bridge, GPUs without peer access); every byte counts once. "
               "`links` and `bandwidth` are of the medium"),
    Enumerator(
        LevelKind::torus, "torus",
        "both neighbours along each dimension, ends joined (TPU pods, Blue Gene); `links` and `bandwidth` are of "
        "one child to one neighbour, so a child has 2 x dimensions x links"),
    Enumerator(
        LevelKind::dragonfly, "dragonfly",
        "groups, each pair joined directly; `links` are the global links of one group to all others together. "
        "The group itself is made of levels before this one: `switch` for the nodes of a router, `all-to-all` for "
        "the routers of a group")};
constexpr const auto& enumerators(LevelKind /*type*/) { return kLevelKindTable; }
inline constexpr std::array kLevelKinds = values_of(kLevelKindTable);
constexpr std::string_view name(LevelKind kind) { return name_of(kind); }

inline constexpr std::array kRoutingTable{
    Enumerator(Routing::minimal, "minimal", "only over the links between the two groups"),
    Enumerator(Routing::valiant, "valiant", "over any third group: all links of a group, two of them for each message"),
    Enumerator(Routing::adaptive, "adaptive",
               "whichever of the two gives more for the traffic at hand (UGAL, Aries, Slingshot)")};
constexpr const auto& enumerators(Routing /*type*/) { return kRoutingTable; }
inline constexpr std::array kRoutings = values_of(kRoutingTable);
constexpr std::string_view name(Routing routing) { return name_of(routing); }

}  // namespace dodona::cluster
