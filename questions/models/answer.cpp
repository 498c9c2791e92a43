#include "questions/described.hpp"
#include "questions/models/models.hpp"

namespace dodona::files {

template <>
const Description& description<questions::models::Answer>() {
    using graph::Counts;
    using questions::models::Answer;
    const KeyOptions parameters{.range = kNotNegative, .count = true};
    static const Description described{
        .noun = "model",
        .summary = "SI base units, the unit in the key; what is absent is null.",
        .keys = {
            required<&Answer::name>("name", ""),
            required<&Answer::counts, &Counts::parameters>("parameters", "", parameters),
            required<&Answer::counts, &Counts::trained>("trained_parameters", "those that are not frozen", parameters),
            questions::computed(
                "forward_flops_per_sample", "",
                [](const Answer& answer) { return answer.counts.forward_per_sample.in(Flop::of_base(1)); },
                {.range = kNotNegative}),
            required<&Answer::counts, &Counts::distinct_layers>("distinct_layers", "", {.range = at_least(1)}),
            required<&Answer::counts, &Counts::layers>("layers", "", {.range = at_least(1)}),
            required<&Answer::source>("source", "")}};
    return described;
}

}  // namespace dodona::files
