// The table of back ends: how each is started, which passes it has, what to do where it is missing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/measure/child.hpp"
#include "calibrate/record/record.hpp"
#include "runner/guard.hpp"

namespace dodona::calibrate {

struct BackEnd {
    std::string name;
    std::vector<Pass> passes;
    /// Starts a process of it. Throws InstrumentMissing where it is not installed.
    std::function<Child()> start;
};

/// Where modules and programs are looked for, and how ranks are started.
struct Places {
    std::vector<std::string> folders;  ///< of dodona-calibrate-cpu.so, dodona-calibrate-cuda.so, dodona-calibrate-mpi
    std::vector<std::string> mpirun;   ///< the words before the program: mpirun -np 4
    std::vector<std::string> program;  ///< a back end of the user's own, on standard input and output; empty: none
    const runner::Guard* guard = nullptr;  ///< of their processes; may be null
};

/// The folders beside the running program: of a build, and of an installation. None where the system does not say
/// which program runs.
std::vector<std::string> usual_folders();

/// cpu, cuda, mpi, storage; and `program`, the user's own, where there is one.
std::vector<BackEnd> back_ends(const Places& places);

}  // namespace dodona::calibrate
