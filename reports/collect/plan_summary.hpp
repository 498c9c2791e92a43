// A plan and its prediction in short phrases, the same in every report, and what their words need of numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "step/prediction.hpp"

namespace dodona::reports {

/// Part names as people say them: "gradient reduction" for TimePart::gradients; "TP/EP communication" for
/// TimePart::layer of a plan with tensor and expert axes.
std::string label(step::TimePart part, const plan::Plan& plan);
std::string_view label(step::MemoryPart part);

bool has_pipeline(const plan::Plan& plan);

/// "tensor 8, data 16, pipeline 8", innermost first, axes of one left out.
std::string mesh_text(const plan::Plan& plan);
/// "megatron: tensor 8, data 16, pipeline 8".
std::string strategy_and_mesh(const plan::Plan& plan);
/// ", with megatron-2024+graphs"; empty without a framework.
std::string with_framework(const plan::Plan& plan);
/// "interleaved-1f1b, 3 virtual stages".
std::string schedule_text(const plan::Plan& plan);
/// "1 x 96, interleaved-1f1b, 3 virtual stages": micro-batch x accumulation steps, schedule.
std::string microbatch_text(const step::Prediction& prediction);
/// "none", "ZeRO-1", "ZeRO-3".
std::string zero_text(plan::ShardLevel level);
/// "selective, ZeRO-1": recomputation and sharding in a table.
std::string recompute_and_zero(const plan::Plan& plan);
/// "full recompute, ZeRO-1, optimizer offloaded".
std::string memory_savings(const plan::Plan& plan);
/// All three: "zero3: data 8, 1 x 64, none, ZeRO-3".
std::string whole_plan(const step::Prediction& prediction);
/// "every-2" and the like: the value of `--recompute`.
std::string recompute_name(const plan::Plan& plan);
/// "batch 2,048 = 32 data ranks x micro-batch 1 x 64".
std::string batch_text(const step::Prediction& prediction);
/// "no recompute, ZeRO-1; bf16, adam".
std::string savings_and_numbers(const plan::Plan& plan);
/// The whole plan in one line, without the model.
std::string plan_text(const step::Prediction& prediction);
/// "standard deviations of the step time behind the interval: matmul 4.1 %, ..."; empty where nothing is uncertain.
std::string interval_sources(const step::Prediction& prediction);

/// A parameter of the framework that observed steps moved.
struct MovedParameter {
    const plan::FrameworkParameterKind* kind = nullptr;
    double before = 0;
    double after = 0;
    bool matters = true;  ///< the step depends on it, and it moved by more than a rounding error
};

/// What observed steps changed. Errors are measured / predicted - 1.
struct ObservedChange {
    std::int64_t runs = 0;
    double missed_before = 0;
    double missed_after = 0;
    std::vector<MovedParameter> moved;
    Estimate without;  ///< the step time and its interval without the observation
};

/// None where nothing was observed.
std::optional<ObservedChange> observed_change(const step::Prediction& prediction);
/// The same in sentences.
std::vector<std::string> observed_text(const step::Prediction& prediction);

/// "1.15", "38.0 us".
std::string parameter_text(const plan::FrameworkParameterKind& kind, double value);

}  // namespace dodona::reports
