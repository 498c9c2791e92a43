// Messages by hand, from the encoding's specification.
#include "files/protobuf_message.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace dodona::files::testing {
namespace protobuf_message_test {

/// Field 1: 150, the specification's own example; field 2: "testing"; field 3: 8 bytes; field 4: 4 bytes.
constexpr std::string_view kFields =
    "\x08\x96\x01"
    "\x12\x07"
    "testing"
    "\x19"
    "abcdefgh"
    "\x25"
    "wxyz";

TEST(ProtobufMessage, ReadsIntegersAndBytes) {
    ProtobufMessage message(kFields);
    const auto first = message.next();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->number, 1U);
    EXPECT_EQ(first->integer, 150U);
    EXPECT_EQ(message.next()->bytes, "testing");
    EXPECT_EQ(message.next()->bytes, "abcdefgh");
    EXPECT_EQ(message.next()->bytes, "wxyz");
    EXPECT_FALSE(message.next());
    EXPECT_FALSE(message.broken());
}

TEST(ProtobufMessage, CutShortHasTheFieldsBeforeTheCut) {
    const std::vector<std::size_t> ends{3, 12, 21, 26};
    for (std::size_t cut = 0; cut <= kFields.size(); ++cut) {
        ProtobufMessage message(kFields.substr(0, cut));
        std::size_t fields = 0;
        while (message.next()) {
            ++fields;
        }
        const std::size_t whole = std::count_if(ends.begin(), ends.end(), [&](std::size_t end) { return end <= cut; });
        EXPECT_EQ(fields, whole) << cut;
        EXPECT_EQ(message.broken(), cut != (whole == 0 ? 0 : ends[whole - 1])) << cut;
    }
}

TEST(ProtobufMessage, SaysWhereItBreaks) {
    for (const std::string& bytes : {std::string("\x12\x07test"), std::string("\x08\x96"), std::string("\x0b\x08"),
                                     std::string("\x00\x01", 2), std::string(12, '\xff')}) {
        ProtobufMessage message(bytes);
        while (message.next()) {
        }
        EXPECT_TRUE(message.broken());
    }
}

}  // namespace protobuf_message_test
}  // namespace dodona::files::testing
