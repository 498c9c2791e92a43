// A link as the YAML of its file.
#pragma once

#include <string>

#include "calibrate/evidence/fits/links.hpp"
#include "cluster/link.hpp"

namespace dodona::calibrate {

std::string link_text(const LinkRecipe& recipe, const cluster::Link& link, const ProtocolFit& fit);

/// "512 B", "1.5 MiB", "16 GiB": the largest unit that leaves at most four digits after the point.
std::string size_text(Bytes size);

}  // namespace dodona::calibrate
