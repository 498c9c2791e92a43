// Plan files: what `--plan` reads and `--save` writes.
#pragma once

#include <string>

#include "files/document.hpp"
#include "plan/plan.hpp"

namespace dodona::files {

/// `open` finds the strategy that the file names, `open_framework` the framework.
plan::Plan read_plan(Document document, const Opener& open, const Opener& open_framework);

/// The file of a plan, its strategy written out: it reads back as the same plan.
std::string to_yaml(const plan::Plan& plan, const std::string& title);

/// The same with the strategy as a reference: the name of a built-in one, or a path.
std::string to_yaml(const plan::Plan& plan, const std::string& title, const std::string& strategy);

}  // namespace dodona::files
