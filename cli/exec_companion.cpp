#include "cli/exec_companion.hpp"

#include <unistd.h>

#include <filesystem>

#include <fmt/format.h>

#include "base/program_folder.hpp"
#include "cli/missing.hpp"

namespace dodona::cli {

void exec_companion(const std::string& program, const std::vector<std::string>& words) {
    const std::filesystem::path folder = program_folder();
    if (folder.empty()) {
        throw Missing(fmt::format("where {} lies is not known without /proc; start it by its path", program));
    }
    for (const std::filesystem::path& path : {folder / program, folder / "../libexec/dodona" / program}) {
        std::string name = path.string();
        if (access(name.c_str(), X_OK) != 0) {
            continue;
        }
        std::vector<std::string> all = words;
        std::vector<char*> arguments{name.data()};
        for (std::string& word : all) {
            arguments.push_back(word.data());
        }
        arguments.push_back(nullptr);
        execv(name.c_str(), arguments.data());
    }
    throw Missing(fmt::format(
        "{} is not installed beside dodona; `./dodona calibrate` of a source tree builds and starts it", program));
}

}  // namespace dodona::cli
