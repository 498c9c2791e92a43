// What the kernels of a compression take on a device: as its file's `compressions` were measured, else as passes over its
// memory (compression.hpp counts their bytes). Error feedback is a pass over memory in both cases.
//
//   t(b) = t_i * (b / b_i) ^ (ln(t_j / t_i) / ln(b_j / b_i))     between neighbouring points i and j
//   t(b) = b * t_e / b_e                                         beyond the end e
#pragma once

#include "cluster/device.hpp"
#include "exchange/compression.hpp"

namespace dodona::exchange {

/// Which measured kernels a compression runs. Domain: a compression of some kind.
cluster::CompressionKernel compression_kernel(const Compression& compression);

/// The curve that answers for a compression on a device; null: nothing was measured.
const cluster::CompressionCurve* measured_compression(const Compression& compression, const cluster::Device& device);

/// For one buffer. Domain: a compression of some kind.
Seconds compression_time(const Compression& compression, const Buffer& buffer, const cluster::Device& device);

}  // namespace dodona::exchange
