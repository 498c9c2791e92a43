// Profile files: what dodona-fit writes.
#pragma once

#include "cluster/kernel_fit.hpp"
#include "input/document.hpp"
#include "input/heading.hpp"

namespace dodona::input {

/// A profile written inside another file. Faults are noted at the value.
cluster::Profile read_profile(const Value& value, SourceIs source);

/// Throws InputError with every fault found.
cluster::Profile read_profile(Document document);

}  // namespace dodona::input
