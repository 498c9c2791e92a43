// `dodona validate`: predictions against a table of measured runs.
#include "cli/commands.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "base/whole_file.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/next.hpp"
#include "cli/note.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/validate_logs.hpp"
#include "files/accuracy_file.hpp"
#include "files/link_table.hpp"
#include "files/logs/log_lines.hpp"
#include "files/machine_table.hpp"
#include "files/model_table.hpp"
#include "files/run_conventions.hpp"
#include "files/run_table.hpp"
#include "questions/validate/validate.hpp"
#include "reports/accuracy_page.hpp"
#include "reports/document/number_format.hpp"
#include "validate/comparison.hpp"
#include "validate/gate.hpp"

namespace dodona::cli {

namespace {

constexpr std::int64_t kMaxAnchors = 1000;

std::vector<Option> validate_command_options() {
    std::vector<Option> all{
        {"--group", "G", "only runs of this group; repeat for several", "Runs", kRepeats},
        {"--by", "COLUMN", "group by this column of the table instead: framework, device, ...", "Runs"},
        {"--models", "FILE", "a table of networks that runs name and dodona does not have (docs/files.md)", "Runs"},
        {"--machines", "FILE", "a table of machines, likewise", "Runs"},
        {"--links", "FILE", "a table of bandwidths that runs measured of their links, by id (docs/files.md)", "Runs"},
        {"--conventions", "FILE",
         "what words of these tables mean, before what they mean in any table\n"
         "(oracle/validate/conventions.yaml is such a file)",
         "Runs"},
        {"--anchor", "K",
         "adjust frameworks to K measured runs of each group, software and device,\n"
         "chosen by a hash of their ids, and compare the others: what --observed gains",
         "Runs"},
        {"--worst", "N", "show the N runs with the largest errors; default: 5", "Output"},
        {"--gate", "FILE", "exit code 1 where a group is worse than this page records", "Record"},
        {"--record", "FILE", "write a page of errors and their record", "Record"}};
    append(all, log_options());
    append(all, output_options());
    return all;
}

/// Leaves the runs of the groups that --group names.
void select_groups(Arguments& arguments, std::vector<files::MeasuredRun>& runs) {
    const std::vector<std::string> wanted = arguments.all("--group");
    if (wanted.empty()) {
        return;
    }
    std::vector<std::string> known;
    for (const files::MeasuredRun& run : runs) {
        if (std::find(known.begin(), known.end(), run.group) == known.end()) {
            known.push_back(run.group);
        }
    }
    for (const std::string& group : wanted) {
        if (std::find(known.begin(), known.end(), group) == known.end()) {
            arguments.fault("--group", fmt::format("no run is of {}{}", as_typed(group), did_you_mean(group, known)),
                            "groups of this table: " + join(known));
        }
    }
    arguments.throw_if_faults();
    std::erase_if(runs, [&](const files::MeasuredRun& run) { return !contains(wanted, run.group); });
}

/// Makes the cells of the column that --by names the groups.
void group_by(Arguments& arguments, std::vector<files::MeasuredRun>& runs) {
    const std::vector<std::string> columns = files::run_columns();
    const std::optional<std::string> column = arguments.word("--by", columns);
    for (files::MeasuredRun& run : runs) {
        if (column) {
            const std::string& cell = run.cell(*column);
            run.group = cell.empty() ? "(none)" : cell;
        }
    }
}

validate::Tables read_tables(Arguments& arguments) {
    validate::Tables tables;
    if (const auto models = arguments.text("--models")) {
        tables.models = files::load_models(*models, {});
    }
    if (const auto machines = arguments.text("--machines")) {
        tables.machines = files::load_machines(*machines, {});
    }
    if (const auto links = arguments.text("--links")) {
        tables.links = files::load_links(*links, {});
    }
    return tables;
}

files::RunConventions read_conventions(Arguments& arguments) {
    const auto file = arguments.text("--conventions");
    return file ? files::load_run_conventions(*file, {}) : files::RunConventions{};
}

/// The comparison, with progress on a terminal and Ctrl-C.
validate::Comparison compare_with_progress(questions::validate::Question question) {
    const std::size_t runs = question.runs.size();
    listen_for_interrupt();
    ProgressLine line("runs");
    const validate::Progress progress = [&](std::int64_t done, std::int64_t all) {
        line.show(done, all);
        return !interrupted();
    };
    validate::Comparison comparison = questions::validate::ask(std::move(question), progress);
    line.clear();
    const std::size_t done = comparison.rows.size() + static_cast<std::size_t>(comparison.anchors);
    if (done < runs) {
        note("stopped after {} of {} runs", reports::whole(done), reports::whole(runs));
    }
    return comparison;
}

/// The runs of all tables; one that is in several counts once.
std::vector<files::MeasuredRun> read_tables_of_runs(const std::vector<std::string>& tables) {
    std::vector<files::MeasuredRun> runs;
    std::set<std::string> ids;
    std::size_t repeated = 0;
    for (const std::string& table : tables) {
        for (files::MeasuredRun& run : files::load_runs(table, {})) {
            if (ids.insert(run.id).second) {
                runs.push_back(std::move(run));
            } else {
                ++repeated;
            }
        }
    }
    if (repeated > 0) {
        note("{} in more than one table, counted once", reports::counted(static_cast<std::int64_t>(repeated), "run"));
    }
    return runs;
}

/// Says what is worse; is nothing?
bool passes(const std::vector<files::RecordedError>& recorded, const validate::Comparison& comparison) {
    const validate::GateResult result = validate::gate(comparison, recorded);
    for (const validate::GateResult::Worse& worse : result.worse) {
        const std::string line =
            fmt::format("{}:{}: worse: {}\n", worse.where.source->name, worse.where.line, worse.text);
        std::fputs(printable(line).c_str(), stderr);
    }
    note("{} as recorded or better, {} worse{}{}", reports::counted(result.compared, "recorded group"),
         result.worse.size(),
         result.missing.empty() ? "" : fmt::format("; {} not in these tables", result.missing.size()),
         result.unrecorded.empty() ? "" : "; not recorded: " + join(result.unrecorded));
    return result.worse.empty() && result.compared > 0;
}

std::string title(const std::vector<std::string>& tables) {
    return tables.size() == 1 ? tables.front() : reports::counted(static_cast<std::int64_t>(tables.size()), "table");
}

/// A fault for each option that only tables, or only logs, have.
void refuse_options_of(Arguments& arguments, const std::vector<Option>& options, const std::vector<std::string>& groups,
                       const char* are_of) {
    for (const Option& option : options) {
        const bool is_of = std::find(groups.begin(), groups.end(), option.group) != groups.end();
        if (is_of && arguments.has(option.long_name())) {
            arguments.fault(option.long_name(), fmt::format("is of {}", are_of));
        }
    }
}

/// Are all of these logs? Tables and logs together are a fault.
bool are_logs(Arguments& arguments, const std::vector<std::string>& names) {
    const auto logs = static_cast<std::size_t>(
        std::count_if(names.begin(), names.end(), [](const std::string& name) { return files::is_log_name(name); }));
    if (logs > 0 && logs < names.size()) {
        arguments.fault("RUNS", "tables and logs", "give either tables of runs or logs of training");
    }
    return logs > 0;
}

int run_validate(Arguments& arguments) {
    const Output output = read_output(arguments);
    const std::vector<std::string> tables = arguments.all("RUNS");
    const bool of_logs = are_logs(arguments, tables);
    refuse_options_of(arguments, validate_command_options(),
                      of_logs ? std::vector<std::string>{"Runs", "Record"} : std::vector<std::string>{"Logs"},
                      of_logs ? "tables of runs" : "logs");
    if (of_logs) {
        return validate_logs(arguments, output, tables);
    }
    if (tables.empty()) {
        arguments.missing("RUNS", "a table of measured runs (docs/files.md), runs.csv, or a log, train.log");
    }
    questions::validate::View view{.table = tables.empty() ? "" : title(tables)};
    view.worst = static_cast<std::size_t>(arguments.count("--worst").value_or(static_cast<std::int64_t>(view.worst)));
    const auto anchors = static_cast<std::size_t>(arguments.count("--anchor", kMaxAnchors).value_or(0));
    const std::string record = writable_file(arguments, "--record");
    const std::optional<std::string> gate = arguments.text("--gate");
    arguments.throw_if_faults();
    std::vector<files::MeasuredRun> runs = read_tables_of_runs(tables);
    select_groups(arguments, runs);
    group_by(arguments, runs);
    arguments.throw_if_faults();
    const std::vector<files::RecordedError> recorded =
        gate ? files::load_accuracy_record(*gate, {}) : std::vector<files::RecordedError>{};
    const validate::Comparison comparison = compare_with_progress(
        {.runs = std::move(runs),
         .asked = validate::Questions(library(), read_tables(arguments), read_conventions(arguments)),
         .anchors = anchors});
    reports::Document document = questions::validate::document(view, comparison);
    add_next(
        document, arguments, "validate",
        {{"validate", {{"--by", "device"}, {"--record", ""}}},
         {"validate", {{"--anchor", "3"}, {"--record", ""}}},
         {"validate", record.empty() ? std::map<std::string, std::string>{{"--record", "errors.md"}, {"--gate", ""}}
                                     : std::map<std::string, std::string>{{"--gate", record}, {"--record", ""}}}});
    write(output, document);
    if (interrupted()) {
        return kInterrupted;
    }
    if (!record.empty()) {
        write_whole(record, reports::accuracy_page({.tables = tables}, comparison));
    }
    const bool is_good = comparison.overall.rows > 0 && (!gate || passes(recorded, comparison));
    return is_good ? kAnswered : kNo;
}

}  // namespace

Command validate_command() {
    return {.name = "validate",
            .summary = "predictions against a table of measured runs, or logs of training",
            .usage = "",
            .positionals = {{.name = "RUNS",
                             .description = "tables of measured runs, comma-separated, or logs",
                             .many = true}},
            .options = validate_command_options(),
            .examples =
                "Every run is predicted, or refused with the reason; nothing is fitted to the table.\n"
                "A log is a file .log, .out, .err or .txt of Megatron-LM, NeMo, torchtitan, DeepSpeed,\n"
                "nanotron, HF Trainer, MaxText or Composer; the settings that it prints are its plan.\n"
                "Exit code 1 where no run at all could be predicted, or a group is worse than --gate allows.\n\n"
                "Examples:\n"
                "  dodona validate runs.csv\n"
                "  dodona validate runs.csv --group vtrain-multi --format csv -o errors.csv\n"
                "  dodona validate mine.csv --models models.csv --machines machines.csv --by machine\n"
                "  dodona validate mine.csv --conventions words.yaml\n"
                "  dodona validate mine.csv --anchor 3\n"
                "  dodona validate train.log --machine dgx-h100\n"
                "  dodona validate trainer.log --machine dgx-h100 --model llama-3.1-8b --from fsdp.yaml\n"
                "  dodona validate mine.csv --record errors.md      and later\n"
                "  dodona validate mine.csv --gate errors.md",
            .run = run_validate,
            .answer = files::description<validate::Comparison>};
}

}  // namespace dodona::cli
