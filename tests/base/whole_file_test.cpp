// Files that are written whole: what is kept of the one before, and what is never followed.
#include "base/whole_file.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diagnostic.hpp"

namespace dodona {
namespace whole_file_test {

namespace fs = std::filesystem;

class WholeFile : public ::testing::Test {
protected:
    WholeFile() {
        std::string made = ::testing::TempDir() + "dodona-whole-XXXXXX";
        folder_ = mkdtemp(made.data());
    }
    ~WholeFile() override { fs::remove_all(folder_); }

    static std::string content(const fs::path& path) {
        std::stringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    static unsigned mode(const fs::path& path) {
        struct stat about {};
        EXPECT_EQ(::stat(path.c_str(), &about), 0);
        return about.st_mode & 07777U;
    }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    fs::path folder_;
};

TEST_F(WholeFile, KeepsTheModeOfWhatItReplaces) {
    const fs::path path = folder_ / "plan.yaml";
    write_whole(path, "one");
    const mode_t masked = ::umask(0);
    ::umask(masked);
    EXPECT_EQ(mode(path), 0666U & ~masked) << "a new file is as others are";
    for (const unsigned kept : {0600U, 0640U, 0755U}) {
        ASSERT_EQ(::chmod(path.c_str(), kept), 0);
        write_whole(path, "two");
        EXPECT_EQ(mode(path), kept);
    }
    EXPECT_EQ(content(path), "two");
    EXPECT_EQ(files(), 1U);
}

TEST_F(WholeFile, FollowsALinkOfTheUserAlone) {
    std::ofstream(folder_ / "of-somebody") << "kept";
    fs::create_symlink(folder_ / "of-somebody", folder_ / ("report.json." + std::to_string(getpid()) + ".unfinished"));
    write_whole(folder_ / "report.json", "new");
    EXPECT_EQ(content(folder_ / "of-somebody"), "kept") << "no name of an unfinished file can be guessed";
    fs::create_symlink("report.json", folder_ / "latest.json");
    write_whole(folder_ / "latest.json", "newer");
    EXPECT_TRUE(fs::is_symlink(folder_ / "latest.json"));
    EXPECT_EQ(content(folder_ / "report.json"), "newer");
}

TEST_F(WholeFile, OfSeveralWritersIsThatOfOne) {
    constexpr int kTimes = 30;
    const std::string path = folder_ / "report.json";
    const std::vector<std::string> texts{std::string(100'000, 'a'), std::string(70'000, 'b')};
    write_whole(path, texts.front());
    std::vector<std::thread> writers;
    for (const std::string& text : texts) {
        writers.emplace_back([&path, &text] {
            for (int i = 0; i < kTimes; ++i) {
                write_whole(path, text);
            }
        });
    }
    for (int i = 0; i < kTimes; ++i) {
        const std::string seen = content(path);
        EXPECT_TRUE(seen == texts[0] || seen == texts[1]) << seen.size() << " bytes";
    }
    for (std::thread& writer : writers) {
        writer.join();
    }
    EXPECT_EQ(files(), 1U) << "nothing is left of the unfinished ones";
}

TEST_F(WholeFile, OfAPipeGoesToItsReader) {
    const std::string path = folder_ / "pipe";
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    try {
        write_whole(path, "text");
        ADD_FAILURE() << "written without a reader";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("without a reader"), std::string::npos) << error.what();
    }
    std::string read;
    std::thread reader([&] { read = content(path); });
    const std::string text(200'000, 'a');  // more than a pipe holds
    write_whole(path, text);
    reader.join();
    EXPECT_TRUE(read == text);
}

TEST_F(WholeFile, LeavesNothingWhereItFails) {
    fs::create_directory(folder_ / "folder");
    EXPECT_THROW(write_whole(folder_ / "folder/missing/x", "text"), InputError);
    EXPECT_THROW(write_whole(folder_ / "folder", "text"), InputError);
    EXPECT_EQ(files(), 1U);
}

}  // namespace whole_file_test
}  // namespace dodona
