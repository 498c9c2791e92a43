// Studies: expressions over the settings of a trial, and commands.
#include "trials/study.hpp"

#include <gtest/gtest.h>

#include "base/diagnostic.hpp"

namespace dodona::trials::testing {
namespace study_test {

const Settings kTrial{{"epochs", "20"}, {"optimizer", "adam w"}};

TEST(Study, ExpressionsKnowTheSettingsAndWhatATrialRunsOn) {
    EXPECT_DOUBLE_EQ(evaluate(Expression::parse("12*epochs/cores + gpus", {}), kTrial, 4, 1), 61);
    EXPECT_THROW(evaluate(Expression::parse("optimizer", {}), kTrial, 1, 0), InputError);
}

TEST(Study, CommandsHaveEachValueAsOneWordOfTheShell) {
    EXPECT_EQ(filled("train --epochs {epochs} --opt={optimizer} {{epochs}} {trial}", kTrial, {{"trial", "3"}}),
              "train --epochs 20 --opt='adam w' {epochs} 3");
    EXPECT_EQ(filled("for i in {1..3}; do echo ${HOME} { {epochs}; done", kTrial, {}),
              "for i in {1..3}; do echo ${HOME} { 20; done")
        << "braces of the shell";
    EXPECT_EQ(shell_quoted("it's; rm -rf ~"), "'it'\\''s; rm -rf ~'");
    EXPECT_EQ(shell_quoted(""), "''");
    EXPECT_EQ(names_in("a {b} {{c}} {d}"), (std::vector<std::string>{"b", "d"}));
    try {
        static_cast<void>(filled("train {epoch}", kTrial, {}));
        FAIL();
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("did you mean \"epochs\"?"), std::string::npos);
    }
}

}  // namespace study_test
}  // namespace dodona::trials::testing
