// Steps of a study's network, predicted with the options of training.
#pragma once

#include <string>

#include "cli/arguments.hpp"
#include "questions/trials/times.hpp"

namespace dodona::cli {

/// `arguments` and `study` outlive it. `machine`: as typed.
questions::trials::StepTime step_time(Arguments& arguments, const trials::Study& study, const std::string& machine);

}  // namespace dodona::cli
