// Files of ONNX as PyTorch writes them (tests/files/onnx/export.py) are the networks that they were exported from.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "files/traced/onnx_file.hpp"
#include "files/traced/repeats.hpp"
#include "files/traced/traced_model.hpp"
#include "graph/graph.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace onnx_test {

const Library& shelf() {
    static const Library all(here() / "../..");
    return all;
}

std::string path_of(const std::string& name) { return (here() / "onnx" / (name + ".onnx")).string(); }

const std::vector<Setting>& length() {
    static const std::vector<Setting> settings{{.name = "sequence", .value = "128", .where = {}}};
    return settings;
}

graph::Graph network(const std::string& name, const std::vector<Setting>& settings = {}) {
    return graph::build(shelf().model(path_of(name), settings));
}

graph::Graph built_in(const std::string& name, const std::vector<std::pair<std::string, std::string>>& values) {
    std::vector<Setting> settings;
    for (const auto& [parameter, value] : values) {
        settings.push_back({.name = parameter, .value = value, .where = {}});
    }
    return graph::build(shelf().model(name, settings));
}

std::string fault_of(const std::string& name) {
    try {
        static_cast<void>(network(name));
    } catch (const InputError& error) {
        return to_text(error.diagnostics().front());
    }
    return "none";
}

void expect_same(const graph::Graph& imported, const graph::Graph& own) {
    const graph::Counts a = graph::count(imported);
    const graph::Counts b = graph::count(own);
    EXPECT_EQ(a.parameters, b.parameters);
    EXPECT_DOUBLE_EQ(a.forward_per_sample.in(unit::flop), b.forward_per_sample.in(unit::flop));
    EXPECT_DOUBLE_EQ(a.training_per_sample.in(unit::flop), b.training_per_sample.in(unit::flop));
}

TEST(Onnx, Resnet50IsTheBuiltInOne) { expect_same(network("resnet50"), built_in("resnet50", {})); }

TEST(Onnx, DecodersAreTheBuiltInOnes) {
    expect_same(network("gpt2", length()), built_in("gpt", {{"layers", "3"},
                                                            {"hidden", "32"},
                                                            {"heads", "4"},
                                                            {"sequence", "128"},
                                                            {"vocabulary", "64"},
                                                            {"attention", "fused"}}));
    expect_same(network("llama", length()), built_in("llama", {{"layers", "3"},
                                                               {"hidden", "512"},
                                                               {"heads", "8"},
                                                               {"kv_heads", "2"},
                                                               {"ffn", "1376"},
                                                               {"sequence", "128"},
                                                               {"vocabulary", "3000"}}));
}

TEST(Onnx, LayersHaveTheNumbersThatTheModulesHad) {
    // What PyTorch counted when export.py wrote them. In the networks that were exported for inference every batch norm
    // is folded into the convolution before it: a bias a filter instead of a scale and a bias.
    EXPECT_EQ(graph::count(network("vit")).parameters, 22'776'808);
    // 3000 words, 512 positions and 2 kinds of 768; 4 layers of 12 h^2 + 13 h; the first norm and the pooler.
    EXPECT_EQ(graph::count(network("bert", length())).parameters,
              3514 * 768 + 4 * (12 * 768 * 768 + 13 * 768) + 2 * 768 + 768 * 768 + 768);
    // torch.nn.LSTM(64, 128, 2, bidirectional): 2 directions of 4 h (in + h + 2), then of 4 h (2 h + h + 2).
    EXPECT_EQ(graph::count(network("lstm")).parameters,
              1000 * 64 + 2 * 4 * 128 * (64 + 128 + 2) + 2 * 4 * 128 * (256 + 128 + 2) + 256 * 10 + 10);
    EXPECT_EQ(graph::count(network("gru", length())).parameters,
              1000 * 64 + 3 * 128 * (64 + 128 + 2) + 3 * 128 * (128 + 128 + 2) + 128 * 10 + 10);
}

TEST(Onnx, LayersHaveAllWeightsOfTheirNodes) {
    for (const char* name :
         {"resnet50", "mobilenet_v3", "shufflenet", "densenet121", "vit", "bert", "gpt2", "llama", "lstm", "gru"}) {
        const bool is_image =
            std::string_view("resnet50 mobilenet_v3 shufflenet densenet121 vit").find(name) != std::string_view::npos;
        const std::vector<Setting> settings =
            is_image || name == std::string_view("lstm") ? std::vector<Setting>() : length();
        const ImportedModel model = shelf().import_model(path_of(name), settings);
        EXPECT_EQ(graph::count(network(name, settings)).parameters, static_cast<double>(model.parameters)) << name;
    }
}

