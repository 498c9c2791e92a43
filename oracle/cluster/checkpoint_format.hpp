// The formats of checkpoints: their names in files and options. How large each makes a file stands in
// reliability/checkpoint_size.hpp.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/enumeration.hpp"

namespace dodona::cluster {

enum class CheckpointFormat { raw, safetensors, npz, npz_compressed, hdf5, pytorch, tensorflow };

inline constexpr std::array kCheckpointFormatTable{
    Enumerator(CheckpointFormat::raw, "raw", "the bytes of all tensors and nothing else"),
    Enumerator(CheckpointFormat::safetensors, "safetensors", "a header in JSON, then the bytes of all tensors"),
    Enumerator(CheckpointFormat::npz, "npz", "NumPy's arrays in a zip archive, stored"),
    Enumerator(CheckpointFormat::npz_compressed, "npz-compressed", "the same, deflated, as Chainer's save_npz"),
    Enumerator(CheckpointFormat::hdf5, "hdf5", "a data set for each tensor, as Keras' save_weights"),
    Enumerator(CheckpointFormat::pytorch, "pytorch", "a pickle and the tensors in a zip archive, stored"),
    Enumerator(CheckpointFormat::tensorflow, "tensorflow", "TensorFlow's .data file, without .index and .meta")};
constexpr const auto& enumerators(CheckpointFormat /*type*/) { return kCheckpointFormatTable; }
inline constexpr std::array kCheckpointFormats = values_of(kCheckpointFormatTable);
constexpr std::string_view name(CheckpointFormat format) { return name_of(format); }
constexpr std::optional<CheckpointFormat> checkpoint_format_from(std::string_view name) {
    return value_of<CheckpointFormat>(name);
}

}  // namespace dodona::cluster
