// How many numbers the weights beside a config.json have: headers of safetensors, or their index.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace dodona::files {

struct StoredWeights {
    double elements = 0;
    std::string file;  ///< that says so
};

/// Of a folder; none: it has neither `model.safetensors` nor `model.safetensors.index.json`. An index that knows bytes
/// alone is of weights of two bytes, as `dtype` says otherwise: 4 for float32. Throws InputError where a file is broken.
std::optional<StoredWeights> stored_weights(const std::filesystem::path& folder, const std::string& dtype);

}  // namespace dodona::files
