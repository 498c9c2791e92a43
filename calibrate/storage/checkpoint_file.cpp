#include "calibrate/storage/checkpoint_file.hpp"

#include <bit>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/ranges.hpp"
#include "calibrate/storage/safetensors.hpp"
#include "calibrate/storage/zip.hpp"
#include "reliability/checkpoint_size.hpp"

namespace dodona::calibrate {

namespace {

using cluster::CheckpointFormat;

static_assert(std::endian::native == std::endian::little, "numbers are written as they are in memory");

constexpr std::string_view kNpy = ".npy";

std::size_t bytes_of_all(std::span<const Array> arrays) {
    return sum_of<std::size_t>(arrays, [](const Array& array) { return bytes_of(array).size(); });
}

std::string encoded_raw(std::span<const Array> arrays) {
    std::string file;
    file.reserve(bytes_of_all(arrays));
    for (const Array& array : arrays) {
        file += bytes_of(array);
    }
    return file;
}

std::string encoded_npz(std::span<const Array> arrays, bool deflates) {
    constexpr std::size_t kHeaders = 512;  // and some room for names
    ZipWriter zip(deflates, bytes_of_all(arrays) + kHeaders * arrays.size());
    for (const Array& array : arrays) {
        zip.add(array.name + std::string(kNpy), reliability::npy_header(array.extents, "<f4"), bytes_of(array));
    }
    return zip.finish();
}

/// What stands between `before` and `after` in a text.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
    const std::size_t begin = text.find(before);
    const std::size_t end = begin == text.npos ? text.npos : text.find(after, begin + before.size());
    if (end == text.npos) {
        throw DamagedCheckpoint(fmt::format("the header of an array has no {}", before));
    }
    return text.substr(begin + before.size(), end - begin - before.size());
}

Array read_npy(std::string_view name, std::string_view file) {
    constexpr std::string_view kMagic = "\x93NUMPY";
    if (!file.starts_with(kMagic) || file.size() < 10 || file[6] != '\x01') {
        throw DamagedCheckpoint(fmt::format("{} is no array of NumPy's version 1.0", name));
    }
    const std::size_t length = static_cast<unsigned char>(file[8]) + 256U * static_cast<unsigned char>(file[9]);
    if (file.size() < 10 + length) {
        throw DamagedCheckpoint(fmt::format("the header of {} is cut off", name));
    }
    const std::string_view header = file.substr(10, length);
    if (between(header, "'descr': '", "'") != "<f4" || between(header, "'fortran_order': ", ",") != "False") {
        throw DamagedCheckpoint(fmt::format("{} is not of fp32 numbers in C order", name));
    }
    name.remove_suffix(name.ends_with(kNpy) ? kNpy.size() : 0);
    return array_of(std::string(name), whole_numbers(between(header, "'shape': (", ")")), file.substr(10 + length));
}

std::vector<Array> decoded_npz(std::string_view file) {
    return mapped<Array>(zip_entries(file),
                         [&](const ZipEntry& entry) { return read_npy(entry.name, unpacked(file, entry)); });
}

std::vector<Array> decoded_raw(std::string_view file, std::span<const Array> shapes) {
    std::vector<Array> arrays;
    for (const Array& shape : shapes) {
        const std::size_t bytes = numbers_in(shape.extents) * sizeof(float);
        if (bytes > file.size()) {
            throw DamagedCheckpoint(fmt::format("the file ends before {} does", shape.name));
        }
        arrays.push_back(array_of(shape.name, shape.extents, file.substr(0, bytes)));
        file.remove_prefix(bytes);
    }
    if (!file.empty()) {
        throw DamagedCheckpoint(fmt::format("the file goes on for {} bytes after the last array", file.size()));
    }
    return arrays;
}

}  // namespace

bool can_encode(CheckpointFormat format) {
    return format == CheckpointFormat::raw || format == CheckpointFormat::safetensors ||
           format == CheckpointFormat::npz || format == CheckpointFormat::npz_compressed;
}

std::string encoded(CheckpointFormat format, std::span<const Array> arrays) {
    check(can_encode(format), "a format of checkpoints that is not written here");
    switch (format) {
        case CheckpointFormat::raw: return encoded_raw(arrays);
        case CheckpointFormat::safetensors: return encoded_safetensors(arrays);
        default: return encoded_npz(arrays, format == CheckpointFormat::npz_compressed);
    }
}

std::vector<Array> decoded(CheckpointFormat format, std::string_view file, std::span<const Array> shapes) {
    check(can_encode(format), "a format of checkpoints that is not read here");
    switch (format) {
        case CheckpointFormat::raw: return decoded_raw(file, shapes);
        case CheckpointFormat::safetensors: return decoded_safetensors(file);
        default: return decoded_npz(file);
    }
}

}  // namespace dodona::calibrate
