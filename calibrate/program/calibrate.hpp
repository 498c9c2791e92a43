// `dodona calibrate`: measures a machine, or reads what others measured on it, and writes it as a machine file.
#pragma once

#include "cli/option.hpp"

namespace dodona::calibrate {

cli::Command calibrate_command();

}  // namespace dodona::calibrate
