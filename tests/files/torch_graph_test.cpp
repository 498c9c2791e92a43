// Graphs of PyTorch as bindings/python/dodona/torch_graph.py writes them (tests/files/torch/export.py) are the networks
// that they were traced from. Operators that older versions take apart are typed here.
#include <fstream>
#include <random>
#include <sstream>
#include <tuple>

#include <fmt/format.h>

#include "../seeds.hpp"
#include "files/traced/torch_file.hpp"
#include "files/traced/traced_model.hpp"
#include "graph/graph.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace torch_graph_test {

const Library& shelf() {
    static const Library all(here() / "../..");
    return all;
}

std::string path_of(const std::string& name) { return (here() / "torch" / (name + ".json")).string(); }

graph::Graph network(const std::string& name) { return graph::build(shelf().model(path_of(name))); }

graph::Graph onnx_network(const std::string& name) {
    std::vector<Setting> settings;
    if (name != "resnet50" && name != "vit") {
        settings.push_back({.name = "sequence", .value = "128", .where = {}});
    }
    return graph::build(shelf().model((here() / "onnx" / (name + ".onnx")).string(), settings));
}

ImportedModel imported(const std::string& text) { return import_torch(parse_document(text, "typed.json"), "typed"); }

graph::Graph network_of(const ImportedModel& model) {
    return graph::build(read_model(parse_document(model.text, "typed.yaml"), {}, shelf().model_opener()));
}

std::string fault_of(const std::string& text) {
    try {
        static_cast<void>(network_of(imported(text)));
    } catch (const InputError& error) {
        return to_text(error.diagnostics().front());
    }
    return "none";
}

void expect_same(const graph::Graph& traced, const graph::Graph& own) {
    const graph::Counts a = graph::count(traced);
    const graph::Counts b = graph::count(own);
    EXPECT_EQ(a.parameters, b.parameters);
    EXPECT_DOUBLE_EQ(a.forward_per_sample.in(unit::flop), b.forward_per_sample.in(unit::flop));
    EXPECT_DOUBLE_EQ(a.training_per_sample.in(unit::flop), b.training_per_sample.in(unit::flop));
}

// A graph, typed: nodes in the form of torch_graph.py.

std::string result(const std::string& shape, const std::string& type = "float32") {
    return fmt::format(R"("result": {{"shape": [{}], "type": "{}"}}}})", shape, type);
}

std::string input(const std::string& name, const std::string& shape, const std::string& type = "float32") {
    return fmt::format(R"({{"name": "{}", "kind": "placeholder", {})", name, result(shape, type));
}

std::string weight(const std::string& name, const std::string& shape) {
    return fmt::format(
        R"({{"name": "p_{0}", "kind": "placeholder", "weight": "{0}", "learnt": true, "same_as": "p_{0}", {1})", name,
        result(shape));
}

std::string call(const std::string& name, const std::string& target, const std::string& inputs,
                 const std::string& shape) {
    return fmt::format(R"({{"name": "{}", "kind": "call_function", "target": "{}", "inputs": [{}], {})", name, target,
                       inputs, result(shape));
}

/// A call with several results.
std::string calls(const std::string& name, const std::string& target, const std::string& inputs) {
    return fmt::format(R"({{"name": "{}", "kind": "call_function", "target": "{}", "inputs": [{}]}})", name, target,
                       inputs);
}

std::string output(const std::string& name) {
    return fmt::format(R"({{"name": "output", "kind": "output", "inputs": [["%{}"]]}})", name);
}

std::string graph_of(const std::vector<std::string>& nodes) {
    std::string text;
    for (const std::string& node : nodes) {
        text += (text.empty() ? "" : ",\n") + node;
    }
    return R"({"torch_graph": 1, "torch": "2.5.1", "nodes": [)" + std::string("\n") + text + "\n]}\n";
}

TEST(TorchGraph, NetworksAreThoseThatOnnxHasToo) {
    for (const char* name : {"resnet50", "gpt2", "llama", "bert", "vit"}) {
        SCOPED_TRACE(name);
        expect_same(network(name), onnx_network(name));
    }
}

