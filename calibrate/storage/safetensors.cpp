#include "calibrate/storage/safetensors.hpp"

#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/ranges.hpp"

namespace dodona::calibrate {

namespace {

constexpr std::size_t kLength = 8;  ///< bytes that say how long the header is

std::vector<std::int64_t> numbers_of(const nlohmann::json& list) {
    return mapped<std::int64_t>(list, [](const nlohmann::json& number) { return number.get<std::int64_t>(); });
}

Array read_array(const std::string& name, const nlohmann::json& entry, std::string_view data) {
    if (entry.at("dtype") != "F32") {
        throw DamagedCheckpoint(fmt::format("{} is not of fp32 numbers", name));
    }
    const std::vector<std::int64_t> offsets = numbers_of(entry.at("data_offsets"));
    if (offsets.size() != 2 || offsets[0] < 0 || offsets[1] < offsets[0] ||
        static_cast<std::size_t>(offsets[1]) > data.size()) {
        throw DamagedCheckpoint(fmt::format("{} lies outside of the file", name));
    }
    const auto begin = static_cast<std::size_t>(offsets[0]);
    return array_of(name, numbers_of(entry.at("shape")),
                    data.substr(begin, static_cast<std::size_t>(offsets[1]) - begin));
}

}  // namespace

std::string encoded_safetensors(std::span<const Array> arrays) {
    std::string header = "{";
    std::size_t at = 0;
    for (const Array& array : arrays) {
        const std::size_t end = at + bytes_of(array).size();
        header += fmt::format("{}\"{}\":{{\"dtype\":\"F32\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                              header.size() == 1 ? "" : ",", array.name, fmt::join(array.extents, ","), at, end);
        at = end;
    }
    header += "}";
    header += std::string((kLength - header.size() % kLength) % kLength, ' ');
    const std::uint64_t length = header.size();
    std::string file(kLength, '\0');
    std::memcpy(file.data(), &length, kLength);
    file.reserve(kLength + header.size() + at);
    file += header;
    for (const Array& array : arrays) {
        file += bytes_of(array);
    }
    return file;
}

std::vector<Array> decoded_safetensors(std::string_view file) {
    std::uint64_t length = 0;
    if (file.size() < kLength) {
        throw DamagedCheckpoint("the file is shorter than the length of its header");
    }
    std::memcpy(&length, file.data(), kLength);
    if (length > file.size() - kLength) {
        throw DamagedCheckpoint("the header is longer than the file");
    }
    const std::string_view text = file.substr(kLength, length);
    const std::string_view data = file.substr(kLength + length);
    std::vector<Array> arrays;
    std::size_t indexed = 0;
    try {
        const auto header = nlohmann::ordered_json::parse(text);
        for (const auto& [name, entry] : header.items()) {
            if (name != "__metadata__") {
                arrays.push_back(read_array(name, nlohmann::json(entry), data));
                indexed += bytes_of(arrays.back()).size();
            }
        }
    } catch (const nlohmann::json::exception&) {
        throw DamagedCheckpoint("the header is no list of arrays in JSON");
    }
    if (indexed != data.size()) {
        throw DamagedCheckpoint(fmt::format("arrays of {} bytes in {} bytes of data", indexed, data.size()));
    }
    return arrays;
}

}  // namespace dodona::calibrate
