#include "reliability/checkpoint_size.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/ranges.hpp"

namespace dodona::reliability {

namespace {

constexpr Bytes kHdf5Tensor = 1314_B;
constexpr Bytes kPytorchTensor = 336_B;
constexpr Bytes kTensorflowFile = 52_B;

/// Python's zipfile writes sizes and offsets above this in 64 bits.
constexpr double kZipLimit = 2147483647;
constexpr double kMaxZipEntries = 65535;

double padded(double bytes, double to) { return std::ceil(bytes / to) * to; }

std::string_view element_type(Bytes element) {
    return element == 8_B ? "<f8" : element == 4_B ? "<f4" : element == 2_B ? "|V2" : "|V1";
}

double npz_bytes(std::span<const StoredTensor> tensors, double ratio) {
    double at = 0;
    double directory = 0;
    for (const StoredTensor& tensor : tensors) {
        const double name = static_cast<double>(tensor.name.size() + 4);  // NAME.npy
        const double header = static_cast<double>(npy_header(tensor.extents, element_type(tensor.element)).size());
        const double array = header + tensor.bytes().in(unit::byte);
        const double stored = ratio == 1 ? array : std::ceil(ratio * array);
        const double sizes = std::max(array, stored) > kZipLimit ? 16 : 0;
        const double offset = at > kZipLimit ? 8 : 0;
        directory += 46 + name + (sizes + offset > 0 ? 4 + sizes + offset : 0);
        at += 30 + name + 20 + stored;
    }
    const bool is_large = at > kZipLimit || static_cast<double>(tensors.size()) > kMaxZipEntries;
    return at + directory + (is_large ? 56 + 20 : 0) + 22;
}

double safetensors_bytes(std::span<const StoredTensor> tensors) {
    double at = 0;
    std::size_t header = 2;  // the braces
    for (const StoredTensor& tensor : tensors) {
        const double end = at + tensor.bytes().in(unit::byte);
        header +=
            fmt::format("\"{}\":{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{:.0f},{:.0f}]}},", tensor.name,
                        tensor.element == 2_B ? "BF16" : "F32", fmt::join(tensor.extents, ","), at, end)
                .size();
        at = end;
    }
    header -= tensors.empty() ? 0 : 1;  // no comma after the last
    return 8 + padded(static_cast<double>(header), 8) + at;
}

}  // namespace

double StoredTensor::elements() const {
    double product = 1;
    for (const std::int64_t extent : extents) {
        product *= static_cast<double>(extent);
    }
    return product;
}

Bytes tensor_bytes(std::span<const StoredTensor> tensors) {
    return sum_of<Bytes>(tensors, [](const StoredTensor& tensor) { return tensor.bytes(); });
}

std::string npy_header(const std::vector<std::int64_t>& extents, std::string_view type) {
    constexpr std::size_t kAlign = 64;
    constexpr std::size_t kBefore = 10;        // magic, version, length
    constexpr std::size_t kGrowthDigits = 21;  // NumPy leaves room for a larger first extent
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                                   fmt::join(extents, ", "), extents.size() == 1 ? "," : "");
    if (!extents.empty()) {
        text += std::string(kGrowthDigits - std::to_string(extents.front()).size(), ' ');
    }
    text += std::string(kAlign - (kBefore + text.size() + 1) % kAlign, ' ') + "\n";
    const auto length = static_cast<unsigned>(text.size());
    std::string header = "\x93NUMPY";
    header += {'\x01', '\x00', static_cast<char>(length & 0xffU), static_cast<char>(length >> 8U)};
    return header + text;
}

Bytes checkpoint_bytes(CheckpointFormat format, std::span<const StoredTensor> tensors, double ratio) {
    const double count = static_cast<double>(tensors.size());
    switch (format) {
        case CheckpointFormat::raw: return tensor_bytes(tensors);
        case CheckpointFormat::safetensors: return safetensors_bytes(tensors) * unit::byte;
        case CheckpointFormat::npz: return npz_bytes(tensors, 1) * unit::byte;
        case CheckpointFormat::npz_compressed: return npz_bytes(tensors, ratio) * unit::byte;
        case CheckpointFormat::hdf5: return ratio * tensor_bytes(tensors) + count * kHdf5Tensor;
        case CheckpointFormat::pytorch: return tensor_bytes(tensors) + count * kPytorchTensor;
        case CheckpointFormat::tensorflow: return tensor_bytes(tensors) + kTensorflowFile;
    }
    return {};
}

bool compresses(CheckpointFormat format) { return format == CheckpointFormat::npz_compressed; }

bool may_compress(CheckpointFormat format) { return compresses(format) || format == CheckpointFormat::hdf5; }

}  // namespace dodona::reliability
