#include <map>

#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/tables/tables.hpp"

namespace dodona::files {

using questions::computed;
using tables::OtherFabric;
using tables::Placed;
using tables::Placement;
using tables::StepPrediction;

namespace {

/// A part of a table with the name of its tier.
struct PlacedPart {
    std::string table;
    std::string tier;
    Placed placed;
};

std::vector<PlacedPart> placed_parts(const StepPrediction& prediction) {
    return mapped<PlacedPart>(prediction.placement.shards, [&](const Placed& placed) {
        return PlacedPart{prediction.question.tables[placed.shard.table].name,
                          prediction.question.tiers[placed.tier].name, placed};
    });
}

}  // namespace

template <>
const Description& description<PlacedPart>() {
    static const Description described{
        .keys = {required<&PlacedPart::table>("table", ""),
                 required<&PlacedPart::placed, &Placed::shard, &tables::Shard::row_ways>("row_ways", "",
                                                                                         {.range = at_least(1)}),
                 required<&PlacedPart::placed, &Placed::shard, &tables::Shard::column_ways>("column_ways", "",
                                                                                            {.range = at_least(1)}),
                 required<&PlacedPart::tier>("tier", ""),
                 required<&PlacedPart::placed, &Placed::device>("gpu", "", {.range = kNotNegative}),
                 computed("bytes", "", [](const PlacedPart& part) { return part.placed.bytes.in(unit::byte); },
                          {.range = kNotNegative}),
                 required<&PlacedPart::placed, &Placed::time>("time", "of its look-ups in a step"),
                 required<&PlacedPart::placed, &Placed::hits>("hit_rate", "look-ups in the device's own memory",
                                                              {.range = kShare})}};
    return described;
}

template <>
const Description& description<OtherFabric>() {
    static const Description described{.keys = {required<&OtherFabric::kind>("kind", ""),
                                                required<&OtherFabric::exchange>("exchange", ""),
                                                required<&OtherFabric::all_reduce>("all_reduce", "")}};
    return described;
}

template <>
const Description& description<questions::tables::Answer>() {
    using questions::tables::Answer;
    const KeyOptions not_negative{.range = kNotNegative};
    static const Description described{
        .noun = "tables",
        .summary = "SI base units, the unit in the key; what is absent is null.",
        .keys = {
            required<&Answer::devices>("gpus", "", {.range = at_least(1)}),
            required<&Answer::batch>("batch", "", {.range = at_least(1)}),
            computed("fits", "", [](const Answer& answer) { return answer.fits(); }),
            computed("tables", "", [](const Answer& answer) { return answer.prediction.question.tables.size(); },
                     {.range = at_least(1)}),
            required<&Answer::prediction, &StepPrediction::parameters>("parameters", "of the tables", not_negative),
            required<&Answer::prediction, &StepPrediction::weights>("table", ""),
            required<&Answer::prediction, &StepPrediction::held>("held", "with states of the optimizer"),
            required<&Answer::prediction, &StepPrediction::lookups>("lookup", "rows that a step reads, forward"),
            required<&Answer::prediction, &StepPrediction::dense_parameters>("dense_parameters", "", not_negative),
            required<&Answer::prediction, &StepPrediction::replicated>("replicated_rows",
                                                                       "with --replicate: on all GPUs", not_negative),
            computed("step", "", [](const Answer& answer) { return answer.prediction.step(); }),
            computed("overlapped", "the least that overlap of devices and network leaves of step_s",
                     [](const Answer& answer) { return answer.prediction.overlapped(); }),
            computed("parts", "",
                     [](const Answer& answer) {
                         std::map<tables::Part, Seconds> parts;
                         for (const tables::Part part : tables::kParts) {
                             parts[part] = answer.prediction.time(part);
                         }
                         return parts;
                     }),
            computed("longest_part", "", [](const Answer& answer) { return answer.prediction.longest(); }),
            required<&Answer::prediction, &StepPrediction::placement, &Placement::longest>(
                "busiest", "look-ups of the busiest GPU"),
            required<&Answer::prediction, &StepPrediction::placement, &Placement::bound>("bound",
                                                                                         "no placement is shorter"),
            required<&Answer::prediction, &StepPrediction::placement, &Placement::best_of_shards>(
                "best_of_parts", "all placements of these parts were tried"),
            computed("placement", "", [](const Answer& answer) { return placed_parts(answer.prediction); },
                     {.rows = true}),
            required<&Answer::fabrics>("fabrics", "with --fabrics: GPUs of a node joined otherwise",
                                       {.left_out = true})}};
    return described;
}

}  // namespace dodona::files
