// `${a.b}` in settings: the value of another setting, as OmegaConf and Hydra put it in.
#pragma once

#include "files/document.hpp"

namespace dodona::files {

/// Settings with `${a.b}`, `${.b}` (on their level) and `${..b}` (a level further out) replaced by what they refer to:
/// a value, a whole mapping, or a word within a text. In scripts those of the shell (`${NAME}`) are none. What is not
/// there stays as written, and functions but for products (`${mul:2,3}`). `flat`: keys with dots between the levels.
/// Throws InputError for a setting that refers to itself and for texts without end.
Node with_references(Node flat, bool is_script);

}  // namespace dodona::files
