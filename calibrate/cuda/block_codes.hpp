// Codes of eight consecutive values of a block, in the bytes that calibrate/compression/quantisation.hpp says: what one
// thread of the kernels computes. The host compiles it as well, so that tests of it need no GPU.
#pragma once

#include <cmath>
#include <cstdint>

#include <cuda_fp8.h>

#include "calibrate/compression/quantisation.hpp"

#ifdef __CUDACC__
#define DODONA_HOST_DEVICE __host__ __device__
#else
#define DODONA_HOST_DEVICE
#endif

namespace dodona::calibrate::cuda {

inline constexpr int kOctet = 8;

/// Values past `count` are 0 and have no codes.
struct Octet {
    alignas(16) float at[kOctet];
    int count;
};

/// Of one code. Eight codes have as many bytes.
template <CodeFormat format>
inline constexpr int kBits = format == CodeFormat::one_bit ? 1
                             : format == CodeFormat::int4  ? 4
                                                           : 8;

DODONA_HOST_DEVICE inline int nearest_whole(float value, float most) {
    return static_cast<int>(nearbyintf(fminf(fmaxf(value, -most), most)));
}

template <CodeFormat format>
DODONA_HOST_DEVICE inline std::uint32_t code_of(float scaled) {
    if constexpr (format == CodeFormat::int8) {
        return static_cast<std::uint8_t>(nearest_whole(scaled, 127));
    } else if constexpr (format == CodeFormat::int4) {
        return static_cast<std::uint32_t>(nearest_whole(scaled, 7) + kInt4Bias);
    } else if constexpr (format == CodeFormat::fp8) {
        return __nv_cvt_float_to_fp8(scaled, __NV_SATFINITE, __NV_E4M3);
    } else {
        return std::signbit(scaled) ? 1 : 0;
    }
}

/// In units of the scale.
template <CodeFormat format>
DODONA_HOST_DEVICE inline float number_of(std::uint32_t code) {
    if constexpr (format == CodeFormat::int8) {
        return static_cast<float>(static_cast<std::int8_t>(code));
    } else if constexpr (format == CodeFormat::int4) {
        return static_cast<float>(static_cast<int>(code) - kInt4Bias);
    } else if constexpr (format == CodeFormat::fp8) {
        __nv_fp8_e4m3 number;
        number.__x = static_cast<__nv_fp8_storage_t>(code);
        return static_cast<float>(number);
    } else {
        return code != 0 ? -1.0F : 1.0F;
    }
}

/// Joins magnitudes: 1-bit codes are scaled by their mean, the others by the largest.
template <CodeFormat format>
DODONA_HOST_DEVICE inline float joined(float some, float others) {
    return format == CodeFormat::one_bit ? some + others : fmaxf(some, others);
}

/// Of a block of `count` values whose magnitudes were joined to `all`.
template <CodeFormat format>
DODONA_HOST_DEVICE inline float scale_of(float all, float count) {
    switch (format) {
        case CodeFormat::int8: return all / 127;
        case CodeFormat::int4: return all / 7;
        case CodeFormat::fp8: return all / 448;
        case CodeFormat::one_bit: break;
    }
    return all / count;
}

/// What values are multiplied by before they become codes.
DODONA_HOST_DEVICE inline float inverse_of(float scale) { return scale > 0 ? 1 / scale : 0; }

/// The first code in the lowest bits.
template <CodeFormat format>
DODONA_HOST_DEVICE inline std::uint64_t encoded(const Octet& values, float inverse) {
    std::uint64_t codes = 0;
    for (int i = 0; i < kOctet; ++i) {
        const std::uint64_t code = code_of<format>(values.at[i] * inverse);
        codes |= i < values.count ? code << (i * kBits<format>) : 0;
    }
    return codes;
}

template <CodeFormat format>
DODONA_HOST_DEVICE inline Octet decoded(std::uint64_t codes, float scale, int count) {
    constexpr std::uint64_t kMask = (1U << kBits<format>)-1;
    Octet values{};
    values.count = count;
    for (int i = 0; i < kOctet; ++i) {
        const auto code = static_cast<std::uint32_t>((codes >> (i * kBits<format>)) & kMask);
        values.at[i] = i < count ? scale * number_of<format>(code) : 0;
    }
    return values;
}

}  // namespace dodona::calibrate::cuda
