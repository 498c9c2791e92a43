// Framework files: what software adds to kernels and links.
#pragma once

#include "input/document.hpp"
#include "plan/framework.hpp"

namespace dodona::input {

plan::Framework read_framework(Document document);

}  // namespace dodona::input
