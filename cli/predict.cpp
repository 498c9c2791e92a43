// `dodona predict`: what one plan gives.
#include "cli/commands.hpp"

#include "base/ranges.hpp"
#include "cli/asked_plan.hpp"
#include "cli/exchange_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/explain.hpp"
#include "cli/launch.hpp"
#include "cli/next.hpp"
#include "cli/output.hpp"
#include "cli/question.hpp"
#include "questions/predict/predict.hpp"
#include "step/predict.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> predict_command_options() {
    std::vector<Option> all = asked_plan_options();
    const files::Description& own = files::description<questions::predict::Options>();
    all.push_back(exchange_option());
    append(all, question_options(own, "Lengths", false));
    all.push_back(export_option());
    all.push_back(explain_option("which parameters its time is sensitive to"));
    append(all, question_options(own, "Output", false));
    append(all, output_options());
    return all;
}

int run_predict(Arguments& arguments) {
    const Output output = read_output(arguments);
    const bool explains = read_explain(arguments, output);
    const std::string target = read_export(arguments, false);
    const std::vector<exchange::Exchange> exchanges = read_exchanges(arguments);
    questions::predict::Options options;
    read_options(arguments, files::description<questions::predict::Options>(), &options);
    add_faults(arguments, questions::contradictions(options.lengths));
    if (!options.lengths.file.empty() && !exchanges.empty()) {
        arguments.fault("--lengths", "it is of the plan's own exchange", "leave out --exchange");
    }
    const questions::OnePlan asked = read_asked_plan(arguments);
    const auto& [workload, plan] = asked;
    if (!exchanges.empty() || !target.empty()) {
        step::Prediction prediction = step::predict(workload.graph, workload.cluster, plan);
        if (prediction.runs && !exchanges.empty()) {
            write(output, questions::predict::document(workload.subject, questions::predict::with_exchanges(
                                                                             asked, std::move(prediction), exchanges)));
            return kAnswered;
        }
        if (prediction.runs) {
            write_text(output, exported_text(target, prediction, workload));
            return kAnswered;
        }
        if (!target.empty()) {
            fail({}, "--export: the plan cannot run: " + text(*prediction.why_not));
        }
    }
    const questions::predict::Answer answer =
        questions::predict::ask({.of = asked, .options = options, .explains = explains});
    if (!options.traced.empty() && answer.prediction.runs && answer.traced.empty()) {
        const auto lines = mapped<std::string>(answer.prediction.communication,
                                               [](const step::CommunicationLine& line) { return text(line); });
        arguments.fault("--trace", "no collective of the plan has these words",
                        lines.empty() ? "it communicates nothing" : "its collectives: " + join(lines, "; "));
        arguments.throw_if_faults();
    }
    reports::Document document = questions::predict::document(answer);
    if (answer.prediction.runs) {
        const std::string devices = std::to_string(plan.devices());
        add_next(document, arguments, "predict",
                 {{"plan", {{"--gpus", devices}, {"--batch", std::to_string(plan.batch)}}},
                  {"simulate"},
                  {"limits", {{"--gpus", devices}, {"--batch", std::to_string(plan.batch)}}}});
    }
    write(output, document);
    return answer.prediction.runs ? kAnswered : kNo;
}

}  // namespace

Command predict_command() {
    return {.name = "predict",
            .summary = "time and memory of one plan, with all their parts",
            .usage = "--machine M --gpus N (--strategy A --mesh AXIS=SIZE,... | --plan FILE)",
            .positionals = {{.name = "MODEL", .description = "a built-in model or a file", .completes = Names::models}},
            .options = predict_command_options(),
            .examples =
                "A plan that does not fit is predicted all the same: exit code 0, and `fits: no`. Exit code 1\n"
                "where it has no step to predict: its pipeline cannot be cut or scheduled.\n\n"
                "Examples:\n"
                "  dodona predict resnet50 --machine abci --gpus 64 --strategy data\n"
                "  dodona predict gpt3-175b --machine selene --batch 1536 --plan best.yaml\n"
                "  dodona predict gpt3-175b --machine selene --gpus 64 --batch 64 \\\n"
                "      --strategy megatron-sequence --mesh tensor=8,pipeline=8 \\\n"
                "      --schedule interleaved-1f1b --virtual-stages 3 --recompute selective\n"
                "  dodona predict --from train.sh --machine dgx-h100\n"
                "  dodona predict resnet50 --machine abci --gpus 64 --strategy data --exchange d-psgd\n"
                "  dodona predict llama-3.1-8b --machine dgx-h100 --gpus 8 --strategy zero3 --lengths lengths.csv\n"
                "  dodona predict llama-3.1-8b --from ds_config.json --machine dgx-h100 --gpus 64\n"
                "  dodona predict gpt3-175b --machine selene --plan best.yaml --export megatron",
            .run = run_predict,
            .answer = files::description<questions::predict::Answer>,
            .other_answer = files::description<reports::ExchangeAnswer>};
}

}  // namespace dodona::cli
