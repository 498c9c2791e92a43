#include "cli/trace_diff.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/asked_plan.hpp"
#include "cli/exit_code.hpp"
#include "cli/next.hpp"
#include "files/document.hpp"
#include "files/text.hpp"
#include "questions/trace/trace.hpp"
#include "reports/collect/prediction_record.hpp"
#include "reports/render/json_reader.hpp"
#include "step/predict.hpp"
#include "traces/byte_stream.hpp"
#include "traces/step_profile.hpp"

namespace dodona::cli {

namespace {

bool is_file(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
}

/// The answer of dodona that a file carries; none where it is something else.
std::optional<reports::Record> written_answer(const std::string& path) {
    if (!is_file(path)) {
        return std::nullopt;
    }
    const std::string text = files::load_bytes(path, path, files::command_line());
    constexpr std::array<std::string_view, 2> kStarts{R"("schema": "dodona/)", R"("schema":"dodona/)"};
    const bool is_answer = std::any_of(kStarts.begin(), kStarts.end(),
                                       [&](std::string_view start) { return text.find(start) != std::string::npos; });
    if (!is_answer) {
        return std::nullopt;
    }
    return reports::record_of_json(reports::result_text(text, path), path);
}

reports::PredictedStep asked_prediction(Arguments& arguments, const std::string& model) {
    if (!model.empty()) {
        arguments.give("MODEL", model);
    }
    const questions::OnePlan asked = read_asked_plan(arguments);
    const step::Prediction prediction = step::predict(asked.workload.graph, asked.workload.cluster, asked.plan);
    if (!prediction.runs) {
        fail({}, "the plan cannot run: " + text(*prediction.why_not), "the plan that was traced");
    }
    return reports::predicted_step(reports::prediction_record(prediction), asked.workload.subject.model);
}

/// Options that a prediction in a file has answered already.
void refuse_plan_options(Arguments& arguments, const std::string& file) {
    for (const Option& option : asked_plan_options()) {
        if (arguments.has(option.long_name())) {
            arguments.fault(option.long_name(), fmt::format("{} is a prediction already", as_typed(file)),
                            "leave the option out, or name a model instead of the file");
        }
    }
    arguments.throw_if_faults();
}

}  // namespace

std::vector<Option> trace_options() {
    std::vector<Option> all{{"--steps", "N", "how many steps a trace has that does not mark them", "Trace"}};
    for (Option& option : asked_plan_options()) {
        option.group = "Prediction of a traced step";
        all.push_back(std::move(option));
    }
    return all;
}

bool is_trace_file(const std::string& path) {
    return is_file(path) && traces::is_trace(traces::ByteStream(path, path).start());
}

int diff_trace(Arguments& arguments, const Output& output, const std::string& trace, const std::string& second) {
    const std::optional<std::int64_t> steps = arguments.count("--steps");
    const std::optional<double> tolerance = arguments.ratio("--tolerance", 0);
    if (second.empty() && !arguments.has("--from")) {
        arguments.missing("SECOND", "a file that `dodona predict ... --json -o FILE` wrote, or a model and options");
        arguments.throw_if_faults();
    }
    const std::optional<reports::Record> written = written_answer(second);
    if (written) {
        refuse_plan_options(arguments, second);
    }
    const questions::trace::Answer answer = questions::trace::ask(
        {.trace_name = trace,
         .prediction_name = second.empty() ? arguments.text("--from").value_or("") : second,
         .trace = traces::load_step_profile(trace, steps),
         .prediction = written ? reports::predicted_step(*written, second) : asked_prediction(arguments, second)});
    reports::Document document = questions::trace::document(answer);
    if (!written) {
        add_next(document, arguments, "diff",
                 {{"predict", {{"MODEL", second}}}, {"simulate", {{"MODEL", second}}}, {"plan", {{"MODEL", second}}}});
    }
    write(output, document);
    const bool agrees = tolerance ? std::abs(answer.error()) <= *tolerance : answer.within_interval();
    return agrees ? kAnswered : kNo;
}

}  // namespace dodona::cli
