#include "cli/output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/whole_file.hpp"

namespace dodona::cli {

namespace {

const std::vector<std::string> kColours{"auto", "always", "never"};

std::vector<std::string> formats() {
    std::vector<std::string> names;
    for (const reports::Renderer& renderer : reports::renderers()) {
        names.emplace_back(renderer.name);
    }
    return names;
}

/// --format or --json, else by the ending of the file, else the first.
const reports::Renderer* read_renderer(Arguments& arguments, const std::string& file) {
    const auto format = arguments.word("--format", formats());
    const bool json = arguments.has("--json");
    if (json && format && *format != "json") {
        arguments.fault("--json", fmt::format("--format says {}", *format), "give one of them");
    }
    if (json || format) {
        return reports::renderer_named(json ? "json" : *format);
    }
    const std::string ending = std::filesystem::path(file).extension().string();
    const reports::Renderer* by_ending =
        ending.empty() ? nullptr : reports::renderer_of_suffix(std::string_view(ending).substr(1));
    return by_ending != nullptr ? by_ending : &reports::renderers().front();
}

/// Lines that a report is wrapped to: those of the terminal, within reason.
std::size_t page_width(bool is_file) {
    constexpr std::size_t kLeast = 60;
    constexpr std::size_t kMost = 160;
    winsize size{};
    const bool is_terminal = !is_file && isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return is_terminal && size.ws_col > 0 ? std::clamp<std::size_t>(size.ws_col, kLeast, kMost) : reports::Page{}.width;
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
             .value = fmt::format("{}", fmt::join(formats(), "|")),
             .description = "default: by the ending of FILE, else text",
             .group = "Output"},
            {.names = "--json", .value = "", .description = "short for --format json", .group = "Output"},
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
    output.renderer = read_renderer(arguments, output.file);
    output.page.width = page_width(!output.file.empty());
    const std::string colour = arguments.word("--color", kColours).value_or("auto");
    output.page.colour = colour == "always" || (colour == "auto" && output.file.empty() && terminal_wants_colour());
    return output;
}

void write(const Output& output, const reports::Document& document) {
    write_text(output, output.renderer->render(document, output.page));
}

void write_text(const Output& output, const std::string& text) {
    if (output.file.empty()) {
        print(text);
    } else {
        write_whole(output.file, text);
    }
}

void print(const std::string& text) {
    errno = 0;
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!written) {
        cannot_write("standard output", errno);
    }
}

}  // namespace dodona::cli
