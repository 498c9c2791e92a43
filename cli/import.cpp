// `dodona import`: what others describe, as files of Dodona.
#include "cli/commands.hpp"

#include "base/whole_file.hpp"
#include "cli/arguments.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/note.hpp"
#include "cli/output.hpp"
#include "cli/schema_comment.hpp"
#include "cli/workload.hpp"
#include "graph/graph.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::cli {

namespace {

int run_import(Arguments& arguments) {
    const std::string path = arguments.required_text(
        "MODEL", "a config.json of Hugging Face, a folder with one, a file of ONNX, or a graph of PyTorch");
    const std::string file = writable_file(arguments, "--output");
    arguments.throw_if_faults();
    const files::Library built_in = library();
    const auto given = model_parameters(arguments);
    const files::ImportedModel model = built_in.import_model(path, questions::settings_of(given), {});
    const graph::Counts counts = graph::count(read_network(path, given));
    if (file.empty()) {
        print(model.text);
    } else {
        write_whole(file, schema_comment("model", file) + model.text);
    }
    const std::string parameters = reports::whole(counts.parameters);
    if (model.family.empty()) {
        note("{} parameters", parameters);
    } else {
        note("{} parameters, read as models/hf/families/{}.yaml says", parameters, model.family);
    }
    for (const std::string& said : model.notes) {
        note("{}", said);
    }
    if (!model.left_out.empty()) {
        note("left out: {}; neither its parameters nor its work are counted", join(model.left_out));
    }
    if (!model.ignored.empty()) {
        note("keys that change no shape: {}", join(model.ignored));
    }
    return kAnswered;
}

}  // namespace

Command import_command() {
    return {.name = "import",
            .summary = "a network of Hugging Face, ONNX or PyTorch as a model file of dodona",
            .usage = "",
            .positionals = {{.name = "MODEL",
                             .description = "a config.json, a folder with one, a file of ONNX, or a graph of PyTorch"}},
            .options = {{"-o,--output", "FILE", "write to this file; default: print"},
                        {.names = "--set",
                         .value = "NAME=VALUE",
                         .description = "an extent that a file of ONNX leaves open, or a parameter; repeat for several",
                         .repeats = true}},
            .examples =
                "Other commands take all of these where MODEL stands without this step. A key that may change shapes\n"
                "and that dodona does not know is an error, and so is an operator that no layer does; keys that\n"
                "change no shape are listed. torch_graph.py of the package dodona writes graphs of PyTorch.\n\n"
                "Examples:\n"
                "  dodona import Llama-3.1-8B/config.json -o llama.yaml\n"
                "  dodona import resnet50.onnx -o resnet50.yaml\n"
                "  dodona import bert.onnx --set sequence=512 -o bert.yaml\n"
                "  dodona plan Llama-3.1-8B --machine dgx-h100 --gpus 64",
            .run = run_import};
}

}  // namespace dodona::cli
