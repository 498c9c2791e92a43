#include "step/infeasibility.hpp"

#include <fmt/format.h>

namespace dodona::step {

namespace {

std::string_view words(MemoryPlace place) {
    return place == MemoryPlace::host ? "out of host memory" : "out of memory";
}

std::string words(const MemoryShortage& shortage) {
    std::string text = fmt::format("{}: {:.1f} GiB of {:.1f} GiB", words(shortage.place), shortage.needed.in(1_GiB),
                                   shortage.available.in(1_GiB));
    if (shortage.place == MemoryPlace::host) {
        text += " on a node";
    } else if (shortage.device) {
        text += " on " + *shortage.device;
    }
    return text;
}

}  // namespace

InfeasibleCause cause_of(const Infeasibility& why_not) {
    if (const auto* limit = std::get_if<plan::Limit>(&why_not)) {
        return limit->cause;
    }
    return std::get<MemoryShortage>(why_not).place;
}

std::string text(const Infeasibility& why_not) {
    const auto* limit = std::get_if<plan::Limit>(&why_not);
    return limit != nullptr ? plan::text(*limit) : words(std::get<MemoryShortage>(why_not));
}

std::string text(const InfeasibleCause& cause) {
    const auto* limit = std::get_if<plan::LimitCause>(&cause);
    return limit != nullptr ? plan::text(*limit) : std::string(words(std::get<MemoryPlace>(cause)));
}

}  // namespace dodona::step
