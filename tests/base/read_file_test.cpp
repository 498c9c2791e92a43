#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "base/read_file.hpp"

namespace dodona {
namespace read_file_test {

namespace fs = std::filesystem;

constexpr std::size_t kMax = 1000;

class ReadFile : public ::testing::Test {
protected:
    ReadFile() {
        std::string made = ::testing::TempDir() + "dodona-read-XXXXXX";
        folder_ = mkdtemp(made.data());
    }
    ~ReadFile() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string refusal(const fs::path& path) const {
        try {
            static_cast<void>(read_file(path, "it", {}, kMax));
        } catch (const InputError& error) {
            return error.diagnostics().front().message;
        }
        return "";
    }
    fs::path folder_;
};

TEST_F(ReadFile, ReadsWhatIsThere) {
    std::ofstream(folder_ / "some") << "one\ntwo";
    EXPECT_EQ(read_file(folder_ / "some", "it", {}, kMax), "one\ntwo");
}

TEST_F(ReadFile, ReadsAPipeAsLongAsItGoesOn) {
    ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(folder_ / "pipe") << "from elsewhere"; });
    EXPECT_EQ(read_file(folder_ / "pipe", "it", {}, kMax), "from elsewhere");
    writer.join();
}

TEST_F(ReadFile, RefusesAPipeForThoseWhoWouldWait) {
    ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    std::ofstream(folder_ / "some") << "one";
    EXPECT_NO_THROW(check_regular(folder_ / "some", "it", {}));
    for (const fs::path& path : {folder_ / "pipe", folder_, fs::path("/dev/zero"), folder_ / "none"}) {
        EXPECT_THROW(check_regular(path, "it", {}), InputError) << path;
    }
}

TEST_F(ReadFile, SaysTheSystemsReason) {
    EXPECT_EQ(refusal(folder_ / "none"), "there is no file it");
    EXPECT_EQ(refusal(folder_), "it is a directory; expected a file");
    EXPECT_EQ(refusal("/dev/zero"), "it is a device; expected a file");
    EXPECT_EQ(refusal(folder_ / std::string(300, 'x')), "it cannot be read: File name too long");
    fs::create_symlink("loop", folder_ / "loop");
    EXPECT_EQ(refusal(folder_ / "loop"), "it cannot be read: Too many levels of symbolic links");
}

TEST_F(ReadFile, StopsSoonAfterTheMost) {
    std::ofstream(folder_ / "long") << std::string(1 << 20, 'x');
    const std::size_t read = read_file(folder_ / "long", "it", {}, kMax).size();
    EXPECT_GT(read, kMax);
    EXPECT_LE(read, kMax + (std::size_t{1} << 16));
}

}  // namespace read_file_test
}  // namespace dodona
