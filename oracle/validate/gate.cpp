#include "validate/gate.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace dodona::validate {

namespace {

std::string percent(double ratio) { return fmt::format("{:.2f} %", 100 * ratio); }

/// Empty: no worse.
std::string worse_error(std::string_view what, const std::optional<double>& now,
                        const std::optional<double>& recorded) {
    if (!recorded) {
        return "";
    }
    if (!now) {
        return fmt::format("no mean error of {}, {} recorded", what, percent(*recorded));
    }
    return *now > *recorded + kGateTolerance
               ? fmt::format("mean error of {} {}, {} recorded", what, percent(*now), percent(*recorded))
               : "";
}

}  // namespace

GateResult gate(const Comparison& comparison, const std::vector<files::RecordedError>& recorded) {
    GateResult result;
    for (const files::RecordedError& before : recorded) {
        const auto now = std::find_if(comparison.groups.begin(), comparison.groups.end(),
                                      [&](const Statistics& group) { return group.group == before.group; });
        if (now == comparison.groups.end()) {
            result.missing.push_back(before.group);
            continue;
        }
        ++result.compared;
        const auto note = [&](const std::string& text) {
            if (!text.empty()) {
                result.worse.push_back({before.where, before.group + ": " + text});
            }
        };
        note(now->rows < before.rows ? fmt::format("{} runs predicted, {} recorded", now->rows, before.rows) : "");
        note(worse_error("time", now->mape, before.mape));
        note(worse_error("memory", now->memory_mape, before.memory_mape));
    }
    for (const Statistics& group : comparison.groups) {
        if (std::none_of(recorded.begin(), recorded.end(),
                         [&](const files::RecordedError& before) { return before.group == group.group; })) {
            result.unrecorded.push_back(group.group);
        }
    }
    return result;
}

}  // namespace dodona::validate
