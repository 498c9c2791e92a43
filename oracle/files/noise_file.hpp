// Noise: what makes steps take longer than they should, as a file or as one source in a word of the command line.
#pragma once

#include <string>

#include "files/description.hpp"
#include "simulate/noise_source.hpp"

namespace dodona::files {

template <>
const Description& description<simulate::NoiseSource>();
template <>
const Description& description<simulate::NoiseProfile>();

/// Throws InputError with every fault found.
simulate::NoiseProfile read_noise(Document document);

/// "{on: compute, deviation: 0.1}"; `name` is how messages call the text.
simulate::NoiseSource read_noise_source(const std::string& text, const std::string& name);

}  // namespace dodona::files
