// Studies: the space of settings of many trials, as a file.
#pragma once

#include "files/description.hpp"
#include "trials/study.hpp"

namespace dodona::files {

template <>
const Description& description<trials::Study>();

/// Throws InputError with every fault found.
trials::Study read_study(Document document);

}  // namespace dodona::files
