#include "questions/size/size.hpp"

namespace dodona {

template <>
const files::Description& files::description<questions::size::Options>() {
    using questions::size::Options;
    static const Description described{
        .noun = "options of size",
        .summary = "The goals of a run, and which of the numbers of GPUs that meet them.",
        .keys =
            joined(questions::goal_keys<&Options::goals>(),
                   {optional<&Options::find>("find",
                                             "of the numbers that meet the goals; default: fastest where a budget is "
                                             "the only goal, cheapest of several machines with prices, else fewest",
                                             {.group = "Search"})}),
        .defaults = default_of<Options>};
    return described;
}

namespace questions::size {

Heading heading() {
    return {.name = "size",
            .summary = "how many GPUs a job needs, and of which machine: fewest, fastest, cheapest",
            .options = "Goals",
            .examples =
                "Without goals: the fewest GPUs that train the model at all. A larger number may do worse, so\n"
                "numbers are searched one by one, but for those that bounds rule out.\n\n"
                "Examples:\n"
                "  dodona size llama-3.1-70b --machine dgx-h100\n"
                "  dodona size llama-3.1-70b --machine dgx-h100 --tokens 1e12 --deadline 30d\n"
                "  dodona size resnet50 --machine abci --epochs 90 --deadline 1h --gpus 4..1024\n"
                "  dodona size llama-3.1-8b --tokens 1e11 --deadline 14d --machine dgx-h100 \\\n"
                "      --machine dgx-b200 --price dgx-h100=2.5USD/h --price dgx-b200=4USD/h"};
}

}  // namespace questions::size
}  // namespace dodona
