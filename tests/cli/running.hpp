// Runs the program that was built, in a folder that is gone afterwards.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/wait.h>

namespace dodona::cli::testing {

inline std::string content(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

struct Outcome {
    int code = -1;
    std::string out;
    std::string err;
};

class Folder {
public:
    Folder() {
        std::string made = (std::filesystem::temp_directory_path() / "dodona-cli-XXXXXX").string();
        path_ = mkdtemp(made.data());
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// `words` as a shell reads them; `environment` is put before the program.
    [[nodiscard]] Outcome run(const std::string& words, const std::string& environment = "") const {
        const std::string program = std::getenv("DODONA_PROGRAM");
        const std::string data = std::getenv("DODONA_SOURCE");
        const std::string command = "cd '" + path_.string() + "' && env DODONA_DATA='" + data + "' " + environment +
                                    " '" + program + "' " + words + " >.out 2>.err </dev/null";
        const int status = std::system(command.c_str());
        Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(path_ / ".out"), content(path_ / ".err")};
        std::filesystem::remove(path_ / ".out");
        std::filesystem::remove(path_ / ".err");
        return outcome;
    }

private:
    std::filesystem::path path_;
};

}  // namespace dodona::cli::testing
