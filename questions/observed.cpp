#include "questions/observed.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "files/plan_file.hpp"
#include "files/run_table.hpp"
#include "reports/document/number_format.hpp"
#include "search/ranking.hpp"
#include "step/anchor.hpp"
#include "step/predict.hpp"
#include "step/validate.hpp"
#include "validate/questions.hpp"

namespace dodona::questions {

namespace {

using validate::ObservedRun;

step::Prediction as_observed(const ObservedRun& asked, const plan::Framework& framework) {
    plan::Plan plan = asked.question.plan;
    plan.framework = framework;
    return step::predict(*asked.question.graph, *asked.question.cluster, plan);
}

/// Winograd's F(4x4, 3x3) needs a quarter of the multiplications of a convolution (Lavin and Gray, CVPR 2016, section
/// 4.1); every other kernel does all of its arithmetic.
constexpr double kMaxOfConvolutions = 4;

bool has_convolutions(const graph::Graph& graph) {
    const auto is_convolution = [](const graph::Kernel& kernel) {
        return kernel.kind == graph::KernelKind::convolution;
    };
    return std::any_of(graph.layers.begin(), graph.layers.end(), [&](const graph::Layer& layer) {
        const std::vector<graph::Kernel> kernels = layer.nest.work(layer.nest.whole()).forward;
        return std::any_of(kernels.begin(), kernels.end(), is_convolution);
    });
}

/// Throws InputError where the plan cannot run, or the measured time is one that its devices cannot reach.
void check_observed(const ObservedRun& asked, Notes& notes) {
    const step::Prediction prediction = as_observed(asked, {});
    if (const plan::Limit* broken = plan::tightest_broken(prediction.limits)) {
        fail({}, "--observed: a plan that cannot run has no step to observe: " + text(*broken),
             "give the plan that was run");
    }
    const double mfu = prediction.mfu * (prediction.step.value / asked.measured);
    if (mfu <= 1) {
        return;
    }
    const std::string meaning = fmt::format("--observed: a step of {} would be {:.0f} % of the devices' peak",
                                            reports::text(asked.measured), 100 * mfu);
    if (mfu > (has_convolutions(*asked.question.graph) ? kMaxOfConvolutions : 1)) {
        fail({}, meaning + ", which is impossible", "is it of this network, batch, precision and number of devices?");
    }
    notes.push_back(meaning + ", which only convolutions that skip multiplications reach");
}

/// Runs without a time are skipped; of those that cannot be predicted or cannot have been, the first reason is reported.
ObservedRuns runs_of(const std::string& table, const files::Library& files) {
    validate::Questions questions(files);
    ObservedRuns asked;
    std::size_t refused = 0;
    std::string reason;
    for (const files::MeasuredRun& run : files::load_runs(table, {})) {
        if (!run.step_time) {
            continue;
        }
        try {
            const ObservedRun one{questions.of(run), *run.step_time, run.id};
            check_observed(one, asked.notes);
            asked.runs.push_back(one);
        } catch (const InputError& error) {
            reason = refused++ == 0 ? fmt::format("{}: {}", run.id, error.diagnostics().front().message) : reason;
        }
    }
    if (asked.runs.empty()) {
        fail({}, fmt::format("--observed: no run of {} can be predicted{}", table, reason.empty() ? "" : ": " + reason),
             "a run needs a measured step_time_s; `dodona validate " + table + "` says what else is wrong with each");
    }
    if (refused > 0) {
        asked.notes.push_back(
            fmt::format("{} of {} runs of {} left out: {}", refused, refused + asked.runs.size(), table, reason));
    }
    return asked;
}

/// The runs that are of the very plan that is asked about (step::RunKind::id).
constexpr const char* kAsked = "--observed";

/// A plan as it is compared, in any software: without axes of one rank, and with equal stages left to the default.
/// `of_row`: without what a row of a table does not say.
std::string compared_text(plan::Plan plan, bool of_row) {
    plan.framework = {};
    plan.memory = {};
    std::erase_if(plan.mesh, [](const plan::MeshAxis& axis) { return axis.size == 1; });
    if (std::adjacent_find(plan.stages.begin(), plan.stages.end(), std::not_equal_to<>()) == plan.stages.end()) {
        plan.stages.clear();
    }
    if (of_row) {
        plan.overlap = {};
        plan.optimizer = {};
        plan.gradient_precision.reset();
    }
    return files::to_yaml(plan, "");
}

/// Whether a run is a whole step of this plan of this network on this machine.
bool is_of(const ObservedRun& run, const Workload& workload, const plan::Plan& plan) {
    const validate::Question& asked = run.question;
    const cluster::Cluster& cluster = workload.cluster;
    const bool is_here =
        asked.cluster->device == cluster.device && (plan.devices() == 1 || asked.cluster->name == cluster.name);
    if (!is_here || !asked.not_timed.empty() ||
        step::run_kind(*asked.graph, asked.plan).network != step::run_kind(workload.graph, plan).network) {
        return false;
    }
    plan::Plan own = asked.plan;
    if (step::data_ranks(own) == own.devices() && step::data_ranks(plan) == plan.devices()) {
        own.strategy = plan.strategy;  // the whole network on each device, under any name
    }
    const bool of_row = !run.id.empty();
    return compared_text(own, of_row) == compared_text(plan, of_row);
}

/// The runs that were measured in a software.
std::vector<ObservedRun> runs_in(const plan::Framework& framework, const std::vector<ObservedRun>& runs) {
    std::vector<ObservedRun> found;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(found),
                 [&](const ObservedRun& run) { return run.question.plan.framework.name == framework.name; });
    return found;
}

ObservedRuns step_of(const ObservedOptions& options, const Workload& workload, const plan::Plan& plan) {
    ObservedRuns observed{.runs = {{}}, .notes = {}};
    ObservedRun& asked = observed.runs.front();
    asked.question.graph = std::make_shared<const graph::Graph>(workload.graph);
    asked.question.cluster = std::make_shared<const cluster::Cluster>(workload.cluster);
    asked.question.plan = plan;
    asked.measured = *options.step;
    check_observed(asked, observed.notes);
    const step::Prediction prediction = as_observed(asked, plan.framework);
    if (!prediction.fits) {
        observed.notes.push_back(fmt::format(
            "the observed plan is predicted not to fit ({}); its time counts all the same", text(*prediction.why_not)));
    }
    return observed;
}

}  // namespace

