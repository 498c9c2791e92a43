// Link files: measured collectives and what was fitted to them.
#pragma once

#include "cluster/link.hpp"
#include "files/document.hpp"
#include "files/heading.hpp"

namespace dodona::files {

/// A link written inside another file. Faults are noted at the value.
cluster::Link read_link(const Value& value, SourceIs source);

cluster::Link read_link(Document document);

}  // namespace dodona::files
