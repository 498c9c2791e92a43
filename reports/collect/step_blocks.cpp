#include "reports/collect/step_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

/// Measurements that narrow an interval too wide to choose between plans of one job; empty for others.
std::string narrower_by(const step::Prediction& prediction) {
    constexpr double kTooWide = 5;  // one end to the other
    const auto& sources = prediction.uncertainty.sources;
    const auto error = [](const step::SourceError& source) { return std::abs(source.share * source.sigma()); };
    const auto most = std::max_element(sources.begin(), sources.end(),
                                       [&](const auto& a, const auto& b) { return error(a) < error(b); });
    if (prediction.step.hi <= kTooWide * prediction.step.lo) {
        return "";
    }
    const auto source = static_cast<std::size_t>(most - sources.begin());
    if (source < cost::kKernelSources && error(*most) > prediction.uncertainty.unexplained()) {
        return fmt::format("(wide: errors of {} kernels; `dodona calibrate` on such a device or --observed narrows it)",
                           cost::kErrorSources[source].word);
    }
    return "(wide: --observed with a measured step narrows it)";
}

}  // namespace

std::vector<KeyFigure> speed_figures(const step::Prediction& prediction) {
    const Rate samples{prediction.samples_per_second, "samples"};
    const bool repeats_work = prediction.hfu > prediction.mfu * 1.0005;
    KeyFigure throughput{.label = "throughput", .value = samples};
    if (prediction.tokens_per_second) {
        throughput.value = Rate{*prediction.tokens_per_second, "tokens"};
        throughput.note = fmt::format("({})", text(Value(samples)));
    }
    return {{.label = "step time", .value = prediction.step, .note = narrower_by(prediction)},
            throughput,
            {.label = "MFU",
             .value = Percent{prediction.mfu},
             .note = repeats_work         ? fmt::format("(HFU {})", percent(prediction.hfu))
                     : prediction.mfu > 1 ? "(beyond the peak: some convolution algorithms save arithmetic)"
                                          : ""}};
}

KeyFigure memory_figure(const step::Prediction& prediction) {
    const bool several = prediction.stages.size() > 1 && prediction.fullest_stage < prediction.stages.size();
    return {.label = "memory",
            .value = prediction.memory.total(),
            .note = fmt::format("of {}", text(prediction.memory_limit)) +
                    (several ? fmt::format(" on the fullest of {} stages ({})", prediction.stages.size(),
                                           prediction.stages[prediction.fullest_stage].layers)
                             : "")};
}

StackedBar time_bar(const step::Prediction& prediction) {
    StackedBar bar{.title = fmt::format("exposed time in a step of {}", text(prediction.step.value)),
                   .parts = {},
                   .whole = prediction.step.value.in(unit::second)};
    for (std::size_t i = 0; i < step::kTimeParts; ++i) {
        const auto part = static_cast<step::TimePart>(i);
        bar.parts.push_back(
            {std::string(step::name(part)), label(part, prediction.plan), prediction.time.values[i].in(unit::second)});
    }
    return bar;
}

StackedBar memory_bar(const step::Prediction& prediction) {
    StackedBar bar{
        .title = fmt::format("memory: {} of {}", text(prediction.memory.total()), text(prediction.memory_limit)),
        .parts = {},
        .whole = prediction.memory_limit.in(unit::byte)};
    for (std::size_t i = 0; i < step::kMemoryParts; ++i) {
        const auto part = static_cast<step::MemoryPart>(i);
        bar.parts.push_back(
            {std::string(step::name(part)), std::string(label(part)), prediction.memory.values[i].in(unit::byte)});
    }
    return bar;
}

std::vector<std::string> bottleneck_items(const step::Prediction& prediction) {
    return mapped<std::string>(prediction.bottlenecks, [](const step::Bottleneck& bottleneck) {
        return fmt::format("{}: {}", name(bottleneck.kind), bottleneck.text);
    });
}

std::vector<std::string> limit_items(const step::Prediction& prediction) {
    std::vector<std::string> items;
    std::map<std::pair<std::int64_t, std::int64_t>, std::pair<std::size_t, std::size_t>> uneven;  // first item, others
    for (const step::Limit& limit : prediction.limits) {
        if (const auto* loop = std::get_if<plan::UnevenLoop>(&limit.cause)) {
            const auto [known, is_new] = uneven.try_emplace({loop->pieces, limit.ways}, items.size(), 0);
            if (!is_new) {
                ++known->second.second;
                continue;
            }
        }
        items.push_back((limit.broken() ? "exceeded: " : "reached: ") + text(limit));
    }
    for (const auto& [split, of] : uneven) {
        items[of.first] += of.second > 0 ? fmt::format("; {} likewise", counted(of.second, "more layer")) : "";
    }
    return items;
}

std::vector<std::string> evidence_items(const step::Prediction& prediction) {
    auto items = mapped<std::string>(prediction.provenance, [](const step::SourceLine& line) { return text(line); });
    if (std::string sources = interval_sources(prediction); !items.empty() && !sources.empty()) {
        items.push_back(std::move(sources));
    }
    return items;
}

std::string evidence_in_brief(const step::Prediction& prediction) {
    std::vector<std::string> parts;
    for (const step::SourceLine& line : prediction.provenance) {
        if (std::string part = brief_text(line); !part.empty()) {
            parts.push_back(std::move(part));
        }
    }
    return join(parts, "; ");
}

}  // namespace dodona::reports
