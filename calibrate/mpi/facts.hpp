// Facts about the hosts and the library that the ranks run on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "calibrate/mpi/world.hpp"
#include "calibrate/record/record.hpp"

namespace dodona::calibrate {

/// "ranks", "hosts", "ranks_per_host", "cores" (of rank 0's host, that the process may use), "mpi", and of the
/// library's own settings those that decide how messages travel ("pml", "btl", eager limits in bytes, forced
/// algorithms), where it shows them (MPI_T). Names no host. All hosts hold equally many ranks.
Environment environment_of(const World& world);

/// What a user forced the library to run for that collective, by its own number (Open MPI: coll_tuned_..._algorithm
/// with coll_tuned_use_dynamic_rules); none where it chooses itself or does not say.
std::optional<std::string> forced_algorithm(std::string_view collective);

}  // namespace dodona::calibrate