TEST(TorchGraph, LayersHaveAllWeightsOfTheModules) {
    EXPECT_EQ(graph::count(network("resnet50")).parameters, 25'557'032);
    EXPECT_EQ(graph::count(network("mobilenet_v3")).parameters, 2'542'856);  // as torchvision publishes it
    EXPECT_EQ(shelf().import_model(path_of("mobilenet_v3")).parameters, 2'542'856);
    const std::vector<std::string> notes = shelf().import_model(path_of("mobilenet_v3")).notes;
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_EQ(notes[0], "taken as others: hardswish as silu, hardsigmoid as sigmoid");
    EXPECT_EQ(notes[1], "1 passes with a constant are left out");  // of dropout, which is drawn and multiplied here
}

TEST(TorchGraph, OperatorsThatLaterVersionsKeepWholeAreTheSameLayers) {
    // A decoder's layer with grouped queries as torch.export writes it: linear, layer_norm, chunk, attention in one node.
    const ImportedModel model =
        imported(graph_of({weight("words.weight", "100, 64"),
                           weight("qkv.weight", "128, 64"),
                           weight("out.weight", "64, 64"),
                           weight("norm.weight", "64"),
                           weight("norm.bias", "64"),
                           weight("head.weight", "100, 64"),
                           input("tokens", "2, 16", "int64"),
                           call("embedding", "aten.embedding.default", R"("%p_words.weight", "%tokens")", "2, 16, 64"),
                           call("layer_norm", "aten.layer_norm.default",
                                R"("%embedding", [64], "%p_norm.weight", "%p_norm.bias", 1e-05)", "2, 16, 64"),
                           call("linear", "aten.linear.default", R"("%layer_norm", "%p_qkv.weight")", "2, 16, 128"),
                           calls("split", "aten.split_with_sizes.default", R"("%linear", [64, 32, 32], -1)"),
                           call("q", "getitem", R"("%split", 0)", "2, 16, 64"),
                           call("k", "getitem", R"("%split", 1)", "2, 16, 32"),
                           call("v", "getitem", R"("%split", 2)", "2, 16, 32"),
                           call("view", "aten.view.default", R"("%q", [2, 16, 4, 16])", "2, 16, 4, 16"),
                           call("transpose", "aten.transpose.int", R"("%view", 1, 2)", "2, 4, 16, 16"),
                           call("view_1", "aten.view.default", R"("%k", [2, 16, 2, 16])", "2, 16, 2, 16"),
                           call("transpose_1", "aten.transpose.int", R"("%view_1", 1, 2)", "2, 2, 16, 16"),
                           call("view_2", "aten.view.default", R"("%v", [2, 16, 2, 16])", "2, 16, 2, 16"),
                           call("transpose_2", "aten.transpose.int", R"("%view_2", 1, 2)", "2, 2, 16, 16"),
                           call("attention", "aten.scaled_dot_product_attention.default",
                                R"("%transpose", "%transpose_1", "%transpose_2", null, 0.0, true)", "2, 4, 16, 16"),
                           call("transpose_3", "aten.transpose.int", R"("%attention", 1, 2)", "2, 16, 4, 16"),
                           call("reshape", "aten.reshape.default", R"("%transpose_3", [2, 16, 64])", "2, 16, 64"),
                           call("linear_1", "aten.linear.default", R"("%reshape", "%p_out.weight")", "2, 16, 64"),
                           call("add", "aten.add.Tensor", R"("%embedding", "%linear_1")", "2, 16, 64"),
                           call("linear_2", "aten.linear.default", R"("%add", "%p_head.weight")", "2, 16, 100"),
                           output("linear_2")}));
    for (const char* line :
         {"{name: words, op: embedding, from: tokens, vocabulary: 100, features: 64}", "{name: norm, op: layer_norm}",
          "{name: qkv, op: linear, role: column, out: 128, bias: false, unit: 64}",
          "{name: attention, op: attention, heads: 4, kv_heads: 2, causal: true, implementation: attention}",
          "{name: out, op: linear, role: row, out: 64, bias: false, in_unit: 16}",
          "{name: add, op: add, from: [words, out]}", "{name: head, op: linear, role: head, out: 100, bias: false}"}) {
        EXPECT_NE(model.text.find(line), std::string::npos) << line << "\n" << model.text;
    }
    EXPECT_EQ(graph::count(network_of(model)).parameters, 2 * 100 * 64 + 128 * 64 + 64 * 64 + 2 * 64);
}

