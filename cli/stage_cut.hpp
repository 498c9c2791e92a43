// Cuts of a pipeline: `--cut balanced|software|N,N,...`, or a layout as Megatron writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/arguments.hpp"
#include "search/search.hpp"

namespace dodona::cli {

struct AskedCut {
    std::optional<search::Cut> cut;
    std::vector<std::int64_t> stages;  ///< Plan::stages; empty: as `cut` says
};

AskedCut read_cut(Arguments& arguments);

}  // namespace dodona::cli
