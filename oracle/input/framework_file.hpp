// Framework files: what software adds to kernels and links.
#pragma once

#include <string>

#include "input/document.hpp"
#include "plan/framework.hpp"

namespace dodona::input {

plan::Framework read_framework(Document document);

/// The file of a framework; it reads back as the same one, to four digits.
std::string framework_to_yaml(const plan::Framework& framework);

}  // namespace dodona::input
