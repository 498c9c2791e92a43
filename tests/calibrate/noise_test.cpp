#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "calibrate/noise/noise.hpp"

namespace dodona::calibrate {
namespace noise_test {

void rest(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// Waits, at most ten seconds, until the load has done something.
NoiseDone once_busy(const Noise& noise) {
    for (int i = 0; i < 1000; ++i) {
        const NoiseDone done = noise.done();
        if (done.bytes > Bytes{} || done.spins > 0) {
            return done;
        }
        rest(0.01);
    }
    return {};
}

NoiseSettings settings(const char* pattern) {
    return {.pattern = pattern_from(pattern, {}), .cpus = {}, .directory = testing::TempDir(), .memory = 8_MiB};
}

TEST(Noise, EveryLoadDoesSomething) {
    for (const char* pattern : {"M60", "N60", "I60"}) {
        const Noise noise(settings(pattern));
        EXPECT_GT(once_busy(noise).bytes, Bytes{}) << pattern;
    }
    const Noise noise(settings("C60"));
    EXPECT_GT(once_busy(noise).spins, 0);
}

TEST(Noise, SilenceDoesNothing) {
    const Noise noise(settings("S60M1"));
    rest(0.1);
    EXPECT_EQ(noise.done().bytes, Bytes{});
    EXPECT_EQ(noise.done().active, Seconds{});
}

TEST(Noise, HalfOfTheTimeIsActive) {
    const Noise noise(settings("M0.05S0.05"));
    rest(0.5);
    const NoiseDone done = noise.done();
    EXPECT_GE(done.active, 0.2_s);  // it sleeps at least as long as asked, so no upper end
    EXPECT_GT(done.bytes, Bytes{});
}

TEST(Noise, FilesNeedADirectory) {
    EXPECT_THROW(Noise({.pattern = pattern_from("I1", {}), .cpus = {}, .directory = {}}), std::runtime_error);
    EXPECT_THROW(Noise({.pattern = pattern_from("I1", {}), .cpus = {}, .directory = "/no/such/directory"}),
                 std::runtime_error);
}

TEST(Noise, FilesLeaveNothingBehind) {
    const std::string directory = testing::TempDir() + "/noise-files";
    std::filesystem::create_directory(directory);
    {
        NoiseSettings of_files = settings("I60");
        of_files.directory = directory;
        const Noise noise(of_files);
        EXPECT_GT(once_busy(noise).bytes, Bytes{});
    }
    EXPECT_TRUE(std::filesystem::is_empty(directory));
    std::filesystem::remove(directory);
}

/// The state of a process that /proc knows; nothing where it is gone.
std::optional<char> state_of(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string text;
    std::getline(file, text);
    const auto at = text.rfind(") ");
    return at == std::string::npos ? std::nullopt : std::optional(text[at + 2]);
}

pid_t only_child_of(pid_t process) {
    std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", process));
    pid_t child = 0;
    file >> child;
    return child;
}

TEST(Noise, ItDoesNotOutliveAParentThatIsKilled) {
    const pid_t parent = fork();
    if (parent == 0) {
        const Noise noise(settings("M60"));
        rest(60);
        _exit(0);
    }
    pid_t load = 0;
    for (int i = 0; i < 1000 && load == 0; ++i) {
        rest(0.01);
        load = only_child_of(parent);
    }
    if (load == 0) {
        kill(parent, SIGKILL);
        waitpid(parent, nullptr, 0);
        GTEST_SKIP() << "this kernel does not list children of processes";
    }
    rest(0.2);
    kill(parent, SIGKILL);
    waitpid(parent, nullptr, 0);
    std::optional<char> state = state_of(load);
    for (int i = 0; i < 1000 && state && *state != 'Z'; ++i) {
        rest(0.01);
        state = state_of(load);
    }
    EXPECT_TRUE(!state || *state == 'Z');
}

}  // namespace noise_test
}  // namespace dodona::calibrate
