// Which layers strategies split by columns and by rows: models of dodona say it, traced graphs do not.
#pragma once

#include <vector>

#include "files/traced/traced_layers.hpp"

namespace dodona::files {

/// Gives products around attention and around the activation of a feed-forward network their roles, and the product
/// before a loss over tokens that of a head. Source: Shoeybi et al., arXiv:1909.08053, section 3.
void add_roles(std::vector<TracedLayer>& layers);

}  // namespace dodona::files
