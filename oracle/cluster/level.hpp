// A level of links: what joins the children of one domain.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "cluster/link.hpp"

namespace dodona::cluster {

enum class LevelKind {
    switched,    ///< any child to any other at full link bandwidth (NVSwitch, one crossbar)
    all_to_all,  ///< a link between each pair of children; `bandwidth` is of one pair
    ring,        ///< links to two neighbours; `bandwidth` is of one link
    fat_tree,    ///< as switched; `taper` divides what leaves a child
    rail,        ///< link i of every child leads to switch i: children meet at equal positions only
    bus,         ///< one medium: all children share `links` x `bandwidth`, each byte counted once
    torus,       ///< `links` to either neighbour along each of the dimensions `sizes`, ends joined
    dragonfly,   ///< children are groups; each pair of groups has its equal part of a group's `links`
};

/// How a dragonfly leads a message from group to group.
enum class Routing {
    minimal,   ///< by the pair's own links only
    valiant,   ///< by any group between: all links of a group, but two of them a message
    adaptive,  ///< whichever gives more for the traffic at hand (UGAL, Aries, Slingshot)
};

/// What the switches of a level reduce and multiply on the way (NVLS, SHARP).
struct InNetwork {
    BytesPerSecond bandwidth;  ///< of one child into the reduction and out of it, one way each
    Seconds latency;           ///< of one message through it
};

struct Level {
    std::string name;
    std::int64_t size = 1;  ///< children
    LevelKind kind = LevelKind::switched;
    std::int64_t links = 1;                    ///< per child; torus: per dimension and direction; bus: of the medium
    BytesPerSecond bandwidth;                  ///< of one link, one way
    Seconds latency;                           ///< of one message between children, start-up included
    double taper = 1;                          ///< oversubscription: out of a child links * bandwidth / taper
    std::vector<std::int64_t> sizes = {};      ///< torus: children along each dimension, first innermost; none: {size}
    Routing routing = Routing::adaptive;       ///< dragonfly
    std::optional<InNetwork> in_network = {};  ///< none: switches only forward
    double efficiency = 1;                     ///< share of `bandwidth` that collectives reach; of a link its own
    std::optional<Link> link = {};             ///< its protocols come before `latency` and `efficiency`

    /// Ways to drive the links: those of `link`, or one of `latency` and `efficiency`.
    [[nodiscard]] std::size_t protocols() const {
        return link && !link->protocols.empty() ? link->protocols.size() : 1;
    }
    /// The way of that place in them; the last one where there are fewer.
    [[nodiscard]] LinkTiming timing(std::size_t protocol) const {
        if (!link || link->protocols.empty()) {
            return {.step = latency, .efficiency = efficiency};
        }
        return link->protocols[std::min(protocol, link->protocols.size() - 1)].timing;
    }
};

inline constexpr std::array kLevelKinds{LevelKind::switched, LevelKind::all_to_all, LevelKind::ring,
                                        LevelKind::fat_tree, LevelKind::rail,       LevelKind::bus,
                                        LevelKind::torus,    LevelKind::dragonfly};
inline constexpr std::array kRoutings{Routing::minimal, Routing::valiant, Routing::adaptive};

std::string_view name(LevelKind kind);
std::string_view name(Routing routing);

}  // namespace dodona::cluster
