#include "files/hf/stored_weights.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "files/document.hpp"
#include "files/hf/condition.hpp"
#include "files/number.hpp"
#include "files/text.hpp"

namespace dodona::files {

namespace {

namespace fs = std::filesystem;

double number_at(const Node& mapping, const std::string& key) {
    const auto number = decimal_from(text_at(mapping, key));
    const auto* value = std::get_if<double>(&number);
    return value == nullptr ? 0 : *value;
}

/// Elements of all tensors that a header lists: {"name": {"dtype": "BF16", "shape": [4096, 4096], ...}}.
double listed_elements(const Node& header) {
    double all = 0;
    for (const Node::Member& tensor : header.members) {
        const Node* shape = child(*tensor.value, "shape");
        if (shape == nullptr || shape->kind != Node::Kind::list) {
            continue;  // __metadata__
        }
        double elements = 1;
        for (const auto& extent : shape->items) {
            const auto number = decimal_from(extent->text);
            const auto* value = std::get_if<double>(&number);
            elements *= value == nullptr ? 0 : *value;
        }
        all += elements;
    }
    return all;
}

/// The header of a file: its size in eight bytes, the least first, and JSON.
Document header_of(const fs::path& path) {
    const std::string name = path.generic_string();
    std::ifstream file(path, std::ios::binary);
    std::array<char, 8> size{};
    file.read(size.data(), size.size());
    std::uint64_t bytes = 0;
    for (std::size_t i = size.size(); i-- > 0;) {
        bytes = bytes << 8U | static_cast<unsigned char>(size[i]);
    }
    if (!file || bytes == 0 || bytes > kMaxBytes) {
        fail(command_line(),
             fmt::format("{}: not a file of safetensors: no header of at most {} bytes", name, kMaxBytes));
    }
    std::string text(static_cast<std::size_t>(bytes), ' ');
    file.read(text.data(), static_cast<std::streamsize>(bytes));
    if (!file) {
        fail(command_line(), fmt::format("{}: cut off inside its header", name), "is the file incomplete?");
    }
    return parse_document(std::move(text), name);
}

}  // namespace

std::optional<StoredWeights> stored_weights(const fs::path& folder, const std::string& dtype) {
    std::error_code fault;
    const fs::path one = folder / "model.safetensors";
    if (fs::is_regular_file(one, fault)) {
        return StoredWeights{listed_elements(*header_of(one).root), one.generic_string()};
    }
    const fs::path index = folder / "model.safetensors.index.json";
    if (!fs::is_regular_file(index, fault)) {
        return std::nullopt;
    }
    const Document document = load_document(index, index.generic_string(), command_line());
    const Node* metadata = child(*document.root, "metadata");
    const double elements = metadata == nullptr ? 0 : number_at(*metadata, "total_parameters");
    const double bytes = metadata == nullptr ? 0 : number_at(*metadata, "total_size");
    if (elements <= 0 && bytes <= 0) {
        fail({document.source, 1, 1, 1}, "metadata: neither total_parameters nor total_size",
             "an index of safetensors has one of them");
    }
    const double width = dtype == "float32" ? 4 : dtype == "float8_e4m3fn" ? 1 : 2;
    return StoredWeights{elements > 0 ? elements : bytes / width, index.generic_string()};
}

}  // namespace dodona::files
