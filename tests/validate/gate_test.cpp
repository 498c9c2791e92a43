// What counts as worse than recorded.
#include "validate/gate.hpp"

#include <gtest/gtest.h>

namespace dodona::validate {
namespace gate_test {

Comparison of(Statistics group) {
    Comparison comparison;
    comparison.groups = {std::move(group)};
    return comparison;
}

const std::vector<files::RecordedError> kRecorded{{.group = "g", .rows = 8, .mape = 0.2, .memory_mape = 0.05}};

std::vector<std::string> texts(const GateResult& result) {
    std::vector<std::string> all;
    for (const GateResult::Worse& worse : result.worse) {
        all.push_back(worse.text);
    }
    return all;
}

TEST(Gate, LetsPassWhatIsAsRecordedOrBetter) {
    for (const double mape : {0.1, 0.2, 0.2009}) {
        const GateResult result = gate(of({.group = "g", .rows = 8, .mape = mape, .memory_mape = 0.05}), kRecorded);
        EXPECT_EQ(result.compared, 1);
        EXPECT_TRUE(result.worse.empty()) << mape;
    }
}

TEST(Gate, StopsLargerErrors) {
    EXPECT_EQ(texts(gate(of({.group = "g", .rows = 8, .mape = 0.2011, .memory_mape = 0.06}), kRecorded)),
              (std::vector<std::string>{"g: mean error of time 20.11 %, 20.00 % recorded",
                                        "g: mean error of memory 6.00 %, 5.00 % recorded"}));
}

TEST(Gate, StopsRunsThatAreRefusedOrNoLongerCompared) {
    EXPECT_EQ(texts(gate(of({.group = "g", .rows = 7, .mape = 0.1, .memory_mape = 0.05}), kRecorded)),
              std::vector<std::string>{"g: 7 runs predicted, 8 recorded"});
    EXPECT_EQ(texts(gate(of({.group = "g", .rows = 8, .mape = 0.1}), kRecorded)),
              std::vector<std::string>{"g: no mean error of memory, 5.00 % recorded"});
}

TEST(Gate, TellsWhatOnlyOneSideHas) {
    const GateResult result = gate(of({.group = "h", .rows = 8, .mape = 0.9}), kRecorded);
    EXPECT_EQ(result.compared, 0);
    EXPECT_EQ(result.missing, std::vector<std::string>{"g"});
    EXPECT_EQ(result.unrecorded, std::vector<std::string>{"h"});
    EXPECT_TRUE(result.worse.empty());
}

}  // namespace gate_test
}  // namespace dodona::validate
