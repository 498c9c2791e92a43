// The text of a fault.
#include "base/diagnostic.hpp"

#include <gtest/gtest.h>

namespace dodona {
namespace diagnostic_test {

Location at(int line, int column, int length) {
    return {std::make_shared<Source>(Source{"x.yaml", {"nvlink:", "  latancy: 1.5 us"}}), line, column, length};
}

TEST(Diagnostic, ShowsTheLineAndUnderlinesIt) {
    EXPECT_EQ(to_text({Severity::error, at(2, 3, 7), "nvlink.latancy: unknown key", "accepted here: latency"}),
              "x.yaml:2:3: error: nvlink.latancy: unknown key\n"
              "    2 |   latancy: 1.5 us\n"
              "      |   ^~~~~~~\n"
              "  help: accepted here: latency\n");
}

TEST(Diagnostic, OfAWholeSourceNamesItOnly) {
    EXPECT_EQ(to_text({Severity::error, at(0, 0, 1), "empty", ""}), "x.yaml: error: empty\n");
    EXPECT_EQ(to_text({Severity::warning, {}, "odd", ""}), "warning: odd\n");
}

TEST(Diagnostic, NeverUnderlinesBeyondTheLine) {
    EXPECT_EQ(to_text({Severity::error, at(1, 1, 99), "m", ""}),
              "x.yaml:1:1: error: m\n    1 | nvlink:\n      | ^~~~~~~\n");
    EXPECT_EQ(to_text({Severity::error, at(1, 8, 5), "m", ""}),
              "x.yaml:1:8: error: m\n    1 | nvlink:\n      |        ^\n");
    EXPECT_EQ(to_text({Severity::error, at(9, 1, 1), "m", ""}), "x.yaml:9:1: error: m\n");
}

TEST(Diagnostics, AreThrownTogether) {
    Diagnostics faults;
    faults.throw_if_errors();
    faults.warning(at(1, 1, 1), "odd");
    faults.throw_if_errors();
    faults.error(at(1, 1, 1), "first");
    faults.error(at(2, 1, 1), "second");
    EXPECT_TRUE(faults.has_errors());
    try {
        faults.throw_if_errors();
        FAIL() << "nothing thrown";
    } catch (const InputError& error) {
        EXPECT_EQ(error.diagnostics().size(), 3U);
        const std::string text = error.what();
        EXPECT_LT(text.find("first"), text.find("second"));
    }
}

TEST(Diagnostics, BeyondTwentyAreCounted) {
    Diagnostics faults;
    for (int i = 0; i < 23; ++i) {
        faults.error({}, "again");
    }
    try {
        faults.throw_if_errors();
        FAIL() << "nothing thrown";
    } catch (const InputError& error) {
        EXPECT_TRUE(std::string(error.what()).ends_with("… and 3 more\n"));
    }
}

TEST(Diagnostics, FailThrowsOne) { EXPECT_THROW(fail({}, "at once"), InputError); }

}  // namespace diagnostic_test
}  // namespace dodona
