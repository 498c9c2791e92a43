#include "calibrate/storage/array.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace dodona::calibrate {

std::string_view bytes_of(const Array& array) {
    return {reinterpret_cast<const char*>(array.numbers.data()), array.numbers.size() * sizeof(float)};
}

bool Array::operator==(const Array& other) const {
    return name == other.name && extents == other.extents && bytes_of(*this) == bytes_of(other);
}

std::size_t numbers_in(std::span<const std::int64_t> extents) {
    constexpr double kMax = 0x1p50;
    double product = 1;
    for (const std::int64_t extent : extents) {
        product *= static_cast<double>(extent);
        if (extent < 0 || product > kMax) {
            throw DamagedCheckpoint(fmt::format("no file has an array of ({})", fmt::join(extents, ", ")));
        }
    }
    return static_cast<std::size_t>(product);
}

std::vector<std::int64_t> whole_numbers(std::string_view text) {
    std::vector<std::int64_t> numbers;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view one = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        std::int64_t number = 0;
        bool has_digits = false;
        for (const char c : one) {
            if (c == ' ') {
                continue;
            }
            if (c < '0' || c > '9' || number > (INT64_MAX - 9) / 10) {
                throw DamagedCheckpoint(fmt::format("{} is no extent of an array", one));
            }
            number = 10 * number + (c - '0');
            has_digits = true;
        }
        if (has_digits) {
            numbers.push_back(number);
        }
    }
    return numbers;
}

Array array_of(std::string name, std::vector<std::int64_t> extents, std::string_view bytes) {
    const std::size_t count = numbers_in(extents);
    if (bytes.size() != count * sizeof(float)) {
        throw DamagedCheckpoint(fmt::format("{} has {} bytes for {} numbers", name, bytes.size(), count));
    }
    Array array{.name = std::move(name), .extents = std::move(extents), .numbers = std::vector<float>(count)};
    if (count > 0) {
        std::memcpy(array.numbers.data(), bytes.data(), bytes.size());
    }
    return array;
}

}  // namespace dodona::calibrate
