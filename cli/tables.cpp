// `dodona tables`: where the embedding tables of a network lie in the memories of a machine.
#include "cli/commands.hpp"

#include <utility>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/next.hpp"
#include "cli/output.hpp"
#include "cli/question.hpp"
#include "cli/workload.hpp"
#include "questions/tables/tables.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> tables_options() {
    std::vector<Option> all =
        options_named(workload_options(), {"--machine", "--gpus", "--batch", "--set", "--precision", "--optimizer"});
    all.back().description = "of the tables; rowwise-adagrad without it";
    append(all,
           question_options(files::description<questions::tables::Options>(), questions::tables::heading().options));
    append(all, output_options());
    return all;
}

int run_tables(Arguments& arguments) {
    const Output output = read_output(arguments);
    questions::tables::Options options;
    read_options(arguments, files::description<questions::tables::Options>(), &options);
    options.devices = required_gpus(arguments, "how many devices hold the tables");
    options.batch = arguments.count("--batch");
    if (const auto word = arguments.word("--optimizer", value_names<plan::OptimizerKind>())) {
        options.optimizer = *plan::optimizer_from(*word);
    }
    Workload workload = read_workload(arguments);
    options.precision = precision_of(arguments, workload.cluster);
    const questions::tables::Answer answer = questions::tables::ask(
        complete(arguments, questions::tables::question(std::move(workload), std::move(options))));
    reports::Document document = questions::tables::document(answer);
    if (answer.fits()) {
        add_next(document, arguments, "tables", {{"plan"}, {"limits"}, {"size", {{"--gpus", ""}}}});
    }
    write(output, document);
    return answer.fits() ? kAnswered : kNo;
}

}  // namespace

Command tables_command() {
    return question_command({.heading = questions::tables::heading(),
                             .usage = "--machine M --gpus N",
                             .options = tables_options(),
                             .run = run_tables,
                             .answer = files::description<questions::tables::Answer>});
}

}  // namespace dodona::cli
