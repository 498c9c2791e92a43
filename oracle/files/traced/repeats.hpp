// Layers that come again and again, as blocks: a traced graph has each instance of a block written out.
#pragma once

#include <cstddef>
#include <vector>

#include "files/traced/traced_layers.hpp"

namespace dodona::files {

/// `count` equal groups of `length` layers from `start`, each of which reads the last layer before it and nothing else
/// from outside, and is read from outside by its last layer only. One group of one layer is that layer.
struct RepeatedLayers {
    std::size_t start = 0;
    std::size_t length = 1;
    std::size_t count = 1;
    bool operator==(const RepeatedLayers&) const = default;
    [[nodiscard]] std::size_t end() const { return start + length * count; }
};

/// All layers beside the inputs, in order.
std::vector<RepeatedLayers> repeats_of(const std::vector<TracedLayer>& layers);

}  // namespace dodona::files
