// `dodona goodput`: what failures and checkpoints leave of a run's time.
#include "cli/commands.hpp"

#include "cli/asked_plan.hpp"
#include "cli/exit_code.hpp"
#include "cli/goals.hpp"
#include "cli/next.hpp"
#include "cli/output.hpp"
#include "cli/question.hpp"
#include "questions/goodput/goodput.hpp"
#include "reports/collect/prediction_report.hpp"
#include "step/predict.hpp"

namespace dodona::cli {

namespace {

namespace goodput = questions::goodput;

int run_goodput(Arguments& arguments) {
    const Output output = read_output(arguments);
    goodput::Options options;
    read_options(arguments, files::description<goodput::Options>(), &options);
    resolve_machines(options.goals);
    add_faults(arguments, goodput::contradictions(options));
    const goodput::Question question = complete(arguments, goodput::question(read_asked_plan(arguments), options));
    const auto& [workload, plan] = question.one;
    const step::Prediction prediction = step::predict(workload.graph, workload.cluster, plan);
    if (!prediction.runs) {
        write(output, reports::prediction_document(workload.subject, prediction));
        return kNo;
    }
    const reliability::Goodput answer = complete(arguments, goodput::ask(question, prediction));
    reports::Document document = goodput::document(workload.subject, answer);
    add_next(document, arguments, "goodput",
             {{"predict"},
              {"simulate"},
              {"plan", {{"--gpus", std::to_string(plan.devices())}, {"--batch", std::to_string(plan.batch)}}}});
    write(output, document);
    return answer.plays ? kAnswered : kNo;
}

}  // namespace

Command goodput_command() {
    const files::Description& options = files::description<goodput::Options>();
    Command command = plan_question(goodput::heading(), options, run_goodput);
    command.usage = "--machine M (--strategy A --mesh AXIS=SIZE,... | --plan FILE)";
    command.answer = files::description<reliability::Goodput>;
    return command;
}

}  // namespace dodona::cli
