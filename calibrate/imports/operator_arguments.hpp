// Arguments of operators in a trace: shapes, numbers, types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/imports/json.hpp"

namespace dodona::calibrate {

using Extents = std::vector<std::int64_t>;

// Why there is no case, as ends of sentences.
inline constexpr std::string_view kNoShapes = "operators without shapes (record with record_shapes=True)";
inline constexpr std::string_view kOddShapes = "operators of shapes that are none of theirs";
inline constexpr std::string_view kOddTypes = "operators of types that are none of the oracle's";

/// The shape, or the strides, of an operand; none where it has none.
std::optional<Extents> extents_of(const Json& lists, std::size_t operand);

/// "[2, 2]" and "1" among the concrete inputs.
std::optional<Extents> list_of(const Json& values, std::size_t argument);

/// The oracle's word for an operand's type: "bf16"; products of fp32 whose kernel says so are of tf32.
std::optional<std::string> precision_of(const Json& types, std::size_t operand, std::string_view kernel);

}  // namespace dodona::calibrate
