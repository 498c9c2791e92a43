// A link as the YAML of its file.
#pragma once

#include <string>

#include "cluster/link.hpp"
#include "lab/evidence/fits/links.hpp"

namespace dodona::calibrate {

std::string link_text(const LinkRecipe& recipe, cluster::Link link, const ProtocolFit& fit);

}  // namespace dodona::calibrate
