#include "files/description_keys.hpp"
#include "questions/limits/limits.hpp"

namespace dodona {

template <>
const files::Description& files::description<questions::limits::Options>() {
    using questions::limits::Options;
    const std::string_view rules = "Rules without a machine";
    static const Description described{
        .noun = "options of limits",
        .summary = "How the batch grows, and rules that need no machine.",
        .keys = {questions::batch_per_gpu_key<&Options::growth>(),
                 optional<&Options::overhead>("overhead",
                                              "how many GPUs keep --efficiency where one GPU has this overhead over "
                                              "its compute, without a model and a machine",
                                              {.range = kNotNegative, .value_text = "R", .group = rules}),
                 optional<&Options::efficiency>("efficiency", "to keep with --overhead, or with --exchange: 0.8",
                                                {.range = kPositive, .value_text = "A", .group = rules}),
                 optional<&Options::layer_groups>("layer_groups",
                                                  "for each layer, in how many groups --gpus nodes exchange least with "
                                                  "--batch, and arithmetic over bytes; without a machine",
                                                  {.group = rules})},
        .defaults = default_of<Options>};
    return described;
}

namespace questions::limits {

Heading heading() {
    return {.name = "limits",
            .summary = "how many GPUs each strategy can use, what limits it, and how many pay off",
            .options = "Rules without a machine",
            .examples =
                "Exit code 1: no strategy takes the GPUs asked for; or none fits at all.\n\n"
                "Examples:\n"
                "  dodona limits resnet50 --machine abci\n"
                "  dodona limits resnet50 --machine abci --strategy filter --gpus 128\n"
                "  dodona limits gpt3-175b --machine selene --strategy megatron-sequence --batch 1536\n"
                "  dodona limits resnet50 --machine abci --exchange all-reduce,d-psgd --efficiency 0.9\n"
                "  dodona limits --overhead 0.1 --efficiency 0.8\n"
                "  dodona limits vgg-a --layer-groups --gpus 64 --batch 256"};
}

}  // namespace questions::limits
}  // namespace dodona
