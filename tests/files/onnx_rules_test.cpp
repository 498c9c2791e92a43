// Shapes and numbers of ONNX's operators by hand, as onnx/onnx: docs/Operators.md defines them.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "files/traced/onnx_numbers.hpp"
#include "files/traced/onnx_shapes.hpp"

namespace dodona::files::testing {
namespace onnx_rules_test {

using Numbers = std::vector<double>;
using Attributes = std::map<std::string, Shape>;

/// An input: its shape, and its numbers where they are known.
struct Given {
    Shape shape;
    Numbers numbers = {};
    bool is_index = true;
};

Given list(const Numbers& numbers) { return {{static_cast<std::int64_t>(numbers.size())}, numbers}; }
Given one(double number) { return {{}, {number}}; }

struct Node {
    std::string type;
    Attributes attributes;
    std::vector<Given> inputs;
    std::string equation = {};
    std::size_t outputs = 1;
};

/// Shapes of the results of a node, and the numbers of the first.
std::pair<OnnxShapes, Numbers> said_of(const Node& row) {
    OnnxNode node;
    node.type = row.type;
    node.outputs.resize(row.outputs);
    for (const auto& [name, integers] : row.attributes) {
        node.attributes[name].integers = integers;
    }
    if (!row.equation.empty()) {
        node.attributes["equation"].text = row.equation;
    }
    std::vector<OnnxKnown> known;
    for (const Given& given : row.inputs) {
        OnnxKnown& one = known.emplace_back();
        one.has_shape = true;
        one.shape = given.shape;
        one.numbers = given.numbers;
        one.is_constant = !given.numbers.empty();
        one.is_index = given.is_index;
    }
    OnnxInputs inputs;
    for (const OnnxKnown& one : known) {
        inputs.push_back(&one);
    }
    OnnxShapes shapes = shapes_of(node, inputs);
    Numbers numbers = shapes[0] ? computed_numbers(node, inputs, *shapes[0]) : Numbers();
    return {std::move(shapes), std::move(numbers)};
}

TEST(OnnxRules, ShapesAreThoseOfTheSpecification) {
    struct Row {
        Node node;
        OnnxShapes shapes;
    };
    const Given cube{{2, 3, 4}};
    const std::vector<Row> rows{
        {{"MatMul", {}, {cube, {{4, 5}}}}, {Shape{2, 3, 5}}},
        {{"MatMul", {}, {{{1, 3, 4}}, {{2, 4, 5}}}}, {Shape{2, 3, 5}}},
        {{"MatMul", {}, {{{3, 4}}, {{5, 6}}}}, {std::nullopt}},
        {{"Add", {}, {{{2, 1, 4}}, {{3, 1}}}}, {Shape{2, 3, 4}}},
        {{"Add", {}, {{{2}}, {{3}}}}, {std::nullopt}},
        {{"Gemm", {}, {{{2, 4}}, {{4, 5}}}}, {Shape{2, 5}}},
        {{"Gemm", {{"transA", {1}}}, {{{4, 2}}, {{4, 5}}}}, {Shape{2, 5}}},
        {{"Gemm", {{"transB", {1}}}, {{{2, 4}}, {{5, 4}}}}, {Shape{2, 5}}},
        {{"Range", {}, {one(2), one(10), one(3)}}, {Shape{3}}},
        {{"Range", {}, {one(10), one(2), one(-3)}}, {Shape{3}}},
        {{"Range", {}, {one(3), one(2), one(1)}}, {Shape{0}}},
        {{"ReduceMean", {{"axes", {1}}}, {cube}}, {Shape{2, 1, 4}}},
        {{"ReduceMean", {{"axes", {-1}}, {"keepdims", {0}}}, {cube}}, {Shape{2, 3}}},
        {{"ReduceSum", {}, {cube, list({0, 2})}}, {Shape{1, 3, 1}}},
        {{"ReduceSum", {}, {cube}}, {Shape{1, 1, 1}}},
        {{"ArgMax", {{"axis", {2}}, {"keepdims", {0}}}, {cube}}, {Shape{2, 3}}},
        {{"ArgMin", {}, {cube}}, {Shape{1, 3, 4}}},
        {{"Einsum", {}, {cube, {{2, 4, 5}}}, "bij, bjk -> bik"}, {Shape{2, 3, 5}}},
        {{"Einsum", {}, {cube}, "bij,bjk->bik"}, {std::nullopt}},
        {{"Split", {}, {{{7, 2}}}, "", 3}, {Shape{3, 2}, Shape{3, 2}, Shape{1, 2}}},
        {{"Split", {{"axis", {-1}}, {"split", {1, 6}}}, {{{2, 7}}}, "", 2}, {Shape{2, 1}, Shape{2, 6}}},
        {{"Split", {}, {{{7, 2}}, list({2, 5})}, "", 2}, {Shape{2, 2}, Shape{5, 2}}},
        {{"LSTM", {{"hidden_size", {16}}}, {{{5, 3, 8}}, {{2, 64, 8}}, {{2, 64, 16}}}, "", 3},
         {Shape{5, 2, 3, 16}, Shape{2, 3, 16}, Shape{2, 3, 16}}},
        {{"GRU", {{"hidden_size", {16}}, {"layout", {1}}}, {{{3, 5, 8}}, {{2, 48, 8}}, {{2, 48, 16}}}, "", 2},
         {Shape{3, 5, 2, 16}, Shape{3, 2, 16}}},
        {{"Reshape", {}, {cube, list({0, -1})}}, {Shape{2, 12}}},
        {{"Reshape", {}, {cube, list({-1})}}, {Shape{24}}},
        {{"Reshape", {}, {cube, list({5, -1})}}, {std::nullopt}},
        {{"Reshape", {{"allowzero", {1}}}, {cube, list({0, 12})}}, {std::nullopt}},
        {{"Flatten", {}, {cube}}, {Shape{2, 12}}},
        {{"Flatten", {{"axis", {0}}}, {cube}}, {Shape{1, 24}}},
        {{"Flatten", {{"axis", {-1}}}, {cube}}, {Shape{6, 4}}},
        {{"Flatten", {{"axis", {3}}}, {cube}}, {Shape{24, 1}}},
        {{"Flatten", {{"axis", {4}}}, {cube}}, {std::nullopt}},
        {{"Transpose", {}, {cube}}, {Shape{4, 3, 2}}},
        {{"Transpose", {{"perm", {0, 2, 1}}}, {cube}}, {Shape{2, 4, 3}}},
        {{"Squeeze", {}, {{{1, 3, 1}}}}, {Shape{3}}},
        {{"Squeeze", {{"axes", {0}}}, {{{1, 3, 1}}}}, {Shape{3, 1}}},
        {{"Unsqueeze", {}, {{{3, 4}}, list({0, 3})}}, {Shape{1, 3, 4, 1}}},
        {{"Unsqueeze", {{"axes", {-1}}}, {{{3, 4}}}}, {Shape{3, 4, 1}}},
        {{"Concat", {{"axis", {1}}}, {{{2, 3}}, {{2, 4}}}}, {Shape{2, 7}}},
        {{"Concat", {{"axis", {1}}}, {{{2, 3}}, {{2}}}}, {std::nullopt}},
        {{"Slice", {}, {{{10, 5}}, list({1}), list({8}), list({0}), list({3})}}, {Shape{3, 5}}},
        {{"Slice", {}, {{{10, 5}}, list({-3}), list({1e9}), list({1})}}, {Shape{10, 3}}},
        {{"Slice", {}, {{{10, 5}}, list({9}), list({-11}), list({0}), list({-2})}}, {Shape{5, 5}}},
        {{"Slice", {{"starts", {0, 1}}, {"ends", {4, 3}}}, {{{10, 5}}}}, {Shape{4, 2}}},
        {{"Gather", {{"axis", {1}}}, {{{5, 4}}, {{2, 3}}}}, {Shape{5, 2, 3}}},
        {{"Gather", {}, {{{5, 4}}, {{}}}}, {Shape{4}}},
        {{"Tile", {}, {{{2, 3}}, list({2, 1})}}, {Shape{4, 3}}},
        {{"Tile", {}, {{{2, 3}}, list({-1, 1})}}, {std::nullopt}},
        {{"Pad", {}, {{{2, 3}}, list({0, 1, 0, 2})}}, {Shape{2, 6}}},
        {{"Pad", {{"pads", {1, 0, 2, 0}}}, {{{2, 3}}}}, {Shape{5, 3}}},
        {{"Expand", {}, {{{3, 1}}, list({2, 1, 4})}}, {Shape{2, 3, 4}}},
        {{"ConstantOfShape", {}, {list({2, 3})}}, {Shape{2, 3}}},
        {{"Where", {}, {{{3, 1}}, {{1, 4}}, {{}}}}, {Shape{3, 4}}},
        {{"Shape", {}, {cube}}, {Shape{3}}},
        {{"Shape", {{"start", {1}}}, {cube}}, {Shape{2}}},
        {{"Shape", {{"start", {-1}}}, {cube}}, {Shape{1}}},
        {{"Shape", {{"start", {2}}, {"end", {1}}}, {cube}}, {Shape{0}}},
        {{"Size", {}, {cube}}, {Shape{}}},
        {{"Unheard", {}, {cube}}, {std::nullopt}},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(said_of(row.node).first, row.shapes) << row.node.type << " no. " << &row - rows.data();
    }
}

TEST(OnnxRules, NumbersAreThoseOfTheSpecification) {
    struct Row {
        Node node;
        Numbers numbers;
    };
    const Given three = list({1, 2, 3});
    const Given twos = list({2, 2, 2});
    const Given truth = list({0, 0, 1, 1});
    const Given other = list({0, 1, 0, 1});
    const Given four = list({5, 6, 7, 8});
    const std::vector<Row> rows{
        {{"Add", {}, {three, list({10})}}, {11, 12, 13}},
        {{"Add", {}, {{{2, 1}, {1, 2}}, {{1, 3}, {10, 20, 30}}}}, {11, 21, 31, 12, 22, 32}},
        {{"Sub", {}, {three, one(1)}}, {0, 1, 2}},
        {{"Mul", {}, {three, three}}, {1, 4, 9}},
        {{"Div", {}, {list({7, -7}), one(2)}}, {3, -3}},
        {{"Div", {}, {{{1}, {7}, false}, {{}, {2}, false}}}, {3.5}},
        {{"Div", {}, {list({7}), one(0)}}, {0}},
        {{"Mod", {}, {list({7, -7}), one(3)}}, {1, 2}},
        {{"Pow", {}, {three, one(3)}}, {1, 8, 27}},
        {{"Max", {}, {three, twos}}, {2, 2, 3}},
        {{"Min", {}, {three, twos}}, {1, 2, 2}},
        {{"Equal", {}, {three, twos}}, {0, 1, 0}},
        {{"Less", {}, {three, twos}}, {1, 0, 0}},
        {{"LessOrEqual", {}, {three, twos}}, {1, 1, 0}},
        {{"Greater", {}, {three, twos}}, {0, 0, 1}},
        {{"GreaterOrEqual", {}, {three, twos}}, {0, 1, 1}},
        {{"And", {}, {truth, other}}, {0, 0, 0, 1}},
        {{"Or", {}, {truth, other}}, {0, 1, 1, 1}},
        {{"Not", {}, {truth}}, {1, 1, 0, 0}},
        {{"Neg", {}, {three}}, {-1, -2, -3}},
        {{"Abs", {}, {list({-2, 2})}}, {2, 2}},
        {{"Sqrt", {}, {list({9})}}, {3}},
        {{"Floor", {}, {list({1.5})}}, {1}},
        {{"Ceil", {}, {list({1.5})}}, {2}},
        {{"Cast", {{"to", {7}}}, {list({2.7})}}, {2}},
        {{"Cast", {{"to", {1}}}, {list({2.7})}}, {2.7}},
        {{"Gather", {}, {four, list({-1, 0})}}, {8, 5}},
        {{"Gather", {}, {{{2, 2}, {1, 2, 3, 4}}, list({1})}}, {3, 4}},
        {{"Gather", {}, {four, list({4})}}, {}},
        {{"Slice", {}, {four, list({1}), list({3})}}, {6, 7}},
        {{"Slice", {}, {four, list({-1}), list({-5}), list({0}), list({-1})}}, {8, 7, 6, 5}},
        {{"Concat", {{"axis", {0}}}, {three, one(4)}}, {}},
        {{"Concat", {{"axis", {-1}}}, {three, list({4})}}, {1, 2, 3, 4}},
        {{"ReduceProd", {{"keepdims", {0}}}, {list({2, 3, 4})}}, {24}},
        {{"ReduceSum", {{"keepdims", {0}}}, {list({2, 3, 4})}}, {9}},
        {{"ReduceMax", {{"keepdims", {0}}}, {list({2, 4, 3})}}, {4}},
        {{"ReduceMin", {{"keepdims", {0}}}, {list({3, 2, 4})}}, {2}},
        {{"Range", {}, {one(2), one(10), one(3)}}, {2, 5, 8}},
        {{"Expand", {}, {list({5}), list({3})}}, {5, 5, 5}},
        {{"Where", {}, {list({1, 0}), list({10, 20}), list({30, 40})}}, {10, 40}},
        {{"Unsqueeze", {}, {three, list({0})}}, {1, 2, 3}},
        {{"ConstantOfShape", {}, {list({2, 2})}}, {0, 0, 0, 0}},
        {{"Shape", {}, {{{7, 8, 9}}}}, {7, 8, 9}},
        {{"Shape", {{"start", {1}}, {"end", {-1}}}, {{{7, 8, 9}}}}, {8}},
        {{"Size", {}, {{{7, 8, 9}}}}, {504}},
        {{"ReduceMean", {{"keepdims", {0}}}, {three}}, {}},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(said_of(row.node).second, row.numbers) << row.node.type << " no. " << &row - rows.data();
    }
}

}  // namespace onnx_rules_test
}  // namespace dodona::files::testing
