#include "files/description_keys.hpp"
#include "questions/cache/cache.hpp"

namespace dodona {

template <>
const files::Description& files::description<questions::cache::Options>() {
    using questions::cache::Options;
    static const Description described{
        .noun = "options of cache",
        .summary = "The data set and how often it is read.",
        .keys = {optional<&Options::epochs>("epochs", "to list; 3 without it",
                                            {.range = {.least = 1, .most = 1000}, .value_text = "K"}),
                 optional<&Options::samples>("samples", "of the data set; without it as the model file says",
                                             {.range = kPositive, .value_text = "N"}),
                 optional<&Options::sample_size>(
                     "sample_size", "of a sample as stored, such as 110KB; without it as the model file says",
                     {.range = kPositive, .value_text = "SIZE"})},
        .defaults = default_of<Options>};
    return described;
}

namespace questions::cache {

Heading heading() {
    return {.name = "cache",
            .summary = "reading samples, epoch by epoch: from afar, from disks, from memory",
            .options = "Samples",
            .examples =
                "The machine's file says where samples are read from (`io:`, docs/files.md).\n\n"
                "Examples:\n"
                "  dodona cache resnet50 --machine cloud.yaml --gpus 128 --strategy data --epochs 3"};
}

}  // namespace questions::cache
}  // namespace dodona
