// Plans as the files of every launcher, or why it cannot express them: launch/exports.txt.
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../cases.hpp"
#include "files/launch/exported_plan.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace export_test {

struct Exported {
    std::string name;
    plan::Plan plan;
    ExportFacts facts;
};

ExportFacts facts_of(const std::string& model, const std::string& machine, std::int64_t sequence, std::int64_t layers) {
    return {.model = model,
            .machine = machine,
            .gpus_per_node = 8,
            .sequence = sequence,
            .layers = layers,
            .comments = {"Predicted: a step and its memory."},
            .mechanisms = {"liger"}};
}

/// Tensor, data and pipeline ranks with interleaved stages, as Megatron-LM runs GPT-3.
Exported pipelined(const Library& library) {
    Exported one{.name = "pipelined", .plan = {}, .facts = facts_of("gpt3-175b", "selene", 2048, 96)};
    one.plan.strategy = library.strategy("megatron-sequence");
    one.plan.mesh = {{"tensor", 8}, {"data", 8}, {"pipeline", 8}};
    one.plan.batch = 1536;
    one.plan.microbatch = 1;
    one.plan.virtual_stages = 3;
    one.plan.schedule = plan::ScheduleKind::interleaved;
    one.plan.overlap.pipeline = true;
    one.plan.recompute = plan::RecomputeKind::selective;
    one.plan.shard = plan::ShardLevel::states;
    one.plan.overlap.gradients = true;
    one.plan.overlap.parameters = true;
    return one;
}

/// Every rank a data rank, parameters sharded over all of them.
Exported sharded(const Library& library) {
    Exported one{.name = "sharded", .plan = {}, .facts = facts_of("llama-3.1-70b", "dgx-h100", 8192, 80)};
    one.plan.strategy = library.strategy("data");
    one.plan.mesh = {{"data", 64}};
    one.plan.batch = 128;
    one.plan.microbatch = 1;
    one.plan.recompute = plan::RecomputeKind::full;
    one.plan.shard = plan::ShardLevel::parameters;
    one.plan.overlap.gradients = true;
    one.plan.overlap.parameters = true;
    return one;
}

/// Likewise sharded, over the ranks of a node; nothing runs again.
Exported sharded_in_nodes(const Library& library) {
    Exported one = sharded(library);
    one.name = "sharded-in-nodes";
    one.facts = facts_of("llama-3.1-8b", "dgx-h100", 8192, 32);
    one.plan.recompute = plan::RecomputeKind::none;
    one.plan.shard_group = 8;
    return one;
}

/// Experts over data ranks, split no further.
Exported experts(const Library& library) {
    Exported one{.name = "experts", .plan = {}, .facts = facts_of("mixtral-8x7b", "dgx-h100", 4096, 32)};
    one.plan.strategy = library.strategy("megatron-moe");
    one.plan.mesh = {{"tensor", 2}, {"context", 1}, {"data", 16}, {"pipeline", 2}, {"expert_tensor", 1}, {"expert", 8}};
    one.plan.fold_axes();
    one.plan.batch = 256;
    one.plan.microbatch = 1;
    one.plan.shard = plan::ShardLevel::states;
    one.plan.overlap.gradients = true;
    one.plan.overlap.parameters = true;
    return one;
}

/// Likewise experts, gradients sharded as well.
Exported experts_sharded(const Library& library) {
    Exported one = experts(library);
    one.name = "experts-sharded";
    one.plan.shard = plan::ShardLevel::gradients;
    return one;
}

/// Whole parameters on every data rank, in a pipeline with one stage on a rank.
Exported replicated(const Library& library) {
    Exported one{.name = "replicated", .plan = {}, .facts = facts_of("llama-3.1-8b", "dgx-h100", 8192, 32)};
    one.plan.strategy = library.strategy("megatron-sequence");
    one.plan.mesh = {{"tensor", 4}, {"data", 8}, {"pipeline", 2}};
    one.plan.batch = 128;
    one.plan.microbatch = 2;
    one.plan.shard = plan::ShardLevel::states;
    one.plan.overlap.gradients = true;
    return one;
}

/// Groups of answers, parameters sharded over all ranks.
Exported answers(const Library& library) {
    Exported one = sharded(library);
    one.name = "answers";
    one.facts = facts_of("qwen3-8b+grpo", "dgx-h100", 4096, 36);
    one.facts.post_training.tasks = {graph::Task::grpo};
    one.plan.framework.name = "transformers";
    return one;
}

