#include "validate/comparison.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/ranges.hpp"
#include "step/evaluate.hpp"
#include "step/validate.hpp"
#include "validate/anchors.hpp"
#include "validate/statistics.hpp"

namespace dodona::validate {

namespace {

std::string cells(const files::MeasuredRun& run, const std::vector<std::string_view>& columns) {
    return concatenated(columns, [&](const std::string_view column) { return run.cell(column) + "\n"; });
}

/// The first fault, with its place where that is not the row: of a file that the row names.
std::string reason(const InputError& error, const files::MeasuredRun& run) {
    const Diagnostic& first = error.diagnostics().front();
    const Location& where = first.where;
    const bool in_row = where.source == nullptr || where.source == run.where.source;
    std::string text = in_row ? "" : fmt::format("{}:{}: ", where.source->name, where.line);
    text += first.message;
    const std::size_t others = error.diagnostics().size() - 1;
    return others == 0 ? text : fmt::format("{}; and {} more", text, others);
}

/// Memory as the kind of measurement sees it, of the rank that the row has it of.
Bytes seen_memory(const step::Prediction& prediction, const std::string& kind, MemoryRank rank) {
    using step::MemoryTotals;
    const bool reserved = kind == "reserved";
    const bool allocated = kind == "allocated" || kind == "last-rank-allocated";
    const Bytes MemoryTotals::*seen = allocated  ? &MemoryTotals::allocated
                                      : reserved ? &MemoryTotals::reserved
                                                 : &MemoryTotals::process;
    if (!prediction.stages.empty() && (rank == MemoryRank::last || kind == "last-rank-allocated")) {
        return prediction.stages.back().memory.*seen;
    }
    if (!prediction.stages.empty() && rank == MemoryRank::first) {
        return prediction.stages.front().memory.*seen;
    }
    Bytes most = prediction.totals.*seen;
    for (const step::StagePrediction& stage : prediction.stages) {
        most = max(most, stage.memory.*seen);
    }
    return most;
}

void predict(const files::MeasuredRun& run, const Question& question, RunResult& result) {
    const auto& [graph, cluster, plan, not_timed, unit, rank] = question;
    step::validate(*graph, *cluster, plan, run.where);
    const step::Prediction prediction =
        step::evaluate(step::cost_graph(*graph, *cluster, plan, run.where), plan, step::Detail::interval);
    if (const plan::Limit* broken = plan::tightest_broken(prediction.limits)) {
        result.refusal = text(*broken);
        return;
    }
    Seconds covered = prediction.step.value;
    result.time = prediction.time;
    for (const step::TimePart part : not_timed) {
        covered += -prediction.time[part];
        result.time[part] = Seconds{};
    }
    result.predicted = prediction.step.rescaled_to(covered);
    result.fits = prediction.fits;
    result.measured = run.step_time;
    result.measured_compute = run.compute_time;
    result.measured_communication = run.communication_time;
    if (run.step_time) {
        result.error = covered / *run.step_time - 1;
    }
    const bool ran_out = run.memory_kind == "oom";
    if (run.peak_memory && !ran_out) {
        result.measured_memory = unit * *run.peak_memory;
    }
    if (result.measured_memory || ran_out) {
        result.predicted_memory = seen_memory(prediction, run.memory_kind, rank);
    }
}

/// A run that waits for its prediction.
struct Asked {
    const files::MeasuredRun* run = nullptr;
    std::optional<Question> question;  ///< none: the result says why
    RunResult result;
};

Asked asked(const files::MeasuredRun& run, Questions& questions, Anchors& anchors) {
    Asked asked{.run = &run, .question = {}, .result = {.id = run.id, .group = run.group}};
    RunResult& result = asked.result;
    result.assumed = !run.cell("assumed").empty();
    if (run.memory_kind == "oom" || run.step_time || run.peak_memory) {
        result.ran = run.memory_kind != "oom";
    }
    result.job = cells(run, {"model", "model_overrides", "input", "global_batch", "device", "machine", "gpus",
                             "gpus_per_node", "precision", "framework"});
    result.layout = cells(run, {"microbatch", "tensor", "sequence_parallel", "context", "expert", "expert_tensor",
                                "pipeline", "virtual_stages", "data", "shard", "shard_group", "spatial", "filter",
                                "channel", "strategy", "recompute", "overlap_gradients", "overlap_parameters"});
    try {
        asked.question = questions.of(run);
        asked.question->plan.framework = anchors.adjusted(run, *asked.question);
    } catch (const InputError& error) {
        asked.question.reset();
        result.refusal = reason(error, run);
    }
    return asked;
}

/// The results of the runs, in their order; predictions are made side by side.
std::vector<RunResult> results(std::vector<Asked> all) {
    parallel_for(all.size(), 0, [&](std::size_t i) {
        Asked& one = all[i];
        if (!one.question) {
            return;
        }
        try {
            predict(*one.run, *one.question, one.result);
        } catch (const InputError& error) {
            one.result.refusal = reason(error, *one.run);
        }
    });
    std::vector<RunResult> results;
    for (Asked& one : all) {
        results.push_back(std::move(one.result));
    }
    return results;
}

}  // namespace

Seconds RunResult::compute() const {
    using step::TimePart;
    return time[TimePart::forward] + time[TimePart::backward] + time[TimePart::recompute] + time[TimePart::optimizer];
}

Seconds RunResult::communication() const {
    using step::TimePart;
    return time[TimePart::layer] + time[TimePart::halo] + time[TimePart::pipeline] + time[TimePart::gradients] +
           time[TimePart::parameters];
}

RunResult compared(const files::MeasuredRun& run, const Question& question) {
    RunResult result{.id = run.id, .group = run.group};
    result.ran = run.memory_kind != "oom";
    predict(run, question, result);
    return result;
}

Comparison compare(const std::vector<files::MeasuredRun>& runs, Questions& questions, const Progress& progress,
                   std::size_t anchors) {
    std::vector<RunResult> rows;
    std::int64_t left_out = 0;
    Anchors used = anchors > 0 ? Anchors(runs, anchors, questions) : Anchors();
    constexpr std::size_t kAtOnce = 256;  // questions, each with a plan, that are held
    bool stopped = false;
    for (std::size_t i = 0; i < runs.size() && !stopped;) {
        std::vector<Asked> all;
        for (; i < runs.size() && all.size() < kAtOnce; ++i) {
            stopped = !progress(static_cast<std::int64_t>(i), static_cast<std::int64_t>(runs.size()));
            if (stopped) {
                break;
            }
            if (used.contains(runs[i].id)) {
                ++left_out;
            } else {
                all.push_back(asked(runs[i], questions, used));
            }
        }
        std::vector<RunResult> found = results(std::move(all));
        std::move(found.begin(), found.end(), std::back_inserter(rows));
    }
    Comparison comparison = summarised(std::move(rows));
    comparison.anchors = left_out;
    return comparison;
}

Comparison summarised(std::vector<RunResult> rows) {
    Comparison comparison;
    comparison.rows = std::move(rows);
    std::vector<std::string> names;
    std::vector<const RunResult*> all;
    for (const RunResult& row : comparison.rows) {
        all.push_back(&row);
        if (std::find(names.begin(), names.end(), row.group) == names.end()) {
            names.push_back(row.group);
        }
    }
    for (const std::string& name : names) {
        std::vector<const RunResult*> members;
        std::copy_if(all.begin(), all.end(), std::back_inserter(members),
                     [&](const RunResult* row) { return row->group == name; });
        comparison.groups.push_back(statistics(name, members));
    }
    comparison.overall = statistics("all", all);
    return comparison;
}

}  // namespace dodona::validate
