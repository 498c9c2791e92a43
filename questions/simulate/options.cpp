#include "questions/simulate/simulate.hpp"

namespace dodona {

template <>
const files::Description& files::description<questions::simulate::Options>() {
    using questions::simulate::Options;
    constexpr double kMaxSteps = 1'000'000;
    const std::string_view simulation = "Simulation";
    const std::string_view noise = "Noise";
    static const Description described{
        .noun = "options of simulate",
        .summary = "The order of tasks, the network, noise, and lengths of samples.",
        .keys = joined(
            {optional<&Options::order>("order",
                                       "play this schedule instead of the plan's, such as zb-h1, or a file of "
                                       "tasks as torch.distributed.pipelining writes them (docs/schedules.md)",
                                       {.value_text = "NAME|FILE", .group = simulation}),
             optional<&Options::network>("network",
                                         "flows: sends between stages and exchanges of gradients and weights share the "
                                         "links of the machine (default: tabulated, each takes the time of its table)",
                                         {.group = simulation}),
             optional<&Options::degrade>("degrade",
                                         "with flows: leave this share of the links at a part of the network, such as "
                                         "node0/link1=0.5 or rank3=0.9",
                                         {.value_text = "PART=FACTOR", .group = simulation, .repeats = true}),
             optional<&Options::kill>("kill", "with flows: the links at this part are dead, and routes lead round them",
                                      {.value_text = "PART", .group = simulation, .repeats = true}),
             optional<&Options::jobs>("jobs",
                                      "with flows: N jobs like this one at the same time, whose nodes take turns",
                                      {.range = at_least(1), .value_text = "N", .group = simulation}),
             optional<&Options::beside>("beside",
                                        "with flows: another job at the same time, by a plan file as `dodona plan "
                                        "--save` writes it; repeat for several",
                                        {.value_text = "MODEL=PLAN", .group = simulation, .repeats = true}),
             optional<&Options::noise>("noise",
                                       "play many steps with noise, from a file (docs/files.md), as one source: '{on: "
                                       "compute, deviation: 0.1}', or a pattern of loads with seconds: M2S2 (M memory, "
                                       "N network, I files, C cores of the host, S silence)",
                                       {.value_text = "FILE|{...}|PATTERN", .group = noise, .repeats = true}),
             optional<&Options::steps>("steps", "steps with noise; 100 without it",
                                       {.range = {.least = 1, .most = kMaxSteps}, .value_text = "K", .group = noise}),
             optional<&Options::seed>("seed", "of the draws; 1 without it",
                                      {.range = at_least(1), .value_text = "N", .group = noise}),
             optional<&Options::study>(
                 "study", "bursts of load on one resource at a time: which hurts, and how many cores can be lent",
                 {.group = noise}),
             optional<&Options::host_cores>("host_cores", "of a node, for --study",
                                            {.range = at_least(1), .value_text = "N", .group = noise})},
            questions::length_keys<&Options::lengths>()),
        .defaults = default_of<Options>};
    return described;
}

}  // namespace dodona