/// Likewise, in a pipeline.
Exported answers_in_a_pipeline(const Library& library) {
    Exported one = replicated(library);
    one.name = "answers-in-a-pipeline";
    one.facts = answers(library).facts;
    return one;
}

/// Pairs of answers, with adapters of weights of 4 bits.
Exported pairs(const Library& library) {
    Exported one = answers(library);
    one.name = "pairs";
    one.facts = facts_of("qwen3-8b+qlora+dpo", "dgx-h100", 4096, 36);
    one.facts.post_training.tasks = {graph::Task::qlora, graph::Task::dpo};
    one.plan.microbatch = 2;
    return one;
}

std::vector<Exported> plans(const Library& library) {
    return {pipelined(library),
            sharded(library),
            sharded_in_nodes(library),
            experts(library),
            experts_sharded(library),
            replicated(library),
            answers(library),
            answers_in_a_pipeline(library),
            pairs(library)};
}

/// The file of the target, or what it says of a plan that it cannot express.
std::string outcome(const Exported& one, const Target& target) {
    try {
        return exported(one.plan, one.facts, target);
    } catch (const InputError& error) {
        return error.what();
    }
}

std::vector<Target> written_targets(const Library& library) {
    std::vector<Target> targets = library.targets();
    std::erase_if(targets, [](const Target& target) { return target.lines.empty(); });
    return targets;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

TEST(ExportGoldens, OfEveryTargetAreAsAccepted) {
    const Library library(here() / "../..");
    const std::vector<Target> targets = written_targets(library);
    ASSERT_EQ(targets.size(), 17U);
    for (const Target& target : targets) {
        for (const Exported& one : plans(library)) {
            cases::expect(here() / "launch/exports.txt", one.name + "/" + target.keys.name, outcome(one, target));
        }
    }
}

TEST(ExportGoldens, EveryTargetExpressesOneOfThem) {
    const Library library(here() / "../..");
    for (const Target& target : written_targets(library)) {
        bool is_any = false;
        for (const Exported& one : plans(library)) {
            is_any = is_any || outcome(one, target).find("cannot express") == std::string::npos;
        }
        EXPECT_TRUE(is_any) << target.keys.name;
    }
}

// The names of a user's files are comments of scripts and settings, of any characters.
TEST(Export, OfOddNamesHasTheLinesOfSimpleOnes) {
    const Library library(here() / "../..");
    const std::string odd = "./a\nrm -rf b\r\n#SBATCH --x\x1b[2J\xe2\x80\xa8\t$(c) `d` \\ 'e' \"f\".yaml";
    std::size_t written = 0;
    for (const Target& target : written_targets(library)) {
        for (const Exported& one : plans(library)) {
            ExportFacts facts = one.facts;
            if (refusals(one.plan, facts, target).has_errors()) {
                continue;
            }
            const std::vector<std::string> simple = lines_of(exported(one.plan, facts, target));
            facts.model = facts.machine = odd;
            facts.comments = {odd};
            const std::vector<std::string> lines = lines_of(exported(one.plan, facts, target));
            ASSERT_EQ(lines.size(), simple.size()) << target.keys.name;
            for (std::size_t i = 0; i < lines.size(); ++i) {
                const bool is_comment = !target.comment.empty() && lines[i].starts_with(target.comment);
                EXPECT_TRUE(is_comment || lines[i] == simple[i]) << target.keys.name << ": " << lines[i];
                EXPECT_EQ(lines[i].find_first_of("\r\t\x1b"), std::string::npos) << target.keys.name;
            }
            ++written;
        }
    }
    EXPECT_GT(written, 10U);
}

TEST(Export, KeepsTheOrderOfRanksOrIsRefused) {
    const Library library(here() / "../..");
    std::size_t kept = 0;
    for (const Target& target : written_targets(library)) {
        if (target.options.empty() || !target.tasks.empty()) {
            continue;  // starts a job and says nothing of its plan, or not of this one
        }
        Exported one = replicated(library);
        const std::string outermost = outcome(one, target);
        one.plan.mesh = {{"tensor", 4}, {"pipeline", 2}, {"data", 8}};
        const std::string inside = outcome(one, target);
        EXPECT_TRUE(inside != outermost || outermost.find("pipeline") != std::string::npos) << target.keys.name;
        kept += inside.find("tp") != std::string::npos && inside.find("cannot express") == std::string::npos ? 1 : 0;
        one.plan.mesh = {{"data", 8}, {"tensor", 4}, {"pipeline", 2}};
        EXPECT_NE(outcome(one, target).find("here of data, tensor, pipeline"), std::string::npos) << target.keys.name;
        one = sharded(library);
        one.plan.strategy = library.strategy("hybrid-shard");
        one.plan.mesh = {{"replicate", 2}, {"shard", 8}};
        EXPECT_NE(outcome(one, target).find("here of replicate, shard"), std::string::npos) << target.keys.name;
    }
    EXPECT_EQ(kept, 2U) << "Megatron-LM and Megatron Bridge";
}

TEST(Export, OfModulesOfOtherSoftwareIsRefused) {
    const Library library(here() / "../..");
    for (const Target& target : written_targets(library)) {
        Exported one = sharded(library);
        one.plan.recompute = plan::RecomputeKind::layers;
        one.plan.recompute_modules = {"op"};
        const bool is_written = outcome(one, target).find("cannot express") == std::string::npos;
        const bool says_nothing = target.keys.name == "slurm" || target.keys.name == "kubernetes";
        EXPECT_EQ(is_written, says_nothing || target.keys.name == "torchtitan") << target.keys.name;
    }
}

TEST(Export, OfUnequalDevicesIsRefused) {
    const Library library(here() / "../..");
    for (const Target& target : written_targets(library)) {
        Exported one = replicated(library);
        one.facts.unequal_devices = true;
        const bool is_refused = outcome(one, target).find("equally many micro-batches") != std::string::npos;
        EXPECT_NE(is_refused, target.options.empty()) << target.keys.name;
    }
}

/// Plans that differ in one choice, by what they are called.
std::map<std::string, plan::Plan> choices(const Exported& one) {
    std::map<std::string, plan::Plan> found;
    const auto add = [&](const std::string& name, const auto& change) {
        change(found.emplace(name, one.plan).first->second);
    };
    for (const Precision precision : values_of(kPrecisionTable)) {
        const std::string word(name(precision));
        add("in " + word, [&](plan::Plan& plan) { plan.precision = precision; });
        add("gradients in " + word, [&](plan::Plan& plan) { plan.gradient_precision = precision; });
    }
    for (const plan::ShardLevel level : values_of(plan::kShardLevelTable)) {
        add("sharded " + std::string(name(level)), [&](plan::Plan& plan) { plan.shard = level; });
    }
    for (const plan::FlagName<plan::Offload>& offload : plan::kOffloadNames) {
        add("offloaded " + std::string(offload.word), [&](plan::Plan& plan) { plan.offload.*offload.member = true; });
    }
    add("half of the states offloaded",
        [&](plan::Plan& plan) { plan.offload = {.optimizer = true, .optimizer_share = 0.5}; });
    for (const std::int64_t size : {2, 4}) {
        add("micro-batches of " + std::to_string(size), [&](plan::Plan& plan) { plan.microbatch = size; });
    }
    if (one.plan.axis_size("pipeline") == 1) {
        return found;
    }
    for (const plan::ScheduleKind kind : values_of(plan::kScheduleTable)) {
        add("schedule " + std::string(plan::name(kind)), [&](plan::Plan& plan) {
            plan.schedule = kind;
            plan.virtual_stages = plan::schedule_of(kind).traits.virtual_stages.least;
            plan.recompute = plan::RecomputeKind::none;
            plan.overlap = {};
        });
    }
    return found;
}

/// Whether two plans of `choices` are one: gradients are in fp32 by default.
bool is_same(const plan::Plan& a, const plan::Plan& b) {
    return a.precision == b.precision && a.shard == b.shard && a.offload == b.offload && a.microbatch == b.microbatch &&
           a.schedule == b.schedule && a.virtual_stages == b.virtual_stages && a.recompute == b.recompute &&
           a.gradient_precision.value_or(Precision::fp32) == b.gradient_precision.value_or(Precision::fp32);
}

TEST(Export, OfAnotherChoiceDiffersOrIsRefused) {
    const Library library(here() / "../..");
    for (const Target& target : written_targets(library)) {
        if (target.options.empty()) {
            continue;  // starts a job and says nothing of its plan
        }
        for (const Exported& base : plans(library)) {
            std::map<std::string, std::pair<std::string, plan::Plan>> said;
            for (const auto& [name, plan] : choices(base)) {
                const std::string text = outcome({base.name, plan, base.facts}, target);
                if (text.find("cannot express") == std::string::npos) {
                    const auto& [other, same] = said.emplace(text, std::pair{name, plan}).first->second;
                    EXPECT_TRUE(is_same(plan, same))
                        << target.keys.name << ": " << base.name << " " << name << " as " << other;
                }
            }
        }
    }
}

}  // namespace export_test
}  // namespace dodona::files::testing
