#include "step/infeasibility.hpp"

#include <fmt/format.h>

namespace dodona::step {

namespace {

std::string_view words(MemoryPlace place) {
    return place == MemoryPlace::host ? "out of host memory" : "out of memory";
}

std::string words(const MemoryShortage& shortage) {
    std::string text =
        fmt::format("{}: {}", words(shortage.place), shortage_text("", shortage.needed, shortage.available));
    if (shortage.place == MemoryPlace::host) {
        text += " on a node";
    } else if (shortage.device) {
        text += " on " + *shortage.device;
    }
    return text;
}

}  // namespace

std::string shortage_text(std::string_view least, Bytes needed, Bytes available) {
    const std::string has = fmt::format("{:.1f} GiB", available.in(1_GiB));
    const std::string needs = fmt::format("{:.1f} GiB", needed.in(1_GiB));
    return needs == has ? "more than " + has : fmt::format("{}{} of {}", least, needs, has);
}

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
