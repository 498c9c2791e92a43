#include "reports/text/section.hpp"

#include <fmt/format.h>

#include "reports/bar.hpp"
#include "reports/figures.hpp"
#include "reports/words.hpp"

namespace dodona::reports {

std::string heading(Style style, std::string_view title) { return "\n" + painted(style, Paint::bold, title) + "\n"; }

std::string bullet(std::string_view text) { return "  - " + wrapped(text, kTextWidth - 4, "    ") + "\n"; }

std::string time_bar(const step::Prediction& prediction, Style style) {
    Bar bar{.parts = {}, .whole = prediction.step.value.in(unit::second)};
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        bar.parts.push_back(
            {std::string(label(static_cast<step::TimePart>(i))), prediction.time.values[i].in(unit::second)});
    }
    return fmt::format("  time: {} a step\n", text(prediction.step.value)) + to_text(bar, style, "  ");
}

std::string memory_bar(const step::Prediction& prediction, Style style) {
    Bar bar{.parts = {}, .whole = prediction.memory_limit.in(unit::byte)};
    for (std::size_t i = 0; i < step::kMemoryParts; ++i) {
        bar.parts.push_back(
            {std::string(label(static_cast<step::MemoryPart>(i))), prediction.memory.values[i].in(unit::byte)});
    }
    return fmt::format("  memory: {}\n", memory_words(prediction)) + to_text(bar, style, "  ");
}

std::string limits(const step::Prediction& prediction, Style style) {
    if (prediction.limits.empty()) {
        return {};
    }
    std::string section = heading(style, "Limits");
    for (const step::Limit& limit : prediction.limits) {
        section += bullet((limit.broken() ? "broken: " : "reached: ") + text(limit));
    }
    return section;
}

std::string bottlenecks(const step::Prediction& prediction, Style style) {
    if (prediction.bottlenecks.empty()) {
        return {};
    }
    std::string section = heading(style, "Bottlenecks");
    for (const step::Bottleneck& bottleneck : prediction.bottlenecks) {
        section += bullet(fmt::format("{}: {}", name(bottleneck.kind), bottleneck.text));
    }
    return section;
}

std::string observed(const step::Prediction& prediction, Style style) {
    const std::vector<std::string> lines = observed_words(prediction);
    if (lines.empty()) {
        return {};
    }
    std::string section = heading(style, "Observed");
    for (const std::string& line : lines) {
        section += bullet(line);
    }
    return section;
}

std::string evidence(const step::Prediction& prediction, Style style) {
    if (prediction.provenance.empty()) {
        return {};
    }
    std::string section = heading(style, "Evidence");
    for (const step::SourceLine& line : prediction.provenance) {
        section += bullet(text(line));
    }
    if (const std::string parts = interval_words(prediction); !parts.empty()) {
        section += bullet(parts);
    }
    return section;
}

}  // namespace dodona::reports
