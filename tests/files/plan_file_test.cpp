// Strategy and plan files, and plans written and read again.
#include "files/plan_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "plan/recompute.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace plan_file_test {

using plan::Plan;

Plan read(const std::string& text) {
    return read_plan(parse_document(text, "plan.yaml"), library().strategy_opener(), library().framework_opener(),
                     library().mechanism_opener());
}

TEST(StrategyFile, IsRead) {
    const plan::Strategy tensor = library().strategy("tensor");
    EXPECT_EQ(tensor.summary, "columns, then rows");
    EXPECT_EQ(tensor.axes, (std::vector<std::string>{"tensor", "data", "pipeline", "expert"}));
    EXPECT_EQ(tensor.pipeline.value_or(""), "pipeline");
    EXPECT_FALSE(tensor.shard.has_value());
    ASSERT_EQ(tensor.rules.size(), 4U);
    EXPECT_EQ(tensor.rules[0].match.roles, (std::vector<std::string>{"column", "head"}));
    EXPECT_TRUE(tensor.rules[0].regather);
    EXPECT_FALSE(tensor.rules[0].output.has_value());
    ASSERT_TRUE(tensor.rules[1].output.has_value());
    EXPECT_TRUE(tensor.rules[1].output->empty());
    EXPECT_EQ(tensor.rules[1].via, plan::Via::all_reduce_slice);
    EXPECT_EQ(tensor.rules[2].match.names, std::vector<std::string>{"layers/*/attention"});
    EXPECT_EQ(tensor.rules[2].lay.at(0).axes, (std::vector<std::string>{"tensor", "expert"}));
    ASSERT_TRUE(tensor.rules[3].condition.has_value());
    EXPECT_EQ(tensor.rules[3].condition->text(), "extent/ways >= window");
    EXPECT_TRUE(tensor.rules[3].match.first.value_or(false));
}

TEST(PlanFile, IsRead) {
    const Plan plan = library().plan((here() / "library/plan.yaml").string());
    EXPECT_EQ(plan.devices(), 32);
    EXPECT_EQ(plan.mesh.at(2).name, "pipeline");
    EXPECT_EQ(plan.folds.at(0).of, std::vector<std::string>{"data"});
    EXPECT_EQ(plan.folds.at(0).size, 2);
    EXPECT_EQ(plan.strategy.name, "tensor");
    EXPECT_EQ(plan.schedule, plan::ScheduleKind::interleaved);
    EXPECT_EQ(plan.virtual_stages, 2);
    EXPECT_EQ(plan.stages, (std::vector<std::int64_t>{1, 2, 3, 4}));
    EXPECT_EQ(plan.recompute, plan::RecomputeKind::every);
    EXPECT_EQ(plan.recompute_every, 2);
    EXPECT_EQ(plan.optimizer, plan::OptimizerKind::momentum);
    EXPECT_EQ(plan.shard, plan::ShardLevel::parameters);
    EXPECT_TRUE(plan.keep_parameters);
    EXPECT_TRUE(plan.overlap.gradients);
    EXPECT_FALSE(plan.overlap.tensor);
    EXPECT_EQ(plan.algorithm, cluster::Algorithm::double_tree);
}

TEST(PlanFile, ShardsAsItsStrategyDoesUnlessItSaysOtherwise) {
    const std::string head = "plan: p\nmesh: {data: 4}\nstrategy: data\nbatch: 8\nmicrobatch: 1\nprecision: fp16\n";
    EXPECT_EQ(read(head).shard, plan::ShardLevel::states);
    EXPECT_EQ(read(head + "optimizer: {kind: sgd, shard: none}\n").shard, plan::ShardLevel::none);
    EXPECT_EQ(read(head + "optimizer: sgd\n").optimizer, plan::OptimizerKind::sgd);
    EXPECT_EQ(read(head + "optimizer: {kind: adam-8bit}\n").optimizer, plan::OptimizerKind::adam_8bit);
    const Plan away = read(head + "offload: [weights, optimizer]\noverlap: [offload]\n");
    EXPECT_EQ(away.offload, (plan::Offload{.optimizer = true, .weights = true}));
    EXPECT_TRUE(away.overlap.offload);
}

