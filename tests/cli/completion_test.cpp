// What shells offer while a command is typed, and the man page: both from the tables of commands.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/completion.hpp"
#include "cli/man_page.hpp"
#include "cli/program.hpp"
#include "running.hpp"

namespace dodona::cli::testing {
namespace completion_test {

using Words = std::vector<std::string>;

TEST(Completion, OffersCommands) {
    EXPECT_EQ(completions({"pl"}), Words{"plan"});
    EXPECT_EQ(completions({"--v"}), Words{"--version"});
    EXPECT_EQ(completions({}).size(), commands().size() - 1 + 3) << "`run` completes after `trials`";
    EXPECT_EQ(completions({"trials", "r"}), Words{"run"});
    EXPECT_EQ(completions({"plna", "--"}), Words{}) << "of no command";
}

TEST(Completion, OffersOptionsThatAreNotGivenYet) {
    EXPECT_EQ(completions({"plan", "--mach"}), Words{"--machine"});
    EXPECT_EQ(completions({"plan", "-m", "abci", "--mach"}), Words{}) << "given by its short name";
    EXPECT_EQ(completions({"size", "-m", "abci", "--mach"}), Words{"--machine"}) << "may be repeated";
    EXPECT_EQ(completions({"predict", "--chunks"}), Words{}) << "an old name is read but not offered";
}

TEST(Completion, OffersChoices) {
    const Words formats{"csv"};
    EXPECT_EQ(completions({"plan", "--format", "c"}), formats);
    EXPECT_EQ(completions({"plan", "--format", "=", "c"}), formats) << "as bash splits words";
    EXPECT_EQ(completions({"plan", "--format=c"}), Words{"--format=csv"});
    EXPECT_EQ(completions({"plan", "--format", "="}), completions({"plan", "--format", ""}));
    EXPECT_EQ(completions({"predict", "--schedule", ""}),
              (Words{"gpipe", "1f1b", "interleaved-1f1b", "breadth-first", "zb-h1", "zb-h2", "pipedream", "zb-v",
                     "dualpipe", "dualpipe-v", "1f1b-overlapped"}));
    EXPECT_EQ(completions({"predict", "--recompute", "s"}), Words{"selective"});
}

TEST(Completion, LeavesFilesAndNumbersToTheShell) {
    EXPECT_EQ(completions({"predict", "--plan", ""}), Words{});
    EXPECT_EQ(completions({"plan", "--gpus", ""}), Words{});
    EXPECT_EQ(completions({"calibrate", "--"}), Words{}) << "a program of its own";
}

TEST(Completion, OffersWhatComesWithDodona) {
    const Folder place;
    EXPECT_EQ(place.run("__complete plan llama-3.1-8b-").out, "llama-3.1-8b-lora\n");
    EXPECT_EQ(place.run("__complete plan gpt3-175b --machine selene-").out, "selene-hpc\n");
    EXPECT_EQ(place.run("__complete plan gpt3-175b --machine=selene-").out, "--machine=selene-hpc\n");
    EXPECT_EQ(place.run("__complete plan --strategy megatron-c").out, "megatron-context\n");
    EXPECT_EQ(place.run("__complete models resnet50-v").out, "resnet50-v1\n");
    EXPECT_EQ(place.run("__complete plan resnet50 vgg1").out, "") << "takes one model";
}

TEST(Completion, WorksInBash) {
    const Folder place;
    const std::string program = std::getenv("DODONA_PROGRAM");
    std::ofstream(place.path() / "try.sh")
        << "source <('" << program << "' completion bash)\n"
        << "COMP_WORDS=('" << program << "' plan resnet50 --mach); COMP_CWORD=3; _dodona; echo \"${COMPREPLY[*]}\"\n"
        << "complete -p dodona\n";
    const std::string output = (place.path() / "said").string();
    ASSERT_EQ(std::system(("bash '" + (place.path() / "try.sh").string() + "' >'" + output + "'").c_str()), 0);
    EXPECT_EQ(content(output), "--machine\ncomplete -o default -F _dodona dodona\n");
}

TEST(Completion, HasAScriptForEachShell) {
    const Folder place;
    for (const std::string shell : {"bash", "zsh", "fish"}) {
        const Outcome outcome = place.run("completion " + shell);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_NE(outcome.out.find("__complete"), std::string::npos) << outcome.out;
    }
    EXPECT_EQ(place.run("completion ksh").code, 2);
    EXPECT_EQ(place.run("completion").code, 2);
}

TEST(ManPage, HasEveryCommandAndOption) {
    std::string page = man_page(commands());
    page.erase(std::remove(page.begin(), page.end(), '\\'), page.end());
    for (const Command& command : commands()) {
        EXPECT_NE(page.find("dodona " + command.name), std::string::npos) << command.name;
        for (const Option& option : command.options) {
            EXPECT_NE(page.find("fB" + option.long_name() + "fR"), std::string::npos) << option.names;
        }
    }
}

TEST(ManPage, HasNoTextThatRoffTakesForARequest) {
    std::stringstream page(man_page(commands()));
    const std::vector<std::string> requests{".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".I", ".nf", ".fi"};
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with(".") || line.starts_with("'")) {
            EXPECT_NE(std::find(requests.begin(), requests.end(), line.substr(0, line.find(' '))), requests.end())
                << line;
        }
    }
}

}  // namespace completion_test
}  // namespace dodona::cli::testing