TEST(TorchGraph, MasksOfTrianglesAreCausal) {
    const auto text_with = [](const std::string& mask) {
        return imported(graph_of({input("x", "2, 8, 64"), call("ones", "aten.ones.default", "[8, 8]", "8, 8"),
                                  call("tril", "aten.tril.default", "\"%ones\"", "8, 8"),
                                  call("row", "aten.ones.default", "[1, 8]", "1, 8"),
                                  call("view", "aten.view.default", R"("%x", [2, 8, 4, 16])", "2, 8, 4, 16"),
                                  call("heads", "aten.transpose.int", R"("%view", 1, 2)", "2, 4, 8, 16"),
                                  call("attention", "aten.scaled_dot_product_attention.default",
                                       R"("%heads", "%heads", "%heads", )" + mask, "2, 4, 8, 16"),
                                  output("attention")}))
            .text;
    };
    EXPECT_NE(text_with("\"%tril\"").find("causal: true"), std::string::npos) << text_with("\"%tril\"");
    EXPECT_EQ(text_with("\"%row\"").find("causal"), std::string::npos);
    EXPECT_EQ(text_with("null").find("causal"), std::string::npos);
}

TEST(TorchGraph, PartsAndJoinedTensorsHaveTheirAxis) {
    const auto text_of = [](const std::string& parts, const std::string& shape, const std::string& joined) {
        return imported(graph_of({input("x", "2, 6, 8"), calls("parts", parts, R"("%x", )" + joined),
                                  call("a", "getitem", R"("%parts", 0)", shape),
                                  call("b", "getitem", R"("%parts", 1)", shape),
                                  call("relu", "aten.relu.default", R"("%a")", shape),
                                  call("add", "aten.add.Tensor", R"("%relu", "%b")", shape), output("add")}))
            .text;
    };
    const std::string halves = text_of("aten.chunk.default", "2, 3, 8", "2, 1");
    EXPECT_NE(halves.find(R"({name: slice1, op: slice, from: x, along: "sequence", size: 3})"), std::string::npos)
        << halves;
    const std::string rows = text_of("aten.unbind.int", "2, 8", "1");
    EXPECT_NE(rows.find(R"({name: slice1, op: slice, from: x, along: "sequence", size: 1})"), std::string::npos)
        << rows;
    // Without an axis it is the first, of samples.
    EXPECT_NE(fault_of(graph_of({input("x", "2, 6, 8"), call("relu", "aten.relu.default", R"("%x")", "2, 6, 8"),
                                 call("cat", "aten.cat.default", R"(["%relu", "%x"])", "4, 6, 8"), output("cat")}))
                  .find("joins tensors along an axis that is no dimension of a layer"),
              std::string::npos);
}

TEST(TorchGraph, ProductsAreOfMatricesAlone) {
    const auto with_weight = [](const std::string& shape, const std::string& inputs, const std::string& result) {
        return graph_of({weight("w", shape), input("x", "2, 6, 8"),
                         call("view", "aten.view.default", R"("%p_w", [8, 5])", "8, 5"),
                         call("product", "aten.matmul.default", inputs, result), output("product")});
    };
    EXPECT_NE(
        imported(with_weight("40", R"("%x", "%view")", "2, 6, 5")).text.find("op: linear, from: x, role: head, out: 5"),
        std::string::npos);
    for (const char* inputs : {R"("%x", 3)", R"("%p_w", "%x")"}) {
        EXPECT_NE(fault_of(with_weight("40", inputs, "2, 6")).find("no layer of dodona does this"), std::string::npos);
    }
}

TEST(TorchGraph, OtherUsesOfOperatorsThanLayersHaveAreRefused) {
    for (const auto& [target, inputs, shape] :
         {std::tuple{"aten.softmax.int", R"("%x", 9)", "2, 6, 8"},  // no axis; not the last
          {"aten.softmax.int", R"("%x", 1)", "2, 6, 8"},
          {"aten.expand.default", R"("%x", [6, 8])", "6, 8"},  // fewer axes; an axis that is longer than one
          {"aten.expand.default", R"("%x", [2, 6, 16])", "2, 6, 16"},
          {"aten.conv1d.default", R"("%x", null)", "2, 6, 8"}}) {
        const std::string text = graph_of({input("x", "2, 6, 8"), call("odd", target, inputs, shape), output("odd")});
        EXPECT_NE(fault_of(text).find("no layer of dodona does this"), std::string::npos) << target << inputs;
    }
}

