#include "cli/predict.hpp"

#include "cli/exit_code.hpp"
#include "cli/explain.hpp"
#include "cli/observed.hpp"
#include "cli/output.hpp"
#include "cli/plan_options.hpp"
#include "cli/workload.hpp"
#include "reports/csv.hpp"
#include "reports/json/explanation.hpp"
#include "reports/json/prediction.hpp"
#include "reports/text/explanation.hpp"
#include "reports/text/prediction.hpp"
#include "search/sensitivity.hpp"
#include "step/predict.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> predict_command_options() {
    std::vector<Option> all = workload_options();
    for (Option& option : plan_options()) {
        all.push_back(std::move(option));
    }
    all.push_back(observed_option("of this very plan"));
    all.push_back(explain_option("which parameters its time hangs on"));
    for (Option& option : output_options()) {
        all.push_back(std::move(option));
    }
    return all;
}

std::string formatted(const Workload& workload, const step::Prediction& prediction,
                      const std::optional<search::Explanation>& explanation, const Output& output) {
    const reports::Subject subject{workload.model, workload.machine};
    reports::Json document = reports::prediction_json(prediction);
    if (explanation) {
        document["explanation"] = reports::explanation_json(*explanation);
    }
    switch (output.format) {
        case Format::json: return reports::printed(document);
        case Format::csv: return reports::csv({document});
        case Format::markdown:
            return reports::prediction_markdown(subject, prediction) +
                   (explanation ? reports::explanation_markdown(*explanation, {prediction}) : "");
        case Format::text: break;
    }
    return reports::prediction_text(subject, prediction, output.style) +
           (explanation ? reports::explanation_text(*explanation, {prediction}, output.style) : "");
}

int run_predict(Arguments& arguments) {
    const Output output = read_output(arguments);
    const bool explains = read_explain(arguments, output);
    const PlanWords plan_words = read_plan_words(arguments);
    const ObservedWords observed = read_observed(arguments);
    const Workload workload = read_workload(arguments);
    plan::Plan plan = plan_of(arguments, plan_words, workload);
    if (observed.any()) {
        plan.framework = anchored(plan.framework, observed, workload, plan);
    }
    const step::Prediction prediction = step::predict(workload.graph, workload.cluster, plan);
    std::optional<search::Explanation> explanation;
    if (explains) {
        explanation = search::sensitivity(workload.graph, workload.cluster, prediction);
    }
    write(output, formatted(workload, prediction, explanation, output));
    return kAnswered;
}

}  // namespace

Command predict_command() {
    return {.name = "predict",
            .summary = "time and memory of one plan, with all their parts",
            .usage = "--machine M --gpus N (--strategy A --mesh AXIS=SIZE,... | --plan FILE)",
            .positionals = {{.name = "MODEL", .description = "a built-in network or a file"}},
            .options = predict_command_options(),
            .examples =
                "A plan that does not fit is predicted all the same: exit code 0, and `fits: no`.\n\n"
                "Examples:\n"
                "  dodona predict resnet50 --machine abci --gpus 64 --strategy data\n"
                "  dodona predict gpt3-175b --machine selene --batch 1536 --plan best.yaml\n"
                "  dodona predict gpt3-175b --machine selene --gpus 64 --batch 64 \\\n"
                "      --strategy megatron-sequence --mesh tensor=8,pipeline=8 \\\n"
                "      --schedule interleaved-1f1b --virtual-stages 3 --recompute selective",
            .run = run_predict};
}

}  // namespace dodona::cli
