#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "questions/plans/plans.hpp"
#include "reports/collect/plan_summary.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::plans {

namespace {

using namespace reports;

std::string predicted_text(const step::Prediction& predicted) {
    return !predicted.runs
               ? "cannot run: " + text(*predicted.why_not)
               : fmt::format("{} (90 % interval {} to {}), {} of {}{}", text(predicted.step.value),
                             text(predicted.step.lo), text(predicted.step.hi), text(predicted.memory.total()),
                             text(predicted.memory_limit), predicted.fits ? "" : ": does not fit");
}

std::string measured_text(const CurrentRun& run) {
    const step::Prediction& predicted = run.predicted;
    const double longer = *run.observed / predicted.step.value - 1;
    const bool inside = predicted.step.lo <= *run.observed && *run.observed <= predicted.step.hi;
    return fmt::format("measured {}, {} {} than predicted: {} the interval; the plans below are predicted from it",
                       text(*run.observed), percent(std::abs(longer)), longer < 0 ? "shorter" : "longer",
                       inside ? "inside" : "outside of");
}

}  // namespace

bool is_tied(const step::Prediction& a, const step::Prediction& b) {
    return a.step.value < b.step.value ? search::tied(a, b) : search::tied(b, a);
}

const step::Prediction* compared_with(const Answer& answer) {
    const CurrentRun& run = *answer.current;
    return run.changed.rank > 0 && run.now.runs ? &answer.found.plans[run.changed.rank - 1] : nullptr;
}

namespace {

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

void add_current_run(Document& document, const Answer& answer) {
    const CurrentRun& run = *answer.current;
    List list;
    list.items.push_back(fmt::format("now, as {} reads it: {}", run.launcher, whole_plan(run.predicted)));
    list.items.push_back("predicted " + predicted_text(run.predicted));
    if (run.observed && run.predicted.runs) {
        list.items.push_back(measured_text(run));
    }
    if (const step::Prediction* const other = compared_with(answer)) {
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
}

}  // namespace dodona::questions::plans
