#include "cli/report_file.hpp"

#include <cmath>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "cli/note.hpp"
#include "files/document.hpp"
#include "files/text.hpp"
#include "questions/report/analysis.hpp"
#include "questions/report/parts.hpp"
#include "questions/report/report.hpp"
#include "reports/render/json_reader.hpp"

namespace dodona::cli {

namespace {

/// What must be equal for points of one report to be points of another.
reports::Record question_of(const questions::report::Report& report) {
    reports::Record question = questions::report::report_record(report).at("inputs");
    for (const char* key : {"gpus", "price_per_gpu_hour", "currency", "power_per_gpu_w", "assumptions"}) {
        question.erase(key);
    }
    return question;
}

const questions::report::ReportScaling* same_scaling(const questions::report::Report& report,
                                                     const questions::report::ReportScaling& scaling) {
    return found_in(report.scalings, [&](const auto& other) {
        return other.batch == scaling.batch && (other.batch || other.batch_per_gpu == scaling.batch_per_gpu);
    });
}

const questions::report::ReportStrategy* same_strategy(const questions::report::ReportScaling& scaling,
                                                       const std::string& name) {
    return found_in(scaling.strategies, [&](const auto& strategy) { return strategy.name == name; });
}

/// Takes those of `known` that are asked about, and says how many they are.
std::size_t take_points(const std::vector<questions::report::ReportPoint>& known,
                        const std::vector<std::int64_t>& counts, std::vector<questions::report::ReportPoint>& taken) {
    for (const std::int64_t devices : counts) {
        if (const questions::report::ReportPoint* point = questions::report::point_on(known, devices)) {
            taken.push_back(*point);
        }
    }
    return taken.size();
}

/// With as many numbers of GPUs as a page of `most` bytes has room for.
questions::report::Report fitting_page(const Output& output, const questions::report::Report& report,
                                       std::size_t most) {
    std::size_t fits = 2;
    std::size_t too_many = report.inputs.counts.size();
    while (fits + 1 < too_many) {
        const std::size_t middle = std::midpoint(fits, too_many);
        const std::string page =
            rendered(output, questions::report::document(questions::report::thinned(report, middle)));
        (page.size() <= most ? fits : too_many) = middle;
    }
    return questions::report::thinned(report, fits);
}

}  // namespace

questions::report::Report load_report(const std::string& file) {
    const std::string text = files::load_bytes(file, file, files::command_line());
    return questions::report::report_from(reports::record_of_json(reports::result_text(text, file), file), file);
}

void take_finished_points(Arguments& arguments, const std::string& file, questions::report::Report& report) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
        return;
    }
    const questions::report::Report finished = load_report(file);
    if (question_of(finished) != question_of(report)) {
        arguments.fault("--resume", fmt::format("{} is a report of another question or version", as_typed(file)),
                        "name another file, or leave --resume out to write it anew");
        return;
    }
    std::size_t taken = 0;
    for (questions::report::ReportScaling& scaling : report.scalings) {
        const questions::report::ReportScaling* known = same_scaling(finished, scaling);
        if (known == nullptr) {
            continue;
        }
        for (questions::report::ReportStrategy& strategy : scaling.strategies) {
            if (const questions::report::ReportStrategy* same = same_strategy(*known, strategy.name)) {
                taken += take_points(same->points, report.inputs.counts, strategy.points);
            }
        }
        const std::size_t answers = take_points(known->answers, report.inputs.counts, scaling.answers);
        taken += scaling.strategies.size() > 1 ? answers : 0;
    }
    note("{} points were finished before", taken);
}

void write_report(const Output& output, const questions::report::Report& report) {
    const std::size_t most = kMaxPageBytes + output.page.form.size();
    questions::report::Report shown = report;
    std::string text = rendered(output, questions::report::document(shown));
    if (output.renderer->name == "html" && text.size() > most) {
        shown = fitting_page(output, report, most);
        text = rendered(output, questions::report::document(shown));
    }
    if (shown.inputs.counts.size() < report.inputs.counts.size()) {
        note("{} of {} numbers of GPUs are on the page, which stays under {:.0f} MB; -o FILE.json has all",
             shown.inputs.counts.size(), report.inputs.counts.size(), std::ceil(static_cast<double>(most) / 1e6));
    }
    write_text(output, text);
    write_images(output, questions::report::document(shown));
}

}  // namespace dodona::cli
