#include "calibrate/cpu/caches.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "calibrate/cpu/threads.hpp"

namespace dodona::calibrate::cpu {

namespace {

constexpr Bytes kWhereUnknown = 32_MiB;
constexpr int kMaxCaches = 8;

}  // namespace

std::vector<Cache> caches_of(int cpu) {
    std::vector<Cache> caches;
    for (int index = 0; index < kMaxCaches; ++index) {
        const std::string folder = fmt::format("/sys/devices/system/cpu/cpu{}/cache/index{}/", cpu, index);
        std::ifstream level_file(folder + "level");
        std::ifstream type_file(folder + "type");
        std::ifstream size_file(folder + "size");
        int level = 0;
        std::string type;
        double kibibytes = 0;  // "2048K"
        if (level_file >> level && type_file >> type && size_file >> kibibytes && type != "Instruction") {
            caches.push_back({.level = level, .size = kibibytes * Bytes::of_base(1024)});
        }
    }
    std::sort(caches.begin(), caches.end(), [](const Cache& a, const Cache& b) { return a.level < b.level; });
    return caches;
}

CacheFlush::CacheFlush(const TensorFactory& tensors, const std::vector<Cache>& caches)
    : size_(min(caches.empty() ? kWhereUnknown : 2.0 * caches.back().size, kMaxFlushed)),
      memory_(tensors.random(static_cast<std::int64_t>(size_.in(Bytes::of_base(sizeof(float)))))) {}

void CacheFlush::operator()(bool own_threads) const {
    const auto count = static_cast<std::int64_t>(size_.in(Bytes::of_base(sizeof(float))));
    std::atomic<float> total = 0;
    // Every thread reads all of it: each has inner caches of its own.
    const auto read = [&] {
        constexpr std::int64_t kFloatsOfALine = 16;
        float sum = 0;
        for (std::int64_t at = 0; at < count; at += kFloatsOfALine) {
            sum += memory_.get()[at];
        }
        total.store(sum, std::memory_order_relaxed);
    };
    if (own_threads) {
        on_each_cpu(read);
    } else {
        in_parts(0, [&](std::int64_t, std::int64_t) { read(); });
    }
}

}  // namespace dodona::calibrate::cpu
