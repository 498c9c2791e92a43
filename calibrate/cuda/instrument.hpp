// Measures on one NVIDIA GPU, the first that the runtime shows; collectives use all of them.
#pragma once

#include <memory>

#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {

/// A device must be there (driver_check.hpp). One pass (time, names or counters), as the settings say.
std::unique_ptr<Instrument> make_instrument(const Settings& settings);

}  // namespace dodona::calibrate::cuda
