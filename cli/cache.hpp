// `dodona cache`: what reading samples costs in the first epochs, while nodes fill their caches.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command cache_command();

}  // namespace dodona::cli
