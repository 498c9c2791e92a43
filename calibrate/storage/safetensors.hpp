// The format safetensors, and what readers of arrays share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/storage/checkpoint_file.hpp"

namespace dodona::calibrate {

std::string encoded_safetensors(std::span<const Array> arrays);

/// Throws DamagedCheckpoint.
std::vector<Array> decoded_safetensors(std::string_view file);

/// Numbers in an array of these extents. Throws DamagedCheckpoint where they are more than any file has.
std::size_t numbers_in(std::span<const std::int64_t> extents);

/// "3, 4" -> 3 and 4. Throws DamagedCheckpoint.
std::vector<std::int64_t> whole_numbers(std::string_view text);

/// The array whose numbers are these bytes. Throws DamagedCheckpoint where they are too many or too few.
Array array_of(std::string name, std::vector<std::int64_t> extents, std::string_view bytes);

}  // namespace dodona::calibrate
