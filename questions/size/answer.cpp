
#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/size/size.hpp"
#include "reports/collect/prediction_answer.hpp"

namespace dodona::files {

using questions::size::SizedMachine;
using search::Bound;
using search::RuledOut;
using search::Sizing;

using SizeAnswer = questions::size::Answer;

namespace {

const Description& size_inputs() {
    static const Description described{
        .keys = joined(questions::goal_input_keys<&SizeAnswer::inputs>(),
                       {computed("currency", "of all money in the document",
                                 [](const SizeAnswer& answer) {
                                     const auto* priced = found_in(answer.machines, [](const SizedMachine& machine) {
                                         return machine.price.has_value();
                                     });
                                     return questions::currency_of(priced == nullptr ? std::nullopt : priced->price);
                                 }),
                        required<&SizeAnswer::parameters>("parameters", "", {.range = kNotNegative}),
                        required<&SizeAnswer::find>("find", "")})};
    return described;
}

const Description& size_bounds() {
    static const Description described{
        .keys = {required<&Bound::least_memory>("memory", "that all GPUs together need at least"),
                 computed("gpu_s_per_sample", "that one sample takes at least; null: no bound is known",
                          [](const Bound& bound) {
                              const double least = bound.least_sample.in(unit::second);
                              return least > 0 ? std::optional(least) : std::nullopt;
                          },
                          {.range = kNotNegative})}};
    return described;
}

const Description& size_counts() {
    const KeyOptions from_one{.range = at_least(1)};
    static const Description described{.keys = {required<&Sizing::counts>("asked", "", from_one),
                                                required<&Sizing::least>("least", "", from_one),
                                                required<&Sizing::most>("most", "", from_one)}};
    return described;
}

}  // namespace

template <>
const Description& description<RuledOut>() {
    const KeyOptions from_one{.range = at_least(1)};
    static const Description described{
        .keys = {required<&RuledOut::first>("first", "", from_one), required<&RuledOut::last>("last", "", from_one),
                 required<&RuledOut::counts>("counts", "", from_one), required<&RuledOut::by>("by", "")}};
    return described;
}

template <>
const Description& description<SizedMachine>() {
    static const Description described{
        .keys = {required<&SizedMachine::machine>("machine", ""), optional<&SizedMachine::source>("machine_source", ""),
                 required<&SizedMachine::precision>("precision", ""),
                 required<&SizedMachine::price>("price", "null where none is known"),
                 computed("gpus", "the answer; null: no count looked at meets the goals",
                          [](const SizedMachine& machine) {
                              const search::Attempt* const found = machine.sizing.answer();
                              return found != nullptr ? std::optional(found->devices) : std::nullopt;
                          },
                          {.range = at_least(1)}),
                 computed("plan", "as dodona plan lists them; rank is null",
                          [](const SizedMachine& machine) {
                              const search::Attempt* const found = machine.sizing.answer();
                              return found != nullptr ? found->plan : std::nullopt;
                          }),
                 computed("attempts", "counts that were searched, ascending; half and double of the answer among them",
                          [](const SizedMachine& machine) { return questions::size::searched(machine); }),
                 required<&SizedMachine::sizing, &Sizing::ruled_out>(
                     "ruled_out", "counts that no plan can make meet the goals, by the bounds"),
                 required_as<&SizedMachine::sizing, &Sizing::bound>(record_type(size_bounds), "bounds", ""),
                 required_as<&SizedMachine::sizing>(record_type(size_counts), "counts", ""),
                 required<&SizedMachine::sizing, &Sizing::complete>(
                     "complete", "false: stopped before it was known which count it is")}};
    return described;
}

template <>
const Description& description<SizeAnswer>() {
    static const Description described{
        .noun = "size",
        .summary = "SI base units, the unit in the key; what is absent is null.",
        .keys = {required_as(record_type(size_inputs), "inputs", ""),
                 computed("best", "the machine whose answer is best; null: none has one",
                          [](const SizeAnswer& answer) {
                              return answer.best ? std::optional(answer.machines[*answer.best].machine) : std::nullopt;
                          }),
                 required<&SizeAnswer::machines>("machines", "", {.none = "there is one"})}};
    return described;
}

}  // namespace dodona::files
