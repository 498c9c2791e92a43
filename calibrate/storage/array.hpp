// Arrays of checkpoints, and what readers of all formats share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dodona::calibrate {

struct Array {
    std::string name;
    std::vector<std::int64_t> extents;
    std::vector<float> numbers;
    /// Bit by bit: a number that is none equals itself, and 0 is not -0.
    bool operator==(const Array& other) const;
};

/// Its numbers as they are in memory.
std::string_view bytes_of(const Array& array);

/// A file that is none of its format, or is damaged: one sentence.
class DamagedCheckpoint : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Numbers in an array of these extents. Throws DamagedCheckpoint where they are more than any file has.
std::size_t numbers_in(std::span<const std::int64_t> extents);

/// "3, 4" -> 3 and 4. Throws DamagedCheckpoint.
std::vector<std::int64_t> whole_numbers(std::string_view text);

/// The array whose numbers are these bytes. Throws DamagedCheckpoint where they are too many or too few.
Array array_of(std::string name, std::vector<std::int64_t> extents, std::string_view bytes);

}  // namespace dodona::calibrate
