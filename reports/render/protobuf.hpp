// Messages in the wire format of Protocol Buffers: what a writer of a few fixed fields needs of it.
// Source: Protocol Buffers, "Encoding" (protobuf.dev/programming-guides/encoding).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dodona::reports {

class ProtobufMessage {
public:
    /// Integers, booleans and enumerations. Zero is the default of proto3 and is left out, unless it is `always` said: the
    /// value of a oneof.
    void add_integer(std::uint32_t field, std::uint64_t value, bool always = false);
    /// Strings and messages.
    void add_bytes(std::uint32_t field, std::string_view bytes);
    void add_message(std::uint32_t field, const ProtobufMessage& message) { add_bytes(field, message.bytes_); }
    /// A repeated field of integers in one piece.
    void add_packed(std::uint32_t field, const std::vector<std::uint64_t>& values);

    [[nodiscard]] const std::string& bytes() const { return bytes_; }
    /// The message after its length, as in a file of several.
    [[nodiscard]] std::string delimited() const;

private:
    std::string bytes_;
};

}  // namespace dodona::reports
