// Frameworks: what software adds to kernels and links.
#pragma once

#include "files/description.hpp"
#include "plan/framework.hpp"

namespace dodona::files {

template <>
const Description& description<plan::Framework>();

/// Throws InputError with every fault found.
plan::Framework read_framework(Document document);

}  // namespace dodona::files
