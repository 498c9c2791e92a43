// Frameworks and mechanisms: what software adds to kernels and links.
#pragma once

#include <functional>
#include <string>

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

/// The file of a framework with what it leaves out (parameters, and what they were fitted to) from the one that it is
/// `like`. `open_framework` finds that by its name, which stands at the location. Throws InputError where that one is
/// like another again.
Document completed_framework(Document document,
                             const std::function<Document(const std::string&, const Location&)>& open_framework);

}  // namespace dodona::files
