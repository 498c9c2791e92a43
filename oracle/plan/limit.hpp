// What a plan runs up against: a dimension too small, a window wider than a shard, an uneven division.
#pragma once

#include <string>

namespace dodona::plan {

struct Limit {
    std::string text;     ///< "filter <= 64: layer conv1 (conv) cannot be split further"
    bool broken = false;  ///< broken: the plan cannot run
    auto operator<=>(const Limit&) const = default;
};

}  // namespace dodona::plan
