// Profiles: models fitted to the measured kernels of a device.
#pragma once

#include "cluster/kernel_fit.hpp"
#include "files/description.hpp"

namespace dodona::files {

template <>
const Description& description<cluster::Profile>();

/// Throws InputError with every fault found.
cluster::Profile read_profile(Document document);

}  // namespace dodona::files
