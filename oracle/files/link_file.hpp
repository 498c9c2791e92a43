// Links: measured collectives and what was fitted to them.
#pragma once

#include "cluster/link.hpp"
#include "files/description.hpp"

namespace dodona::files {

template <>
const Description& description<cluster::Link>();

/// Throws InputError with every fault found.
cluster::Link read_link(Document document);

}  // namespace dodona::files
