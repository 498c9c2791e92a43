#include "reports/collect/report_difference.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "reports/collect/report_analysis.hpp"
#include "reports/collect/report_record.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::reports {

namespace {

std::string scaling_name(const ReportScaling& scaling) { return scaling.batch ? "strong" : "weak"; }

const ReportScaling* same_scaling(const Report& report, const ReportScaling& scaling) {
    const auto found = std::find_if(report.scalings.begin(), report.scalings.end(), [&](const ReportScaling& other) {
        return other.batch.has_value() == scaling.batch.has_value();
    });
    return found == report.scalings.end() ? nullptr : &*found;
}

const ReportPoint* same_point(const ReportScaling* scaling, const std::string& strategy, std::int64_t devices) {
    for (std::size_t i = 0; scaling != nullptr && i < scaling->strategies.size(); ++i) {
        if (scaling->strategies[i].name == strategy) {
            return point_on(scaling->strategies[i].points, devices);
        }
    }
    return nullptr;
}

std::string plain(const Record& record) {
    if (const auto* text = std::get_if<std::string>(&record.of())) {
        return *text;
    }
    if (const auto* number = std::get_if<double>(&record.of())) {
        return fmt::format("{}", *number);
    }
    if (const auto* number = std::get_if<std::int64_t>(&record.of())) {
        return fmt::format("{}", *number);
    }
    return record.is_null() ? "none" : "another";
}

/// Inputs that are texts or numbers, and the options.
std::vector<std::string> changed_inputs(const Report& before, const Report& after) {
    const Record a = report_record(before).at("inputs");
    const Record b = report_record(after).at("inputs");
    std::vector<std::string> changed;
    for (const Record::Field& field : std::get<Record::Fields>(a.of())) {
        const Record& other = b.at(field.key);
        if (field.value != other && !field.value.is_tree() && !other.is_tree()) {
            changed.push_back(fmt::format("{}: {} -> {}", field.key, plain(field.value), plain(other)));
        }
    }
    const auto texts = [](const std::vector<ReportSetting>& settings) {
        std::vector<std::string> all;
        for (const ReportSetting& setting : settings) {
            all.push_back(setting.option + " " + setting.value);
        }
        return all;
    };
    const auto add_missing = [&](const std::vector<std::string>& in, const std::vector<std::string>& from,
                                 const char* where) {
        for (const std::string& one : in) {
            if (std::find(from.begin(), from.end(), one) == from.end()) {
                changed.push_back(fmt::format("{} only: {}", where, one));
            }
        }
    };
    add_missing(texts(before.inputs.settings), texts(after.inputs.settings), "first");
    add_missing(texts(after.inputs.settings), texts(before.inputs.settings), "second");
    return changed;
}

std::string recommendation(const Report& report) {
    const auto best = recommended(report.scalings.front());
    return best ? fmt::format("{} on {} ({}), {} a step", best->strategy->name, counted(best->point->devices, "GPU"),
                              best->plan().mesh, text(best->plan().step.value))
                : "nothing fits";
}

Cell step_cell(const ReportPoint* point) {
    return point == nullptr ? Cell("not computed") : point->plan ? Cell(point->plan->step.value) : Cell("does not fit");
}

Record step_record(const ReportPoint* point) {
    return point != nullptr && point->plan ? Record(point->plan->step.value) : Record();
}

}  // namespace

std::optional<double> PointDifference::ratio() const {
    const bool fitted = before != nullptr && before->plan;
    const bool fits = after != nullptr && after->plan;
    if (!fitted && !fits) {
        return 1;
    }
    if (!fitted || !fits) {
        return std::nullopt;
    }
    const auto sample = [](const ReportPoint& point) {
        return point.plan->step.value / static_cast<double>(point.batch);
    };
    return sample(*after) / sample(*before);
}

bool ReportDifference::differs(const PointDifference& point) const {
    if (point.before == nullptr || point.after == nullptr) {
        return false;
    }
    const std::optional<double> ratio = point.ratio();
    return !ratio || std::abs(*ratio - 1) > tolerance;
}

bool ReportDifference::any() const {
    return std::any_of(points.begin(), points.end(), [this](const PointDifference& point) { return differs(point); });
}

ReportDifference difference(const Report& before, const Report& after, double tolerance) {
    ReportDifference all{.inputs = changed_inputs(before, after), .points = {}, .tolerance = tolerance};
    for (const ReportScaling& scaling : before.scalings) {
        const ReportScaling* other = same_scaling(after, scaling);
        for (const ReportStrategy& strategy : scaling.strategies) {
            for (const ReportPoint& point : strategy.points) {
                all.points.push_back(
                    {scaling_name(scaling), strategy.name, &point, same_point(other, strategy.name, point.devices)});
            }
        }
    }
    for (const ReportScaling& scaling : after.scalings) {
        const ReportScaling* other = same_scaling(before, scaling);
        for (const ReportStrategy& strategy : scaling.strategies) {
            for (const ReportPoint& point : strategy.points) {
                if (same_point(other, strategy.name, point.devices) == nullptr) {
                    all.points.push_back({scaling_name(scaling), strategy.name, nullptr, &point});
                }
            }
        }
    }
    return all;
}

Document difference_document(const Report& before, const Report& after, const ReportDifference& difference,
                             const std::pair<std::string, std::string>& names) {
    Table table({{"scaling"},
                 {"strategy"},
                 {"GPUs", Align::right},
                 {"first", Align::right},
                 {"second", Align::right},
                 {"time of a sample", Align::right}});
    std::vector<Record> rows;
    std::int64_t both = 0;
    std::int64_t changed = 0;
    for (const PointDifference& point : difference.points) {
        const bool differs = difference.differs(point);
        const std::optional<double> ratio = point.ratio();
        both += point.before != nullptr && point.after != nullptr ? 1 : 0;
        changed += differs ? 1 : 0;
        if (differs) {
            table.row({point.scaling, point.strategy, Count{point.devices()}, step_cell(point.before),
                       step_cell(point.after), ratio ? Cell(Percent{.ratio = *ratio - 1, .sign = true}) : Cell()});
        }
        rows.push_back({{"scaling", point.scaling},
                        {"strategy", point.strategy},
                        {"gpus", point.devices()},
                        {"in_first", point.before != nullptr},
                        {"in_second", point.after != nullptr},
                        {"first_step_s", step_record(point.before)},
                        {"second_step_s", step_record(point.after)},
                        {"ratio", ratio},
                        {"differs", differs}});
    }
    Document document;
    document.record = {{"schema", "dodona/diff/1"},         {"first", names.first},        {"second", names.second},
                       {"tolerance", difference.tolerance}, {"inputs", difference.inputs}, {"points", rows}};
    document.rows = std::move(rows);
    add(document, Headline{fmt::format("{} of {} that both reports have differ by more than {}", whole(changed),
                                       counted(both, "point"), percent(difference.tolerance))});
    const std::string first = recommendation(before);
    const std::string second = recommendation(after);
    add(document, KeyFigures{{{.label = "first", .value = names.first, .note = "recommends " + first},
                              {.label = "second", .value = names.second, .note = "recommends " + second}}});
    add_section(document, {"What was asked differently"}, {List{difference.inputs}});
    add_section(document, {"What differs"}, {std::move(table)});
    const auto alone = static_cast<std::int64_t>(difference.points.size()) - both;
    add(document, Note{alone > 0 ? fmt::format("{} in one of the reports alone",
                                               counted(alone, "point") + (alone == 1 ? " is" : " are"))
                                 : ""});
    return document;
}

}  // namespace dodona::reports
