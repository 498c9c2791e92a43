// Memory profiles: what the software of one generation keeps beside the network's own tensors.
#pragma once

#include "files/document.hpp"
#include "files/fields.hpp"
#include "plan/memory_profile.hpp"

namespace dodona::files {

/// The keys of a profile in a mapping that may have others; those that are absent are neutral.
void read_memory_keys(Fields& fields, plan::MemoryProfile& profile);

/// A file of its own. Throws InputError with every fault found.
plan::MemoryProfile read_memory_profile(Document document);

}  // namespace dodona::files
