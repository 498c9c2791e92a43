#include "base/program_folder.hpp"

namespace dodona {

std::filesystem::path program_folder() {
    std::error_code fault;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", fault);
    return fault ? std::filesystem::path() : program.parent_path();
}

std::filesystem::path beside_program(const std::filesystem::path& part) {
    const std::filesystem::path folder = program_folder();
    return folder.empty() ? folder : (folder / part).lexically_normal();
}

}  // namespace dodona
