// Runs the program that was built, in a folder that is gone afterwards.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/wait.h>

#include "../cases.hpp"

namespace dodona::cli::testing {

using cases::content;

/// The root of this repository.
inline std::filesystem::path source() { return std::getenv("DODONA_SOURCE"); }

/// Whether dodona-calibrate is built: -Dcalibrate=disabled leaves it out.
inline bool can_calibrate() {
    return std::filesystem::exists(std::filesystem::path(std::getenv("DODONA_PROGRAM")).parent_path() /
                                   "dodona-calibrate");
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

/// A transcript as it would be written now: commands, `$ dodona ...`, with what each prints and its exit code.
inline std::string replayed(const std::string& transcript, const Folder& place) {
    std::string now;
    std::size_t line = 0;
    while (line < transcript.size()) {
        const std::size_t end = std::min(transcript.find('\n', line), transcript.size());
        const std::string text = transcript.substr(line, end - line);
        if (text.starts_with("$ dodona")) {
            const Outcome outcome = place.run(text.substr(8));
            now += text + "\n" + outcome.out + outcome.err;
            now += outcome.code == 0 ? "" : "[exit " + std::to_string(outcome.code) + "]\n";
        } else if (text.starts_with("# ")) {  // not a heading of Markdown
            now += text + "\n";
        }
        line = end + 1;
    }
    return now;
}

}  // namespace dodona::cli::testing
