#include "cli/explorer.hpp"

#include <array>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "base/read_file.hpp"
#include "base/whole_file.hpp"
#include "cli/arguments.hpp"
#include "cli/built_parts.hpp"
#include "cli/data_folder.hpp"
#include "cli/exit_code.hpp"
#include "cli/explorer_data.hpp"
#include "cli/files.hpp"
#include "cli/missing.hpp"
#include "cli/output.hpp"
#include "cli/workload.hpp"
#include "reports/render/gzip.hpp"
#include "reports/render/html.hpp"
#include "reports/render/json.hpp"

namespace dodona::cli {

namespace {

constexpr std::array kModule{"dodona.js", "dodona.wasm"};

std::vector<std::string> module_parts() {
    std::vector<std::string> parts =
        built_parts({.variable = "DODONA_EXPLORER_MODULE", .folder = "explorer", .names = kModule});
    if (parts.empty()) {
        throw Missing(
            "the page needs the search as WebAssembly, which this build has not got; install Emscripten (apt-get "
            "install emscripten), then `./dodona explorer -o FILE.html` of a source tree builds it, in some minutes");
    }
    return parts;
}

std::string page_part(const char* name) {
    const std::filesystem::path path = data_folder() / "explorer/page" / name;
    constexpr std::size_t kMost = std::size_t{1} << 20;
    return read_file(path, path.generic_string(), {}, kMost);
}

/// What the page opens with: a question, of which what is left out is the reader's to choose or usual, and what it is about.
struct Opening {
    reports::Record question = reports::no_fields();
    ExplorerSubject subject;
};

Opening read_opening(Arguments& arguments) {
    Opening opening;
    reports::Record& question = opening.question;
    if (const auto model = arguments.text("MODEL")) {
        const std::string name = taken_as(arguments, files::NameOf::model, *model);
        read_network(name, {});
        opening.subject.model = name;
        question["model"] = files::is_path(name) ? place_in_module(name, kModels) : name;
    }
    if (const auto machine = arguments.text("--machine")) {
        const std::string name = taken_as(arguments, files::NameOf::cluster, *machine);
        read_machine(name);
        opening.subject.machine = name;
        question["machine"] = files::is_path(name) ? place_in_module(name, kMachines) : name;
    }
    for (const char* option : {"--gpus", "--batch"}) {
        if (const auto count = arguments.count(option)) {
            question[std::string_view(option).substr(2)] = *count;
        }
    }
    return opening;
}

std::string packed(const std::string& content) { return reports::base64(reports::gzipped(content)); }

/// Puts the text in the place of @name@ in the page.
void put(std::string& page, std::string_view name, const std::string& text) {
    const std::string mark = fmt::format("@{}@", name);
    page.replace(page.find(mark), mark.size(), text);
}

std::string explorer_page(const Opening& opening) {
    const std::vector<std::string> parts = module_parts();
    std::string page = page_part("page.html");
    put(page, "style", page_part("page.css"));
    put(page, "question", packed(reports::json_line(opening.question)));
    put(page, "data", packed(reports::json_line(explorer_data(opening.subject))));
    put(page, "worker", packed(parts[0] + page_part("ask.js") + page_part("worker.js")));
    put(page, "module", packed(parts[1]));
    put(page, "script", page_part("page.js"));
    return page;
}

int run_explorer(Arguments& arguments) {
    const std::string file = writable_file(arguments, "--output");
    if (file.empty()) {
        arguments.missing("--output", "the page to write: -o explorer.html");
    } else if (file != "-" && !file.ends_with(".html") && !file.ends_with(".htm")) {
        arguments.fault("--output", fmt::format("{} is no name of a page", as_typed(file)),
                        "for example explorer.html");
    }
    arguments.throw_if_faults();
    const Opening opening = read_opening(arguments);
    arguments.throw_if_faults();
    const std::string page = explorer_page(opening);
    if (file == "-") {
        print(page);
    } else {
        write_whole(file, page);
    }
    return kAnswered;
}

}  // namespace

Command explorer_command() {
    const std::string job = "The question that the page opens with";
    return {.name = "explorer",
            .summary = "a page to ask in: change the GPUs, the batch or a pinned axis and see the answer",
            .usage = "-o FILE.html",
            .positionals = {{.name = "MODEL",
                             .description = "a built-in model or a file",
                             .required = false,
                             .completes = Names::models}},
            .options = {{.names = "-m,--machine",
                         .value = "M",
                         .description = "a built-in machine or a file",
                         .group = job,
                         .completes = Names::machines},
                        {.names = "-p,--gpus", .value = "N", .description = "GPUs that train together", .group = job},
                        {.names = "-b,--batch", .value = "B", .description = "global batch", .group = job},
                        {.names = "-o,--output",
                         .value = "FILE",
                         .description = "the page to write; - is standard output",
                         .group = "Output"},
                        {.names = "-q,--quiet", .value = "", .description = "no notes", .group = "Output"}},
            .examples =
                "One file with all models, machines and the search itself, compiled for browsers: it needs no\n"
                "server and no network, and answers as `dodona plan` does.\n\n"
                "Examples:\n"
                "  dodona explorer -o explorer.html\n"
                "  dodona explorer llama-3.1-70b --machine dgx-h100 --gpus 64 -o explorer.html\n"
                "  dodona explorer mine.yaml --machine my-cluster.yaml -o explorer.html",
            .run = run_explorer};
}

}  // namespace dodona::cli
