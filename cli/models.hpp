// `dodona models`: the networks that come with dodona, or one network in detail.
#pragma once

#include "cli/option.hpp"

namespace dodona::cli {

Command models_command();

}  // namespace dodona::cli
