// --observed as words: questions/observed.hpp.
#pragma once

#include <string>

#include "cli/arguments.hpp"
#include "cli/option.hpp"
#include "questions/observed.hpp"

namespace dodona::cli {

/// `of`: which plan a bare time is the step of.
Option observed_option(const std::string& of);

questions::ObservedOptions read_observed(Arguments& arguments);

}  // namespace dodona::cli