// In whatever order and place they stand: an axis that the strategy folds multiplies no device.
TEST(PlanFile, NamesLayersToRecompute) {
    const std::string head =
        "plan: p\nmesh: {tensor: 2, data: 8}\nstrategy: tensor\nbatch: 64\nmicrobatch: 2\n"
        "precision: fp16\n";
    const Plan plan = read(head + "recompute: {layers: [norm1, {kind: gelu}]}\n");
    EXPECT_EQ(plan.recompute, plan::RecomputeKind::layers);
    ASSERT_EQ(plan.recompute_layers.size(), 2U);
    EXPECT_EQ(plan::layer_name(plan.recompute_layers[0]), "norm1");
    EXPECT_EQ(plan.recompute_layers[1].kinds, std::vector<std::string>{"gelu"});
    EXPECT_EQ(plan::text(plan.recompute_layers[1]), "{kind gelu}");
    EXPECT_THROW((void)read(head + "recompute: {layers: []}\n"), InputError);
    EXPECT_THROW((void)read(head + "recompute: {layers: [{kind: gleu}]}\n"), InputError);
}

TEST(PlanFile, FoldsTheAxesThatItsStrategyFolds) {
    const std::string tail =
        "batch: 8\nmicrobatch: 1\nprecision: fp16\n"
        "strategy: {strategy: mixture, axes: [tensor, data], everywhere: {batch: data},\n"
        "  folds: {expert_tensor: tensor, expert: {of: [tensor, data], apart_from: expert_tensor}},\n"
        "  rules: [{match: {kind: expert_linear}, lay: {expert: expert, out_feature: expert_tensor}}]}\n";
    for (const std::string& head : {std::string("mesh: {tensor: 2, data: 8}\nfold: {expert: 4, expert_tensor: 2}\n"),
                                    std::string("mesh: {tensor: 2, data: 8}\nfold: {expert_tensor: 2, expert: 4}\n"),
                                    std::string("mesh: {tensor: 2, data: 8, expert: 4, expert_tensor: 2}\n")}) {
        const Plan plan = read("plan: p\n" + head + tail);
        EXPECT_EQ(plan.devices(), 16) << head;
        ASSERT_EQ(plan.folds.size(), 2U) << head;
        EXPECT_EQ(plan.folds[1].name, "expert") << head;
        EXPECT_EQ(plan.folds[1].size, 4) << head;
        EXPECT_EQ(plan.folds[1].apart_from, "expert_tensor") << head;
    }
    EXPECT_THROW((void)read("plan: p\nmesh: {tensor: 2, data: 8, expert: 4}\nfold: {expert: 4}\n" + tail), InputError);
}

TEST(PlanFile, IsWritten) {
    const Plan plan = library().plan((here() / "library/plan.yaml").string());
    EXPECT_EQ(to_yaml(plan, "an example: with \"everything\"", "tensor"),
              "plan: \"an example: with \\\"everything\\\"\"\n"
              "strategy: tensor\n"
              "mesh: {tensor: 4, data: 4, pipeline: 2}\n"
              "fold: {expert: {of: data, size: 2}}\n"
              "batch: 64\n"
              "microbatch: 2\n"
              "precision: fp16\n"
              "gradient_precision: fp16\n"
              "schedule: {kind: interleaved-1f1b, virtual_stages: 2, stages: [1, 2, 3, 4]}\n"
              "recompute: {every: 2}\n"
              "optimizer: {kind: momentum, shard: parameters, group: 2, keep_parameters: true}\n"
              "overlap: [gradients, pipeline]\n"
              "algorithm: double-tree\n");
}

void expect_same_lays(const std::vector<plan::Lay>& a, const std::vector<plan::Lay>& b) {
    RC_ASSERT(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        RC_ASSERT(a[i].dimension == b[i].dimension);
        RC_ASSERT(a[i].axes == b[i].axes);
    }
}

