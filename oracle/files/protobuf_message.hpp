// Messages in the wire format of Protocol Buffers, field by field: what a reader of a few known fields needs of it.
// Source: Protocol Buffers, "Encoding" (protobuf.dev/programming-guides/encoding).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dodona::files {

struct ProtobufField {
    std::uint32_t number = 0;
    std::uint64_t integer = 0;    ///< of integers, truths and enumerations
    std::string_view bytes = {};  ///< of texts, messages and packed lists
};

/// Walks over the fields of a message; `bytes` outlives it.
class ProtobufMessage {
public:
    explicit ProtobufMessage(std::string_view bytes) : bytes_(bytes) {}

    /// The next field; none at the end, and where `broken`.
    std::optional<ProtobufField> next();
    /// An integer that stands alone, as in packed lists and before messages of a file.
    std::optional<std::uint64_t> varint();
    /// The bytes are no message: cut off, or of another format.
    [[nodiscard]] bool broken() const { return broken_; }
    [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
    [[nodiscard]] std::size_t at() const { return at_; }

private:
    std::optional<std::string_view> piece(std::uint64_t length);

    std::string_view bytes_;
    std::size_t at_ = 0;
    bool broken_ = false;
};

}  // namespace dodona::files
