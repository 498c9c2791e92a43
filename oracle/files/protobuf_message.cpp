#include "files/protobuf_message.hpp"

namespace dodona::files {

namespace {

enum WireType : std::uint64_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };
constexpr std::uint64_t kMaxFieldNumber = (std::uint64_t{1} << 29) - 1;

}  // namespace

std::optional<std::uint64_t> ProtobufMessage::varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes_[at_++]);
        value |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    broken_ = true;
    return std::nullopt;
}

std::optional<std::string_view> ProtobufMessage::piece(std::uint64_t length) {
    if (length > bytes_.size() - at_) {
        broken_ = true;
        return std::nullopt;
    }
    at_ += length;
    return bytes_.substr(at_ - length, length);
}

std::optional<ProtobufField> ProtobufMessage::next() {
    if (broken_ || at_end()) {
        return std::nullopt;
    }
    const auto key = varint();
    if (!key || *key >> 3 == 0 || *key >> 3 > kMaxFieldNumber) {
        broken_ = true;
        return std::nullopt;
    }
    ProtobufField field{.number = static_cast<std::uint32_t>(*key >> 3)};
    const std::uint64_t type = *key & 7U;
    std::optional<std::uint64_t> number;
    if (type == kVarint || type == kLengthDelimited) {
        number = varint();
    } else if (type == kFixed64 || type == kFixed32) {
        number = type == kFixed64 ? 8 : 4;
    }
    if (!number) {
        broken_ = true;
        return std::nullopt;
    }
    if (type == kVarint) {
        field.integer = *number;
        return field;
    }
    const auto bytes = piece(*number);
    if (!bytes) {
        return std::nullopt;
    }
    field.bytes = *bytes;
    return field;
}

}  // namespace dodona::files
