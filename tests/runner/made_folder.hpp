// A folder that is gone after a test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace dodona::runner::testing {

class MadeFolder {
public:
    MadeFolder() {
        std::string made = (std::filesystem::temp_directory_path() / "dodona-runner-XXXXXX").string();
        path_ = mkdtemp(made.data());
    }
    ~MadeFolder() { std::filesystem::remove_all(path_); }
    MadeFolder(const MadeFolder&) = delete;
    MadeFolder& operator=(const MadeFolder&) = delete;

    [[nodiscard]] std::string path() const { return path_.string(); }
    [[nodiscard]] std::string content(const std::string& file) const {
        std::ifstream stream(path_ / file, std::ios::binary);
        std::stringstream text;
        text << stream.rdbuf();
        return text.str();
    }
    void write(const std::string& file, const std::string& text) const {
        std::ofstream(path_ / file, std::ios::binary) << text;
    }

private:
    std::filesystem::path path_;
};

}  // namespace dodona::runner::testing
