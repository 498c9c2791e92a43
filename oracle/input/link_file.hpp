// Link files: measured collectives and what was fitted to them.
#pragma once

#include "cluster/link.hpp"
#include "input/document.hpp"
#include "input/heading.hpp"

namespace dodona::input {

/// A link written inside another file. Faults are noted at the value.
cluster::Link read_link(const Value& value, SourceIs source);

cluster::Link read_link(Document document);

}  // namespace dodona::input
