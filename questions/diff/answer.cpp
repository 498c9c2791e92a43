#include "questions/described.hpp"
#include "questions/diff/diff.hpp"

namespace dodona::files {

using questions::diff::Point;
using questions::diff::PointDifference;

using DiffAnswer = questions::diff::Answer;

namespace {

std::vector<std::string> compared_scalings() { return {"strong", "weak"}; }
constexpr TextForm kComparedScaling{.is = "a scaling", .choices = compared_scalings};

}  // namespace

template <>
const Description& description<PointDifference>() {
    using One = PointDifference;
    static const Description described{
        .keys = {
            required<&One::scaling>("scaling", "", {.form = &kComparedScaling}),
            required<&One::strategy>("strategy", ""), required<&One::devices>("gpus", "", {.range = at_least(1)}),
            required<&One::first, &Point::is_there>("in_first", ""),
            required<&One::second, &Point::is_there>("in_second", ""),
            required<&One::first, &Point::step>("first_step", ""),
            required<&One::second, &Point::step>("second_step", ""),
            required<&One::ratio>("ratio", "time of a sample, second over first; null: nothing fits in one of them",
                                  {.range = kNotNegative}),
            required<&One::differs>("differs",
                                    "by more than the tolerance; false where only one report has the point")}};
    return described;
}

template <>
const Description& description<DiffAnswer>() {
    static const Description described{
        .noun = "diff",
        .summary = "SI base units, the unit in the key; what is absent is null.",
        .keys = {required<&DiffAnswer::first>("first", ""), required<&DiffAnswer::second>("second", ""),
                 required<&DiffAnswer::tolerance>("tolerance", "", {.range = kNotNegative}),
                 required<&DiffAnswer::inputs>("inputs", "what was asked differently"),
                 required<&DiffAnswer::points>("points", "", {.rows = true})}};
    return described;
}

}  // namespace dodona::files
