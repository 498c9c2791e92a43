// Which algorithm each convolution uses, where workspaces share what memory is left.
//
//   least sum over layers of time[l][j(l)]
//   with  sum over layers of workspace[l][j(l)] <= room      each layer keeps its own
//   or    max over layers of workspace[l][j(l)] <= room      all take turns in one
//
// The first is a multiple-choice knapsack, solved by dynamic programming over kMemoryUnits parts of the room into which
// workspaces are rounded up: no choice is too large, and the answer is that of the rounded workspaces. The second takes
// the fastest that fits, layer by layer.
// Source: Wu et al., arXiv:1709.06622 (memory left against algorithms, as an integer program); Kellerer, Pferschy and
// Pisinger, Knapsack Problems (2004), section 11.5.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"

namespace dodona::search {

inline constexpr std::size_t kMemoryUnits = 2048;

enum class Workspaces { shared, each };
inline constexpr std::array kWorkspacesTable{
    Enumerator(Workspaces::shared, "shared", "one workspace, in which layers take turns"),
    Enumerator(Workspaces::each, "each", "every layer keeps its own")};
constexpr const auto& enumerators(Workspaces /*type*/) { return kWorkspacesTable; }
constexpr std::string_view name(Workspaces workspaces) { return name_of(workspaces); }

struct WorkspaceOption {
    Bytes workspace;
    Seconds time;
};

struct WorkspaceChoice {
    std::vector<std::size_t> chosen;  ///< of the options of each layer
    Bytes workspace;                  ///< of all layers, in the way that they hold them
    Seconds time;
};

/// Domain: every layer has an option without workspace.
WorkspaceChoice choose(const std::vector<std::vector<WorkspaceOption>>& layers, Bytes room, Workspaces workspaces);

}  // namespace dodona::search
