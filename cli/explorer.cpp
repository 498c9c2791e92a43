// `dodona explorer`: a page in which the reader changes the question and sees the answer.
#include "cli/commands.hpp"

#include <string_view>

#include <fmt/format.h>

#include "base/whole_file.hpp"
#include "build_config.hpp"
#include "cli/arguments.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/interactive_form.hpp"
#include "cli/output.hpp"
#include "cli/workload.hpp"

namespace dodona::cli {

namespace {

FormOpening read_opening(Arguments& arguments) {
    FormOpening opening;
    if (const auto model = arguments.text("MODEL")) {
        const std::string name = taken_as(arguments, files::NameOf::model, *model);
        read_network(name, model_parameters(arguments));
        set_model(opening, name);
    }
    if (const auto machine = arguments.text("--machine")) {
        const std::string name = taken_as(arguments, files::NameOf::cluster, *machine);
        read_machine(name);
        set_machine(opening, name);
    }
    for (const char* option : {"--gpus", "--batch"}) {
        if (const auto count = arguments.count(option)) {
            opening.question[std::string_view(option).substr(2)] = *count;
        }
    }
    for (const char* option : {"--seq", "--set"}) {
        if (arguments.has(option) && !arguments.has("MODEL")) {
            arguments.fault(option, "of which model?", "name it: dodona explorer MODEL");
        }
    }
    opening.question["options"] = asked_options(settings_given(arguments));
    return opening;
}

std::string explorer_page(const FormOpening& opening) {
    std::string page = page_part("page.html");
    put(page, "version", std::string(kVersion));
    put(page, "style", page_part("page.css"));
    put(page, "ask", interactive_form(opening, false));
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
    const FormOpening opening = read_opening(arguments);
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
    return {
        .name = "explorer",
        .summary = "a page to ask in: change the GPUs, the batch or a pinned axis and see the answer",
        .usage = "-o FILE.html",
        .positionals = {{.name = "MODEL",
                         .description = "a built-in model or a file",
                         .required = false,
                         .completes = Names::models}},
        .options = {{"-m,--machine", "M", "a built-in machine or a file", job, kOnce, Names::machines},
                    {"-p,--gpus", "N", "GPUs that train together", job},
                    {"-b,--batch", "B", "global batch", job},
                    {"--seq", "S", "sequence length: --set sequence=S", job},
                    {"--set", "NAME=VALUE", "replace a parameter of the model file; repeat for several", job, kRepeats},
                    {"-o,--output", "FILE", "the page to write; - is standard output", "Output"},
                    {"-q,--quiet", "", "no notes", "Output"}},
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
