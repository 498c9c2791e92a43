// Networks in ONNX's format, as the file has them: nodes, weights' shapes, inputs. Weights themselves are not read, and
// may lie in other files or be left out.
// Source: onnx/onnx: onnx/onnx.proto (field numbers), docs/IR.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "files/traced/traced_graph.hpp"

namespace dodona::files {

struct OnnxTensor {
    enum Type { kFloat = 1, kUint8 = 2, kInt32 = 6, kInt64 = 7, kBool = 9, kHalf = 10, kDouble = 11, kBrain = 16 };
    std::string name;
    Shape shape;
    std::uint64_t type = 0;
    std::string_view bytes;       ///< as they lie in memory; empty where the file has them in another way, or not
    std::vector<double> numbers;  ///< where the file has them as a list
};

struct OnnxAttribute {
    std::vector<std::int64_t> integers;  ///< a single one, or a list
    double number = 0;
    std::string text;
    std::shared_ptr<const OnnxTensor> tensor;
};

struct OnnxNode {
    std::string name;
    std::string type;
    std::string domain;
    std::vector<std::string> inputs;  ///< empty: left out
    std::vector<std::string> outputs;
    std::map<std::string, OnnxAttribute> attributes;
};

struct OnnxExtent {
    std::int64_t extent = 0;  ///< 0: not known
    std::string symbol;
};

struct OnnxValue {
    std::string name;
    std::uint64_t type = 0;
    std::vector<OnnxExtent> extents;
    bool has_shape = false;
};

struct OnnxGraph {
    std::shared_ptr<const void> file;  ///< holds what the views see
    std::int64_t version = 0;          ///< of the operators ("opset")
    std::string producer;
    std::vector<OnnxNode> nodes;
    std::vector<OnnxTensor> weights;
    std::vector<OnnxValue> inputs;  ///< without those that are weights
    std::vector<OnnxValue> outputs;
    std::vector<OnnxValue> values;  ///< shapes that the exporter knew
};

/// Throws InputError for what is no such file. `name`: as messages call it; `where`: the place that names it.
OnnxGraph load_onnx(const std::filesystem::path& path, const std::string& name, const Location& where);

/// The same of bytes that outlive it.
OnnxGraph read_onnx(std::string_view bytes, const Location& file);

/// Whether a type of elements is one of whole numbers or truths.
bool is_whole(std::uint64_t type);

/// The numbers of a tensor, if it has so few that shapes may be made of them.
std::vector<double> few_numbers(const OnnxTensor& tensor);

}  // namespace dodona::files
