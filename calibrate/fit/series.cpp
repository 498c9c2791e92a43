#include "calibrate/fit/series.hpp"

#include <cstdint>

namespace dodona::calibrate {

namespace {

/// Fowler, Noll and Vo's hash, 64 bits; its upper half, whose digits depend on all of the text.
std::uint64_t hash(const std::string& text) {
    std::uint64_t value = 14695981039346656037ULL;
    for (const char c : text) {
        value = (value ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    }
    return value >> 32U;
}

}  // namespace

void add(Series& series, const std::string& id, const graph::Kernel& kernel, Seconds time) {
    series.samples.push_back({id, kernel, time, static_cast<int>(hash(id) % kFolds)});
}

}  // namespace dodona::calibrate
