#include "files/traced/onnx_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "base/read_file.hpp"
#include "files/protobuf_message.hpp"

namespace dodona::files {

namespace {

constexpr std::size_t kMaxOnnxNodes = 100'000;
constexpr std::size_t kMaxOnnxWeights = 200'000;
constexpr std::size_t kMaxOnnxAxes = 16;
constexpr std::size_t kMaxOnnxListed = 65'536;   ///< numbers that are read of a list
constexpr std::int64_t kMaxOnnxNumbers = 4'096;  ///< of a tensor that shapes are made of

/// A file in memory, of which only the pages that are read are loaded.
class MappedFile {
public:
    MappedFile(const std::filesystem::path& path, const std::string& name, const Location& where) {
        check_regular(path, name, where);
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        struct stat about = {};
        if (file < 0 || ::fstat(file, &about) != 0) {
            const std::string why = std::generic_category().message(errno);
            if (file >= 0) {
                ::close(file);
            }
            fail(where, fmt::format("{}: cannot be read: {}", name, why));
        }
        size_ = S_ISREG(about.st_mode) ? static_cast<std::size_t>(about.st_size) : 0;
        if (size_ > 0) {
            start_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
        }
        ::close(file);
        if (size_ > 0 && start_ == MAP_FAILED) {
            fail(where, fmt::format("{}: cannot be read: {}", name, std::generic_category().message(errno)));
        }
    }
    ~MappedFile() {
        if (size_ > 0 && start_ != MAP_FAILED) {
            ::munmap(start_, size_);
        }
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] std::string_view bytes() const {
        return size_ == 0 ? std::string_view() : std::string_view(static_cast<const char*>(start_), size_);
    }

private:
    void* start_ = nullptr;
    std::size_t size_ = 0;
};

/// Walks over the fields of ONNX's messages. The numbers of fields are those of onnx.proto.
class OnnxReader {
public:
    explicit OnnxReader(Location where) : where_(std::move(where)) {}

    OnnxGraph model(std::string_view bytes) {
        OnnxGraph graph;
        std::string_view body;
        each(bytes, [&](const ProtobufField& field) {
            if (field.number == 2) {
                graph.producer = field.bytes;
            } else if (field.number == 7) {
                body = field.bytes;
            } else if (field.number == 8) {
                read_version(field.bytes, graph);
            }
        });
        if (body.empty()) {
            fail(where_, "not a network in ONNX's format: it has no graph",
                 "torch.onnx.export and other exporters write such files");
        }
        read_graph(body, graph);
        return graph;
    }

private:
    template <typename Read>
    void each(std::string_view bytes, const Read& read) {
        ProtobufMessage message(bytes);
        while (const auto field = message.next()) {
            read(*field);
        }
        if (message.broken()) {
            fail(where_, "not a network in ONNX's format, or cut off: a message in it breaks off");
        }
    }

    void read_version(std::string_view bytes, OnnxGraph& graph) {
        std::string_view domain;
        std::int64_t version = 0;
        each(bytes, [&](const ProtobufField& field) {
            if (field.number == 1) {
                domain = field.bytes;
            } else if (field.number == 2) {
                version = static_cast<std::int64_t>(field.integer);
            }
        });
        graph.version = domain.empty() || domain == "ai.onnx" ? version : graph.version;
    }

    void read_graph(std::string_view bytes, OnnxGraph& graph) {
        each(bytes, [&](const ProtobufField& field) {
            switch (field.number) {
                case 1: graph.nodes.push_back(node(field.bytes)); break;
                case 5: graph.weights.push_back(tensor(field.bytes)); break;
                case 11: graph.inputs.push_back(value(field.bytes)); break;
                case 12: graph.outputs.push_back(value(field.bytes)); break;
                case 13: graph.values.push_back(value(field.bytes)); break;
                default: break;
            }
            if (graph.nodes.size() > kMaxOnnxNodes || graph.weights.size() > kMaxOnnxWeights) {
                fail(where_, fmt::format("more than {} nodes or {} weights", kMaxOnnxNodes, kMaxOnnxWeights));
            }
        });
        std::vector<std::string> named;  // weights may stand among the inputs too
        append(named, graph.weights, &OnnxTensor::name);
        std::sort(named.begin(), named.end());
        std::erase_if(graph.inputs, [&](const OnnxValue& input) {
            return std::binary_search(named.begin(), named.end(), input.name);
        });
    }

