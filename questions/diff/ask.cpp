#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "questions/diff/diff.hpp"
#include "questions/report/analysis.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::diff {

namespace {

using namespace reports;

std::string scaling_name(const report::ReportScaling& scaling) { return scaling.batch ? "strong" : "weak"; }

const report::ReportScaling* same_scaling(const report::Report& report, const report::ReportScaling& scaling) {
    return found_in(report.scalings, [&](const report::ReportScaling& other) {
        return other.batch.has_value() == scaling.batch.has_value();
    });
}

const report::ReportPoint* same_point(const report::ReportScaling* scaling, const std::string& strategy,
                                      std::int64_t devices) {
    for (std::size_t i = 0; scaling != nullptr && i < scaling->strategies.size(); ++i) {
        if (scaling->strategies[i].name == strategy) {
            return report::point_on(scaling->strategies[i].points, devices);
        }
    }
    return nullptr;
}

std::string text_of(const Record& record) {
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
std::vector<std::string> changed_inputs(const report::Report& before, const report::Report& after) {
    const Record a = report::report_record(before).at("inputs");
    const Record b = report::report_record(after).at("inputs");
    std::vector<std::string> changed;
    for (const Record::Field& field : std::get<Record::Fields>(a.of())) {
        const Record& other = b.at(field.key);
        if (field.value != other && !field.value.is_tree() && !other.is_tree()) {
            changed.push_back(fmt::format("{}: {} -> {}", field.key, text_of(field.value), text_of(other)));
        }
    }
    const auto texts = [](const std::vector<report::ReportSetting>& settings) {
        return mapped<std::string>(
            settings, [](const report::ReportSetting& setting) { return setting.option + " " + setting.value; });
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

std::string recommendation(const report::Report& of) {
    const auto best = report::recommended(of.scalings.front());
    return best ? fmt::format("{} on {} ({}), {} a step", best->strategy->name, counted(best->point->devices, "GPU"),
                              best->plan().mesh, text(best->plan().step.value))
                : "nothing fits";
}

/// Time of a sample, after over before; 1 where nothing fits in either, none where something fits in one alone.
std::optional<double> ratio_of(const report::ReportPoint* before, const report::ReportPoint* after) {
    const bool fitted = before != nullptr && before->plan;
    const bool fits = after != nullptr && after->plan;
    if (!fitted && !fits) {
        return 1;
    }
    if (!fitted || !fits) {
        return std::nullopt;
    }
    const auto sample = [](const report::ReportPoint& point) {
        return point.plan->step.value / static_cast<double>(point.batch);
    };
    return sample(*after) / sample(*before);
}

Point point_of(const report::ReportPoint* point) {
    return {point != nullptr, point != nullptr && point->plan ? std::optional(point->plan->step.value) : std::nullopt};
}

PointDifference compared(const report::ReportScaling& scaling, const report::ReportStrategy& strategy,
                         const report::ReportPoint* before, const report::ReportPoint* after, double tolerance) {
    PointDifference point{.scaling = scaling_name(scaling),
                          .strategy = strategy.name,
                          .devices = before != nullptr ? before->devices : after->devices,
                          .first = point_of(before),
                          .second = point_of(after),
                          .ratio = ratio_of(before, after)};
    point.differs =
        point.first.is_there && point.second.is_there && (!point.ratio || std::abs(*point.ratio - 1) > tolerance);
    return point;
}

}  // namespace

bool Answer::differs() const {
    return std::any_of(points.begin(), points.end(), [](const PointDifference& point) { return point.differs; });
}

Answer ask(const Question& question) {
    const report::Report& before = question.first.report;
    const report::Report& after = question.second.report;
    Answer all{.first = question.first.name,
               .second = question.second.name,
               .first_recommends = recommendation(before),
               .second_recommends = recommendation(after),
               .tolerance = question.tolerance,
               .inputs = changed_inputs(before, after)};
    for (const report::ReportScaling& scaling : before.scalings) {
        const report::ReportScaling* other = same_scaling(after, scaling);
        for (const report::ReportStrategy& strategy : scaling.strategies) {
            for (const report::ReportPoint& point : strategy.points) {
                all.points.push_back(compared(scaling, strategy, &point,
                                              same_point(other, strategy.name, point.devices), question.tolerance));
            }
        }
    }
    for (const report::ReportScaling& scaling : after.scalings) {
        const report::ReportScaling* other = same_scaling(before, scaling);
        for (const report::ReportStrategy& strategy : scaling.strategies) {
            for (const report::ReportPoint& point : strategy.points) {
                if (same_point(other, strategy.name, point.devices) == nullptr) {
                    all.points.push_back(compared(scaling, strategy, nullptr, &point, question.tolerance));
                }
            }
        }
    }
    return all;
}

}  // namespace dodona::questions::diff
