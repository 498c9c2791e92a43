// Link files: measured collectives and what was fitted to them.
#pragma once

#include "cluster/link.hpp"
#include "input/document.hpp"

namespace dodona::input {

cluster::Link read_link(Document document);

}  // namespace dodona::input
