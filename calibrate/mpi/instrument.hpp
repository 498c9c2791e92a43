// Rank 0 as an instrument, all other ranks behind it.
//
// Samples during which a rank was taken off its core do not count; where most are of that kind, as on hosts with more
// ranks than cores or with messages that take longer than a time slice, all count and the measurement says so
// ("switches": "counted"). On processors that others share every disturbance lengthens: the least stands for the rest.
#pragma once

#include <memory>

#include "calibrate/mpi/world.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {

/// Made by rank 0, while the others follow. Throws InstrumentMissing where there is one rank, or hosts hold unlike
/// numbers of them.
std::unique_ptr<Instrument> make_mpi_instrument(const Settings& settings);

/// All other ranks: measures what rank 0 orders, until it orders the end.
void follow_orders();

}  // namespace dodona::calibrate
