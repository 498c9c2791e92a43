// A study as the job of a batch system, which then starts the trials in place of `dodona trials run`.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/enumeration.hpp"
#include "trials/pool.hpp"
#include "trials/study.hpp"

namespace dodona::questions::trials {

enum class Launcher { slurm, pycompss };
inline constexpr std::array kLauncherTable{
    Enumerator(Launcher::slurm, "slurm", "a script for sbatch: a job array, one trial a task"),
    Enumerator(Launcher::pycompss, "pycompss", "a program for runcompss or enqueue_compss, one task a trial")};
constexpr const auto& enumerators(Launcher /*type*/) { return kLauncherTable; }

struct Launch {
    dodona::trials::Study study;
    std::vector<dodona::trials::Settings> trials;
    std::vector<std::size_t> order;  ///< in which they are submitted
    dodona::trials::Units units;     ///< that every trial takes
    dodona::trials::Pool pool;
    std::string predicted;  ///< a sentence for its heading; may be empty
};

/// Each trial writes to trial-0001/log and so on, as `dodona trials run` has it, in the folder of submission. Throws
/// InputError for a command with unknown names.
std::string launch_text(Launcher launcher, const Launch& launch);

}  // namespace dodona::questions::trials
