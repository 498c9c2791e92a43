#include "base/file_lock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include <unistd.h>

namespace dodona {
namespace {

TEST(FileLock, IsOneProcessesUntilItClosesTheFile) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
    ASSERT_NE(file, nullptr);
    const std::string path = "/proc/self/fd/" + std::to_string(::fileno(file.get()));
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> first(std::fopen(path.c_str(), "r+"), std::fclose);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> second(std::fopen(path.c_str(), "r+"), std::fclose);
    ASSERT_NE(first, nullptr);
    ASSERT_NE(second, nullptr);
    EXPECT_TRUE(lock(::fileno(first.get())));
    EXPECT_FALSE(lock(::fileno(second.get())));
    std::thread closer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        first.reset();
    });
    EXPECT_TRUE(lock(::fileno(second.get()))) << "a lock that is soon given up is waited for";
    closer.join();
}

TEST(FileLock, OfWhatIsNoFileIsNone) { EXPECT_FALSE(lock(-1)); }

}  // namespace
}  // namespace dodona