TEST(TorchGraph, ScoresMayBeScaledAndMasked) {
    const auto with_scores = [](const std::string& target, const std::string& inputs) {
        const std::string square = "2, 4, 8, 8";
        return graph_of({input("x", "2, 8, 64"), call("ones", "aten.ones.default", "[8, 8]", "8, 8"),
                         call("tril", "aten.tril.default", R"("%ones")", "8, 8"),
                         call("view", "aten.view.default", R"("%x", [2, 8, 4, 16])", "2, 8, 4, 16"),
                         call("heads", "aten.transpose.int", R"("%view", 1, 2)", "2, 4, 8, 16"),
                         call("turned", "aten.transpose.int", R"("%heads", 2, 3)", "2, 4, 16, 8"),
                         call("scores", "aten.matmul.default", R"("%heads", "%turned")", square),
                         call("changed", target, inputs, square),
                         call("softmax", "aten.softmax.int", R"("%changed", -1)", square),
                         call("summed", "aten.matmul.default", R"("%softmax", "%heads")", "2, 4, 8, 16"),
                         call("back", "aten.transpose.int", R"("%summed", 1, 2)", "2, 8, 4, 16"),
                         call("flat", "aten.reshape.default", R"("%back", [2, 8, 64])", "2, 8, 64"), output("flat")});
    };
    for (const auto& [target, inputs, is_causal] : {std::tuple{"aten.mul.Tensor", R"("%scores", 0.25)", false},
                                                    {"aten.div.Tensor", R"("%scores", 4.0)", false},
                                                    {"aten.add.Tensor", R"("%scores", "%tril")", true},
                                                    {"aten.sub.Tensor", R"("%scores", "%tril")", true},
                                                    {"aten.where.self", R"("%tril", "%scores", 0.0)", true}}) {
        const std::string text = imported(with_scores(target, inputs)).text;
        EXPECT_NE(text.find("op: attention, from: [x, x, x], heads: 4"), std::string::npos) << target << text;
        EXPECT_EQ(text.find("causal: true") != std::string::npos, is_causal) << target << text;
    }
    EXPECT_NE(fault_of(with_scores("aten.relu.default", R"("%scores")")).find(R"(node "scores" (matmul))"),
              std::string::npos);
}

TEST(TorchGraph, ConvolutionsAndPoolsHaveTheirWindows) {
    const ImportedModel model = imported(graph_of(
        {weight("conv.weight", "8, 3, 3, 3"), weight("norm.weight", "8"), weight("norm.bias", "8"),
         weight("fc.weight", "10, 8"), weight("fc.bias", "10"), input("image", "4, 3, 32, 32"),
         call("conv2d", "aten.conv2d.padding", R"("%image", "%p_conv.weight", null, [1, 1], "same")", "4, 8, 32, 32"),
         call("batch_norm", "aten.batch_norm.default",
              R"("%conv2d", "%p_norm.weight", "%p_norm.bias", null, null, true, 0.1, 1e-05, true)", "4, 8, 32, 32"),
         call("relu_", "aten.relu_.default", R"("%batch_norm")", "4, 8, 32, 32"),
         call("max_pool2d", "aten.max_pool2d.default", R"("%relu_", [3, 3], [2, 2], [1, 1])", "4, 8, 16, 16"),
         call("pooled", "aten.adaptive_avg_pool2d.default", R"("%max_pool2d", [4, 4])", "4, 8, 4, 4"),
         call("mean", "aten.mean.dim", R"("%pooled", [-1, -2], true)", "4, 8, 1, 1"),
         call("flatten", "aten.flatten.using_ints", R"("%mean", 1)", "4, 8"),
         call("dropout", "aten.dropout.default", R"("%flatten", 0.5, true)", "4, 8"),
         call("linear", "aten.linear.default", R"("%dropout", "%p_fc.weight", "%p_fc.bias")", "4, 10"),
         output("linear")}));
    for (const char* line :
         {"{name: conv, op: conv, from: image, filters: 8, kernel: 3, pad: 1, bias: false}",
          "{name: norm, op: batch_norm}", "{name: max_pool, op: max_pool, kernel: 3, stride: 2, pad: 1}",
          "{name: average_pool, op: average_pool, kernel: 4}", "{name: global_pool, op: global_pool}",
          "{name: dropout, op: dropout}", "{name: fc, op: linear, out: 10}"}) {
        EXPECT_NE(model.text.find(line), std::string::npos) << line << "\n" << model.text;
    }
    EXPECT_EQ(graph::count(network_of(model)).parameters, 8 * 27 + 16 + 90);
}

