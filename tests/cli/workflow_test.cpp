// Commands in other programs' workflows: annotations of GitHub, and logs of running jobs.
#include <fstream>

#include <gtest/gtest.h>

#include "files/text.hpp"
#include "running.hpp"

namespace dodona::cli::testing {
namespace workflow_test {

TEST(Check, AnnotatesTheLinesOfAChange) {
    const Folder place;
    std::ofstream(place.path() / "a,b.yaml") << "model: x\nsource: \"100 %\"\ninptu: {}\n";
    const Outcome bad = place.run("check --format github 'a,b.yaml'");
    EXPECT_EQ(bad.code, 1);
    EXPECT_EQ(bad.err, "");
    EXPECT_TRUE(bad.out.starts_with("::error file=a%2Cb.yaml,line=1,col=1,endColumn=1::layers: missing%0A")) << bad.out;
    EXPECT_NE(bad.out.find("\n::error file=a%2Cb.yaml,line=3,col=1,endColumn=5::inptu: unknown key; did you mean "
                           "\"input\"?%0A"),
              std::string::npos)
        << bad.out;
    const Outcome none = place.run("check --format github none.yaml");
    EXPECT_EQ(none.code, 1);
    EXPECT_TRUE(none.out.starts_with("::error file=none.yaml::")) << none.out;
    const Outcome good = place.run("check --format github '" + (source() / "models/resnet50.yaml").string() + "'");
    EXPECT_EQ(good.code, 0);
    EXPECT_EQ(good.out, "");
}

std::string step(int number, double milliseconds) {
    return "0:  [2026-01-01 00:01:00] iteration        " + std::to_string(number) +
           "/     100 | elapsed time per iteration (ms): " + std::to_string(milliseconds) +
           " | global batch size:   128 |\n";
}

std::filesystem::path log_with(const Folder& place, const std::string& more) {
    cases::unpack(source() / "tests/files/logs.txt", "megatron-srun.log", place.path());
    std::ofstream(place.path() / "megatron-srun.log", std::ios::app) << more;
    return place.path() / "megatron-srun.log";
}

// The log's own steps are 14.6 s, those predicted 15.0 s (11.8 to 19.4 s); its first is warm-up.
TEST(Watch, SaysWhenAStepLeavesItsIntervalAndWhichPartIsSlow) {
    const Folder place;
    log_with(place, "0:     forward-backward ...............................: (14000.10, 14100.20)\n" + step(6, 25000) +
                        "0: (min, max) time across ranks (ms):\n"
                        "0:     forward-backward ...............................: (14100.10, 14200.20)\n"
                        "0:     all-grads-sync .................................: (5000.00, 10500.00)\n"
                        "0:     optimizer-inner-step ...........................: (9999999.00, 9999999.00)\n"
                        "0:     optimizer ......................................: (70.00, 71.00)\n" +
                        step(7, 26000) + step(8, 14000));
    const Outcome seen = place.run("watch megatron-srun.log --machine dgx-h100 --once");
    EXPECT_EQ(seen.code, 0) << seen.err;
    EXPECT_NE(seen.out.find("step 2: 14.7 s, inside the interval\nstep 6: 25.0 s, above the interval\n"
                            "  the slow part: gradients, 10.5 s of "),
              std::string::npos)
        << seen.out;
    EXPECT_NE(seen.out.find("the slowest rank takes 110.0 % longer than the fastest\n"
                            "step 8: 14.0 s, inside the interval\n"
                            "7 steps: 5 inside the interval, 2 above, 0 below\n"),
              std::string::npos)
        << seen.out;
}

TEST(Watch, SaysWhatWouldExplainASlowStepThatIsNotTimedInParts) {
    const Folder place;
    log_with(place, step(6, 30000));
    const Outcome seen = place.run("watch megatron-srun.log --machine dgx-h100 --once");
    EXPECT_EQ(seen.code, 1) << "its last step is outside";
    EXPECT_NE(seen.out.find("as if kernels ran at "), std::string::npos) << seen.out;
    EXPECT_NE(seen.out.find(" times as long; the log does not time parts"), std::string::npos) << seen.out;
}

// It has no step at first, and a step's line is written in two pieces.
TEST(Watch, FollowsALogThatGrows) {
    const Folder place;
    const std::string log = content(log_with(place, ""));
    const std::size_t steps = log.rfind('\n', log.find("elapsed time per iteration")) + 1;
    const std::size_t piece = 80;
    std::ofstream(place.path() / "megatron-srun.log") << log.substr(0, steps);
    std::ofstream(place.path() / "steps") << log.substr(steps);
    std::ofstream(place.path() / "begun") << step(6, 40000).substr(0, piece);
    std::ofstream(place.path() / "ended") << step(6, 40000).substr(piece);
    std::ofstream(place.path() / "follow.sh")
        << "cd '" << place.path().string() << "'\n"
        << "until_seen() { for i in $(seq 200); do grep -q \"$1\" seen 2>/dev/null && return; sleep 0.1; done; }\n"
        << "( until_seen 'no step yet'; cat steps >>megatron-srun.log; until_seen 'step 2'\n"
        << "  cat begun >>megatron-srun.log; sleep 1; cat ended >>megatron-srun.log; until_seen 'step 6'\n"
        << "  kill -INT $(cat pid) ) &\n"
        << "DODONA_DATA='" << source().string() << "' sh -c 'echo $$ >pid; exec \"$0\" watch megatron-srun.log "
        << "--machine dgx-h100 --every 200ms' '" << std::getenv("DODONA_PROGRAM") << "' >seen 2>&1\n";
    const int status = std::system(("sh '" + (place.path() / "follow.sh").string() + "'").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 130);
    const std::string seen = content(place.path() / "seen");
    EXPECT_NE(seen.find("step 6: 40.0 s, above the interval"), std::string::npos) << seen;
    EXPECT_NE(seen.find("5 steps: 4 inside the interval, 1 above, 0 below"), std::string::npos) << seen;
}

// Processes that print at once tear characters of several bytes.
TEST(Watch, ReadsLongLogsAndTornCharacters) {
    const Folder place;
    std::string noise;
    while (noise.size() <= files::kMaxBytes) {
        noise += std::string(1000, '.') + "\xe2\x96\n";
    }
    log_with(place, noise + step(6, 40000));
    const Outcome seen = place.run("watch megatron-srun.log --machine dgx-h100 --once");
    EXPECT_EQ(seen.code, 1) << seen.err;
    EXPECT_NE(seen.out.find("5 steps: 4 inside the interval, 1 above, 0 below"), std::string::npos) << seen.out;
}

}  // namespace workflow_test
}  // namespace dodona::cli::testing
