// Layers of several kinds as few repeated entries: a start, a period that repeats, a rest.
#pragma once

#include <cstddef>
#include <vector>

namespace dodona::files {

/// `count` layers of one kind.
struct LayerRun {
    std::size_t kind = 0;
    std::size_t count = 0;
    bool operator==(const LayerRun&) const = default;
};

struct LayerPattern {
    std::vector<LayerRun> first;   ///< before the period
    std::vector<LayerRun> period;  ///< repeats
    std::size_t periods = 0;
    std::vector<LayerRun> rest;  ///< after it
};

/// The pattern with the fewest runs; of those the one whose periods have most layers, then the shortest period.
LayerPattern layer_pattern(const std::vector<std::size_t>& kinds);

}  // namespace dodona::files
