#include "cli/validate_logs.hpp"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cli/asked_plan.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/note.hpp"
#include "questions/validate/validate.hpp"
#include "reports/document/number_format.hpp"
#include "search/space.hpp"
#include "step/validate.hpp"

namespace dodona::cli {

namespace {

using Known = std::vector<std::pair<std::string, std::string>>;

/// What the log says of the job, as options.
Known known_from(const files::TrainingLog& log) {
    Known known;
    const auto add = [&](const std::string& option, const std::optional<std::int64_t>& value) {
        if (value) {
            known.emplace_back(option, std::to_string(*value));
        }
    };
    add("--batch", log.batch);
    add("--gpus", log.gpus);
    return known;
}

/// A plan with another batch or on other GPUs than the log's is another run's.
void check_job(const std::string& name, const files::TrainingLog& log, const plan::Plan& plan) {
    const auto check = [&](const std::optional<std::int64_t>& logged, std::int64_t asked, const char* what,
                           const char* option) {
        if (logged && *logged != asked) {
            fail({}, fmt::format("{}: the log is of {} {}, the plan of {}", name, what, *logged, asked),
                 fmt::format("{} {}, or the settings that this run was launched with", option, *logged));
        }
    };
    check(log.batch, plan.batch, "a batch of", "--batch");
    check(log.gpus, plan.devices(), "GPUs:", "--gpus");
}

/// The log as a row of a table of runs, by whose words conventions know its software.
files::MeasuredRun measured(const std::string& name, const files::TrainingLog& log, const questions::OnePlan& asked) {
    files::MeasuredRun run;
    run.id = name;
    run.group = log.software;
    run.step_time = log.median;
    run.peak_memory = log.memory;
    run.memory_kind = log.memory_kind;
    for (const std::string& column : files::run_columns()) {
        run.cells[column] = {};
    }
    run.cells["framework"].text = log.software;
    run.cells["device"].text = asked.workload.cluster.device.name;
    run.cells["strategy"].text = asked.plan.strategy.name;
    run.cells["precision"].text = std::string(dodona::name(asked.plan.precision));
    if (const double tokens = tokens_a_sample(asked.workload.graph); tokens > 0) {
        run.cells["input"].text = fmt::format("seq={:.0f}", tokens);
    }
    return run;
}

/// The run at the micro-batch that a log without one is likeliest of: whose memory is nearest to the measured one, or the
/// largest that fits where none was measured. More samples never take less memory.
validate::RunResult at_likeliest_microbatch(const files::MeasuredRun& run, validate::Question question) {
    const std::int64_t together = question.graph->post_training.together;
    std::optional<validate::RunResult> best;
    std::int64_t chosen = 0;
    for (const std::int64_t samples : search::divisors(question.plan.batch / step::data_ranks(question.plan))) {
        if (samples % together != 0 && best) {
            continue;
        }
        question.plan.microbatch = samples;
        validate::RunResult here = validate::compared(run, question);
        const auto off = [](const validate::RunResult& one) {
            return std::abs(std::log(*one.predicted_memory / *one.measured_memory));
        };
        if (best && (here.measured_memory ? off(here) >= off(*best) : !here.fits.value_or(false))) {
            break;
        }
        best = std::move(here);
        chosen = samples;
    }
    note("{} does not say its micro-batch: taken as {}, {}; --micro-batch says another", run.id, chosen,
         best && best->measured_memory ? "whose memory is nearest to the one it printed" : "as many as fit");
    return best ? std::move(*best) : validate::compared(run, question);
}

}  // namespace

validate::RunResult compared_log(Arguments arguments, const std::string& name, const files::TrainingLog& log) {
    if (const auto model = arguments.text("--model")) {
        arguments.give("MODEL", *model);
    }
    if (!arguments.has("--from") && !arguments.has("--plan") && library().is_launch(name)) {
        arguments.give("--from", name);
    }
    const questions::OnePlan asked = read_asked_plan(arguments, known_from(log));
    check_job(name, log, asked.plan);
    validate::Question question;
    question.graph = std::make_shared<const graph::Graph>(asked.workload.graph);
    question.cluster = std::make_shared<const cluster::Cluster>(asked.workload.cluster);
    question.plan = asked.plan;
    const files::MeasuredRun run = measured(name, log, asked);
    if (!arguments.has("--software") && !arguments.has("--plan") && !arguments.has("--from")) {
        validate::Software software = validate::Questions(library()).software(run);
        question.plan.framework = std::move(software.framework);
        question.plan.memory = std::move(software.memory);
    }
    const bool is_known = arguments.has("--micro-batch") || arguments.has("--plan");
    return is_known ? validate::compared(run, question) : at_likeliest_microbatch(run, std::move(question));
}

namespace {

validate::RunResult refused(const std::string& name, const files::TrainingLog& log, const InputError& error) {
    validate::RunResult result{.id = name, .group = log.software};
    const Diagnostic& first = error.diagnostics().front();
    result.refusal = first.help.empty() ? first.message : fmt::format("{}; {}", first.message, first.help);
    return result;
}

}  // namespace

std::vector<NextCommand> next_of_log(const Arguments& arguments, const std::string& command, const std::string& name,
                                     const files::TrainingLog& log) {
    std::map<std::string, std::string> job{{"MODEL", arguments.has("--model") ? arguments.all("--model").front() : ""}};
    for (const auto& [option, value] : known_from(log)) {
        job[option] = value;
    }
    if (!arguments.has("--from") && !arguments.has("--plan") && library().is_launch(name)) {
        job["--from"] = name;
    }
    return {{command, {{"LOG", name}, {"RUNS", name}}}, {"predict", job}, {"plan", job}};
}

std::vector<Option> log_options() {
    std::vector<Option> all{{"--model", "MODEL", "of a log that does not print the network: a built-in model or a file",
                             "Logs", kOnce, Names::models}};
    for (Option& option : asked_plan_options()) {
        if (option.long_name() == "--observed") {
            continue;
        }
        option.group = "Logs";
        if (option.long_name() == "--from") {
            option.description =
                "the script or configuration that the logs are of; default: what each log\n"
                "prints of it";
        }
        all.push_back(std::move(option));
    }
    return all;
}

int validate_logs(Arguments& arguments, const Output& output, const std::vector<std::string>& logs) {
    if (!arguments.has("--machine")) {
        arguments.missing("--machine", "the machine that the logs are of: --machine dgx-h100");
    }
    arguments.throw_if_faults();
    const Arguments typed = arguments.with("RUNS", "");
    std::vector<questions::validate::LogResult> results;
    bool is_any = false;
    for (const std::string& name : logs) {
        questions::validate::LogResult one{.name = name, .log = {}, .result = {}};
        try {
            one.log = library().training_log(name, {});
            one.result = compared_log(typed, name, one.log);
        } catch (const InputError& error) {
            if (logs.size() == 1) {
                throw;
            }
            one.result = refused(name, one.log, error);
        }
        is_any = is_any || one.result.predicted;
        results.push_back(std::move(one));
    }
    reports::Document document = questions::validate::document(results);
    if (is_any && logs.size() == 1) {
        add_next(document, arguments, "validate", next_of_log(arguments, "watch", logs.front(), results.front().log));
    }
    write(output, document);
    return is_any ? kAnswered : kNo;
}

}  // namespace dodona::cli
