// A link as the YAML of its file.
#pragma once

#include <string>

#include "lab/evidence/fits/links.hpp"
#include "cluster/link.hpp"

namespace dodona::calibrate {

std::string link_text(const LinkRecipe& recipe, cluster::Link link, const ProtocolFit& fit);

}  // namespace dodona::calibrate
