#include "cli/plan.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <span>

#include <fmt/format.h>

#include "base/whole_file.hpp"
#include "cli/asked_plan.hpp"
#include "cli/exchange_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/explain.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/job_space.hpp"
#include "cli/launch.hpp"
#include "cli/note.hpp"
#include "cli/plan_search.hpp"
#include "cli/rollout.hpp"
#include "cli/schema_comment.hpp"
#include "cli/software.hpp"
#include "cli/space_options.hpp"
#include "cli/workload.hpp"
#include "files/plan_file.hpp"
#include "files/strategy_file.hpp"
#include "files/yaml_writer.hpp"
#include "questions/plans/plans.hpp"
#include "questions/rollout/rollout.hpp"
#include "search/search.hpp"
#include "search/space.hpp"
#include "step/predict.hpp"
#include "tables/step_time.hpp"

namespace dodona::cli {

namespace {

constexpr std::int64_t kMaxPlans = 1000;
constexpr std::size_t kPlansToExport = 200;  ///< that a launcher is asked about

std::vector<Option> plan_command_options() {
    std::vector<Option> all = workload_options();
    const std::string search = "Search";
    all.push_back({"--strategy", "A,B,...",
                   "built-in strategies, files, or `auto` (layer by layer); default: all\n"
                   "but *-paradl",
                   search, kOnce, Names::strategies});
    for (Option& option : space_options()) {
        if (option.names == "--vary") {
            option.description +=
                "\nand on the fastest plans: exchange (the same sum of gradients, otherwise\n"
                "made), compress (compressed gradients), asynchronous (replicas that\n"
                "differ or are stale), of `dodona exchanges`";
        }
        all.push_back(std::move(option));
    }
    all.push_back({"--top", "K", "plans to list; default: 5", search});
    all.push_back(
        {"--simulate", "K", "play the steps of the first K plans task by task, and rank them by that", search});
    all.push_back({"--why-not", "KIND",
                   "the best plan of that kind, how much slower it is and through what,\n"
                   "or what stops it: zero3, tensor=8, recompute=full",
                   search});
    all.push_back(exchange_option());
    append(all, length_options());
    all.push_back(rollout_option());
    all.push_back(export_option());
    all.push_back(from_option());
    all.push_back({"--save", "FILE",
                   "write the best plan, or the one that is exported, as a file that\n"
                   "`dodona predict --plan` reads",
                   "Output"});
    all.push_back(
        explain_option("which parameters the answer is sensitive to, and at which value of\n"
                       "each another plan is better"));
    all.push_back(observed_option("of the plan that --observed-plan names"));
    all.push_back({"--observed-plan", "FILE", "the plan file of the step that --observed gives", "Observed"});
    append(all, output_options());
    return all;
}

/// A name that is relative to the working folder, relative to `folder`.
std::string named_from(const std::filesystem::path& folder, const std::string& name) {
    if (!files::is_path(name) || std::filesystem::path(name).is_absolute()) {
        return name;
    }
    const std::string there = std::filesystem::proximate(name, folder.empty() ? "." : folder).generic_string();
    return files::is_path(there) ? there : "./" + there;
}

std::string framework_named_from(const std::filesystem::path& folder, const std::string& reference) {
    const plan::FrameworkReference parts = plan::framework_reference(reference);
    std::string name = named_from(folder, parts.framework);
    for (const std::string& mechanism : parts.mechanisms) {
        name += "+" + named_from(folder, mechanism);
    }
    return name;
}

/// Whether the plan's strategy is the built-in one of its name, and not a file's of the same name.
bool is_built_in(const plan::Strategy& strategy) {
    const std::vector<std::string> built_in = library().strategies();
    const bool known = std::find(built_in.begin(), built_in.end(), strategy.name) != built_in.end();
    return known && files::to_yaml(read_strategy(strategy.name)) == files::to_yaml(strategy);
}

void save(const step::Prediction* found, const search::Question& question, const std::string& file) {
    if (found == nullptr) {
        note("nothing fits, so {} is not written", file);
        return;
    }
    plan::Plan best = found->plan;
    const std::string title = fmt::format("{} on {}", question.model, question.machine);
    best.framework.reference =
        framework_named_from(std::filesystem::path(file).parent_path(), best.framework.reference);
    const std::string text =
        is_built_in(best.strategy) ? files::to_yaml(best, title, best.strategy.name) : files::to_yaml(best, title);
    write_whole(file, schema_comment("plan", file) + text);
}

/// The plan that was observed, in the software that the search has for its strategy.
plan::Plan plan_taken(Arguments& arguments, const std::string& file, const Workload& workload,
                      const search::Space& space) {
    plan::Plan taken = library().plan(file, {});
    if (taken.devices() > workload.cluster.devices()) {
        arguments.fault("--observed-plan", fmt::format("{} has {} GPUs, more than {} has: {}", file, taken.devices(),
                                                       workload.cluster.name, workload.cluster.devices()));
    }
    arguments.throw_if_faults();
    taken.framework = framework_for(space, taken.strategy);
    taken.memory = memory_of(taken.framework);
    return taken;
}

/// The space of plans of one kind: those of a strategy, or with a size or a setting; what was ruled out is allowed again.
search::Space space_of_kind(Arguments& arguments, const std::string& kind, const Workload& workload,
                            search::Space space) {
    space.fixed.clear();
    space.excluded.clear();
    space.top = 1;
    const std::vector<std::string> known = library().strategies();
    const auto meant = library().resolve_alias(files::NameOf::strategy, kind);
    const bool is_strategy =
        meant || files::is_path(kind) || std::find(known.begin(), known.end(), kind) != known.end();
    if (is_strategy) {
        space.strategies = {read_strategy(kind)};
        space.strategies.front().considered = {};
    } else {
        space.strategies = strategies_made_for(workload.graph);
        fix_kind(arguments, "--why-not", space);
    }
    if (!is_observed(space)) {
        set_software(arguments, workload, space, is_strategy);
    }
    return space;
}

/// The ranked plans with an exchange in the place of their own; none where nothing fits.
std::optional<questions::plans::WithExchange> with_exchange(const Workload& workload,
                                                            const std::vector<exchange::Exchange>& exchanges,
                                                            const search::Answer& answer) {
    if (exchanges.empty() || answer.plans.empty()) {
        return std::nullopt;
    }
    questions::plans::WithExchange with{.name = exchanges.front().name, .of_plans = {}};
    for (const step::Prediction& plan : answer.plans) {
        const auto replicas = exchange::find_replicas(workload.graph, workload.cluster, plan);
        with.of_plans.push_back(replicas ? std::optional(exchange::replica_exchange(exchanges.front(), workload.cluster,
                                                                                    *replicas, plan.plan.batch))
                                         : std::nullopt);
    }
    return with;
}

/// Embedding tables placed one by one; none of a network without tables.
std::optional<reports::PlacedTables> placed_tables(const Workload& workload, const search::Space& space,
                                                   plan::OptimizerKind of_rows) {
    if (tables::tables_of(workload.graph).empty()) {
        return std::nullopt;
    }
    return reports::PlacedTables{.devices = space.devices,
                                 .batch = space.batch,
                                 .placed = tables::predict({.graph = workload.graph,
                                                            .cluster = workload.cluster,
                                                            .devices = space.devices,
                                                            .batch = space.batch,
                                                            .precision = space.precision,
                                                            .format = {.moments = plan::optimizer(of_rows).table}})};
}

/// Options that are read before any file; `space` gets the numbers.
PlanRequest read_request(Arguments& arguments, search::Space& space) {
    PlanRequest request{.output = read_output(arguments),
                        .save_to = writable_file(arguments, "--save"),
                        .target = read_export(arguments, true),
                        .exchanges = read_exchanges(arguments),
                        .lengths = read_length_settings(arguments)};
    if (request.exchanges.size() > 1) {
        arguments.fault("--exchange", "one exchange at a time is compared with the plans' own", "one name");
    }
    space.devices = arguments.required_count("--gpus", "how many GPUs to train on: --gpus 64").value_or(1);
    request.batch = arguments.count("--batch");
    read_memory(arguments, space);
    request.shown = static_cast<std::size_t>(arguments.count("--top", kMaxPlans).value_or(5));
    request.observed = read_observed(arguments);
    request.observed_plan = arguments.text("--observed-plan").value_or("");
    if (request.observed.step && request.observed_plan.empty() && !arguments.has("--from")) {
        arguments.missing("--observed-plan",
                          "the file of the plan that took this time (`dodona plan --save` writes one), or its script "
                          "as --from");
    } else if (!request.observed.step && !request.observed_plan.empty()) {
        arguments.fault("--observed-plan", "the time of its step is missing", "add --observed TIME");
    }
    request.explains = read_explain(arguments, request.output);
    request.simulated = static_cast<std::size_t>(arguments.count("--simulate", kMaxPlans).value_or(0));
    request.exchange_kinds = read_exchange_kinds(arguments);
    request.shown = std::max(request.shown, request.simulated);
    space.top = std::max(plans_to_rank(request), request.target.empty() ? 0 : kPlansToExport);
    space.overlap = overlap_of(arguments);
    return request;
}

/// The job and the plans that are looked at for it.
void read_job(Arguments& arguments, const PlanRequest& request, const Workload& workload, search::Space& space) {
    space.algorithm = algorithm_of(arguments, workload.cluster);
    check_memory(arguments, workload.cluster, space);
    check_devices(arguments, workload.cluster, space.devices);
    space.precision = precision_of(arguments, workload.cluster);
    space.optimizer = optimizer_of(arguments, workload.graph);
    space.offload = offload_of(arguments, workload.cluster);
    space.batch = request.batch.value_or(default_batch(workload.graph, workload.cluster, space.devices));
    check_answers(arguments, workload.graph, space.batch);
    arguments.throw_if_faults();
    space.strategies = strategies_asked_for(arguments, workload.graph, true);
    read_space(arguments, workload.cluster, space, value_names<reports::ExchangeKind>());
    set_software(arguments, workload, space, names_strategies(arguments));
    arguments.throw_if_faults();
}

/// The steps of --observed, to which the software that took them is moved.
ObservedSteps read_observed_steps(Arguments& arguments, const PlanRequest& request, const plan::Plan* current,
                                  const Workload& workload, search::Space& space) {
    ObservedSteps observed{.software = space.software, .runs = {}};
    if (request.observed.any()) {
        const plan::Plan taken = !request.observed_plan.empty()
                                     ? plan_taken(arguments, request.observed_plan, workload, space)
                                 : current != nullptr ? *current
                                                      : plan::Plan{};
        observed.runs = observed_runs(request.observed, workload, taken);
        const step::RunKind job = step::job_kind(workload.graph, space.precision, space.batch, space.devices);
        move_to_observed(space.software, observed.runs, job);
    }
    return observed;
}

/// The plans by their rank.
std::span<const step::Prediction> plans_to_export(const questions::plans::Answer& found) {
    return found.by_lengths.empty() ? std::span<const step::Prediction>(found.found.plans)
                                    : std::span<const step::Prediction>(found.best(), 1);
}

/// The script's plan next to the plans that were found.
questions::plans::CurrentRun current_run(const Arguments& arguments, const PlanRequest& request,
                                         const AskedPlan& current, const ObservedSteps& observed,
                                         const questions::plans::Answer& found) {
    const Workload& workload = current.workload;
    const std::string file = arguments.all("--from").front();
    questions::plans::CurrentRun run{.file = file,
                                     .launcher = library().launch(file, current.plan.devices(), false).target};
    run.predicted = step::predict(workload.graph, workload.cluster, current.plan);
    run.observed = request.observed.step;
    plan::Plan now = current.plan;
    if (!observed.runs.empty()) {
        now.framework = anchored(now.framework, observed.runs, workload.graph, now);
    }
    run.now = observed.runs.empty() ? run.predicted : step::predict(workload.graph, workload.cluster, now);
    run.changed = changed_settings(run.launcher, run.now, found.found.plans, workload);
    return run;
}

/// All that was asked in addition to the plans.
void add_asked(Arguments& arguments, const PlanRequest& request, const Workload& workload, const search::Space& space,
               questions::plans::Answer& answer) {
    if (const std::string kind = arguments.text("--why-not").value_or(""); !kind.empty()) {
        const search::Space of_kind = space_of_kind(arguments, kind, workload, space);
        arguments.throw_if_faults();
        answer.why_not = {.asked = kind, .of_that_kind = search_with_progress(workload, of_kind)};
    }
    answer.with_exchange = with_exchange(workload, request.exchanges, answer.found);
    // As in `dodona tables`, rows have row-wise Adagrad without --optimizer.
    const plan::OptimizerKind of_rows =
        arguments.has("--optimizer") ? space.optimizer : plan::OptimizerKind::rowwise_adagrad;
    answer.tables = placed_tables(workload, space, of_rows);
}

/// The plan of the script of --from as it is, and its job for the search where that was not typed.
std::optional<AskedPlan> take_current_run(Arguments& arguments) {
    if (!arguments.has("--from")) {
        return std::nullopt;
    }
    std::set<std::string> of_plan;
    for (const Option& option : asked_plan_options()) {
        of_plan.insert(option.long_name());
    }
    Arguments asked = arguments.with("--observed", "").with("--strategy", "");
    for (const Option& option : plan_command_options()) {
        if (!of_plan.contains(option.long_name())) {
            asked = asked.with(option.long_name(), "");
        }
    }
    if (asked.list("--software").size() > 1) {  // of the search; the script's plan runs in its own
        asked = asked.with("--software", "");
    }
    AskedPlan current = read_asked_plan(asked);
    if (arguments.has("--rollout")) {
        take_rollout(arguments, asked);
    }
    for (const char* name : {"--gpus", "--batch", "--precision", "--optimizer", "--offload", "--software"}) {
        for (const std::string& value : asked.all(name)) {
            arguments.give(name, value);
        }
    }
    return current;
}

int run_plan(Arguments& arguments) {
    search::Space space;
    std::optional<AskedPlan> current = take_current_run(arguments);
    if (arguments.has("--rollout")) {
        return run_rollout(arguments, current ? std::move(current->workload) : read_workload(arguments));
    }
    const PlanRequest request = read_request(arguments, space);
    const Workload workload = current ? current->workload : read_workload(arguments);
    read_job(arguments, request, workload, space);
    const ObservedSteps observed =
        read_observed_steps(arguments, request, current ? &current->plan : nullptr, workload, space);
    arguments.throw_if_faults();
    questions::plans::Answer answer = find_plans(arguments, request, workload, space, observed);
    bool has_answer = answer.best() != nullptr;
    std::optional<Exported> exported;
    if (!request.target.empty() && has_answer) {
        exported = exported_best(request.target, plans_to_export(answer), workload);
        write_text(request.output, exported->text);
    } else {
        if (current) {
            answer.current = current_run(arguments, request, *current, observed, answer);
        }
        add_asked(arguments, request, workload, space, answer);
        has_answer = !answer.found.plans.empty() || (answer.tables && answer.tables->fit());
        write(request.output, questions::plans::document(answer));
    }
    if (!request.save_to.empty()) {
        save(exported ? &exported->prediction : answer.best(), answer.found.question, request.save_to);
    }
    return interrupted() ? kInterrupted : has_answer ? kAnswered : kNo;
}

}  // namespace

Command plan_command() {
    return {.name = "plan",
            .summary = "which parallelism fits N GPUs, and which of it is fastest",
            .usage = "--machine M --gpus N",
            .positionals = {{.name = "MODEL", .description = "a built-in model or a file", .completes = Names::models}},
            .options = plan_command_options(),
            .examples =
                "Examples:\n"
                "  dodona plan llama-3.1-8b --machine dgx-h100 --gpus 64\n"
                "  dodona plan gpt3-175b --machine selene --gpus 1024 --batch 1536 --save best.yaml\n"
                "  dodona plan gpt3-175b --machine selene --gpus 1024 --batch 1536 --export megatron -o train.sh\n"
                "  dodona plan alexnet --machine abci --gpus 64 --strategy auto\n"
                "  dodona plan gpt3-175b --machine selene --gpus 1024 --batch 1536 --explain\n"
                "  dodona plan llama-3.1-8b --machine dgx-h100 --gpus 64 --why-not tensor=8\n"
                "  dodona plan --from train.sh --machine dgx-h100 --observed train.log\n"
                "  dodona plan qwen3-8b --task grpo --machine dgx-h100 --gpus 32 \\\n"
                "      --rollout prompts=512,samples=8,tokens=2048,longest=8192\n"
                "  dodona plan gpt --set layers=48 --set hidden=6144 --machine my-cluster.yaml --gpus 64",
            .run = run_plan,
            .answer = files::description<questions::plans::Answer>,
            .other_answer = files::description<questions::rollout::Answer>};
}

}  // namespace dodona::cli