void expect_same_rule(const plan::Rule& a, const plan::Rule& b) {
    RC_ASSERT(a.match.kinds == b.match.kinds);
    RC_ASSERT(a.match.roles == b.match.roles);
    RC_ASSERT(a.match.names == b.match.names);
    RC_ASSERT(a.match.first == b.match.first);
    RC_ASSERT(a.condition.has_value() == b.condition.has_value());
    if (a.condition) {  // RC_ASSERT does not stop at the first half of an `||`
        RC_ASSERT(a.condition->text() == b.condition->text());
    }
    expect_same_lays(a.lay, b.lay);
    RC_ASSERT(a.output.has_value() == b.output.has_value());
    if (a.output) {
        expect_same_lays(*a.output, *b.output);
    }
    RC_ASSERT(a.via == b.via);
    RC_ASSERT(a.regather == b.regather);
    RC_ASSERT(a.stream == b.stream);
    RC_ASSERT(a.order == b.order);
    RC_ASSERT(a.optional == b.optional);
}

void expect_same(const Plan& a, const Plan& b) {
    const plan::Strategy& s = a.strategy;
    const plan::Strategy& t = b.strategy;
    RC_ASSERT(s.name == t.name && s.source == t.source && s.summary == t.summary && s.axes == t.axes);
    RC_ASSERT(s.pipeline == t.pipeline && s.shard_axes == t.shard_axes && s.shard == t.shard);
    RC_ASSERT(s.folds.size() == t.folds.size());
    for (std::size_t i = 0; i < s.folds.size(); ++i) {
        RC_ASSERT(s.folds[i].name == t.folds[i].name && s.folds[i].of == t.folds[i].of);
        RC_ASSERT(s.folds[i].apart_from == t.folds[i].apart_from);
    }
    expect_same_lays(s.everywhere, t.everywhere);
    RC_ASSERT(s.rules.size() == t.rules.size());
    for (std::size_t i = 0; i < s.rules.size(); ++i) {
        expect_same_rule(s.rules[i], t.rules[i]);
    }
    RC_ASSERT(a.mesh == b.mesh);
    RC_ASSERT(a.folds.size() == b.folds.size());
    for (std::size_t i = 0; i < a.folds.size(); ++i) {
        RC_ASSERT(a.folds[i].name == b.folds[i].name && a.folds[i].of == b.folds[i].of);
        RC_ASSERT(a.folds[i].size == b.folds[i].size);
    }
    RC_ASSERT(a.batch == b.batch && a.microbatch == b.microbatch && a.schedule == b.schedule &&
              a.virtual_stages == b.virtual_stages);
    RC_ASSERT(a.stages == b.stages && a.recompute == b.recompute);
    RC_ASSERT(a.recompute != plan::RecomputeKind::every || a.recompute_every == b.recompute_every);
    RC_ASSERT(a.recompute_modules == b.recompute_modules);
    RC_ASSERT(a.recompute_layers.size() == b.recompute_layers.size());
    for (std::size_t i = 0; i < a.recompute_layers.size(); ++i) {
        RC_ASSERT(plan::text(a.recompute_layers[i]) == plan::text(b.recompute_layers[i]));
        RC_ASSERT(a.recompute_layers[i].names == b.recompute_layers[i].names);
        RC_ASSERT(a.recompute_layers[i].kinds == b.recompute_layers[i].kinds);
    }
    RC_ASSERT(a.optimizer == b.optimizer && a.shard == b.shard && a.shard_group == b.shard_group);
    RC_ASSERT(a.keep_parameters == b.keep_parameters && a.precision == b.precision);
    RC_ASSERT(a.gradient_precision == b.gradient_precision && a.algorithm == b.algorithm);
    RC_ASSERT(a.overlap.gradients == b.overlap.gradients && a.overlap.parameters == b.overlap.parameters);
    RC_ASSERT(a.overlap.tensor == b.overlap.tensor && a.overlap.pipeline == b.overlap.pipeline);
    RC_ASSERT(a.overlap.expert == b.overlap.expert && a.overlap.offload == b.overlap.offload);
    RC_ASSERT(a.offload == b.offload && a.gather_group == b.gather_group);
    RC_ASSERT(a.recompute != plan::RecomputeKind::full || a.repeated == b.repeated);
}

