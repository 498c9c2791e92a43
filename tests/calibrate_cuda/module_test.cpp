// The module as dodona opens it. Without a driver it says so; with one, every benchmark is right.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "calibrate/cases/cuda_cases.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate {
namespace {

using Measure = int (*)(int in, int out);

struct Served {
    int status = -1;
    std::vector<Record> records;
};

/// Everything that a file descriptor has until its end, line by line.
std::vector<std::string> lines_of(int from) {
    std::vector<std::string> lines;
    std::FILE* const file = ::fdopen(from, "r");
    std::string line;
    for (int letter = 0; (letter = std::fgetc(file)) != EOF;) {
        if (letter == '\n') {
            lines.push_back(std::exchange(line, {}));
        } else {
            line += static_cast<char>(letter);
        }
    }
    (void)std::fclose(file);
    return lines;
}

Served serve_module(const Settings& settings, const std::vector<Case>& cases) {
    void* const module = ::dlopen(DODONA_CUDA_MODULE, RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
        ADD_FAILURE() << ::dlerror();
        return {};
    }
    const auto measure = reinterpret_cast<Measure>(::dlsym(module, "dodona_measure"));
    EXPECT_NE(measure, nullptr);
    std::array<int, 2> to{}, from{};
    if (measure == nullptr || ::pipe(to.data()) != 0 || ::pipe(from.data()) != 0) {
        return {};
    }
    std::string asked = to_line(settings) + "\n";
    for (const Case& one : cases) {
        asked += to_line(one) + "\n";
    }
    std::thread writer([&] {
        for (std::size_t done = 0; done < asked.size();) {
            const ssize_t count = ::write(to[1], asked.data() + done, asked.size() - done);
            if (count <= 0) {
                break;
            }
            done += static_cast<std::size_t>(count);
        }
        (void)::close(to[1]);
    });
    Served served;
    std::thread reader([&] {
        for (const std::string& line : lines_of(from[0])) {
            served.records.push_back(record_from(line, {}));
        }
    });
    served.status = measure(to[0], from[1]);
    (void)::close(from[1]);
    (void)::close(to[0]);
    reader.join();
    writer.join();
    return served;
}

bool has_driver(const Served& served) { return served.status != 3; }

TEST(Module, WithoutADriverSaysWhatToInstall) {
    const Served served = serve_module({.quick = true}, {});
    if (has_driver(served)) {
        GTEST_SKIP() << "this machine has a driver";
    }
    ASSERT_EQ(served.records.size(), 1U);
    ASSERT_TRUE(std::holds_alternative<Lacking>(served.records.front().what));
    EXPECT_EQ(served.records.front().backend, "cuda");
    const auto& lacking = std::get<Lacking>(served.records.front().what);
    EXPECT_EQ(lacking.why.rfind("th", 0), 0U) << lacking.why;  // "this machine has no", "the NVIDIA driver shows no"
    EXPECT_NE(lacking.help.find("nvidia-smi"), std::string::npos) << lacking.help;
}

TEST(Module, EveryPassIsRefusedAlikeWithoutADriver) {
    for (const Pass pass : {Pass::time, Pass::names, Pass::counters}) {
        const Served served = serve_module({.pass = pass}, {});
        if (has_driver(served)) {
            GTEST_SKIP() << "this machine has a driver";
        }
        EXPECT_EQ(served.status, 3) << name(pass);
    }
}

TEST(Module, EveryBenchmarkComputesWhatTheHostDoes) {
    if (!has_driver(serve_module({}, {}))) {
        GTEST_SKIP() << "this machine has no NVIDIA driver";
    }
    const Served served = serve_module({.quick = true}, cuda_check_cases());
    EXPECT_EQ(served.status, 0);
    for (const Record& record : served.records) {
        if (const auto* const failure = std::get_if<Failure>(&record.what)) {
            ADD_FAILURE() << failure->of.key() << ": " << failure->why;
        } else if (const auto* const measured = std::get_if<Measurement>(&record.what)) {
            EXPECT_TRUE(measured->values.contains("error")) << measured->of.key();
        }
    }
}

}  // namespace
}  // namespace dodona::calibrate
