// Profile files: what dodona-fit writes.
#pragma once

#include "cluster/kernel_fit.hpp"
#include "input/document.hpp"

namespace dodona::input {

/// Throws InputError with every fault found.
cluster::Profile read_profile(Document document);

}  // namespace dodona::input
