#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/printable.hpp"

namespace dodona {
namespace printable_test {

TEST(Printable, LeavesTextAsItIs) {
    const std::string text = "Größe 5 µs, 大きさ → ½ 🙂\n\tnext";
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, WritesOutWhatATerminalObeys) {
    EXPECT_EQ(printable("\x1b[2J"), "\\x1b[2J");
    EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
    EXPECT_EQ(printable("a\rb\x7f"), "a\\x0db\\x7f");
    EXPECT_EQ(printable("\xC2\x9B"
                        "31m"),
              "\\x9b31m")
        << "C1's control sequence introducer";
    EXPECT_EQ(printable("\xE2\x80\xAE"
                        "cba"),
              "\\u202ecba")
        << "right-to-left override";
    EXPECT_EQ(printable("\xEF\xBB\xBF"), "\\ufeff");
    EXPECT_EQ(printable("\xF3\xA0\x80\x81"), "\\U000e0001");
    EXPECT_EQ(printable("\xFF\xC3"), "\\xff\\xc3") << "no UTF-8";
    EXPECT_EQ(printable("\xC0\x9B"), "\\xc0\\x9b") << "overlong";
}

RC_GTEST_PROP(Printable, OfAnyBytesIsPrintableAndStaysSo, (const std::string& bytes)) {
    const std::string once = printable(bytes);
    RC_ASSERT(printable(once) == once);
    for (const char c : once) {
        const auto byte = static_cast<unsigned char>(c);
        RC_ASSERT((byte >= 0x20 && byte != 0x7F) || c == '\n' || c == '\t');
    }
}

}  // namespace printable_test
}  // namespace dodona
