#include "calibrate/file/whole_file.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "base/diagnostic.hpp"

namespace dodona::calibrate {

void write_whole(const std::string& path, const std::string& text) {
    const std::string beside = path + ".new";
    std::ofstream file(beside, std::ios::binary);
    file << text;
    file.close();
    std::error_code fault;
    if (file) {
        std::filesystem::rename(beside, path, fault);
    }
    if (!file || fault) {
        std::error_code ignored;
        std::filesystem::remove(beside, ignored);
        fail({}, fmt::format("{} cannot be written", path), "give a folder that exists and may be written to");
    }
}

}  // namespace dodona::calibrate
