// Model files: parameters, words and expressions, blocks, `extends`.
#include "files/model_file.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "reading.hpp"

namespace dodona::files::testing {
namespace model_file_test {

using graph::Entry;
using graph::NetworkSpec;

const std::string kHead = "model: m\nsource: \"s\"\ninput: {image: {channel: 3, height: 8, width: 8}}\n";

/// The value of the attribute `x` of one layer, written so, with parameters hidden = 12, kind = fused, on = true.
graph::AttributeValue attribute(const std::string& text, const std::string& key = "x") {
    const NetworkSpec spec = model_of(kHead + "parameters: {hidden: 12, kind: fused, on: true, ratio: 0.5}\n" +
                                      "layers:\n  - {name: a, op: relu, " + key + ": " + text + "}\n");
    return spec.entries.at(0).attributes.at(key);
}

template <typename T>
T attribute_as(const std::string& text, const std::string& key = "x") {
    return std::get<T>(attribute(text, key).value);
}

TEST(ModelFile, AttributesAreNumbersFlagsOrWords) {
    EXPECT_EQ(attribute_as<std::int64_t>("3"), 3);
    EXPECT_EQ(attribute_as<std::int64_t>("-3"), -3);
    EXPECT_DOUBLE_EQ(attribute_as<double>("2.5"), 2.5);
    EXPECT_TRUE(attribute_as<bool>("true"));
    EXPECT_EQ(attribute_as<std::string>("silu"), "silu");
    EXPECT_EQ(attribute_as<std::vector<std::int64_t>>("[1, hidden, 2*3]"), (std::vector<std::int64_t>{1, 12, 6}));
}

TEST(ModelFile, AttributesTakeTheValueOfParameters) {
    EXPECT_EQ(attribute_as<std::int64_t>("hidden"), 12);
    EXPECT_EQ(attribute_as<std::string>("kind"), "fused");
    EXPECT_EQ(attribute_as<std::string>("\"kind\""), "kind");
    EXPECT_TRUE(attribute_as<bool>("on"));
    EXPECT_DOUBLE_EQ(attribute_as<double>("ratio"), 0.5);
}

TEST(ModelFile, AttributesAreExpressionsOfParameters) {
    EXPECT_EQ(attribute_as<std::int64_t>("4*hidden"), 48);
    EXPECT_EQ(attribute_as<std::int64_t>("\"round_up(hidden + 1, 8)\""), 16);
    EXPECT_EQ(attribute_as<std::int64_t>("hidden*ratio"), 6);
    EXPECT_DOUBLE_EQ(attribute_as<double>("hidden/8"), 1.5);
}

TEST(ModelFile, WordsMayBeJoined) {
    EXPECT_EQ(attribute_as<std::string>("all-reduce"), "all-reduce");
    EXPECT_EQ(attribute_as<std::string>("decoder/embedding"), "decoder/embedding");
    EXPECT_EQ(attribute_as<std::string>("\"3d\""), "3d");
    EXPECT_EQ(attribute_as<std::string>("hidden", "tied"), "hidden");
    EXPECT_EQ(attribute_as<std::string>("kind", "tied"), "fused");
}

TEST(ModelFile, ParametersAreExpressionsOfEarlierOnes) {
    const NetworkSpec spec = model_of(kHead + "parameters:\n  a: 4\n  b: a*a\n  c: \"round_up(b, 10)\"\n  w: word\n" +
                                      "layers:\n  - {name: r, op: relu}\n");
    EXPECT_EQ(std::get<std::int64_t>(spec.parameters.at("b").value), 16);
    EXPECT_EQ(std::get<std::int64_t>(spec.parameters.at("c").value), 20);
    EXPECT_EQ(std::get<std::string>(spec.parameters.at("w").value), "word");
}

TEST(ModelFile, SettingsReplaceDefaultsBeforeLaterParametersUseThem) {
    const std::string text = kHead + "parameters: {a: 4, b: a*a}\nlayers:\n  - {name: r, op: relu, x: b}\n";
    const std::vector<Setting> settings{{"a", "3", command_line()}};
    const NetworkSpec spec = model_of(text, settings);
    EXPECT_EQ(std::get<std::int64_t>(spec.entries[0].attributes.at("x").value), 9);
}

TEST(ModelFile, SettingsAreFaultsOfTheCommandLine) {
    const std::string text = kHead + "parameters: {image: 4, kind: fused}\nlayers:\n  - {name: r, op: relu}\n";
    const auto told = [&](const std::string& name, const std::string& value) {
        return model_fault(text, std::vector<Setting>{{name, value, command_line()}});
    };
    EXPECT_EQ(told("imgae", "3"),
              "command line: error: --set imgae: the model has no such parameter; did you mean \"image\"?\n"
              "  help: its parameters: image, kind\n");
    EXPECT_EQ(told("image", "small"), "command line: error: --set image: \"small\" is not a number\n");
    EXPECT_EQ(told("kind", "3"), "command line: error: --set kind: \"3\" is not a word\n");
    EXPECT_EQ(told("image", "1/0"), "command line: error: --set image: division by zero in \"1/0\"\n");
    EXPECT_EQ(told("image", "nan"), "command line: error: --set image: \"nan\" is not a finite number\n");
    EXPECT_NE(told("image", ""), "");
}

TEST(ModelFile, InputsHaveABatchOfOneFirst) {
    const NetworkSpec spec = model_of(
        "model: m\nsource: \"s\"\ninput: {tokens: {sequence: 5, element: index}}\nlayers:\n"
        "  - {name: r, op: relu}\n");
    ASSERT_EQ(spec.inputs.size(), 1U);
    const graph::Tensor& tensor = spec.inputs[0].tensor;
    EXPECT_EQ(tensor.element, graph::Element::index);
    ASSERT_EQ(tensor.dimensions.size(), 2U);
    EXPECT_EQ(tensor.dimensions[0].name, "batch");
    EXPECT_EQ(tensor.dimensions[0].extent, 1);
    EXPECT_EQ(tensor.dimensions[1].name, "sequence");
    EXPECT_EQ(tensor.dimensions[1].extent, 5);
}

TEST(ModelFile, BlocksArePutInWithTheirParameters) {
    const NetworkSpec spec = model_of(kHead +
                                      "parameters: {base: 2}\n"
                                      "blocks:\n"
                                      "  inner: {parameters: {w: base}, layers: [{name: r, op: relu, x: w}]}\n"
                                      "  outer:\n"
                                      "    parameters: {w: 5, twice: 2*w}\n"
                                      "    layers:\n"
                                      "      - {name: a, block: inner, with: {w: twice}, repeat: 3}\n"
                                      "      - {name: b, block: inner}\n"
                                      "layers:\n"
                                      "  - {name: x, block: outer, repeat: 2*base, with: {w: 7}}\n"
                                      "  - {name: y, block: outer, from: x}\n");
    ASSERT_EQ(spec.entries.size(), 2U);
    const Entry& x = spec.entries[0];
    EXPECT_EQ(x.repeat, 4);
    EXPECT_EQ(x.block, "outer");
    EXPECT_EQ(x.children.at(0).repeat, 3);
    const auto inner_of = [](const Entry& entry, std::size_t child) {
        return std::get<std::int64_t>(entry.children.at(child).children.at(0).attributes.at("x").value);
    };
    EXPECT_EQ(inner_of(x, 0), 14);
    EXPECT_EQ(inner_of(x, 1), 2) << "a block sees the file's parameters, not those of the block around it";
    EXPECT_EQ(inner_of(spec.entries[1], 0), 10);
    EXPECT_EQ(spec.entries[1].from, std::vector<std::string>{"x"});
}

TEST(ModelFile, ExtendsAnotherWithOtherDefaults) {
    const NetworkSpec wide = library().model("wide-cnn");
    EXPECT_EQ(wide.name, "wide-cnn");
    EXPECT_EQ(std::get<std::int64_t>(wide.parameters.at("width").value), 16);
    EXPECT_EQ(std::get<std::int64_t>(wide.entries.at(0).attributes.at("filters").value), 16);
    EXPECT_FALSE(wide.published.parameters.has_value()) << "counts are those of the file that was extended";
    EXPECT_DOUBLE_EQ(wide.dataset.samples.value_or(0), 50000);
    const std::vector<Setting> settings{{"width", "4", command_line()}};
    EXPECT_EQ(std::get<std::int64_t>(library().model("wide-cnn", settings).parameters.at("width").value), 4);
}

TEST(ModelFile, MayExtendOneThatExtendsAnotherAndSoOn) {
    const Opener chain = [](const std::string& name, const std::filesystem::path& folder, const Location& where) {
        const int left = std::atoi(name.c_str());
        return left == 0 ? library().model_opener()("tiny-cnn", folder, where)
                         : parse_document(fmt::format("model: m\nsource: a test\nextends: {}\n", left - 1), name);
    };
    const auto fault = [&](int files) {
        return fault_of([&] {
            EXPECT_EQ(read_model(chain(std::to_string(files), {}, {}), {}, chain).entries.size(),
                      library().model("tiny-cnn").entries.size());
        });
    };
    for (const int files : {1, 2, 5, 8}) {
        EXPECT_EQ(fault(files), "") << files;
    }
    EXPECT_NE(fault(9).find("more than 8 files"), std::string::npos) << fault(9);
}

TEST(ModelFile, IsBuiltIntoAGraph) {
    const graph::Graph graph = graph::build(library().model("tiny-cnn"));
    EXPECT_DOUBLE_EQ(graph::count(graph).parameters, library().model("tiny-cnn").published.parameters.value_or(0));
}

TEST(ModelFile, TellsEveryFaultOnce) {
    const std::string told = model_fault(kHead +
                                         "blocks:\n  b: {layers: [{name: r, op: relu, x: 2*y}]}\n"
                                         "layers:\n  - {name: p, block: b}\n  - {name: q, block: b}\n"
                                         "  - {name: z, op: nothing}\n");
    std::size_t count = 0;
    for (std::size_t at = told.find("error:"); at != std::string::npos; at = told.find("error:", at + 1)) {
        ++count;
    }
    EXPECT_EQ(count, 2U) << told;
}

}  // namespace model_file_test
}  // namespace dodona::files::testing
