#include "cli/tables.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/question.hpp"
#include "cli/workload.hpp"
#include "questions/tables/tables.hpp"

namespace dodona::cli {

namespace {

std::vector<Option> tables_options() {
    const std::string group = "Tables";
    std::vector<Option> all;
    for (Option& option : workload_options()) {
        const std::string name = option.long_name();
        if (name == "--machine" || name == "--gpus" || name == "--batch" || name == "--set" || name == "--precision" ||
            name == "--optimizer") {
            option.description =
                name == "--optimizer" ? "of the tables; rowwise-adagrad without it" : option.description;
            all.push_back(std::move(option));
        }
    }
    const std::vector<Option> own{
        {"--tier", "NAME",
         "all tables there: device, host or another tier of the machine;\n"
         "as there is room without it",
         group},
        {"--table-precision", "fp32|fp16|bf16", "of rows in memory; fp32 without it", group},
        {"--zipf", "S", "exponent of accesses: row i is looked up as often as 1/i^S; 0 without it", group},
        {"--cache", "SHARE", "of device memory, for copies of rows of other tiers: 0.1; 0 without it", group},
        {"--reserve", "SHARE", "of device memory, for everything else than tables; 0.2 without it", group},
        {"--row-bandwidth", "BW",
         "rows of tables in a device's own memory: 900GB/s; without it as gathers\n"
         "were measured there, which fused look-ups may exceed",
         group},
        {"--whole", "", "no table is split", group},
        {"--fabrics", "", "the step on nodes whose GPUs are joined all to all, by a switch and in a ring", group}};
    all.insert(all.end(), own.begin(), own.end());
    append(all, output_options());
    return all;
}

double share(Arguments& arguments, const std::string& name, double usual) {
    const double value = arguments.ratio(name, 0).value_or(usual);
    if (value >= 1) {
        arguments.fault(name, fmt::format("{} is no share of device memory", value), "such as 0.1");
    }
    return value;
}

/// What stands in memory: rows in their precision, states of the optimizer.
tables::RowFormat format_of(Arguments& arguments) {
    tables::RowFormat format;
    const std::vector<std::string> precisions{"fp32", "fp16", "bf16"};
    const auto precision = arguments.word("--table-precision", precisions);
    format.element = precision && *precision != "fp32" ? 2_B : 4_B;
    const auto word = arguments.word("--optimizer", value_names<plan::OptimizerKind>());
    const plan::OptimizerKind kind = word ? *plan::optimizer_from(*word) : plan::OptimizerKind::rowwise_adagrad;
    format.moments = plan::optimizer(kind).table;
    return format;
}

int run_tables(Arguments& arguments) {
    const Output output = read_output(arguments);
    const std::int64_t devices = arguments.required_count("--gpus", "how many devices hold the tables").value_or(1);
    const double zipf = arguments.ratio("--zipf", 0).value_or(0);
    const double cache = share(arguments, "--cache", 0);
    const double reserve = share(arguments, "--reserve", 0.2);
    const tables::RowFormat format = format_of(arguments);
    const auto row_rate = arguments.bandwidth("--row-bandwidth");
    const auto batch = arguments.count("--batch");
    const Workload workload = read_workload(arguments);
    check_devices(arguments, workload.cluster, devices);
    const std::vector<std::string> tiers = tables::tier_names(workload.cluster);
    const auto only = arguments.word("--tier", tiers);
    const Precision precision = precision_of(arguments, workload.cluster);
    const questions::tables::Answer answer = questions::tables::ask(complete(
        arguments, questions::tables::question(workload.subject, {.graph = workload.graph,
                                                                  .cluster = workload.cluster,
                                                                  .devices = devices,
                                                                  .batch = batch.value_or(default_batch(
                                                                      workload.graph, workload.cluster, devices)),
                                                                  .precision = precision,
                                                                  .format = format,
                                                                  .zipf = zipf,
                                                                  .cache = cache,
                                                                  .reserve = reserve,
                                                                  .may_split = !arguments.has("--whole"),
                                                                  .fabrics = arguments.has("--fabrics"),
                                                                  .row_rate = row_rate,
                                                                  .only = only})));
    write(output, questions::tables::document(answer));
    return answer.fits() ? kAnswered : kNo;
}

}  // namespace

Command tables_command() {
    return {.name = "tables",
            .summary = "where embedding tables lie: tiers of memory, parts, balance, and the time of a step",
            .usage = "--machine M --gpus N",
            .positionals = {{.name = "MODEL", .description = "a built-in model or a file", .completes = Names::models}},
            .options = tables_options(),
            .examples =
                "Examples:\n"
                "  dodona tables dlrm-bench --machine dgx-a100 --gpus 8 --batch 2048\n"
                "  dodona tables dlrm-dcnv2 --machine zionex --gpus 16 --batch 65536 --zipf 1.05 --cache 0.1",
            .run = run_tables,
            .answer = files::description<questions::tables::Answer>};
}

}  // namespace dodona::cli
