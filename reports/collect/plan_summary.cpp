#include "reports/words.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.hpp"
#include "plan/recompute.hpp"
#include "reports/figures.hpp"

namespace dodona::reports {

std::string_view label(step::TimePart part) {
    using step::TimePart;
    switch (part) {
        case TimePart::forward: return "forward";
        case TimePart::backward: return "backward";
        case TimePart::recompute: return "recompute";
        case TimePart::optimizer: return "weight update";
        case TimePart::layer: return "layer collectives";
        case TimePart::halo: return "halo exchange";
        case TimePart::pipeline: return "stage transfers";
        case TimePart::gradients: return "gradient reduction";
        case TimePart::parameters: return "parameter gathers";
        case TimePart::offload: return "host copies";
        case TimePart::bubble: return "pipeline bubble";
        case TimePart::input: return "reading samples";
        case TimePart::host: return "waiting for the host";
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
        case MemoryPart::recompute: return "recomputed block";
        case MemoryPart::embedding_and_head: return "embedding and head";
        case MemoryPart::workspace: return "workspace";
        case MemoryPart::buffers: return "communication buffers";
        case MemoryPart::cache: return "allocator's cache";
        case MemoryPart::communicators: return "communicators";
        case MemoryPart::context: return "runtime context";
    }
    throw InternalError("a memory part without a label");
}

bool has_pipeline(const plan::Plan& plan) {
    return plan.strategy.pipeline && plan.axis_size(*plan.strategy.pipeline) > 1;
}

std::string mesh_words(const plan::Plan& plan) {
    std::vector<std::string> axes;
    for (const plan::MeshAxis& axis : plan.mesh) {
        if (axis.size > 1) {
            axes.push_back(fmt::format("{} {}", axis.name, axis.size));
        }
    }
    for (const plan::Fold& fold : plan.folds) {
        std::vector<std::string> of;
        std::copy_if(fold.of.begin(), fold.of.end(), std::back_inserter(of),
                     [&](const std::string& axis) { return plan.axis_size(axis) > 1; });
        axes.push_back(fmt::format("{} {} over {}", fold.name, fold.size, join(of, " and ")));
    }
    return axes.empty() ? "one device" : join(axes);
}

namespace {

/// "3, 4 x 6, 2".
std::string runs(const std::vector<std::int64_t>& values) {
    std::vector<std::string> texts;
    for (auto first = values.begin(); first != values.end();) {
        const auto end = std::find_if(first, values.end(), [&](std::int64_t value) { return value != *first; });
        texts.push_back(end - first > 1 ? fmt::format("{} x {}", *first, end - first) : fmt::format("{}", *first));
        first = end;
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string schedule_words(const plan::Plan& plan) {
    return std::string(plan::name(plan.schedule)) + (plan.chunks > 1 ? fmt::format(" ({} chunks)", plan.chunks) : "") +
           (plan.stages.empty() ? "" : fmt::format(" (blocks {})", runs(plan.stages)));
}

std::string microbatches_text(const step::Prediction& prediction) {
    std::int64_t least = prediction.microbatches;
    std::int64_t most = prediction.microbatches;
    for (const step::ReplicaPrediction& replica : prediction.replicas) {
        least = std::min(least, replica.microbatches);
        most = std::max(most, replica.microbatches);
    }
    return least == most ? std::to_string(most) : fmt::format("{} to {}", least, most);
}

std::string microbatch_words(const step::Prediction& prediction) {
    const plan::Plan& plan = prediction.plan;
    return fmt::format("{} x {}", plan.microbatch, microbatches_text(prediction)) +
           (has_pipeline(plan) ? ", " + schedule_words(plan) : "");
}

std::string recompute_word(const plan::Plan& plan) {
    if (plan.recompute == plan::RecomputeKind::every) {
        return fmt::format("every-{}", plan.recompute_every);
    }
    if (plan.recompute == plan::RecomputeKind::layers) {
        std::vector<std::string> layers;
        for (const plan::Match& match : plan.recompute_layers) {
            layers.push_back(plan::text(match));
        }
        return fmt::format("layers={}", fmt::join(layers, ","));
    }
    return std::string(plan::name(plan.recompute));
}

std::string totals_words(const step::MemoryTotals& memory) {
    return fmt::format("tensors {}, reserved by the allocator {}, process {}", text(memory.allocated),
                       text(memory.reserved), text(memory.process));
}

std::string saving_words(const plan::Plan& plan) {
    std::string words =
        plan.recompute == plan::RecomputeKind::none ? "no recompute" : recompute_word(plan) + " recompute";
    if (plan.shard != plan::ShardLevel::none) {
        words += fmt::format(", {} sharded", plan::name(plan.shard));
        words += plan.shard_group > 0 ? fmt::format(" by {}", plan.shard_group) : "";
    }
    words += plan.offload.any() ? fmt::format(", {} offloaded", join(plan::words(plan.offload), " and ")) : "";
    return words;
}

std::string plan_words(const step::Prediction& prediction) {
    const plan::Plan& plan = prediction.plan;
    std::string batch = fmt::format("batch {} = ", plan.batch);
    batch += prediction.data_ranks > 1 ? fmt::format("{} data ranks x ", prediction.data_ranks) : "";
    const bool uneven = microbatches_text(prediction).find(' ') != std::string::npos;
    batch +=
        uneven ? microbatches_text(prediction) + " micro-batches" : counted(prediction.microbatches, "micro-batch");
    batch += fmt::format(" of {}", plan.microbatch);
    return fmt::format("strategy {} on {}; {}{}; {}; {}, {}", plan.strategy.name, mesh_words(plan), batch,
                       has_pipeline(plan) ? ", " + schedule_words(plan) : "", saving_words(plan), name(plan.precision),
                       plan::name(plan.optimizer));
}

std::string speed_words(const step::Prediction& prediction) {
    std::string words = text(prediction.step.value) + " a step";
    if (prediction.step.lo < prediction.step.hi) {
        words += fmt::format(" ({:.0f} % interval {})", 100 * kIntervalLevel, interval(prediction.step));
    }
    words += fmt::format(", {} samples/s", figure(prediction.samples_per_second));
    if (prediction.tokens_per_second) {
        words += fmt::format(", {} tokens/s", figure(*prediction.tokens_per_second));
    }
    words += fmt::format(", MFU {}", percent(prediction.mfu));
    return words;
}

std::string interval_words(const step::Prediction& prediction) {
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
    add(uncertainty.spread, "what the framework leaves unexplained");
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    parts.resize(std::min<std::size_t>(parts.size(), 4));
    std::vector<std::string> words;
    for (const auto& [sigma, what] : parts) {
        words.push_back(fmt::format("{} {}", what, percent(sigma)));
    }
    return words.empty() ? "" : "the interval, as standard deviations of the step: " + join(words);
}

std::vector<std::string> observed_words(const step::Prediction& prediction) {
    const plan::Framework& framework = prediction.plan.framework;
    if (!framework.observed) {
        return {};
    }
    const plan::Framework::Observed& observed = *framework.observed;
    const auto longer = [](double missed) {
        const double ratio = std::expm1(missed);
        return fmt::format("{} {}", percent(std::abs(ratio)), ratio < 0 ? "shorter" : "longer");
    };
    std::vector<std::string> lines{fmt::format("{} took {} than {} said, and {} than it says with its parameters moved",
                                               counted(observed.runs, "observed run"), longer(observed.missed_before),
                                               framework.name.empty() ? "bare kernels and links" : framework.name,
                                               longer(observed.missed_after))};
    const auto counts = [&](plan::FrameworkParameter parameter) {
        bool has_share = false;
        for (std::size_t k = 0; k < cost::kErrorSources.size(); ++k) {
            has_share |= cost::kErrorSources[k].parameter == parameter && prediction.uncertainty.sources[k].share != 0;
        }
        return has_share;
    };
    std::vector<std::string> moves;
    for (const plan::FrameworkParameterKind& kind : plan::kFrameworkParameters) {
        const double before = observed.from[static_cast<std::size_t>(kind.parameter)];
        const double after = framework[kind.parameter];
        if (counts(kind.parameter) && std::abs(after - before) > 0.0005 * std::abs(before)) {
            moves.push_back(
                fmt::format("{} {} to {}", kind.word, parameter_text(kind, before), parameter_text(kind, after)));
        }
    }
    lines.push_back(moves.empty() ? "nothing that this step rests on moved" : "moved: " + join(moves));
    const Estimate before = step::interval(prediction.uncertainty, prediction.step.value, plan::Framework{});
    lines.push_back(fmt::format("the interval would be {} without", interval(before)));
    return lines;
}

std::string parameter_text(const plan::FrameworkParameterKind& kind, double value) {
    return kind.is_time ? text(Seconds::of_base(value)) : fmt::format("{:.3g}", value);
}

std::string host_words(const step::HostUse& host) {
    return fmt::format("{} of {} host memory on a node; {} to a device and {} from it in a step", text(host.memory),
                       text(host.limit), text(host.in), text(host.out));
}

std::string memory_words(const step::Prediction& prediction) {
    std::string words =
        fmt::format("{} of {} device memory", text(prediction.memory.total()), text(prediction.memory_limit));
    if (prediction.stages.size() > 1 && prediction.fullest_stage < prediction.stages.size()) {
        words += fmt::format(" on the fullest of {} stages ({})", prediction.stages.size(),
                             prediction.stages[prediction.fullest_stage].layers);
    }
    return words;
}

}  // namespace dodona::reports
