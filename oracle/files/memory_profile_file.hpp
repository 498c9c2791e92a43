// Memory profiles: what the software of one generation keeps beside the tensors of the model.
#pragma once

#include "files/description.hpp"
#include "plan/memory_profile.hpp"

namespace dodona::files {

template <>
const Description& description<plan::MemoryProfile>();

/// Throws InputError with every fault found.
plan::MemoryProfile read_memory_profile(Document document);

}  // namespace dodona::files
