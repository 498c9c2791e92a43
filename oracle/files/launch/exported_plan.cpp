#include "files/launch/exported_plan.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/precision.hpp"
#include "base/printable.hpp"
#include "base/ranges.hpp"
#include "files/hf/condition.hpp"
#include "files/launch/stage_layout.hpp"
#include "files/number.hpp"
#include "plan/strategy_traits.hpp"

namespace dodona::files {

namespace {

/// Axes by the word that they have in data files; those of one word multiply.
struct AxisWord {
    std::string_view axis;
    std::string_view word;
};
constexpr std::array kAxisWords{
    AxisWord{"tensor", "tensor"}, AxisWord{"context", "context"}, AxisWord{"data", "data"},
    AxisWord{"shard", "data"},    AxisWord{"replicate", "data"},  AxisWord{"pipeline", "pipeline"},
};

std::int64_t fold_size(const plan::Plan& plan, const std::string& name) {
    const auto found =
        std::find_if(plan.folds.begin(), plan.folds.end(), [&](const plan::Fold& fold) { return fold.name == name; });
    return found == plan.folds.end() || found->size == 0 ? 1 : found->size;
}

/// Orders in which launchers lay out ranks, innermost first; `data` never stands with `shard` and `replicate`.
constexpr std::array<std::string_view, 6> kOutermostPipeline{"tensor", "context",   "data",
                                                             "shard",  "replicate", "pipeline"};
constexpr std::array<std::string_view, 6> kOutermostData{"tensor", "context", "pipeline", "data", "shard", "replicate"};

/// Axes of more than one rank that launchers have, innermost first.
std::vector<std::string_view> order_of(const plan::Plan& plan) {
    std::vector<std::string_view> order;
    for (const plan::MeshAxis& axis : plan.mesh) {
        const bool is_known =
            std::any_of(kAxisWords.begin(), kAxisWords.end(), [&](const AxisWord& a) { return a.axis == axis.name; });
        if (axis.size > 1 && is_known) {
            order.push_back(axis.name);
        }
    }
    return order;
}

/// Whether the axes are in this order.
bool is_in_order(const std::vector<std::string_view>& axes, std::span<const std::string_view> order) {
    auto next = order.begin();
    for (const std::string_view axis : axes) {
        next = std::find(next, order.end(), axis);
        if (next == order.end()) {
            return false;
        }
        ++next;
    }
    return true;
}

/// The tasks as `--task` has them: "lora+grpo"; "pretraining" where there are none.
std::string task_text(const std::vector<graph::Task>& tasks) {
    return tasks.empty() ? "pretraining" : join(dodona::names_of(tasks), "+");
}

/// Tasks of post-training by the words of data files: `task` is the loss and `tuned` the kind of adapters.
void set_tasks(const graph::PostTraining& post_training, Scope& scope) {
    const graph::TaskSettings& settings = post_training.settings;
    std::string task = "none";
    std::string tuned = "none";
    for (const graph::Task one : post_training.tasks) {
        const bool adapts = one == graph::Task::lora || one == graph::Task::qlora;
        (adapts ? tuned : task) = name_of(one);
    }
    scope.set("task", {task, {}});
    scope.set("tuned", {tuned, {}});
    scope.set("rank", {settings.rank, {}});
    scope.set("storage", {std::string(name_of(settings.storage)), {}});
    scope.set("reference", {std::int64_t{settings.reference ? 1 : 0}, {}});
    scope.set("old_policy", {std::int64_t{settings.old_policy ? 1 : 0}, {}});
    scope.set("answers", {settings.answers, {}});
}

}  // namespace

Scope plan_parameters(const plan::Plan& plan, const ExportFacts& facts) {
    Scope scope;
    const auto number = [&](const std::string& word, std::int64_t value) { scope.set(word, {value, {}}); };
    const auto word = [&](const std::string& name, std::string value) { scope.set(name, {std::move(value), {}}); };
    const auto flag = [&](const std::string& name, bool value) { number(name, value ? 1 : 0); };
    for (const char* axis : {"tensor", "context", "data", "pipeline"}) {
        number(axis, 1);
    }
    std::string others;
    for (const plan::MeshAxis& axis : plan.mesh) {
        const auto known =
            std::find_if(kAxisWords.begin(), kAxisWords.end(), [&](const AxisWord& a) { return a.axis == axis.name; });
        if (known == kAxisWords.end()) {
            others += (others.empty() ? "" : ", ") + axis.name;
            continue;
        }
        const std::string name(known->word);
        number(name, std::get<std::int64_t>(scope.find(name)->value) * axis.size);
    }
    const std::vector<std::string_view> order = order_of(plan);
    flag("pipeline_inside", !is_in_order(order, kOutermostPipeline) && is_in_order(order, kOutermostData));
    const std::int64_t gpus = plan.devices();
    const std::int64_t data = std::get<std::int64_t>(scope.find("data")->value);
    const std::int64_t micro = std::max<std::int64_t>(1, plan.microbatch);
    flag("other_axes", !others.empty());
    word("axes", others.empty() ? "none" : printable_line(others));
    number("gpus", gpus);
    number("gpus_per_node", std::min(gpus, facts.gpus_per_node));
    number("nodes", (gpus + facts.gpus_per_node - 1) / facts.gpus_per_node);
    number("expert", fold_size(plan, "expert"));
    number("expert_tensor", fold_size(plan, "expert_tensor"));
    flag("sequence_parallel", plan::splits_sequence_between_products(plan.strategy, "tensor") &&
                                  std::get<std::int64_t>(scope.find("tensor")->value) > 1);
    word("context_kind", std::string(name_of(plan::context_exchange(plan.strategy, "context"))));
    const std::int64_t ways = data * std::get<std::int64_t>(scope.find("context")->value);
    const bool is_grouped = plan.shard != plan::ShardLevel::none && plan.shard_group > 0 && plan.shard_group < ways;
    const std::int64_t copies = is_grouped ? ways / plan.shard_group : plan.axis_size("replicate");
    number("replicate", copies);
    number("shard", std::max<std::int64_t>(1, data / copies));
    number("batch", plan.batch);
    number("prompts", plan.batch / std::max<std::int64_t>(1, facts.post_training.settings.answers));
    number("micro_batch", micro);
    number("pairs_of_micro_batch", std::max<std::int64_t>(1, micro / 2));
    number("accumulation", std::max<std::int64_t>(1, plan.batch / std::max<std::int64_t>(1, micro * data)));
    number("local_batch", plan.batch / data);
    word("micro_batch_of_gpu", shortest(static_cast<double>(micro * data) / static_cast<double>(gpus)));
    number("virtual_stages", plan.virtual_stages);
    word("schedule", std::string(plan::name(plan.schedule)));
    flag("uneven_stages",
         std::adjacent_find(plan.stages.begin(), plan.stages.end(), std::not_equal_to<>()) != plan.stages.end());
    flag("own_cut", plan.stages == plan.framework.dealt(facts.layers, plan.places().positions()));
    word("layout", layout_of_layers(plan.stages));
    word("recompute", plan.keeps_some_blocks() ? plan.repeated.first > 0 ? "first" : "one_in"
                                               : std::string(plan::name(plan.recompute)));
    const auto modules = [&plan](std::string_view between) {
        return plan.recompute_modules.empty() ? "none" : fmt::format("{}", fmt::join(plan.recompute_modules, between));
    };
    word("recompute_modules", modules(" "));
    word("recompute_module_list", modules(","));
    number("recompute_first", plan.repeated.first);
    number("recompute_one_in", plan.repeated.one_in);
    number("recompute_every", plan.recompute_every);
    number("zero", static_cast<std::int64_t>(plan.shard));
    flag("keep_parameters", plan.keep_parameters);
    number("gather_group", plan.gather_group);
    word("precision", std::string(name(plan.precision)));
    word("gradient_precision", std::string(name(plan.gradient_precision.value_or(Precision::fp32))));
    word("optimizer", std::string(plan::name(plan.optimizer)));
    using plan::OptimizerKind;
    constexpr std::array kWritten{OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::sgd,
                                  OptimizerKind::momentum};
    flag("other_optimizer", std::find(kWritten.begin(), kWritten.end(), plan.optimizer) == kWritten.end());
    for (const plan::FlagName<plan::Overlap>& overlap : plan::kOverlapNames) {
        flag("overlap_" + std::string(overlap.word), plan.overlap.*overlap.member);
    }
    // What there is nothing of overlaps nothing.
    flag("overlap_parameters", plan.overlap.parameters && plan.shard != plan::ShardLevel::none);
    flag("overlap_pipeline", plan.overlap.pipeline && plan.virtual_stages > 1);
    flag("overlap_offload", plan.overlap.offload && plan.offload.any());
    for (const plan::FlagName<plan::Offload>& offload : plan::kOffloadNames) {
        flag("offload_" + std::string(offload.word), plan.offload.*offload.member);
    }
    scope.set("offload_share", {plan.offload.optimizer_share, {}});
    flag("offload_part", plan.offload.optimizer && plan.offload.optimizer_share < 1);
    for (std::string name : facts.mechanisms) {
        const std::vector<std::string>& has = plan.framework.mechanisms;
        const bool is_there = std::find(has.begin(), has.end(), name) != has.end();
        std::replace(name.begin(), name.end(), '-', '_');
        flag("with_" + name, is_there);
    }
    set_tasks(facts.post_training, scope);
    number("sequence", facts.sequence);
    number("half_sequence", facts.sequence / 2);
    number("rest_of_sequence", facts.sequence - facts.sequence / 2);
    number("layers", facts.layers);
    word("model", printable_line(facts.model));
    word("software", plan.framework.name);
    word("machine", printable_line(facts.machine));
    word("maker", facts.maker ? std::string(name_of(*facts.maker)) : "");
    return scope;
}

bool writes(const Target& target, const std::vector<graph::Task>& tasks) {
    return tasks.empty() ? target.tasks.empty() : contains(target.tasks, task_text(tasks));
}

Diagnostics refusals(const plan::Plan& plan, const ExportFacts& facts, const Target& target) {
    const Scope scope = plan_parameters(plan, facts);
    Diagnostics faults;
    const std::vector<std::string_view> order = order_of(plan);
    if (!target.options.empty() && !is_in_order(order, kOutermostPipeline) && !is_in_order(order, kOutermostData)) {
        faults.error(
            {},
            fmt::format("{} cannot express this plan: its neighbouring ranks are those of tensor, context, data "
                        "and pipeline, in this order, and here of {}",
                        target.keys.name, fmt::join(order, ", ")),
            "nearest: --mesh with the axes in that order");
    }
    const std::vector<graph::Task>& tasks = facts.post_training.tasks;
    const bool starts_any = target.options.empty() && target.framework.empty();  // a job, with the settings of another
    if (!writes(target, tasks) && !starts_any) {
        faults.error({},
                     fmt::format("{} cannot express this plan: what is written for it is {}, not {}", target.keys.name,
                                 target.tasks.empty() ? "pretraining" : join_some(target.tasks), task_text(tasks)),
                     facts.of_task.empty() ? "leave --export out"
                                           : "nearest: --export " + join(facts.of_task, ", or --export "));
    }
    if (plan.stages.size() > 2 && std::count(plan.stages.begin() + 1, plan.stages.end() - 1, 0) > 0 &&
        !target.options.empty()) {
        faults.error({},
                     fmt::format("{} cannot express this plan: stages between the first and the last hold blocks",
                                 target.keys.name),
                     "nearest: fewer stages, or fewer --virtual-stages");
    }
    if (facts.unequal_devices && !target.options.empty()) {
        faults.error({},
                     fmt::format("{} cannot express this plan: all data ranks take equally many micro-batches there",
                                 target.keys.name),
                     "nearest: --gpus of one kind of device");
    }
    if (plan.offload.pages && !target.options.empty()) {
        faults.error({},
                     fmt::format("{} cannot express this plan: programs ask for pages of unified memory in code",
                                 target.keys.name),
                     "nearest: no --offload pages");
    }
    const Precision gradients = plan.gradient_precision.value_or(Precision::fp32);
    constexpr std::array kSummed{Precision::fp32, Precision::bf16, Precision::fp16};
    if (std::find(kSummed.begin(), kSummed.end(), gradients) == kSummed.end() && !target.options.empty()) {
        faults.error(
            {},
            fmt::format("{} cannot express this plan: it sums no gradients in {}", target.keys.name, name(gradients)),
            "nearest: --gradient-precision bf16");
    }
    for (const Refusal& refusal : target.refusals) {
        if (refusal.when != nullptr && holds(*refusal.when, scope)) {
            faults.error({},
                         fmt::format("{} cannot express this plan: {}", target.keys.name, filled(refusal.lost, scope)),
                         refusal.nearest.empty() ? "" : "nearest: " + filled(refusal.nearest, scope));
        }
    }
    return faults;
}

std::string exported(const plan::Plan& plan, const ExportFacts& facts, const Target& target) {
    refusals(plan, facts, target).throw_if_errors();
    const Scope scope = plan_parameters(plan, facts);
    std::string text;
    const auto comments = [&] {
        for (const std::string& comment : facts.comments) {
            text += target.comment + " " + printable_line(comment) + "\n";
        }
    };
    bool is_first = true;
    for (const ConditionalText& line : target.lines) {
        if (line.when != nullptr && !holds(*line.when, scope)) {
            continue;
        }
        const std::string written = filled(line.text, scope) + "\n";
        const bool is_interpreter = is_first && written.starts_with("#!");
        if (is_first && !is_interpreter && !target.comment.empty()) {
            comments();
        }
        text += written;
        if (is_interpreter) {
            comments();
        }
        is_first = false;
    }
    return text;
}

}  // namespace dodona::files
