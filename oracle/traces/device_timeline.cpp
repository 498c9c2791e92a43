#include "traces/device_timeline.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dodona::traces {

namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)::";

/// "void at::native::vectorized_elementwise_kernel<4, ...>(int, ...)" as "at::native::vectorized_elementwise_kernel".
std::string plain_name(std::string_view name) {
    std::string plain(name.starts_with("void ") ? name.substr(5) : name);
    for (std::size_t at = plain.find(kAnonymous); at != std::string::npos; at = plain.find(kAnonymous)) {
        plain.erase(at, kAnonymous.size());
    }
    plain.resize(std::min({plain.size(), plain.find_first_of("<("), KernelNames::kLongest}));
    return plain;
}

}  // namespace

std::uint32_t KernelNames::number_of(std::string_view name) {
    const std::string plain = plain_name(name);
    const auto found = numbers_.find(plain);
    if (found != numbers_.end()) {
        return found->second;
    }
    const auto next = static_cast<std::uint32_t>(all_.size());
    if (all_.size() == kMax) {
        return next - 1;
    }
    all_.push_back(all_.size() + 1 == kMax ? "others" : plain);
    numbers_.emplace(plain, next);
    return next;
}

void DeviceTimeline::add(const DeviceRun& run) {
    if (runs.size() == kMaxRuns) {
        fail(whole, fmt::format("more than {} kernels", kMaxRuns), "profile fewer steps");
    }
    runs.push_back(run);
}

}  // namespace dodona::traces
