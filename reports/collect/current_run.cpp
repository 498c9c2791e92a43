#include "reports/collect/current_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "reports/collect/plan_summary.hpp"
#include "reports/collect/prediction_record.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

std::string predicted_text(const step::Prediction& predicted) {
    return !predicted.runs
               ? "cannot run: " + text(*predicted.why_not)
               : fmt::format("{} (90 % interval {} to {}), {} of {}{}", text(predicted.step.value),
                             text(predicted.step.lo), text(predicted.step.hi), text(predicted.memory.total()),
                             text(predicted.memory_limit), predicted.fits ? "" : ": does not fit");
}

std::string observed_text(const CurrentRun& run) {
    const step::Prediction& predicted = run.predicted;
    const double longer = *run.observed / predicted.step.value - 1;
    const bool inside = predicted.step.lo <= *run.observed && *run.observed <= predicted.step.hi;
    return fmt::format("measured {}, {} {} than predicted: {} the interval; the plans below are predicted from it",
                       text(*run.observed), percent(std::abs(longer)), longer < 0 ? "shorter" : "longer",
                       inside ? "inside" : "outside of");
}

bool is_tied(const step::Prediction& a, const step::Prediction& b) {
    return a.step.value < b.step.value ? search::tied(a, b) : search::tied(b, a);
}

/// "No. 1 takes 12.0 % less: 23.4 s instead of 26.6 s; ..."
std::string gain_text(const CurrentRun& run, const step::Prediction& other) {
    const double longer = other.step.value / run.now.step.value - 1;
    if (std::abs(longer) < 0.0005 && run.changed.changes.empty()) {
        return fmt::format("it is plan No. {}", run.changed.rank);
    }
    return fmt::format(
        "No. {} takes {} {}: {} instead of {}{}", run.changed.rank, percent(std::abs(longer)),
        longer < 0 ? "less" : "longer", text(other.step.value), text(run.now.step.value),
        is_tied(run.now, other) ? "; predictions may be off by more, so measure a few steps of both" : "");
}

}  // namespace

void add_current_run(Document& document, const search::Answer& answer, const CurrentRun& run) {
    List list;
    list.items.push_back(fmt::format("now, as {} reads it: {}", run.launcher, whole_plan(run.predicted)));
    list.items.push_back("predicted " + predicted_text(run.predicted));
    if (run.observed && run.predicted.runs) {
        list.items.push_back(observed_text(run));
    }
    const step::Prediction* other = run.changed.rank > 0 ? &answer.plans[run.changed.rank - 1] : nullptr;
    const bool compares = other != nullptr && run.now.runs;
    if (compares) {
        list.items.push_back(gain_text(run, *other));
    }
    if (!run.changed.not_expressed.empty()) {
        list.items.push_back("its settings are not compared: " + run.changed.not_expressed);
    }
    Table changes({{"setting"}, {"now"}, {run.changed.rank > 0 ? fmt::format("No. {}", run.changed.rank) : "then"}});
    for (const ChangedSetting& change : run.changed.changes) {
        changes.row({change.setting, change.now.empty() ? "-" : change.now, change.then.empty() ? "-" : change.then});
    }
    std::vector<Block> section{Section{run.file}, std::move(list)};
    if (!changes.empty()) {
        section.emplace_back(std::move(changes));
    }
    const auto first_section = std::find_if(document.blocks.begin(), document.blocks.end(),
                                            [](const Block& block) { return std::holds_alternative<Section>(block); });
    document.blocks.insert(first_section, section.begin(), section.end());
    document.record["from"] = {{"file", run.file},
                               {"launcher", run.launcher},
                               {"plan", plan_record(run.predicted, std::nullopt)},
                               {"observed_step_s", run.observed ? Record(*run.observed) : Record()},
                               {"change_to", run.changed.rank > 0 ? Record(run.changed.rank) : Record()},
                               {"step_ratio", compares ? Record(other->step.value / run.now.step.value) : Record()},
                               {"tied", compares ? Record(is_tied(run.now, *other)) : Record()},
                               {"settings", list_of(run.changed.changes, [](const ChangedSetting& change) {
                                    return Record{{"setting", change.setting},
                                                  {"now", change.now.empty() ? Record() : Record(change.now)},
                                                  {"then", change.then.empty() ? Record() : Record(change.then)}};
                                })}};
}

}  // namespace dodona::reports
