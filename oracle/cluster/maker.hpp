// Makers of devices, whose kernels and software differ.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/enumeration.hpp"

namespace dodona::cluster {

enum class Maker { nvidia, amd, aws, google, intel, other };
inline constexpr std::array kMakerTable{
    Enumerator(Maker::nvidia, "NVIDIA", "GPUs"),         Enumerator(Maker::amd, "AMD", "GPUs"),
    Enumerator(Maker::aws, "AWS", "Trainium"),           Enumerator(Maker::google, "Google", "TPUs"),
    Enumerator(Maker::intel, "Intel", "Gaudi and CPUs"), Enumerator(Maker::other, "other", "all other makers")};
constexpr const auto& enumerators(Maker /*type*/) { return kMakerTable; }
constexpr std::string_view name(Maker maker) { return name_of(maker); }

/// First word of a family: "NVIDIA" of "NVIDIA Ada".
std::string_view maker_word(std::string_view family);

/// Who makes devices of a family, whatever its capitals; none: the family is empty.
std::optional<Maker> maker_of(std::string_view family);

}  // namespace dodona::cluster
