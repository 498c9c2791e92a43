#include "cli/models.hpp"

#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/collect/model_report.hpp"

namespace dodona::cli {

namespace {

int run_models(Arguments& arguments) {
    return run_listing<graph::Graph>(arguments, {.names = library().models(),
                                                 .read = [](const std::string& name) { return read_network(name); },
                                                 .one = reports::model_document,
                                                 .all = reports::models_document});
}

}  // namespace

Command models_command() {
    return {.name = "models",
            .summary = "the models that come with dodona, or one of them",
            .positionals = {{.name = "NAME",
                             .description = "show this one: built in, or a file",
                             .required = false,
                             .completes = Names::models}},
            .options = output_options(),
            .examples = "Examples:\n  dodona models\n  dodona models resnet50",
            .run = run_models};
}

}  // namespace dodona::cli
