#include "reports/collect/plan_summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.hpp"
#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "plan/recompute.hpp"
#include "reports/document/number_format.hpp"
#include "step/anchor.hpp"

namespace dodona::reports {

namespace {

struct AxisAbbreviation {
    std::string_view axis, abbreviation;
};
/// Of axes that communicate inside layers; others go by their name.
constexpr std::array kAbbreviations{AxisAbbreviation{"tensor", "TP"}, AxisAbbreviation{"context", "CP"},
                                    AxisAbbreviation{"expert", "EP"}};
/// Axes over which layers communicate nothing but gradients and sharded states.
constexpr std::array<std::string_view, 3> kDataAxes{"data", "shard", "replicate"};

/// "TP/EP communication", "filter communication"; "communication in layers" where no axis is known to be the reason.
std::string layer_label(const plan::Plan& plan) {
    std::vector<std::string> axes;
    const auto add = [&](const std::string& axis) {
        const bool is_data = std::find(kDataAxes.begin(), kDataAxes.end(), axis) != kDataAxes.end();
        if (is_data || plan.axis_size(axis) <= 1 || axis == plan.strategy.pipeline) {
            return;
        }
        const auto* known = found_in(kAbbreviations, &AxisAbbreviation::axis, axis);
        axes.emplace_back(known == nullptr ? axis : known->abbreviation);
    };
    for (const plan::MeshAxis& axis : plan.mesh) {
        add(axis.name);
    }
    for (const plan::Fold& fold : plan.folds) {
        add(fold.name);
    }
    return axes.empty() ? "communication in layers" : fmt::format("{} communication", fmt::join(axes, "/"));
}

}  // namespace

std::string label(step::TimePart part, const plan::Plan& plan) {
    using step::TimePart;
    switch (part) {
        case TimePart::forward: return "forward";
        case TimePart::backward: return "backward";
        case TimePart::recompute: return "recompute";
        case TimePart::optimizer: return "optimizer step";
        case TimePart::layer: return layer_label(plan);
        case TimePart::halo: return "halo exchange";
        case TimePart::pipeline: return "pipeline send/recv";
        case TimePart::gradients: return "gradient reduction";
        case TimePart::parameters: return "parameter all-gather";
        case TimePart::offload: return "host copies";
        case TimePart::bubble: return "pipeline bubble";
        case TimePart::input: return "data loading";
        case TimePart::host: return "host-bound";
        case TimePart::overhead: return "framework overhead";
    }
    throw InternalError("a time part without a label");
}

std::string_view label(step::MemoryPart part) {
    using step::MemoryPart;
    switch (part) {
        case MemoryPart::weights: return "weights";
        case MemoryPart::gradients: return "gradients";
        case MemoryPart::optimizer: return "optimizer states";
        case MemoryPart::activations: return "activations";
        case MemoryPart::recompute: return "recomputed activations";
        case MemoryPart::embedding_and_head: return "embedding and head";
        case MemoryPart::workspace: return "workspace";
        case MemoryPart::buffers: return "communication buffers";
        case MemoryPart::cache: return "allocator cache";
        case MemoryPart::communicators: return "communicators";
        case MemoryPart::context: return "runtime context";
    }
    throw InternalError("a memory part without a label");
}

bool has_pipeline(const plan::Plan& plan) {
    return plan.strategy.pipeline && plan.axis_size(*plan.strategy.pipeline) > 1;
}

std::string with_framework(const plan::Plan& plan) {
    return plan.framework.name.empty() ? "" : ", with " + plan.framework.label();
}

std::string mesh_text(const plan::Plan& plan) {
    auto axes = mapped_where<std::string>(
        plan.mesh, [](const plan::MeshAxis& axis) { return axis.size > 1; },
        [](const plan::MeshAxis& axis) { return fmt::format("{} {}", axis.name, axis.size); });
    for (const plan::Fold& fold : plan.folds) {
        std::vector<std::string> of;
        std::copy_if(fold.of.begin(), fold.of.end(), std::back_inserter(of),
                     [&](const std::string& axis) { return plan.axis_size(axis) > 1; });
        if (!of.empty()) {
            axes.push_back(fmt::format("{} {} over {}", fold.name, fold.size, join(of, " and ")));
        }
    }
    return axes.empty() ? "one device" : join(axes);
}

namespace {

/// "3, 4 x 6, 2".
std::string run_lengths(const std::vector<std::int64_t>& values) {
    std::vector<std::string> texts;
    for (auto first = values.begin(); first != values.end();) {
        const auto end = std::find_if(first, values.end(), [&](std::int64_t value) { return value != *first; });
        texts.push_back(end - first > 1 ? fmt::format("{} x {}", *first, end - first) : fmt::format("{}", *first));
        first = end;
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string schedule_text(const plan::Plan& plan) {
    return std::string(plan::name(plan.schedule)) +
           (plan.virtual_stages > 1 ? fmt::format(", {} virtual stages", plan.virtual_stages) : "") +
           (plan.stages.empty() ? "" : fmt::format(" (blocks {})", run_lengths(plan.stages)));
}

namespace {

/// "96", or "3 to 7" where replica groups get different numbers.
std::string accumulation_text(const step::Prediction& prediction) {
    std::int64_t least = prediction.microbatches;
    std::int64_t most = prediction.microbatches;
    for (const step::ReplicaPrediction& replica : prediction.replicas) {
        least = std::min(least, replica.microbatches);
        most = std::max(most, replica.microbatches);
    }
    return least == most ? std::to_string(most) : fmt::format("{} to {}", least, most);
}

}  // namespace

std::string strategy_and_mesh(const plan::Plan& plan) {
    return fmt::format("{}: {}", plan.strategy.name, mesh_text(plan));
}

std::string microbatch_text(const step::Prediction& prediction) {
    const plan::Plan& plan = prediction.plan;
    return fmt::format("{} x {}", plan.microbatch, accumulation_text(prediction)) +
           (has_pipeline(plan) ? ", " + schedule_text(plan) : "");
}

std::string zero_text(plan::ShardLevel level) {
    switch (level) {
        case plan::ShardLevel::none: return "none";
        case plan::ShardLevel::states: return "ZeRO-1";
        case plan::ShardLevel::gradients: return "ZeRO-2";
        case plan::ShardLevel::parameters: return "ZeRO-3";
    }
    throw InternalError("a level of sharding without a name");
}

namespace {

bool repeats_modules(const plan::Plan& plan) {
    return plan.recompute == plan::RecomputeKind::layers && !plan.recompute_modules.empty();
}

}  // namespace

std::string recompute_and_zero(const plan::Plan& plan) {
    return fmt::format("{}, {}", repeats_modules(plan) ? "modules" : recompute_name(plan), zero_text(plan.shard));
}

std::string recompute_name(const plan::Plan& plan) {
    if (plan.recompute == plan::RecomputeKind::every) {
        return fmt::format("every-{}", plan.recompute_every);
    }
    if (repeats_modules(plan)) {
        return fmt::format("modules={}", fmt::join(plan.recompute_modules, ","));
    }
    if (plan.recompute == plan::RecomputeKind::layers) {
        const auto layers =
            mapped<std::string>(plan.recompute_layers, [](const plan::Match& match) { return plan::text(match); });
        return fmt::format("layers={}", fmt::join(layers, ","));
    }
    if (plan.keeps_some_blocks()) {
        return plan.repeated.first > 0 ? fmt::format("first-{}", plan.repeated.first)
                                       : fmt::format("one-in-{}", plan.repeated.one_in);
    }
    return std::string(plan::name(plan.recompute));
}

std::string memory_savings(const plan::Plan& plan) {
    std::string all =
        plan.recompute == plan::RecomputeKind::none ? "no recompute" : recompute_name(plan) + " recompute";
    if (plan.shard != plan::ShardLevel::none) {
        all += ", " + zero_text(plan.shard);
        all += plan.shard_group > 0 ? fmt::format(" over {} ranks", plan.shard_group) : "";
        all += plan.gather_group > 0 ? fmt::format(", backward gathers from {} ranks", plan.gather_group) : "";
    }
    const std::string share = plan.offload.optimizer && plan.offload.optimizer_share < 1
                                  ? percent(plan.offload.optimizer_share) + " of "
                                  : "";
    all += plan.offload.any() ? fmt::format(", {}{} offloaded", share, join(plan::words(plan.offload), " and ")) : "";
    return all;
}

std::string batch_text(const step::Prediction& prediction) {
    const plan::Plan& plan = prediction.plan;
    return fmt::format("batch {} = {}micro-batch {} x {}", whole(plan.batch),
                       prediction.data_ranks > 1 ? fmt::format("{} data ranks x ", prediction.data_ranks) : "",
                       plan.microbatch, accumulation_text(prediction));
}

std::string savings_and_numbers(const plan::Plan& plan) {
    const std::string gradients =
        plan.gradient_precision ? fmt::format(" with gradients in {}", name(*plan.gradient_precision)) : "";
    return fmt::format("{}; {}{}, {}", memory_savings(plan), name(plan.precision), gradients,
                       plan::name(plan.optimizer));
}

std::string plan_text(const step::Prediction& prediction) {
    const plan::Plan& plan = prediction.plan;
    return fmt::format("strategy {} on {}; {}{}; {}", plan.strategy.name, mesh_text(plan), batch_text(prediction),
                       has_pipeline(plan) ? ", " + schedule_text(plan) : "", savings_and_numbers(plan));
}

std::string interval_sources(const step::Prediction& prediction) {
    constexpr std::size_t kMax = 4;
    std::vector<std::pair<double, std::string>> parts;
    const step::Uncertainty& uncertainty = prediction.uncertainty;
    const auto add = [&parts](double sigma, std::string_view what) {
        if (std::abs(sigma) >= 0.0005) {
            parts.emplace_back(std::abs(sigma), what);
        }
    };
    for (std::size_t k = 0; k < uncertainty.sources.size(); ++k) {
        add(uncertainty.sources[k].share * uncertainty.sources[k].sigma(), cost::kErrorSources[k].word);
    }
    add(uncertainty.spread, "unexplained by the framework's parameters");
    add(uncertainty.between_sources, "how software of one kind differs between teams");
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    parts.resize(std::min(parts.size(), kMax));
    std::vector<std::string> shares;
    for (const auto& [sigma, what] : parts) {
        shares.push_back(fmt::format("{} {}", what, percent(sigma)));
    }
    return shares.empty() ? "" : "standard deviations of the step time behind the interval: " + join(shares);
}

std::optional<ObservedChange> observed_change(const step::Prediction& prediction) {
    const plan::Framework& framework = prediction.plan.framework;
    if (!framework.observed) {
        return std::nullopt;
    }
    const plan::Framework::Observed& observed = *framework.observed;
    ObservedChange change{.runs = observed.runs,
                          .missed_before = std::expm1(observed.missed_before),
                          .missed_after = std::expm1(observed.missed_after)};
    const auto counts = [&](plan::FrameworkParameter parameter) {
        bool has_share = false;
        for (std::size_t k = 0; k < cost::kErrorSources.size(); ++k) {
            has_share |= cost::kErrorSources[k].parameter == parameter && prediction.uncertainty.sources[k].share != 0;
        }
        return has_share;
    };
    for (const plan::FrameworkParameterKind& kind : plan::kFrameworkParameters) {
        const double before = observed.from[static_cast<std::size_t>(kind.parameter)];
        const double after = framework[kind.parameter];
        if (after != before) {
            const bool matters = counts(kind.parameter) && std::abs(after - before) > 0.0005 * std::abs(before);
            change.moved.push_back({&kind, before, after, matters});
        }
    }
    change.without = step::interval(prediction.uncertainty, prediction.step.value, plan::Framework{});
    return change;
}

/// Time of a measured step without an explanation, and candidates for one.
std::string unexplained_text(const step::Prediction& prediction, Seconds left) {
    const std::string measured = text(prediction.step.value);
    if (left < Seconds{}) {
        return fmt::format(
            "the measured {} are {} less than parameters can explain: all parts are shown shorter by one factor; "
            "another plan, network or device than was said would explain it",
            measured, text((-1.0) * left));
    }
    const Seconds passes = prediction.time[step::TimePart::forward] + prediction.time[step::TimePart::backward];
    return fmt::format(
        "of the measured {} no parameter explains {}, which are a fixed time here (framework overhead): loading of "
        "data, logging or another job would, or forward and backward passes {} times as long",
        measured, text(left), three_digits(passes > Seconds{} ? (passes + left) / passes : 1.0));
}

std::vector<std::string> observed_text(const step::Prediction& prediction) {
    const std::optional<ObservedChange> change = observed_change(prediction);
    if (!change) {
        return {};
    }
    const auto longer = [](double ratio) {
        return fmt::format("{} {}", percent(std::abs(ratio)), ratio < 0 ? "shorter" : "longer");
    };
    const std::string framework = prediction.plan.framework.label();
    std::vector<std::string> lines{
        fmt::format("{} took {} than predicted with {}, and {} than predicted with its parameters adjusted",
                    counted(change->runs, "observed run"), longer(change->missed_before),
                    framework.empty() ? "bare kernels and links" : framework, longer(change->missed_after))};
    auto moves = mapped_where<std::string>(change->moved, &MovedParameter::matters, [](const MovedParameter& one) {
        return fmt::format("{} {} to {}", one.kind->word, parameter_text(*one.kind, one.before),
                           parameter_text(*one.kind, one.after));
    });
    lines.push_back(moves.empty() ? "no parameter that this step depends on was adjusted" : "adjusted: " + join(moves));
    const plan::Framework::Observed& observed = *prediction.plan.framework.observed;
    if (observed.repeat > 0 && std::abs(observed.unexplained / prediction.step.value) > step::kUnexplained) {
        lines.push_back(unexplained_text(prediction, observed.unexplained));
    }
    if (observed.learnt.empty()) {
        lines.push_back(
            fmt::format("that is further off than errors explain: something else takes time, or this is not what ran "
                        "(check the plan, the software and the machine){}",
                        observed.repeat > 0 ? "" : "; the interval is as wide as without the observation"));
    }
    lines.push_back(fmt::format("without the observation the interval would be {}", interval(change->without)));
    return lines;
}

std::string whole_plan(const step::Prediction& prediction) {
    return fmt::format("{}, {}, {}", strategy_and_mesh(prediction.plan), microbatch_text(prediction),
                       memory_savings(prediction.plan));
}

std::string parameter_text(const plan::FrameworkParameterKind& kind, double value) {
    return kind.is_time ? text(Seconds::of_base(value)) : fmt::format("{:.3g}", value);
}

}  // namespace dodona::reports
