#include "calibrate/record/benchmark_case.hpp"

#include <charconv>

#include <fmt/format.h>

#include "base/check.hpp"

namespace dodona::calibrate {

double Case::number(std::string_view name, double otherwise) const {
    const auto found = parameters.find(std::string(name));
    if (found == parameters.end()) {
        return otherwise;
    }
    const double* value = std::get_if<double>(&found->second);
    if (value == nullptr) {
        throw InternalError(fmt::format("{} of {} is no number", name, benchmark));
    }
    return *value;
}

std::string Case::word(std::string_view name, std::string_view otherwise) const {
    const auto found = parameters.find(std::string(name));
    if (found == parameters.end()) {
        return std::string(otherwise);
    }
    const std::string* value = std::get_if<std::string>(&found->second);
    if (value == nullptr) {
        throw InternalError(fmt::format("{} of {} is no word", name, benchmark));
    }
    return *value;
}

bool Case::has(std::string_view name) const { return parameters.contains(std::string(name)); }

std::string Case::key() const {
    std::string text = benchmark;
    for (const auto& [name, value] : parameters) {
        if (const double* number = std::get_if<double>(&value)) {
            text += fmt::format(" {}={}", name, *number);
        } else {
            text += fmt::format(" {}={}", name, std::get<std::string>(value));
        }
    }
    return text;
}

std::vector<std::int64_t> extents(std::string_view text) {
    std::vector<std::int64_t> all;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        std::int64_t extent = 0;
        const auto [next, fault] = std::from_chars(at, end, extent);
        if (fault != std::errc{} || (next != end && *next != 'x')) {
            throw InternalError(fmt::format("{} is no list of extents", text));
        }
        all.push_back(extent);
        at = next == end ? next : next + 1;
    }
    return all;
}

}  // namespace dodona::calibrate
