
#include <fmt/format.h>

#include "base/ranges.hpp"
#include "questions/described.hpp"
#include "questions/diff/diff.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::diff {

namespace {

using namespace reports;

Cell step_cell(const Point& point) {
    return !point.is_there ? Cell("not computed") : point.step ? Cell(*point.step) : Cell("does not fit");
}

Table differing_points(const Answer& answer) {
    Table table({{"scaling"},
                 {"strategy"},
                 {"GPUs", Align::right},
                 {"first", Align::right},
                 {"second", Align::right},
                 {"time of a sample", Align::right}});
    for (const PointDifference& point : answer.points) {
        if (point.differs) {
            table.row({point.scaling, point.strategy, Count{point.devices}, step_cell(point.first),
                       step_cell(point.second),
                       point.ratio ? Cell(Percent{.ratio = *point.ratio - 1, .sign = true}) : Cell()});
        }
    }
    return table;
}

}  // namespace

Document document(const Answer& answer) {
    const auto number_of = [&](auto is) { return static_cast<std::int64_t>(count_if(answer.points, is)); };
    const std::int64_t both =
        number_of([](const PointDifference& point) { return point.first.is_there && point.second.is_there; });
    const std::int64_t changed = number_of([](const PointDifference& point) { return point.differs; });
    Document document = answer_document(answer);
    add(document, Headline{fmt::format("{} of {} that both reports have differ by more than {}", whole(changed),
                                       counted(both, "point"), percent(answer.tolerance))});
    add(document,
        KeyFigures{{{.label = "first", .value = answer.first, .note = "recommends " + answer.first_recommends},
                    {.label = "second", .value = answer.second, .note = "recommends " + answer.second_recommends}}});
    add_section(document, {"What was asked differently"}, {List{answer.inputs}});
    add_section(document, {"What differs"}, {differing_points(answer)});
    const auto alone = static_cast<std::int64_t>(answer.points.size()) - both;
    add(document, Note{alone > 0 ? fmt::format("{} in one of the reports alone",
                                               counted(alone, "point") + (alone == 1 ? " is" : " are"))
                                 : ""});
    return document;
}

}  // namespace dodona::questions::diff
