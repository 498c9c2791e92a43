#include "cli/observed.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/note.hpp"
#include "files/logs/log_lines.hpp"
#include "files/logs/training_log.hpp"
#include "files/plan_file.hpp"
#include "files/quantity.hpp"
#include "files/run_table.hpp"
#include "reports/document/number_format.hpp"
#include "search/ranking.hpp"
#include "step/anchor.hpp"
#include "step/predict.hpp"
#include "validate/questions.hpp"

namespace dodona::cli {

namespace {

using validate::ObservedRun;

step::Prediction predicted(const ObservedRun& asked, const plan::Framework& framework) {
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
void check_observed(const ObservedRun& asked) {
    const step::Prediction prediction = predicted(asked, {});
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
    note("{}, which only convolutions that skip multiplications reach", meaning);
}

/// Runs without a time are skipped; of those that cannot be predicted or cannot have been, the first reason is reported.
std::vector<ObservedRun> runs_of(const std::string& table) {
    validate::Questions questions(library());
    std::vector<ObservedRun> asked;
    std::size_t refused = 0;
    std::string reason;
    for (const files::MeasuredRun& run : files::load_runs(table, {})) {
        if (!run.step_time) {
            continue;
        }
        try {
            const ObservedRun one{questions.of(run), *run.step_time};
            check_observed(one);
            asked.push_back(one);
        } catch (const InputError& error) {
            reason = refused++ == 0 ? fmt::format("{}: {}", run.id, error.diagnostics().front().message) : reason;
        }
    }
    if (asked.empty()) {
        fail({}, fmt::format("--observed: no run of {} can be predicted{}", table, reason.empty() ? "" : ": " + reason),
             "a run needs a measured step_time_s; `dodona validate " + table + "` says what else is wrong with each");
    }
    if (refused > 0) {
        note("{} of {} runs of {} left out: {}", refused, refused + asked.size(), table, reason);
    }
    return asked;
}

/// The run whose step or log --observed gives (step::RunKind::id).
constexpr const char* kObservedRun = "--observed";

/// Whether two plans of one job are the same, in whatever software.
bool is_same(const plan::Plan& a, const plan::Plan& b) {
    const auto text = [](plan::Plan plan) {
        plan.framework = {};
        plan.memory = {};
        return files::to_yaml(plan, "");
    };
    return text(a) == text(b);
}

/// The runs that were measured in a software.
std::vector<ObservedRun> runs_in(const plan::Framework& framework, const std::vector<ObservedRun>& runs) {
    std::vector<ObservedRun> found;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(found),
                 [&](const ObservedRun& run) { return run.question.plan.framework.name == framework.name; });
    return found;
}

ObservedRun step_of(const ObservedSettings& settings, const Workload& workload, const plan::Plan& plan) {
    ObservedRun asked;
    asked.question.graph = std::make_shared<const graph::Graph>(workload.graph);
    asked.question.cluster = std::make_shared<const cluster::Cluster>(workload.cluster);
    asked.question.plan = plan;
    asked.measured = *settings.step;
    asked.id = kObservedRun;
    check_observed(asked);
    const step::Prediction prediction = predicted(asked, plan.framework);
    if (!prediction.fits) {
        note("the observed plan is predicted not to fit ({}); its time counts all the same", text(*prediction.why_not));
    }
    return asked;
}

}  // namespace

Option observed_option(const std::string& of) {
    return {"--observed", "TIME|LOG|RUNS.csv",
            "a measured step " + of +
                ",\nthe log with its steps, train.log, or a table of your own runs\n"
                "(docs/files.md): parameters of the framework are adjusted to it, and\n"
                "the answer with them",
            "Observed"};
}

ObservedSettings read_observed(Arguments& arguments) {
    ObservedSettings settings;
    const auto typed = arguments.text("--observed");
    if (!typed) {
        return settings;
    }
    if (files::is_log_name(*typed)) {
        const files::TrainingLog log = library().training_log(*typed, {});
        settings.log = *typed;
        settings.step = log.median;
        note("{}: {}, {} after {} of warm-up: median {}, 80 % from {} to {}{}", *typed, log.software,
             reports::counted(static_cast<std::int64_t>(log.steps), "step"), log.warm_up, reports::text(log.median),
             reports::text(log.low), reports::text(log.high),
             log.memory ? ", memory " + reports::text(*log.memory) : "");
        return settings;
    }
    if (typed->ends_with(".csv") || typed->find('/') != std::string::npos) {
        settings.table = *typed;
        return settings;
    }
    const auto read = files::quantity_from<Dimensions{.second = 1}>(*typed);
    if (const auto* fault = std::get_if<files::NotAQuantity>(&read)) {
        arguments.fault("--observed", fault->message,
                        "a time with its unit, 12.3s, a log, train.log, or a table of runs, runs.csv");
        return settings;
    }
    const Seconds time = std::get<Seconds>(read);
    if (time <= Seconds{}) {
        arguments.fault("--observed", as_typed(*typed) + " is not a time that a step can take", "for example 12.3s");
        return settings;
    }
    settings.step = time;
    return settings;
}

std::vector<ObservedRun> observed_runs(const ObservedSettings& settings, const Workload& workload,
                                       const plan::Plan& observed_plan) {
    return settings.step ? std::vector<ObservedRun>{step_of(settings, workload, observed_plan)}
                         : runs_of(settings.table);
}

plan::Framework anchored(const plan::Framework& framework, const std::vector<ObservedRun>& runs,
                         const graph::Graph& graph, const plan::Plan& plan) {
    step::RunKind asked = step::run_kind(graph, plan);
    const auto same = std::find_if(runs.begin(), runs.end(), [&](const ObservedRun& run) {
        return !run.id.empty() && is_same(run.question.plan, plan);
    });
    asked.id = same == runs.end() ? "" : same->id;
    plan::Framework moved = validate::anchored(framework, runs, asked);
    if (same != runs.end()) {
        plan::Plan now = plan;
        step::hold_to(moved, same->measured, [&](const plan::Framework& with) {
            now.framework = with;
            return step::predict(graph, *same->question.cluster, now).step.value;
        });
    }
    return moved;
}

void move_to_observed(std::vector<search::Software>& software, const std::vector<ObservedRun>& runs,
                      const step::RunKind& job) {
    const bool any = std::any_of(software.begin(), software.end(),
                                 [&](const search::Software& one) { return !runs_in(one.framework, runs).empty(); });
    for (search::Software& one : software) {
        const std::vector<ObservedRun> its = any ? runs_in(one.framework, runs) : runs;
        if (!its.empty()) {
            one.framework = validate::anchored(one.framework, its, job);
        }
    }
}

void rank_as_observed(const Workload& workload, const std::vector<search::Software>& before,
                      const std::vector<ObservedRun>& runs, search::Answer& answer) {
    const auto again = [&](step::Prediction& one) {
        const auto unmoved = std::find_if(before.begin(), before.end(), [&](const search::Software& software) {
            return software.framework.label() == one.plan.framework.label();
        });
        if (!one.plan.framework.observed || unmoved == before.end()) {
            return;
        }
        const std::vector<ObservedRun> its = runs_in(unmoved->framework, runs);
        plan::Plan plan = one.plan;
        plan.framework = anchored(unmoved->framework, its.empty() ? runs : its, workload.graph, plan);
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
}

}  // namespace dodona::cli
