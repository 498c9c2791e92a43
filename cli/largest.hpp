// `dodona largest`: the largest batch, or value of a parameter of the network, that trains on given devices.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command largest_command();

}  // namespace dodona::cli
