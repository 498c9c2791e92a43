#include "cli/import.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "base/whole_file.hpp"
#include "cli/arguments.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/note.hpp"
#include "cli/output.hpp"
#include "cli/schema_comment.hpp"
#include "graph/graph.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::cli {

namespace {

int run_import(Arguments& arguments) {
    const std::string path = arguments.required_text("MODEL", "a config.json of Hugging Face, or a folder with one");
    const std::string file = writable_file(arguments, "--output");
    arguments.throw_if_faults();
    const files::Library built_in = library();
    const files::ImportedModel model = built_in.import_model(path, {});
    const graph::Counts counts = graph::count(read_network(path));
    if (file.empty()) {
        print(model.text);
    } else {
        write_whole(file, schema_comment("model", file) + model.text);
    }
    note("{} parameters, read as models/hf/families/{}.yaml says", reports::whole(counts.parameters), model.family);
    if (!model.left_out.empty()) {
        note("parts that are left out: {}", join(model.left_out));
    }
    if (!model.ignored.empty()) {
        note("keys that change no shape: {}", join(model.ignored));
    }
    return kAnswered;
}

}  // namespace

Command import_command() {
    return {.name = "import",
            .summary = "a network of Hugging Face as a model file of dodona",
            .usage = "",
            .positionals = {{.name = "MODEL", .description = "a config.json, or a folder with one"}},
            .options = {{.names = "-o,--output", .value = "FILE", .description = "write to this file; default: print"}},
            .examples =
                "Other commands take a config.json where MODEL stands without this step. A key that may change\n"
                "shapes and that dodona does not know is an error; keys that change none are listed.\n\n"
                "Examples:\n"
                "  dodona import Llama-3.1-8B/config.json -o llama.yaml\n"
                "  dodona plan Llama-3.1-8B --machine dgx-h100 --gpus 64",
            .run = run_import};
}

}  // namespace dodona::cli