    OnnxNode node(std::string_view bytes) {
        OnnxNode node;
        each(bytes, [&](const ProtobufField& field) {
            switch (field.number) {
                case 1: node.inputs.emplace_back(field.bytes); break;
                case 2: node.outputs.emplace_back(field.bytes); break;
                case 3: node.name = field.bytes; break;
                case 4: node.type = field.bytes; break;
                case 5: add_attribute(field.bytes, node); break;
                case 7: node.domain = field.bytes; break;
                default: break;
            }
        });
        return node;
    }

    void add_attribute(std::string_view bytes, OnnxNode& node) {
        OnnxAttribute attribute;
        std::string name;
        each(bytes, [&](const ProtobufField& field) {
            switch (field.number) {
                case 1: name = field.bytes; break;
                case 2: attribute.number = float_of(field.bytes); break;
                case 3: attribute.integers = {static_cast<std::int64_t>(field.integer)}; break;
                case 4: attribute.text = field.bytes; break;
                case 5: attribute.tensor = std::make_shared<const OnnxTensor>(tensor(field.bytes)); break;
                case 8: add_integers(field, attribute.integers); break;
                default: break;
            }
        });
        node.attributes[name] = std::move(attribute);
    }

    OnnxTensor tensor(std::string_view bytes) {
        OnnxTensor tensor;
        each(bytes, [&](const ProtobufField& field) {
            switch (field.number) {
                case 1: add_integers(field, tensor.shape); break;
                case 2: tensor.type = field.integer; break;
                case 4: add_floats(field.bytes, 4, tensor.numbers); break;
                case 5:
                case 7: add_whole(field, tensor.numbers); break;
                case 8: tensor.name = field.bytes; break;
                case 9: tensor.bytes = field.bytes; break;
                case 10: add_floats(field.bytes, 8, tensor.numbers); break;
                default: break;
            }
        });
        check(tensor.shape, tensor.name);
        return tensor;
    }

    OnnxValue value(std::string_view bytes) {
        OnnxValue value;
        std::string_view type;
        each(bytes, [&](const ProtobufField& field) {
            if (field.number == 1) {
                value.name = field.bytes;
            } else if (field.number == 2) {
                type = field.bytes;
            }
        });
        each(type, [&](const ProtobufField& field) {
            if (field.number == 1) {
                read_tensor_type(field.bytes, value);
            }
        });
        return value;
    }

    void read_tensor_type(std::string_view bytes, OnnxValue& value) {
        each(bytes, [&](const ProtobufField& field) {
            if (field.number == 1) {
                value.type = field.integer;
            } else if (field.number == 2) {
                value.has_shape = true;
                each(field.bytes, [&](const ProtobufField& extent) {
                    if (extent.number == 1) {
                        value.extents.push_back(extent_of(extent.bytes));
                    }
                });
            }
        });
        Shape known;
        append(known, value.extents, &OnnxExtent::extent);
        check(known, value.name);
    }

    OnnxExtent extent_of(std::string_view bytes) {
        OnnxExtent extent;
        each(bytes, [&](const ProtobufField& field) {
            if (field.number == 1) {
                extent.extent = static_cast<std::int64_t>(field.integer);
            } else if (field.number == 2) {
                extent.symbol = field.bytes;
            }
        });
        return extent;
    }

