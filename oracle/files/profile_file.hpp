// Profile files: what `dodona-evidence fit kernels` writes.
#pragma once

#include "cluster/kernel_fit.hpp"
#include "files/document.hpp"
#include "files/heading.hpp"

namespace dodona::files {

/// A profile written inside another file. Faults are noted at the value.
cluster::Profile read_profile(const Value& value, SourceIs source);

/// Throws InputError with every fault found.
cluster::Profile read_profile(Document document);

}  // namespace dodona::files
