// Networks and machines from the rows of tables: as the built-in ones that they describe, or refused with the reason.
#include <algorithm>
#include <filesystem>

#include "runs.hpp"
#include "step/predict.hpp"
#include "validate/network_of_row.hpp"

namespace dodona::validate::testing {
namespace tables_test {

using namespace dodona::literals;

constexpr const char* kModelHeader =
    "model,family,layers,hidden,heads,kv_heads,head_dim,ffn,gated,vocab,tied,positional,norm,experts,"
    "parameters_billion,notes\n";
constexpr const char* kMachineHeader =
    "machine,device,gpus_per_node,intra_link,intra_gb_per_s_per_gpu_one_way,nics_per_node,nic_gb_s,nvlink_domain\n";

Tables tables() {
    return {.models = files::load_models(root() + "/tests/validate/models.csv", {}),
            .machines = files::load_machines(root() + "/tests/validate/machines.csv", {})};
}

step::Prediction predicted(Questions& questions, const Cells& cells) {
    const files::MeasuredRun row = run(cells);
    const Question question = questions.of(row);
    return step::predict(*question.graph, *question.cluster, question.plan, row.where);
}

std::string refusal_with(const Tables& given, const Cells& cells) {
    Questions questions(files::Library(root()), given);
    const files::MeasuredRun row = run(cells);
    try {
        static_cast<void>(questions.of(row));
    } catch (const InputError& error) {
        return error.diagnostics().front().message;
    }
    return "";
}

Tables models(const std::string& rows) {
    return {.models = files::read_models(files::read_csv(kModelHeader + rows, "m.csv")), .machines = {}};
}

Tables machines(const std::string& rows) {
    return {.models = {}, .machines = files::read_machines(files::read_csv(kMachineHeader + rows, "m.csv"))};
}

struct Pair {
    const char* row;
    const char* built_in;
};

TEST(NetworkOfRow, IsTheBuiltInNetworkOfThatShape) {
    constexpr Pair kPairs[] = {
        {"my-gpt", "gpt3-175b"},
        {"my-mpt", "mpt-7b"},
        {"my-bloom", "bloom-176b"},
        {"my-mcore", "gpt-mcore-1.7b"},
        {"my-nemotron", "nemotron4-15b"},
        {"my-llama", "llama-3.1-8b"},
        {"my-qwen", "qwen3-8b"},
        {"my-mixtral", "mixtral-8x7b"},
        {"my-qwen-moe", "qwen3-30b-a3b"},
        {"my-oss", "gpt-oss-120b"},
        {"my-maverick", "llama-4-maverick-400b"},
        {"my-deepseek", "deepseek-v3"},
        {"my-bert", "bert-large"},
    };
    Questions questions(files::Library(root()), tables());
    for (const Pair& pair : kPairs) {
        Cells cells{{"gpus", "1"}, {"input", "seq=512"}, {"precision", "bf16"}};
        cells["model"] = pair.row;
        const step::Prediction row = predicted(questions, cells);
        cells["model"] = pair.built_in;
        const step::Prediction built_in = predicted(questions, cells);
        EXPECT_EQ(row.step.value, built_in.step.value) << pair.row;
        EXPECT_EQ(row.memory.total(), built_in.memory.total()) << pair.row;
        EXPECT_EQ(row.plan.optimizer, built_in.plan.optimizer) << pair.row;
    }
}

TEST(NetworkOfRow, TakesOverridesByTheNamesOfColumns) {
    Questions questions(files::Library(root()), tables());
    const auto parameters = [&](const char* model, const char* overrides) {
        const files::MeasuredRun row = run({{"model", model}, {"model_overrides", overrides}, {"gpus", "1"}});
        return graph::count(*questions.of(row).graph).parameters;
    };
    EXPECT_EQ(parameters("my-gpt", "layers=24;hidden=2048;heads=16"),
              parameters("gpt3-175b", "layers=24;hidden=2048;heads=16"));
    // l (h (a + 2k) d + d a h + 3 h f + 2 h) + 2 V h + h with 16 key/value heads.
    const double l = 32, h = 4096, f = 14336, V = 128256;
    EXPECT_EQ(parameters("my-llama", "kv_heads=16"),
              l * (h * h + 2 * 16 * 128 * h + h * h + 3 * h * f + 2 * h) + 2 * V * h + h);
    EXPECT_EQ(parameters("my-gpt", "vocab=1000") - parameters("my-gpt", "vocab=999"), 12288);
    EXPECT_EQ(parameters("my-gpt", "hidden=2048;heads=16;ffn=4096"),
              parameters("my-gpt", "hidden=2048;heads=16") - 96 * (2 * 2048 + 1) * 4096.0);
    EXPECT_EQ(parameters("my-deepseek", "mtp=1"), parameters("deepseek-v3-mtp", ""));
}

TEST(NetworkOfRow, IsRefusedWhereNoModelFileExpressesIt) {
    const Cells cnn{{"model", "my-cnn"}, {"gpus", "1"}};
    EXPECT_EQ(refusal_with(tables(), cnn),
              "family: cnn: a table has no column for the layers of a convolutional network; name a built-in one or a "
              "model file");
    const Cells mine{{"model", "mine"}, {"gpus", "1"}};
    EXPECT_EQ(refusal_with(models("mine,gpt,12,768,12,4,64,3072,no,50368,yes,learned,layernorm,,,\n"), mine),
              "kv_heads: 4 of 12 heads cannot be expressed by model gpt, which has as many of both");
    EXPECT_EQ(refusal_with(models("mine,gpt,12,768,12,12,32,3072,no,50368,yes,learned,layernorm,,,\n"), mine),
              "head_dim: 32 cannot be expressed by model gpt, whose heads share 768 features");
    EXPECT_EQ(refusal_with(models("mine,gpt,12,768,12,12,64,3072,no,50368,yes,learned,layernorm,8,,\n"), mine),
              "experts: 8 means nothing for a network of family gpt");
    EXPECT_EQ(refusal_with(models("mine,gpt,12,768,12,12,64,3072,yes,50368,yes,sinusoidal,layernorm,,,\n"), mine),
              "family: no model file can express a gpt with these positions, norms and layers: write one");
    EXPECT_EQ(refusal_with(models("mine,gpt,12,768,,,,,no,50368,yes,learned,layernorm,,,\n"), mine),
              "heads: no value, and a network of family gpt has one");
    EXPECT_EQ(refusal_with(models("mine,gpt,12,768,12,12,64,3072,no,50368,yes,learned,layernorm,,7.1,\n"), mine),
              "parameters_billion: 7.1 is printed, the network that its row describes has 0.125 (model gpt)");
}

TEST(NetworkOfRow, IsLookedUpOnlyWhereTheLibraryHasNone) {
    const Tables other = models("gpt3-175b,gpt,2,64,1,1,64,256,no,128,yes,learned,layernorm,,,\n");
    Questions questions(files::Library(root()), other);
    EXPECT_GT(graph::count(*questions.of(run({{"gpus", "1"}})).graph).parameters, 1e11);
    EXPECT_EQ(refusal_with(other, {{"model", "gpt3-176b"}, {"gpus", "1"}}),
              "unknown model \"gpt3-176b\"; did you mean \"gpt3-175b\"?");
}

TEST(MachineOfRow, IsTheBuiltInMachineOfThoseLinks) {
    struct Case {
        const char* row;
        const char* built_in;
        const char* gpus;
    };
    // Of one node, of several, and of trays in a rack: ABCI's nodes are 3:1 above the rack only.
    constexpr Case kCases[] = {{"my-h100", "dgx-h100", "8"},    {"my-h100", "dgx-h100", "128"},
                               {"my-a100", "selene", "8"},      {"my-a100", "dgx-a100-80gb", "64"},
                               {"my-v100", "abci-v100", "4"},   {"my-gb200", "dgx-gb200", "4"},
                               {"my-gb200", "dgx-gb200", "72"}, {"my-gb200", "dgx-gb200", "144"}};
    Questions questions(files::Library(root()), tables());
    for (const Case& each : kCases) {
        Cells cells{
            {"model", "megatron-1.7b"}, {"strategy", "data"}, {"shard", "parameters"}, {"global_batch", "1152"}};
        cells["gpus"] = cells["data"] = each.gpus;
        cells["machine"] = each.row;
        const step::Prediction row = predicted(questions, cells);
        cells["machine"] = each.built_in;
        EXPECT_NEAR(row.step.value / predicted(questions, cells).step.value, 1, 1e-4) << each.row << " " << each.gpus;
    }
}

TEST(MachineOfRow, HasTheRatesAndCountsOfItsRow) {
    Questions questions(files::Library(root()), tables());
    const auto machine = questions.of(run({{"machine", "my-half"}, {"gpus", "1"}})).cluster;
    EXPECT_EQ(machine->node_size(), 4);
    ASSERT_EQ(machine->levels.size(), 2U);
    EXPECT_DOUBLE_EQ(machine->levels[0].bandwidth / 1_GB_per_s, 150);
    EXPECT_EQ(machine->levels[1].links, 1);
    EXPECT_DOUBLE_EQ(machine->levels[1].bandwidth / 1_GB_per_s, 12.5);
    EXPECT_EQ(machine->device.name, "a100-sxm4-80gb");
    EXPECT_EQ(machine->source, "our own example");
    EXPECT_FALSE(machine->storage);
    const auto pairs = questions.of(run({{"machine", "my-v100"}, {"gpus", "1"}})).cluster;
    EXPECT_DOUBLE_EQ(pairs->levels[0].bandwidth / 1_GB_per_s, 50) << "of one pair of four";
}

TEST(MachineOfRow, IsRefusedForWhatIsNotKnown) {
    EXPECT_EQ(refusal_with(tables(), {{"machine", "my-oddity"}, {"gpus", "1"}}),
              "intra_link: no built-in machine joins h100-sxm5-80gb by \"carrier pigeons\": write a cluster file");
    EXPECT_EQ(refusal_with(tables(), {{"machine", "my-future"}, {"gpus", "1"}}),
              "intra_link: no built-in machine joins z900 by \"NVLink9\": write a cluster file");
    EXPECT_EQ(refusal_with(machines("mine,h100-sxm6,8,NVLink,450,8,400,8\n"), {{"machine", "mine"}, {"gpus", "1"}}),
              "unknown device \"h100-sxm6\"");
    EXPECT_EQ(
        refusal_with(machines("mine,h100-sxm5-80gb,8,NVLink,450,8,400,32\n"), {{"machine", "mine"}, {"gpus", "1"}}),
        "nvlink_domain: nodes like those of dgx-h100 do not share one");
}

TEST(MachineOfRow, HasTheUsualFabricOfItsDevicesWhereNoneIsStated) {
    const Cells sixteen{
        {"machine", "my-box"}, {"strategy", "data"}, {"data", "16"}, {"gpus", "16"}, {"global_batch", "16"}};
    Questions questions(files::Library(root()), tables());
    const Question question = questions.of(run(sixteen));
    const cluster::Level& fabric = question.cluster->levels.back();
    EXPECT_EQ(fabric.assumed, 1) << "half or twice";
    Question stated = question;
    cluster::Cluster known = *question.cluster;
    known.levels.back().assumed = 0;
    stated.cluster = std::make_shared<const cluster::Cluster>(known);
    const auto of = [](const Question& asked) { return step::predict(*asked.graph, *asked.cluster, asked.plan, {}); };
    EXPECT_EQ(of(question).step.value, of(stated).step.value);
    EXPECT_GT(of(question).step.hi, of(stated).step.hi) << "what nobody stated widens the interval";
}

TEST(LinkTable, CorrectsTheLinksOfItsRun) {
    const Cells sixteen{{"machine", "dgx-h100"}, {"strategy", "data"},   {"data", "16"},
                        {"gpus", "16"},          {"gpus_per_node", "8"}, {"global_batch", "16"}};
    const files::MeasuredRun row = run(sixteen);
    const auto gradients = [&](const std::string& rates) {
        Tables given;
        if (!rates.empty()) {
            given.links =
                files::read_links(files::read_csv("id,all_reduce_gb_s\n" + row.id + "," + rates + "\n", "l.csv"));
        }
        Questions questions(files::Library(root()), given);
        const Question asked = questions.of(row);
        return step::predict(*asked.graph, *asked.cluster, asked.plan, {}).step.value;
    };
    EXPECT_GT(gradients("5"), gradients("")) << "a sick fabric";
    EXPECT_GT(gradients("5"), gradients("50"));
}

TEST(Tables, TellWhatIsWrongWithThem) {
    const auto fault = [](const auto& read) -> std::string {
        try {
            static_cast<void>(read());
        } catch (const InputError& error) {
            return error.diagnostics().front().message;
        }
        return "";
    };
    EXPECT_EQ(fault([] { return models("a,gpt,x,,,,,,,,,,,,,\n"); }), "layers: \"x\" is not a whole number");
    EXPECT_EQ(fault([] { return models("a,,1,,,,,,,,,,,,,\n"); }), "family: no value");
    EXPECT_EQ(fault([] { return models("a,gpt,1,,,,,,,,,,,,,\na,gpt,1,,,,,,,,,,,,,\n"); }),
              "model: \"a\" is there twice");
    EXPECT_EQ(fault([] { return machines("a,b200,0,NVLink,,,,\n"); }), "gpus_per_node: 0 must be at least 1");
    EXPECT_EQ(fault([] { return machines("a,b200,8,NVLink,-1,,,\n"); }),
              "intra_gb_per_s_per_gpu_one_way: -1 must be more than zero");
    EXPECT_EQ(fault([] { return machines("a,gb200,4,NVLink,,,,70\n"); }),
              "nvlink_domain: 70 is no multiple of the 4 GPUs of a node");
    EXPECT_EQ(fault([] { return files::read_models(files::read_csv("model;family\n", "m.csv")); }),
              "unknown column \"model;family\"");
}

/// Every network of the project's table is the built-in one, or has a reason.
TEST(Tables, OfTheProjectAreExpressed) {
    const std::string path = root() + "/../shared/measured/models.csv";
    if (!std::filesystem::exists(path)) {
        GTEST_SKIP() << "../shared/measured/models.csv is not there";
    }
    const files::Library library(root());
    const files::TableConventions conventions = library.table_conventions();
    std::int64_t expressed = 0;
    for (const files::ModelRow& row : files::load_models(path, {})) {
        try {
            check_parameters(row, conventions, library);
            static_cast<void>(model_of_row(row, {}, conventions));
            ++expressed;
        } catch (const InputError& error) {
            EXPECT_TRUE(row.cell("family") == "cnn" || row.cell("family") == "unet3d")
                << row.model << ": " << error.diagnostics().front().message;
        }
    }
    EXPECT_GE(expressed, 50);
}

}  // namespace tables_test
}  // namespace dodona::validate::testing
