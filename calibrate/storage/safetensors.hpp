// The format safetensors.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/storage/array.hpp"

namespace dodona::calibrate {

std::string encoded_safetensors(std::span<const Array> arrays);

/// Throws DamagedCheckpoint.
std::vector<Array> decoded_safetensors(std::string_view file);

}  // namespace dodona::calibrate
