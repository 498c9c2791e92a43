// Framework files: what software adds to kernels and links.
#pragma once

#include <string>

#include "files/document.hpp"
#include "files/fields.hpp"
#include "plan/framework.hpp"

namespace dodona::files {

plan::Framework read_framework(Document document);
/// One that is spelt out in another file, such as a plan.
plan::Framework read_inline_framework(const Value& value);

/// The file of a framework, every line behind `indent`; it reads back as the same one, to four digits. What was
/// observed is not kept: only the values that it moved.
std::string framework_to_yaml(const plan::Framework& framework, const std::string& indent = {});

}  // namespace dodona::files