ObservedRuns observed_runs(const ObservedOptions& options, const Workload& workload, const plan::Plan& observed_plan) {
    return options.step ? step_of(options, workload, observed_plan) : runs_of(options.table, workload.files);
}

plan::Framework anchored(const plan::Framework& framework, const std::vector<ObservedRun>& runs,
                         const Workload& workload, const plan::Plan& plan) {
    step::RunKind asked = step::run_kind(workload.graph, plan);
    std::vector<ObservedRun> moving = runs;
    double log_time = 0;  // mean of the runs of this very plan
    std::size_t own = 0;
    for (ObservedRun& run : moving) {
        if (is_of(run, workload, plan)) {
            run.id = kAsked;
            log_time += std::log(run.measured.in(unit::second));
            ++own;
        }
    }
    asked.id = own > 0 ? kAsked : "";
    plan::Framework moved = validate::anchored(framework, moving, asked);
    if (own > 0) {
        plan::Plan now = plan;
        step::hold_to(moved, Seconds::of_base(std::exp(log_time / static_cast<double>(own))),
                      [&](const plan::Framework& with) {
                          now.framework = with;
                          return step::predict(workload.graph, workload.cluster, now).step.value;
                      });
    }
    return moved;
}

std::vector<search::Software> moved_to_observed(std::vector<search::Software> software,
                                                const std::vector<ObservedRun>& runs, const step::RunKind& job) {
    const bool any = std::any_of(software.begin(), software.end(),
                                 [&](const search::Software& one) { return !runs_in(one.framework, runs).empty(); });
    for (search::Software& one : software) {
        const std::vector<ObservedRun> its = any ? runs_in(one.framework, runs) : runs;
        if (!its.empty()) {
            one.framework = validate::anchored(one.framework, its, job);
        }
    }
    return software;
}

search::Answer ranked_as_observed(const Workload& workload, const std::vector<search::Software>& before,
                                  const std::vector<ObservedRun>& runs, search::Answer answer) {
    const auto again = [&](step::Prediction& one) {
        const auto unmoved = std::find_if(before.begin(), before.end(), [&](const search::Software& software) {
            return software.framework.label() == one.plan.framework.label();
        });
        if (!one.plan.framework.observed || unmoved == before.end()) {
            return;
        }
        const std::vector<ObservedRun> its = runs_in(unmoved->framework, runs);
        plan::Plan plan = one.plan;
        plan.framework = anchored(unmoved->framework, its.empty() ? runs : its, workload, plan);
        one = search::held_to(answer.reserve, step::predict(workload.graph, workload.cluster, plan));
    };
    std::for_each(answer.in_other_software.begin(), answer.in_other_software.end(), again);
    std::vector<Seconds> steps;
    for (step::Prediction& one : answer.plans) {
        again(one);
        steps.push_back(one.step.value);
    }
    std::vector<step::Prediction> ranked;
    for (const std::size_t i : search::ranked_again(steps)) {
        ranked.push_back(std::move(answer.plans[i]));
    }
    answer.plans = std::move(ranked);
    return answer;
}

}  // namespace dodona::questions