/// Any printable text that is not only blanks, so that quoting is tried on everything.
std::string any_text() { return "t" + *rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '\x7F')); }

std::int64_t count(std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most); }
bool coin() { return *rc::gen::arbitrary<bool>(); }

void choose_schedule(Plan& plan, std::int64_t ranks) {
    plan.schedule = *rc::gen::element(plan::ScheduleKind::gpipe, plan::ScheduleKind::one_forward_one_backward,
                                      plan::ScheduleKind::interleaved);
    plan.virtual_stages = plan.schedule == plan::ScheduleKind::interleaved ? 1 + count(5) : 1;
    for (std::int64_t i = 0; coin() && i < ranks * plan.virtual_stages; ++i) {
        plan.stages.assign(static_cast<std::size_t>(ranks * plan.virtual_stages), count(9));
    }
}

void choose_optimizer(Plan& plan) {
    plan.optimizer = *rc::gen::elementOf(std::vector(plan::kOptimizerKinds.begin(), plan::kOptimizerKinds.end()));
    plan.shard = *rc::gen::element(plan::ShardLevel::none, plan::ShardLevel::states, plan::ShardLevel::gradients,
                                   plan::ShardLevel::parameters);
    plan.shard_group = plan.shard != plan::ShardLevel::none && coin() ? count(9) : 0;
    plan.keep_parameters = plan.shard == plan::ShardLevel::parameters && coin();
    plan.gather_group = coin() ? count(9) : 0;
}

Plan any_plan() {
    Plan plan;
    plan.strategy = library().strategy("tensor");
    plan.strategy.summary = any_text();
    plan.strategy.source = any_text();
    plan.strategy.rules.at(0).match.roles = {any_text(), any_text()};
    plan.strategy.rules.at(0).optional = coin();
    if (coin()) {
        plan.strategy.rules.at(0).stream = {"tensor"};
        plan.strategy.rules.at(0).order = graph::ShardOrder::contiguous;
        plan.strategy.folds = {{"part", {"tensor"}, {}}, {"rest", {"tensor", "data"}, "part"}};
    }
    plan.mesh = {{"tensor", count(9)}, {"data", 2 * count(9)}, {"pipeline", count(4)}};
    if (coin()) {
        plan.folds = {{"expert", {"data"}, 2}};
    }
    plan.batch = count(100'000);
    plan.microbatch = count(64);
    choose_schedule(plan, plan.mesh[2].size);
    plan.recompute =
        *rc::gen::element(plan::RecomputeKind::none, plan::RecomputeKind::selective, plan::RecomputeKind::full,
                          plan::RecomputeKind::every, plan::RecomputeKind::layers);
    if (plan.recompute == plan::RecomputeKind::layers) {
        plan.recompute_layers = {plan::layers_named(any_text()), {.kinds = {"gelu"}, .roles = {any_text()}}};
        if (coin()) {
            plan.recompute_layers.clear();
            plan.recompute_modules = {any_text(), any_text()};
        }
    }
    if (plan.recompute == plan::RecomputeKind::full && coin()) {
        (coin() ? plan.repeated.first : plan.repeated.one_in) = 1 + count(9);
    }
    plan.recompute_every = count(9);
    choose_optimizer(plan);
    plan.overlap = {coin(), coin(), coin(), coin(), coin(), coin()};
    plan.offload = {coin(), coin(), coin(), coin(), coin() ? 0.25 : 1};
    plan.precision = *rc::gen::elementOf(kPrecisions);
    if (coin()) {
        plan.gradient_precision = *rc::gen::elementOf(kPrecisions);
        plan.algorithm = cluster::Algorithm::hierarchical;
    }
    return plan;
}

RC_GTEST_PROP(PlanFile, ReadsBackAsTheSamePlan, ()) {
    const Plan plan = any_plan();
    const std::string text = to_yaml(plan, any_text());
    expect_same(plan, read(text));
}

}  // namespace plan_file_test
}  // namespace dodona::files::testing