TEST(Onnx, ModelFilesAreAsGoldensHaveThem) {
    for (const char* name : {"resnet50", "mobilenet_v3", "vit", "bert", "gpt2", "llama", "lstm"}) {
        std::string text = shelf().import_model(path_of(name), length()).text;
        const std::size_t source = text.find("source: ");
        text.replace(source, text.find('\n', source) - source, "source: \"export.py\"");
        const std::filesystem::path golden = here() / "onnx" / (std::string(name) + ".txt");
        if (std::getenv("DODONA_ACCEPT") != nullptr) {
            std::ofstream(golden) << text;
        }
        std::ostringstream expected;
        expected << std::ifstream(golden).rdbuf();
        EXPECT_EQ(text, expected.str()) << name;
    }
}

TEST(Onnx, ExtentsThatAreOpenAreAskedFor) {
    EXPECT_EQ(fault_of("gpt2"), path_of("gpt2") +
                                    ": error: leaves extents of its inputs open: sequence\n"
                                    "  help: give each: --set sequence=512; for `check` import the file first\n");
    const double whole = graph::count(network("gpt2", length())).forward_per_sample.in(unit::flop);
    const std::vector<Setting> half{{.name = "sequence", .value = "64", .where = {}}};
    EXPECT_LT(graph::count(network("gpt2", half)).forward_per_sample.in(unit::flop), whole / 2);
}

TEST(Onnx, NetworksThatNoLayersAreOfAreRefusedWithTheNode) {
    EXPECT_NE(fault_of("upsample").find("error: node \"/upsample/Resize\" (Resize): no layer of dodona does this"),
              std::string::npos)
        << fault_of("upsample");
}

std::string bytes_of(const std::string& name) {
    std::ifstream file(path_of(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Onnx, WhatIsCutOffOrDamagedIsRefused) {
    const std::string whole = bytes_of("lstm");
    const Location where{.source = std::make_shared<const Source>(Source{.name = "lstm.onnx", .lines = {}})};
    ASSERT_GT(read_onnx(whole, where).nodes.size(), 3U);
    std::size_t refused = 0;
    for (std::size_t size = 0; size < whole.size(); size += 7) {
        try {
            static_cast<void>(read_onnx(std::string_view(whole).substr(0, size), where));
        } catch (const InputError&) {
            ++refused;
        }
    }
    EXPECT_EQ(refused, (whole.size() + 6) / 7);
}

TEST(Onnx, FewNumbersAreThoseOfTheirType) {
    const std::string bytes("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16);
    const OnnxTensor pair{.name = "pair", .shape = {2}, .type = OnnxTensor::kInt64, .bytes = bytes, .numbers = {}};
    EXPECT_EQ(few_numbers(pair), (std::vector<double>{1, 2}));
    const OnnxTensor longer{.name = "longer", .shape = {3}, .type = OnnxTensor::kInt64, .bytes = bytes, .numbers = {}};
    EXPECT_TRUE(few_numbers(longer).empty());
}

TracedLayer layer(const std::string& op, std::vector<std::size_t> from) {
    return {.name = op, .op = op, .attributes = {}, .from = std::move(from), .result = {{"feature", 8}}};
}

TEST(RepeatedLayers, GroupsReadTheLayerBeforeThem) {
    // An input, then three times (linear, relu, add of the group's input), then a softmax.
    std::vector<TracedLayer> layers{layer("", {})};
    for (std::size_t group = 0; group < 3; ++group) {
        const std::size_t before = layers.size() - 1;
        layers.push_back(layer("linear", {before}));
        layers.push_back(layer("relu", {before + 1}));
        layers.push_back(layer("add", {before, before + 2}));
    }
    layers.push_back(layer("softmax", {layers.size() - 1}));
    EXPECT_EQ(repeats_of(layers), (std::vector<RepeatedLayers>{{.start = 1, .length = 3, .count = 3},
                                                               {.start = 10, .length = 1, .count = 1}}));
    // Where something after them reads inside the second group, it is none.
    layers.back().from = {5};
    for (const RepeatedLayers& repeat : repeats_of(layers)) {
        EXPECT_TRUE(repeat.count == 1 || repeat.end() <= 4 || repeat.start > 5);
    }
}

}  // namespace onnx_test
}  // namespace dodona::files::testing
