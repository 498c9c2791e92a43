#include "files/description_keys.hpp"
#include "questions/threads/threads.hpp"

namespace dodona {

template <>
const files::Description& files::description<questions::threads::Options>() {
    using dodona::threads::KnownCosts;
    using questions::threads::Options;
    constexpr double kMaxTried = 512;
    const std::string_view job = "Job";
    const std::string_view costs = "Costs of threads";
    static const Description described{
        .noun = "options of threads",
        .summary = "Cores of the CPU, settings that were measured, and what is known of the costs of threads.",
        .keys = {optional<&Options::cores>("cores", "of the machine's CPU; all of them without it",
                                           {.range = at_least(1), .value_text = "N", .group = job}),
                 optional<&Options::most>("most", "workers, and threads of each, to try; the cores without it",
                                          {.range = {.least = 1, .most = kMaxTried}, .value_text = "N", .group = job}),
                 optional<&Options::measured_with>("measured",
                                                   "settings that were run, a CSV with workers,threads,median_s: how "
                                                   "well they are ranked, and what the guideline is really worth",
                                                   {.value_text = "FILE", .group = "Measured"}),
                 optional<&Options::known, &KnownCosts::of_core>("core_bandwidth",
                                                                 "memory bandwidth that one thread reaches: 12GB/s",
                                                                 {.value_text = "BW", .group = costs}),
                 optional<&Options::known, &KnownCosts::serial>("serial", "of a kernel on any threads: 5us",
                                                                {.value_text = "TIME", .group = costs}),
                 optional<&Options::known, &KnownCosts::fork>("fork", "of a kernel on more than one thread",
                                                              {.value_text = "TIME", .group = costs}),
                 optional<&Options::known, &KnownCosts::barrier>("barrier", "of a kernel, each time its threads double",
                                                                 {.value_text = "TIME", .group = costs}),
                 optional<&Options::known, &KnownCosts::oversubscription>(
                     "oversubscription",
                     "by which work takes longer for each further thread on a core, of every kind of kernel; without "
                     "it as measured, else 0.1",
                     {.range = kNotNegative, .value_text = "SHARE", .group = costs}),
                 optional<&Options::known, &KnownCosts::change>("change",
                                                                "of the numbers of workers and threads, at run time",
                                                                {.value_text = "TIME", .group = costs})},
        .defaults = default_of<Options>};
    return described;
}

namespace questions::threads {

Heading heading() {
    return {.name = "threads",
            .summary = "a forward pass on a CPU: how many operators at once, on how many threads each",
            .options = "Job",
            .examples =
                "Examples:\n"
                "  dodona threads googlenet-v1 --machine theta --batch 8\n"
                "  dodona threads gnmt --machine theta --cores 48 --core-bandwidth 10GB/s"};
}

}  // namespace questions::threads
}  // namespace dodona
