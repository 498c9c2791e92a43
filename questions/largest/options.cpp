#include "questions/largest/largest.hpp"

namespace dodona {

template <>
const files::Description& files::description<questions::largest::Options>() {
    using questions::largest::Options;
    const std::string_view search = "Search";
    static const Description described{
        .noun = "options of largest",
        .summary = "The goals of a run, and which values are looked at.",
        .keys = joined(
            questions::goal_keys<&Options::goals>(),
            {optional<&Options::step>("step",
                                      "look at multiples of K; default: for a batch the number of GPUs, else a power "
                                      "of two that divides the given value, a sixteenth of it at most",
                                      {.value_text = "K", .group = search}),
             optional<&Options::upto>("upto", "look at no larger value; default: a thousand times the given",
                                      {.value_text = "V", .group = search}),
             optional<&Options::convolutions>("convolutions",
                                              "choose the algorithm of each convolution under the memory that a batch "
                                              "leaves; workspaces are one that all take turns in, or each layer's own",
                                              {.group = search})}),
        .defaults = default_of<Options>};
    return described;
}

namespace questions::largest {

Heading heading() {
    return {.name = "largest",
            .summary = "the largest batch, sequence or model that trains on N GPUs",
            .options = "Goals",
            .examples =
                "Values double from the given one until three in a row fail; then the gap above the largest\n"
                "that fits is searched in ever smaller steps. With goals, the answer meets them too.\n\n"
                "Examples:\n"
                "  dodona largest resnet50 batch --machine abci --gpus 8\n"
                "  dodona largest alexnet batch --machine gce-k80 --gpus 1 --convolutions each\n"
                "  dodona largest llama-3.1-8b sequence --machine dgx-h100 --gpus 64 --batch 64\n"
                "  dodona largest gpt3-175b layers --machine selene --gpus 256 --tokens 3e11 --deadline 90d"};
}

}  // namespace questions::largest
}  // namespace dodona
