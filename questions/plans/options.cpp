#include "questions/plans/plans.hpp"

namespace dodona {

template <>
const files::Description& files::description<questions::plans::Options>() {
    using questions::plans::Options;
    constexpr double kMaxPlans = 1000;
    const Range plans{.least = 1, .most = kMaxPlans};
    static const Description described{
        .noun = "options of plan",
        .summary = "How plans are ranked, and what is said of them.",
        .keys = joined(
            {optional<&Options::top>("top", "plans to list; default: 5",
                                     {.range = plans, .value_text = "K", .group = "Search"}),
             optional<&Options::simulated>("simulate",
                                           "play the steps of the first K plans task by task, and rank them by that",
                                           {.range = plans, .value_text = "K", .group = "Search"}),
             optional<&Options::why_not>("why_not",
                                         "the best plan of that kind, how much slower it is and through what, or what "
                                         "stops it: zero3, tensor=8, recompute=full",
                                         {.value_text = "KIND", .group = "Search"}),
             optional<&Options::observed_plan>("observed_plan", "the plan file of the step that --observed gives",
                                               {.value_text = "FILE", .group = "Observed"})},
            questions::length_keys<&Options::lengths>()),
        .defaults = default_of<Options>};
    return described;
}

}  // namespace dodona
