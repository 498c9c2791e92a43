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

#include "base/ranges.hpp"
#include "base/whole_file.hpp"
#include "cli/chart_scripts.hpp"
#include "reports/render/svg.hpp"

namespace dodona::cli {

namespace {

const std::vector<std::string> kColours{"auto", "always", "never"};

std::vector<std::string> formats() { return mapped<std::string>(reports::renderers(), &reports::Renderer::name); }

/// --format or --json, else by the ending of the file, else the first. What is exported for a launcher has its own format,
/// in a file of any name.
const reports::Renderer* read_renderer(Arguments& arguments, const std::string& file) {
    const auto format = arguments.word("--format", formats());
    const bool json = arguments.has("--json");
    if (arguments.has("--export")) {
        if (json || format) {
            arguments.fault(json ? "--json" : "--format", "--export has the format of the launcher",
                            "leave one of the two out");
        }
        return &reports::renderers().front();
    }
    if (json && format && *format != "json") {
        arguments.fault("--json", fmt::format("--format says {}", *format), "give one of them");
    }
    if (json || format) {
        return reports::renderer_named(json ? "json" : *format);
    }
    const std::string ending = std::filesystem::path(file).extension().string();
    const reports::Renderer* by_ending =
        ending.empty() ? nullptr : reports::renderer_of_suffix(std::string_view(ending).substr(1));
    if (by_ending == nullptr && !ending.empty()) {
        std::vector<std::string> endings;
        for (const reports::Renderer& renderer : reports::renderers()) {
            endings.push_back("." + std::string(renderer.suffixes.front()));
        }
        arguments.fault("--output", fmt::format("dodona writes no {} files", as_typed(ending)),
                        fmt::format("endings: {}; csv opens in spreadsheets; --format says it for any other ending",
                                    join(endings)));
    }
    return by_ending != nullptr ? by_ending : &reports::renderers().front();
}

constexpr std::int64_t kNarrowest = 60;
constexpr std::int64_t kWidest = 200;

/// Lines that a report is wrapped to: those of the terminal, within reason.
std::size_t page_width(bool is_file) {
    winsize size{};
    const bool is_terminal = !is_file && isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return is_terminal && size.ws_col > 0 ? std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidest)
                                          : reports::Page{}.width;
}

std::size_t read_width(Arguments& arguments, bool is_file) {
    const auto typed = arguments.count("--width");
    if (typed && (*typed < kNarrowest || *typed > kWidest)) {
        arguments.fault("--width", fmt::format("{} columns", *typed),
                        fmt::format("between {} and {}", kNarrowest, kWidest));
        return reports::Page{}.width;
    }
    return typed ? static_cast<std::size_t>(*typed) : page_width(is_file);
}

/// How much of the text: of --quiet, --brief and --full.
void read_extent(Arguments& arguments, const reports::Renderer& renderer, reports::Page& page) {
    constexpr std::size_t kBrief = 8;
    const bool quiet = arguments.has("--quiet");
    const bool brief = arguments.has("--brief");
    page.full = arguments.has("--full");
    page.most_lines = quiet ? 1 : brief ? kBrief : 0;
    if ((quiet || brief || page.full) && renderer.name != "text") {
        arguments.fault(quiet   ? "--quiet"
                        : brief ? "--brief"
                                : "--full",
                        fmt::format("is of text, not of {}", renderer.name), "leave one of the two out");
    }
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
    return {{"--format", fmt::format("{}", fmt::join(formats(), "|")), "default: by the ending of FILE, else text",
             "Output"},
            {"--json", "", "short for --format json", "Output"},
            {"-o,--output", "FILE", "write there; - is standard output", "Output"},
            {"--brief", "", "the answer in at most 8 lines of text", "Output"},
            {"--full", "", "with what it stands on: evidence, what does not fit, the search", "Output"},
            {"-q,--quiet", "", "its first line only, and no notes", "Output"},
            {"--width", "N", "columns of text, 60 to 200; default: the terminal's, else 100", "Output"},
            {"--color", "auto|always|never", "default: auto", "Output"}};
}

std::string writable_file(Arguments& arguments, const std::string& name) {
    const std::string path = arguments.text(name).value_or("");
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code ignored;
    std::error_code reason;
    const bool has_folder = folder.empty() || std::filesystem::is_directory(folder, reason);
    if (reason && reason != std::errc::no_such_file_or_directory) {
        arguments.fault(name, fmt::format("{}: {}", as_typed(folder.string()), reason.message()));
    } else if (!has_folder) {
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
    output.text = arguments.answer();
    output.renderer = read_renderer(arguments, output.file);
    if (output.renderer->name == "md" && !output.file.empty()) {
        output.page.images = std::filesystem::path(output.file).stem().string();
    }
    if (output.renderer->name == "html") {
        output.page.scripts = chart_scripts();
    }
    output.page.width = read_width(arguments, !output.file.empty());
    read_extent(arguments, *output.renderer, output.page);
    if (output.page.most_lines == 1) {
        constexpr std::size_t kOneLine = 10'000;
        output.page.width = kOneLine;
    }
    const std::string colour = arguments.word("--color", kColours).value_or("auto");
    output.page.colour = colour == "always" || (colour == "auto" && output.file.empty() && terminal_wants_colour());
    return output;
}

std::string rendered(const Output& output, const reports::Document& document) {
    return output.renderer->render(document, output.page);
}

void write(const Output& output, const reports::Document& document) {
    write_text(output, rendered(output, document));
    write_images(output, document);
}

void write_images(const Output& output, const reports::Document& document) {
    if (output.page.images.empty()) {
        return;
    }
    const std::filesystem::path folder = std::filesystem::path(output.file).parent_path();
    for (const auto& [name, image] : reports::images(document, output.page.images)) {
        write_whole((folder / name).string(), image);
    }
}

void write_text(const Output& output, const std::string& text) {
    if (output.file.empty() && output.text != nullptr) {
        *output.text += text;
    } else if (output.file.empty()) {
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
