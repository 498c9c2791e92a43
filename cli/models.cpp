// `dodona models`: the networks that come with dodona, or one network in detail.
#include "cli/commands.hpp"

#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "questions/models/models.hpp"

#include <fmt/format.h>

namespace dodona::cli {

namespace {

int run_models(Arguments& arguments) {
    const files::Library known = library().remembering();
    return run_listing<graph::Graph>(
        arguments, {.kind = files::NameOf::model,
                    .plural = "models",
                    .names = library().models(),
                    .on_request = library().models_of_hub(),
                    .read = [](const std::string& name) { return read_network(name); },
                    .one = questions::models::document,
                    .all = questions::models::list,
                    .facts = questions::models::facts,
                    .unread_facts =
                        [&](const std::string& name) {
                            return fmt::format("{} {} {}", name, questions::models::kinds(), known.text_of_model(name));
                        },
                    .size = [](const graph::Graph& graph,
                               SizeOf what) { return what == SizeOf::parameters ? graph::count(graph).parameters : 0; },
                    .why_left_out = "are read from their config.json",
                    .next = [](const std::string& name) -> std::vector<NextCommand> {
                        std::map<std::string, std::string> job{{"MODEL", name}, {"--machine", "dgx-h100"}};
                        std::vector<NextCommand> next{{"size", job}, {"limits", job}};
                        job["--gpus"] = "64";
                        next.push_back({"plan", job});
                        return next;
                    }});
}

}  // namespace

Command models_command() {
    std::vector<Option> options{all_option("networks that are read from their config.json")};
    append(options, output_options());
    return {.name = "models",
            .summary = "the models that come with dodona, or one of them",
            .positionals = listing_positionals(Names::models),
            .options = options,
            .examples = "Examples:\n  dodona models\n  dodona models resnet50\n  dodona models moe 30b",
            .run = run_models,
            .answer = files::description<questions::models::Answer>};
}

}  // namespace dodona::cli
