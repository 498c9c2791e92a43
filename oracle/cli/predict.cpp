#include "cli/predict.hpp"

#include "cli/exit_code.hpp"
#include "cli/job.hpp"
#include "cli/observed.hpp"
#include "cli/output.hpp"
#include "cli/plan_options.hpp"
#include "reports/csv.hpp"
#include "reports/json/prediction.hpp"
#include "reports/text/prediction.hpp"
#include "schedule/predict.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> options() {
    std::vector<Option> all = job_options();
    for (Option& option : plan_options()) {
        all.push_back(std::move(option));
    }
    all.push_back(observed_option("of this very plan"));
    for (Option& option : output_options()) {
        all.push_back(std::move(option));
    }
    return all;
}

std::string formatted(const Job& job, const schedule::Prediction& prediction, const Output& output) {
    const reports::Subject subject{job.model, job.machine};
    switch (output.format) {
        case Format::json: return reports::printed(reports::prediction_json(prediction));
        case Format::csv: return reports::csv({reports::prediction_json(prediction)});
        case Format::markdown: return reports::prediction_markdown(subject, prediction);
        case Format::text: break;
    }
    return reports::prediction_text(subject, prediction, output.style);
}

int run(Arguments& arguments) {
    const Output output = read_output(arguments);
    const PlanWords plan_words = read_plan_words(arguments);
    const ObservedWords observed = read_observed(arguments);
    const Job job = read_job(arguments);
    plan::Plan plan = plan_of(arguments, plan_words, job);
    if (observed.any()) {
        plan.framework = anchored(plan.framework, observed, job, plan);
    }
    write(output, formatted(job, schedule::predict(job.graph, job.cluster, plan), output));
    return kAnswered;
}

}  // namespace

Command predict_command() {
    return {.name = "predict",
            .summary = "time and memory of one plan, with all their parts",
            .usage = "--machine M --gpus N (--strategy A --mesh AXIS=SIZE,... | --plan FILE)",
            .positionals = {{.name = "MODEL", .description = "a built-in network or a file"}},
            .options = options(),
            .examples =
                "A plan that does not fit is predicted all the same: exit code 0, and `fits: no`.\n\n"
                "Examples:\n"
                "  dodona predict resnet50 --machine abci --gpus 64 --strategy data\n"
                "  dodona predict gpt3-175b --machine selene --batch 1536 --plan best.yaml\n"
                "  dodona predict gpt3-175b --machine selene --gpus 64 --batch 64 \\\n"
                "      --strategy megatron-sequence --mesh tensor=8,pipeline=8 \\\n"
                "      --schedule interleaved-1f1b --chunks 3 --recompute selective",
            .run = run};
}

}  // namespace dodona::cli
