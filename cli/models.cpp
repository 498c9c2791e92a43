#include "cli/models.hpp"

#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/model.hpp"

namespace dodona::cli {

namespace {

int run_models(Arguments& arguments) {
    return run_listing<graph::Graph>(arguments, {.plural = "models",
                                                 .names = library().models(),
                                                 .read = [](const std::string& name) { return read_network(name); },
                                                 .json = reports::model_json,
                                                 .text = reports::model_text,
                                                 .markdown = reports::model_markdown,
                                                 .list_json = reports::models_json,
                                                 .table = reports::models_table});
}

}  // namespace

Command models_command() {
    return {.name = "models",
            .summary = "the models that come with dodona, or one of them",
            .positionals = {{.name = "NAME", .description = "show this one: built in, or a file", .required = false}},
            .options = output_options(),
            .examples = "Examples:\n  dodona models\n  dodona models resnet50",
            .run = run_models};
}

}  // namespace dodona::cli
