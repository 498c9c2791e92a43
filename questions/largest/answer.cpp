#include "questions/described.hpp"
#include "questions/largest/largest.hpp"
#include "reports/collect/prediction_answer.hpp"

namespace dodona::files {

using cost::AlgorithmCost;
using questions::largest::ConvolutionAnswer;
using questions::largest::ConvolutionBatch;
using questions::largest::ConvolutionLayer;
using search::InvalidValue;
using search::Largest;

using LargestAnswer = questions::largest::Answer;

namespace {

const Description& largest_inputs() {
    const KeyOptions from_one{.range = at_least(1)};
    static const Description described{
        .keys = joined(questions::goal_input_keys<&LargestAnswer::inputs>(),
                       {computed("currency", "of all money in the document",
                                 [](const LargestAnswer& answer) { return questions::currency_of(answer.price); }),
                        required<&LargestAnswer::parameter>("parameter", "batch, or a parameter of the model file"),
                        required<&LargestAnswer::given>("given", "its value in the file, or with --set", from_one),
                        required<&LargestAnswer::machine>("machine", ""),
                        optional<&LargestAnswer::machine_source>("machine_source", ""),
                        required<&LargestAnswer::precision>("precision", ""),
                        required<&LargestAnswer::devices>("gpus", "", from_one),
                        required<&LargestAnswer::price>("price", "null where none is known")})};
    return described;
}

std::string evidence(const AlgorithmCost& cost) {
    return std::string(cost.evidence ? name(*cost.evidence) : "formula");
}

}  // namespace

template <>
const Description& description<AlgorithmCost>() {
    static const Description described{
        .keys = {required<&AlgorithmCost::algorithm>("algorithm", ""),
                 required<&AlgorithmCost::workspace>("workspace", ""), required<&AlgorithmCost::time>("time", ""),
                 computed("evidence", "", [](const AlgorithmCost& cost) { return evidence(cost); })}};
    return described;
}

template <>
const Description& description<ConvolutionLayer>() {
    using Layer = ConvolutionLayer;
    static const Description described{
        .keys = {required<&Layer::name>("layer", ""),
                 required<&Layer::instances>("instances", "", {.range = at_least(1)}),
                 required<&Layer::taken, &AlgorithmCost::algorithm>("algorithm", ""),
                 required<&Layer::taken, &AlgorithmCost::workspace>("workspace", ""),
                 required<&Layer::taken, &AlgorithmCost::time>("time", ""),
                 computed("evidence", "", [](const Layer& layer) { return evidence(layer.taken); }),
                 required<&Layer::implicit>("implicit", "with implicit-gemm"),
                 required<&Layer::possible>("possible", "all that were compared")}};
    return described;
}

template <>
const Description& description<ConvolutionBatch>() {
    using Batch = ConvolutionBatch;
    static const Description described{
        .keys = {required<&Batch::batch>("batch", "", {.range = at_least(1)}),
                 required<&Batch::room>("room", "left on a device"), required<&Batch::workspace>("workspace", ""),
                 required<&Batch::step>("step", ""), required<&Batch::implicit>("step_without_workspace", ""),
                 computed("samples_per_s", "", [](const Batch& batch) { return batch.samples_per_second(); },
                          {.range = kNotNegative}),
                 required<&Batch::layers>("layers", "")}};
    return described;
}

template <>
const Description& description<ConvolutionAnswer>() {
    static const Description described{.keys = {required<&ConvolutionAnswer::workspaces>("workspaces", ""),
                                                required<&ConvolutionAnswer::batches>("batches", "")}};
    return described;
}

template <>
const Description& description<InvalidValue>() {
    static const Description described{.keys = {required<&InvalidValue::value>("value", "", {.range = at_least(1)}),
                                                required<&InvalidValue::why_not>("why_not", "")}};
    return described;
}

template <>
const Description& description<LargestAnswer>() {
    const KeyOptions from_one{.range = at_least(1)};
    static const Description described{
        .noun = "largest",
        .summary = "SI base units, the unit in the key; what is absent is null.",
        .keys = {
            required_as(record_type(largest_inputs), "inputs", ""),
            computed(
                "value", "the answer; null: no value looked at meets the goals",
                [](const LargestAnswer& answer) {
                    const search::Attempt* const found = answer.largest.answer();
                    return found != nullptr ? std::optional(found->value) : std::nullopt;
                },
                from_one),
            computed("parameters", "of the network at that value",
                     [](const LargestAnswer& answer) {
                         return answer.largest.found ? std::optional(answer.largest.parameters) : std::nullopt;
                     },
                     {.range = kNotNegative}),
            computed("plan", "as dodona plan lists them; rank is null",
                     [](const LargestAnswer& answer) {
                         const search::Attempt* const found = answer.largest.answer();
                         return found != nullptr ? found->plan : std::nullopt;
                     }),
            computed("attempts", "values that were searched, ascending",
                     [](const LargestAnswer& answer) { return questions::largest::searched(answer); }),
            required<&LargestAnswer::largest, &Largest::none>("no_network", "values that give no valid model"),
            required<&LargestAnswer::largest, &Largest::step>("step", "values looked at are multiples of it", from_one),
            required<&LargestAnswer::largest, &Largest::most>("most", "the largest value that may be looked at",
                                                              from_one),
            required<&LargestAnswer::largest, &Largest::complete>("complete", "false: stopped early"),
            required<&LargestAnswer::convolutions>("convolutions", "algorithms of convolutions (--convolutions)",
                                                   {.left_out = true})}};
    return described;
}

}  // namespace dodona::files
