#include "questions/compare/compare.hpp"
#include "questions/described.hpp"
#include "reports/collect/prediction_answer.hpp"

namespace dodona::files {

using questions::compare::Compared;

template <>
const Description& description<Compared>() {
    static const Description described{
        .keys = {required<&Compared::name>("name", "as it was typed"), required<&Compared::model>("model", ""),
                 required<&Compared::machine>("machine", ""),
                 required<&Compared::plan>("plan", "its best one; null where nothing fits"),
                 required<&Compared::from_data_sheet>("from_data_sheet", "kernels of its device were not measured"),
                 questions::computed("stops", "where nothing fits: why", [](const Compared& one) {
                     return one.plan ? std::nullopt : std::optional(questions::compare::stops(one.answer));
                 })}};
    return described;
}

template <>
const Description& description<questions::compare::Answer>() {
    using questions::compare::Answer;
    static const Description described{
        .noun = "compare",
        .summary = "SI base units, the unit in the key; what is absent is null.",
        .keys = {required<&Answer::of>(
                     "of", "what differs: strategies, machines, models, plans, settings, programs or precisions"),
                 required<&Answer::on>("on", "what does not"),
                 questions::computed("fastest", "null where nothing fits",
                                     [](const Answer& answer) {
                                         const Compared* const best = questions::compare::fastest(answer);
                                         return best == nullptr ? std::nullopt : std::optional(best->name);
                                     }),
                 required<&Answer::all>("things", "", {.rows = true})}};
    return described;
}

}  // namespace dodona::files
