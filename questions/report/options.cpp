#include "files/description_keys.hpp"
#include "questions/report/report.hpp"

namespace dodona {

template <>
const files::Description& files::description<questions::report::Options>() {
    using questions::report::Options;
    const std::string_view goals = "Goals";
    static const Description described{
        .noun = "options of report",
        .summary = "Growth of the batch, and costs of plans.",
        .keys = {questions::batch_per_gpu_key<&Options::growth>(), questions::price_key<&Options::goals>(goals),
                 optional<&Options::power>("power", "of one GPU while it trains, such as 700W: the energy of plans",
                                           {.range = kPositive, .value_text = "P", .group = goals})},
        .defaults = default_of<Options>};
    return described;
}

namespace questions::report {

Heading heading() {
    return {.name = "report",
            .summary = "a page about a model on more and more GPUs: what to use, how it scales, and why",
            .options = "Goals",
            .examples =
                "It takes what `dodona plan` answers, and the best plan of each strategy, on each number of GPUs.\n"
                "With both --batch and --batch-per-gpu the report has strong and weak scaling; the\n"
                "recommendation is of the first.\n"
                "Ctrl-C writes what is finished; --resume goes on.\n\n"
                "Examples:\n"
                "  dodona report resnet50 --machine abci --gpus 1..1024\n"
                "  dodona report gpt3-175b --machine selene --gpus 64..4096 --batch 1536 -o gpt3.md\n"
                "  dodona report llama-3.1-405b --machine dgx-h100 --gpus 512,1024,2048 -o llama.json\n"
                "  dodona report --from llama.json -o llama.md"};
}

}  // namespace questions::report
}  // namespace dodona
