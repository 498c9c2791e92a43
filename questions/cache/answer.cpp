#include "questions/cache/cache.hpp"
#include "questions/described.hpp"

namespace dodona::files {

using questions::computed;
using step::EpochInput;

template <>
const Description& description<questions::cache::TierRead>() {
    using namespace questions::cache;
    static const Description described{
        .keys = {required<&TierRead::tier>("tier", ""),
                 required<&TierRead::share>("share", "of the samples of a node", {.range = kShare}),
                 required<&TierRead::reading>("reading", "of a step; tiers are read at once")}};
    return described;
}

template <>
const Description& description<questions::cache::Epoch>() {
    using namespace questions::cache;
    static const Description described{
        .keys = {computed("input", "of a step, if compute took no time",
                          [](const Epoch& epoch) { return epoch.input.input(); }),
                 required<&Epoch::input, &EpochInput::reading>("reading", "of a step"),
                 required<&Epoch::input, &EpochInput::decoding>("decoding", "of a step"),
                 required<&Epoch::input, &EpochInput::exposed>("exposed", "of a step: what is longer than it"),
                 required<&Epoch::input, &EpochInput::step>("step", "with what shows of input"),
                 required<&Epoch::input, &EpochInput::time>("epoch", ""),
                 required<&Epoch::tiers>("tiers", "slowest first", {.none = "there is one"}),
                 required<&Epoch::number>("epoch", "", {.range = at_least(1)})}};
    return described;
}

template <>
const Description& description<questions::cache::Answer>() {
    using namespace questions::cache;
    static const Description described{
        .noun = "cache",
        .summary = "SI base units, the unit in the key.",
        .keys = {required<&Answer::question, &Question::samples>("samples", "of the data set", {.range = kNotNegative}),
                 required<&Answer::question, &Question::sample>("sample", "as stored"),
                 required<&Answer::decoded>("decoded", "the tensors of a sample"),
                 required<&Answer::nodes>("nodes", "", {.range = at_least(1)}),
                 required<&Answer::step>("step", "without input"),
                 required<&Answer::epochs>("epochs", "", {.rows = true, .none = "there is one"})}};
    return described;
}

}  // namespace dodona::files
