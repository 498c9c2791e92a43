#include "cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "base/whole_file.hpp"

namespace dodona::cli {

namespace {

const std::vector<std::string> kFormats{"text", "json", "csv", "md"};
const std::vector<std::string> kColours{"auto", "always", "never"};

Format format_of(const std::string& word) {
    return word == "json" ? Format::json : word == "csv" ? Format::csv : word == "md" ? Format::markdown : Format::text;
}

bool is_set(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

bool terminal_wants_colour() {
    const char* terminal = std::getenv("TERM");
    return isatty(STDOUT_FILENO) == 1 && !is_set("NO_COLOR") && terminal != nullptr &&
           std::strcmp(terminal, "dumb") != 0;
}

[[noreturn]] void cannot_write(const std::string& path, int reason) {
    fail({}, fmt::format("{} cannot be written: {}", path, std::strerror(reason)));
}

}  // namespace

std::vector<Option> output_options() {
    return {{.names = "--format",
             .value = "text|json|csv|md",
             .description = "default: by the ending of FILE, else text",
             .group = "Output"},
            {.names = "-o,--output",
             .value = "FILE",
             .description = "write there; - is standard output",
             .group = "Output"},
            {.names = "--color", .value = "auto|always|never", .description = "default: auto", .group = "Output"}};
}

std::string writable_file(Arguments& arguments, const std::string& name) {
    const std::string path = arguments.text(name).value_or("");
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code ignored;
    if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
        arguments.fault(name, fmt::format("there is no folder {}", as_typed(folder.string())), "make it first");
    } else if (!path.empty() && std::filesystem::is_directory(path, ignored)) {
        arguments.fault(name, fmt::format("{} is a folder", as_typed(path)), "name a file in it");
    }
    return path;
}

Output read_output(Arguments& arguments) {
    Output output;
    output.file = writable_file(arguments, "--output");
    if (output.file == "-") {
        output.file.clear();
    }
    const std::string ending = std::filesystem::path(output.file).extension().string();
    const std::string by_ending = ending.empty() ? "text" : ending.substr(1);
    output.format = format_of(arguments.word("--format", kFormats).value_or(by_ending));
    const std::string colour = arguments.word("--color", kColours).value_or("auto");
    output.style.colour = colour == "always" || (colour == "auto" && output.file.empty() && terminal_wants_colour());
    return output;
}

void write(const Output& output, const std::string& text) {
    if (!output.file.empty()) {
        write_whole(output.file, text);
        return;
    }
    errno = 0;
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!written) {
        cannot_write("standard output", errno);
    }
}

}  // namespace dodona::cli
