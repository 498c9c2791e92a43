// One colour for each component of a step's time and of a device's memory, in every report and format.
//
// The palette of Okabe and Ito, which people with colour vision deficiencies can tell apart, and lighter or darker
// shades of it: related components share a hue. `terminal` is the nearest colour of the 256 that terminals have.
#pragma once

#include <array>
#include <string_view>

namespace dodona::reports {

struct ComponentColour {
    std::string_view component;  ///< the name of a step::TimePart or step::MemoryPart
    std::string_view hex;
    int terminal = 0;
};

inline constexpr ComponentColour kOtherColour{"other", "#999999", 246};

inline constexpr std::array kComponentColours{
    // Kernels, and what they keep.
    ComponentColour{"forward", "#0072B2", 25},
    ComponentColour{"backward", "#56B4E9", 74},
    ComponentColour{"recompute", "#9AD0F0", 117},
    ComponentColour{"weights", "#0072B2", 25},
    ComponentColour{"activations", "#56B4E9", 74},
    ComponentColour{"embedding_and_head", "#2FB5D2", 38},
    ComponentColour{"weight_gradients", "#004B75", 24},
    // The optimizer.
    ComponentColour{"optimizer", "#CC79A7", 175},
    // Communication.
    ComponentColour{"layer", "#E69F00", 172},
    ComponentColour{"halo", "#F2C46D", 221},
    ComponentColour{"pipeline", "#B87900", 136},
    ComponentColour{"gradients", "#D55E00", 166},
    ComponentColour{"parameters", "#F09A5B", 209},
    ComponentColour{"buffers", "#E69F00", 172},
    ComponentColour{"communicators", "#B87900", 136},
    // The host.
    ComponentColour{"offload", "#009E73", 36},
    ComponentColour{"input", "#66C5AB", 79},
    ComponentColour{"host", "#00664A", 23},
    // Idle or lost.
    ComponentColour{"bubble", "#F0E442", 185},
    ComponentColour{"overhead", "#7F7F7F", 244},
    ComponentColour{"workspace", "#F0E442", 185},
    ComponentColour{"cache", "#B3B3B3", 249},
    ComponentColour{"context", "#7F7F7F", 244},
    // Trials of a study, by turns, so that one can be told from the next.
    ComponentColour{"trial", "#0072B2", 25},
    ComponentColour{"next trial", "#9AD0F0", 117},
    ComponentColour{"failed", "#D55E00", 166},
};

/// Of series that are no components, such as strategies: in this order, then again.
inline constexpr std::array kSeriesColours{ComponentColour{"", "#0072B2", 25},  ComponentColour{"", "#D55E00", 166},
                                           ComponentColour{"", "#009E73", 36},  ComponentColour{"", "#CC79A7", 175},
                                           ComponentColour{"", "#E69F00", 172}, ComponentColour{"", "#56B4E9", 74},
                                           ComponentColour{"", "#8C6BB1", 97}};

constexpr const ComponentColour& colour_of(std::string_view component) {
    for (const ComponentColour& colour : kComponentColours) {
        if (colour.component == component) {
            return colour;
        }
    }
    return kOtherColour;
}

}  // namespace dodona::reports
