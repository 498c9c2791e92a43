#include "reports/render/protobuf.hpp"

namespace dodona::reports {

namespace {

constexpr std::uint32_t kVarint = 0;
constexpr std::uint32_t kLengthDelimited = 2;

void append_varint(std::string& bytes, std::uint64_t value) {
    while (value >= 0x80) {
        bytes += static_cast<char>(value | 0x80);
        value >>= 7;
    }
    bytes += static_cast<char>(value);
}

void append_key(std::string& bytes, std::uint32_t field, std::uint32_t type) {
    append_varint(bytes, std::uint64_t{field} << 3 | type);
}

}  // namespace

void ProtobufMessage::add_integer(std::uint32_t field, std::uint64_t value, bool always) {
    if (value != 0 || always) {
        append_key(bytes_, field, kVarint);
        append_varint(bytes_, value);
    }
}

void ProtobufMessage::add_bytes(std::uint32_t field, std::string_view bytes) {
    append_key(bytes_, field, kLengthDelimited);
    append_varint(bytes_, bytes.size());
    bytes_ += bytes;
}

void ProtobufMessage::add_packed(std::uint32_t field, const std::vector<std::uint64_t>& values) {
    if (values.empty()) {
        return;
    }
    std::string packed;
    for (const std::uint64_t value : values) {
        append_varint(packed, value);
    }
    add_bytes(field, packed);
}

std::string ProtobufMessage::delimited() const {
    std::string all;
    append_varint(all, bytes_.size());
    return all + bytes_;
}

}  // namespace dodona::reports