TEST(TorchGraph, RecurrentLayersHaveTheirDepthAndDirections) {
    // torch.nn.LSTM(32, 64, 2, bidirectional): 2 directions of 4 h (in + h + 2), then of 4 h (2 h + h + 2).
    std::vector<std::string> nodes;
    std::string names;
    for (const char* layer : {"l0", "l0_reverse", "l1", "l1_reverse"}) {
        const std::string in = std::string_view(layer).starts_with("l0") ? "32" : "128";
        for (const auto& [kind, shape] : {std::pair<std::string, std::string>{"weight_ih", "256, " + in},
                                          {"weight_hh", "256, 64"},
                                          {"bias_ih", "256"},
                                          {"bias_hh", "256"}}) {
            const std::string name = fmt::format("cell.{}_{}", kind, layer);
            nodes.push_back(weight(name, shape));
            names += fmt::format("{}\"%p_{}\"", names.empty() ? "" : ", ", name);
        }
    }
    nodes.push_back(input("states", "2, 20, 32"));
    nodes.push_back(call("zeros", "aten.zeros.default", "[4, 2, 64]", "4, 2, 64"));
    nodes.push_back(
        calls("lstm", "aten.lstm.input",
              fmt::format(R"("%states", ["%zeros", "%zeros"], [{}], true, 2, 0.0, true, true, true)", names)));
    nodes.push_back(call("getitem", "getitem", R"("%lstm", 0)", "2, 20, 128"));
    nodes.push_back(output("getitem"));
    const ImportedModel model = imported(graph_of(nodes));
    EXPECT_NE(model.text.find("{name: cell, op: lstm, from: states, hidden: 64, layers: 2, bidirectional: true}"),
              std::string::npos)
        << model.text;
    const std::int64_t weights = 2 * 256 * (32 + 64 + 2) + 2 * 256 * (128 + 64 + 2);
    EXPECT_EQ(model.parameters, weights);
    EXPECT_EQ(graph::count(network_of(model)).parameters, weights);
}

TEST(TorchGraph, WhatNoLayerDoesIsRefusedWithTheNode) {
    try {
        static_cast<void>(network("upsample"));
        FAIL();
    } catch (const InputError& error) {
        const std::string told = to_text(error.diagnostics().front());
        EXPECT_NE(told.find("error: node \"upsample_nearest2d\" (upsample_nearest2d): no layer of dodona does this"),
                  std::string::npos)
            << told;
    }
}

TEST(TorchGraph, FaultsHaveTheirLine) {
    EXPECT_NE(fault_of(graph_of({input("x", "2, 4"), call("relu", "aten.relu.default", "\"%y\"", "2, 4")}))
                  .find("typed.json:3:1: error: node \"relu\" reads \"y\", which nothing before it writes"),
              std::string::npos);
    EXPECT_NE(
        fault_of(graph_of({input("x", "2, 4"), R"({"name": "relu", "kind": "call"})"}))
            .find("typed.json:3:26: error: nodes[1].kind: unknown word \"call\"; did you mean \"call_function\"?"),
        std::string::npos)
        << fault_of(graph_of({input("x", "2, 4"), R"({"name": "relu", "kind": "call"})"}));
    EXPECT_NE(fault_of(R"({"torch_graph": 2, "torch": "2.5.1", "nodes": []})").find("only version 1 is read"),
              std::string::npos);
    EXPECT_NE(fault_of(graph_of({input("x", "2, 4"), input("w", "8, 4"),
                                 call("linear", "aten.linear.default", R"("%x", "%w")", "2, 8"), output("linear")}))
                  .find("input \"w\" is 8 x 4, without a batch of 2"),
              std::string::npos);
    EXPECT_NE(fault_of(graph_of({})).find("no result of the network is one of a layer"), std::string::npos);
}

TEST(TorchGraph, WhateverChangesInAFileReadingItEnds) {
    std::ostringstream whole;
    whole << std::ifstream(path_of("gpt2")).rdbuf();
    std::mt19937 random(1);
    std::size_t refused = 0;
    const std::size_t kTries = drawn::full() ? 150 : 40;
    for (std::size_t i = 0; i < kTries; ++i) {
        std::string text = whole.str();
        for (int changes = 0; changes < 3; ++changes) {
            const std::size_t at = random() % text.size();
            const std::size_t digit = text.find_first_of("0123456789", at);
            text[digit == std::string::npos ? at : digit] = static_cast<char>('0' + random() % 10);
        }
        refused += fault_of(text) == "none" ? 0 : 1;
    }
    EXPECT_GT(refused, kTries / 2);
}

}  // namespace torch_graph_test
}  // namespace dodona::files::testing
