// Frameworks and mechanisms: what software adds to kernels and links.
#pragma once

#include "files/description.hpp"
#include "plan/framework.hpp"

namespace dodona::files {

template <>
const Description& description<plan::Framework>();

template <>
const Description& description<plan::Mechanism>();

/// Throws InputError with every fault found. `open_mechanism` finds what `with` names.
plan::Framework read_framework(Document document, const Opener& open_mechanism);
plan::Mechanism read_mechanism(Document document);

}  // namespace dodona::files
