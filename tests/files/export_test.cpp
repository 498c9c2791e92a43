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

/// The same, over the ranks of a node; nothing runs again.
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

/// The same, with gradients sharded as well.
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

std::vector<Exported> plans(const Library& library) {
    return {pipelined(library), sharded(library),         sharded_in_nodes(library),
            experts(library),   experts_sharded(library), replicated(library)};
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
    ASSERT_EQ(targets.size(), 14U);
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
        if (target.options.empty()) {
            continue;  // starts a job and says nothing of its plan
        }
        Exported one = replicated(library);
        const std::string usual = outcome(one, target);
        one.plan.mesh = {{"tensor", 4}, {"pipeline", 2}, {"data", 8}};
        const std::string inside = outcome(one, target);
        EXPECT_TRUE(inside != usual || usual.find("pipeline") != std::string::npos) << target.keys.name;
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

TEST(Export, OfUnequalDevicesIsRefused) {
    const Library library(here() / "../..");
    for (const Target& target : written_targets(library)) {
        Exported one = replicated(library);
        one.facts.unequal_devices = true;
        const bool is_refused = outcome(one, target).find("equally many micro-batches") != std::string::npos;
        EXPECT_NE(is_refused, target.options.empty()) << target.keys.name;
    }
}

TEST(Export, OfSchedulesDiffersOrIsRefused) {
    const Library library(here() / "../..");
    for (const Target& target : written_targets(library)) {
        if (target.keys.name == "slurm" || target.keys.name == "kubernetes") {
            continue;  // they start a job and say nothing of its plan
        }
        std::map<std::string, plan::ScheduleKind> said;
        for (const plan::ScheduleKind kind : values_of(plan::kScheduleTable)) {
            Exported one = pipelined(library);
            one.plan.schedule = kind;
            one.plan.virtual_stages = plan::schedule_of(kind).traits.virtual_stages.least;
            one.plan.recompute = plan::RecomputeKind::none;
            one.plan.overlap = {};
            const std::string text = outcome(one, target);
            if (text.find("cannot express") == std::string::npos) {
                const auto [other, is_new] = said.emplace(text, kind);
                EXPECT_TRUE(is_new) << target.keys.name << ": " << name(kind) << " as " << name(other->second);
            }
        }
    }
}

}  // namespace export_test
}  // namespace dodona::files::testing