    /// Extents that a product of them may be formed of.
    void check(const Shape& shape, const std::string& name) {
        double elements = 1;
        for (const std::int64_t extent : shape) {
            elements *= static_cast<double>(std::max<std::int64_t>(extent, 1));
            if (extent < 0) {
                fail(where_, fmt::format("tensor \"{}\" has an extent of {}", name, extent));
            }
        }
        if (shape.size() > kMaxOnnxAxes || elements > 1e15) {
            fail(where_, fmt::format("tensor \"{}\" has more than {} axes or 1e15 elements", name, kMaxOnnxAxes));
        }
    }

    static double float_of(std::string_view bytes) {
        float number = 0;
        if (bytes.size() == sizeof number) {
            std::memcpy(&number, bytes.data(), sizeof number);
        }
        return static_cast<double>(number);
    }

    static void add_floats(std::string_view bytes, std::size_t width, std::vector<double>& numbers) {
        for (std::size_t at = 0; at + width <= bytes.size() && numbers.size() < kMaxOnnxListed; at += width) {
            double number = 0;
            if (width == sizeof number) {
                std::memcpy(&number, bytes.data() + at, width);
            } else {
                number = float_of(bytes.substr(at, width));
            }
            numbers.push_back(number);
        }
    }

    /// A list stands in one field or in one for each of its numbers.
    void add_integers(const ProtobufField& field, std::vector<std::int64_t>& list) {
        if (field.bytes.empty()) {
            list.push_back(static_cast<std::int64_t>(field.integer));
            return;
        }
        ProtobufMessage packed(field.bytes);
        while (!packed.at_end() && !packed.broken() && list.size() < kMaxOnnxListed) {
            if (const auto integer = packed.varint()) {
                list.push_back(static_cast<std::int64_t>(*integer));
            }
        }
    }

    void add_whole(const ProtobufField& field, std::vector<double>& numbers) {
        std::vector<std::int64_t> list;
        add_integers(field, list);
        for (const std::int64_t number : list) {
            if (numbers.size() < kMaxOnnxListed) {
                numbers.push_back(static_cast<double>(number));
            }
        }
    }

    Location where_;
};

template <typename Number>
std::vector<double> numbers_in(std::string_view bytes) {
    std::vector<double> numbers;
    for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
        Number number{};
        std::memcpy(&number, bytes.data() + at, sizeof number);
        numbers.push_back(static_cast<double>(number));
    }
    return numbers;
}

}  // namespace

OnnxGraph read_onnx(std::string_view bytes, const Location& file) { return OnnxReader(file).model(bytes); }

OnnxGraph load_onnx(const std::filesystem::path& path, const std::string& name, const Location& where) {
    const auto file = std::make_shared<const MappedFile>(path, name, where);
    const Location whole{.source = std::make_shared<const Source>(Source{.name = name, .lines = {}})};
    OnnxGraph graph = read_onnx(file->bytes(), whole);
    graph.file = file;
    return graph;
}

bool is_whole(std::uint64_t type) {
    return type != OnnxTensor::kFloat && type != OnnxTensor::kHalf && type != OnnxTensor::kDouble &&
           type != OnnxTensor::kBrain;
}

std::vector<double> few_numbers(const OnnxTensor& tensor) {
    const std::int64_t count = elements_of(tensor.shape);
    if (count > kMaxOnnxNumbers) {
        return {};
    }
    std::vector<double> numbers = tensor.numbers;
    if (!tensor.bytes.empty()) {
        switch (tensor.type) {
            case OnnxTensor::kFloat: numbers = numbers_in<float>(tensor.bytes); break;
            case OnnxTensor::kUint8:
            case OnnxTensor::kBool: numbers = numbers_in<std::uint8_t>(tensor.bytes); break;
            case OnnxTensor::kInt32: numbers = numbers_in<std::int32_t>(tensor.bytes); break;
            case OnnxTensor::kInt64: numbers = numbers_in<std::int64_t>(tensor.bytes); break;
            case OnnxTensor::kDouble: numbers = numbers_in<double>(tensor.bytes); break;
            default: numbers.clear(); break;
        }
    }
    return static_cast<std::int64_t>(numbers.size()) == count ? numbers : std::vector<double>();
}

}  // namespace dodona::files
