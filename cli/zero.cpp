#include "cli/zero.hpp"

#include <array>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::cli {

namespace {

constexpr std::array kLevels{plan::ShardLevel::none, plan::ShardLevel::states, plan::ShardLevel::gradients,
                             plan::ShardLevel::parameters};

}  // namespace

std::vector<std::string> zero_choices() {
    std::vector<std::string> choices;
    for (std::size_t stage = 0; stage < kLevels.size(); ++stage) {
        choices.push_back(std::to_string(stage));
    }
    append(choices, kLevels, [](const plan::ShardLevel level) { return plan::name(level); });
    return choices;
}

plan::ShardLevel zero_level(const std::string& choice) {
    for (std::size_t stage = 0; stage < kLevels.size(); ++stage) {
        if (choice == std::to_string(stage) || choice == plan::name(kLevels[stage])) {
            return kLevels[stage];
        }
    }
    throw InternalError("a stage of ZeRO that is not one of the choices");
}

}  // namespace dodona::cli
