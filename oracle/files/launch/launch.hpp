// A launch script or its configuration as a question to dodona: options, and the network where it spells one out.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "files/document.hpp"
#include "files/launch/target.hpp"

namespace dodona::files {

struct Launch {
    std::string target;
    std::vector<std::pair<std::string, std::string>> options;  ///< (--mesh, tensor=8,data=4); MODEL is the positional
    std::string model;                      ///< the text of a model file; empty: the launch names none
    std::vector<std::string> ignored;       ///< settings that do not matter
    std::vector<std::string> unknown;       ///< settings that dodona does not know
    std::vector<std::string> not_modelled;  ///< settings that matter and are not modelled, with the reason
    Diagnostics uneven;                     ///< numbers that do not divide, so that --mesh and its like are none
};

/// `gpus`: as the user says, 0: as the launch says. `with_model`: whether the network is wanted. `architectures`:
/// models/hf. Throws InputError where no target is recognised and for settings that are no numbers.
Launch read_launch(Document settings, const std::vector<Target>& targets, std::int64_t gpus, bool with_model,
                   const std::filesystem::path& architectures);

/// Are there settings of a target that is read?
bool is_launch(const Document& settings, const std::vector<Target>& targets);

}  // namespace dodona::files
