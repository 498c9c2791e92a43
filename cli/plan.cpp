#include "cli/plan.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "base/whole_file.hpp"
#include "cli/exchange_options.hpp"
#include "cli/exchange_search.hpp"
#include "cli/exit_code.hpp"
#include "cli/explain.hpp"
#include "cli/files.hpp"
#include "cli/interrupt.hpp"
#include "cli/job_space.hpp"
#include "cli/launch.hpp"
#include "cli/length_options.hpp"
#include "cli/note.hpp"
#include "cli/observed.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/remedies.hpp"
#include "cli/schema_comment.hpp"
#include "cli/software.hpp"
#include "cli/space_options.hpp"
#include "cli/usual_software.hpp"
#include "cli/workload.hpp"
#include "files/plan_file.hpp"
#include "files/strategy_file.hpp"
#include "files/yaml_writer.hpp"
#include "play/simulated_step.hpp"
#include "reports/collect/exchange_report.hpp"
#include "reports/collect/plan_report.hpp"
#include "reports/collect/tables_report.hpp"
#include "reports/collect/why_not.hpp"
#include "reports/document/number_format.hpp"
#include "search/batches.hpp"
#include "search/crossover_search.hpp"
#include "search/layer_search.hpp"
#include "search/ranking.hpp"
#include "search/search.hpp"
#include "search/space.hpp"
#include "tables/step_time.hpp"

namespace dodona::cli {

namespace {

constexpr std::int64_t kMostPlans = 1000;
constexpr std::size_t kPlansToPack = 32;   ///< that --lengths ranks
constexpr std::size_t kChoicesShown = 10;  ///< of plans with other exchanges, at least

std::vector<Option> plan_command_options() {
    std::vector<Option> all = workload_options();
    const std::string search = "Search";
    all.push_back({.names = "--strategy",
                   .value = "A,B,...",
                   .description = "built-in strategies, files, or `auto` (layer by layer); default: all\n"
                                  "but *-paradl",
                   .group = search,
                   .completes = Names::strategies});
    for (Option& option : space_options()) {
        if (option.names == "--vary") {
            option.description +=
                "\nand on the fastest plans: exchange (the same sum of gradients, otherwise\n"
                "made), compress (compressed gradients), asynchronous (replicas that\n"
                "differ or are stale), of `dodona exchanges`";
        }
        all.push_back(std::move(option));
    }
    all.push_back({.names = "--top", .value = "K", .description = "plans to list; default: 5", .group = search});
    all.push_back({.names = "--simulate",
                   .value = "K",
                   .description = "play the steps of the first K plans task by task, and rank them by that",
                   .group = search});
    all.push_back({.names = "--why-not",
                   .value = "KIND",
                   .description = "the best plan of that kind, how much slower it is and through what,\n"
                                  "or what stops it: zero3, tensor=8, recompute=full",
                   .group = search});
    all.push_back(exchange_option());
    for (Option& option : length_options()) {
        all.push_back(std::move(option));
    }
    all.push_back(export_option());
    all.push_back({.names = "--save",
                   .value = "FILE",
                   .description = "write the best plan as a file that `dodona predict --plan` reads",
                   .group = "Output"});
    all.push_back(
        explain_option("which parameters the answer is sensitive to, and at which value of\n"
                       "each another plan is better"));
    all.push_back(observed_option("of the plan that --observed-plan names"));
    all.push_back({.names = "--observed-plan",
                   .value = "FILE",
                   .description = "the plan file of the step that --observed gives",
                   .group = "Observed"});
    for (Option& option : output_options()) {
        all.push_back(std::move(option));
    }
    return all;
}

bool by_layers(Arguments& arguments) {
    const std::vector<std::string> names = arguments.list("--strategy");
    return std::find(names.begin(), names.end(), search::kByLayers) != names.end();
}

std::vector<std::string> names_of(const std::vector<plan::Strategy>& strategies) {
    std::vector<std::string> names;
    for (const plan::Strategy& strategy : strategies) {
        names.push_back(strategy.name);
    }
    return names;
}

/// As a plan in `folder` has to name what is named relative to the working folder.
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

void save(const search::Answer& answer, const std::string& file) {
    if (answer.plans.empty()) {
        note("nothing fits, so {} is not written", file);
        return;
    }
    plan::Plan best = answer.plans.front().plan;
    const std::string title = fmt::format("{} on {}", answer.question.model, answer.question.machine);
    best.framework.reference =
        framework_named_from(std::filesystem::path(file).parent_path(), best.framework.reference);
    const std::string text =
        is_built_in(best.strategy) ? files::to_yaml(best, title, best.strategy.name) : files::to_yaml(best, title);
    write_whole(file, schema_comment("plan", file) + text);
}

/// The plan that was observed, with the framework of the search.
plan::Plan plan_taken(Arguments& arguments, const std::string& file, const Workload& workload,
                      const search::Space& space) {
    plan::Plan taken = library().plan(file, {});
    if (taken.devices() > workload.cluster.devices()) {
        arguments.fault("--observed-plan", fmt::format("{} has {} GPUs, more than {} has: {}", file, taken.devices(),
                                                       workload.cluster.name, workload.cluster.devices()));
    }
    arguments.throw_if_faults();
    taken.framework = space.framework;
    taken.memory = space.memory;
    return taken;
}

/// The search, with progress on a terminal and Ctrl-C.
search::Answer search_with_progress(const Workload& workload, const search::Space& space, bool layers) {
    listen_for_interrupt();
    ProgressLine line("meshes");
    std::int64_t seen_last = 0;
    std::int64_t in_all = 0;
    const search::Progress progress = [&](std::int64_t seen, std::int64_t all) {
        line.show(seen, all);
        seen_last = seen;
        in_all = all;
        return !interrupted();
    };
    search::Answer answer = layers ? search::search_layers(workload.graph, workload.cluster, space, progress)
                                   : search::search(workload.graph, workload.cluster, space, progress);
    line.clear();
    if (interrupted()) {
        note("stopped; this is the best of {} of {} meshes", reports::whole(seen_last), reports::whole(in_all));
    }
    return answer;
}

/// The space of plans of one kind: those of a strategy, or with a size or a setting; what was ruled out is allowed again.
search::Space space_of_kind(Arguments& arguments, const std::string& kind, const Workload& workload,
                            search::Space space) {
    space.fixed.clear();
    space.excluded.clear();
    space.top = 1;
    const std::vector<std::string> known = library().strategies();
    const auto meant = library().meant(files::NameOf::strategy, kind);
    const bool is_strategy =
        meant || files::is_path(kind) || std::find(known.begin(), known.end(), kind) != known.end();
    if (is_strategy) {
        space.strategies = {read_strategy(kind)};
        space.strategies.front().considered = {};
    } else {
        space.strategies = strategies_made_for(workload.graph);
        fix_kind(arguments, "--why-not", space);
    }
    return space;
}

/// Plays the first `count` plans and ranks them anew; of those that are equally fast as the fastest the one that was first
/// stays first. What is not played when the user stops keeps its rank, after those that are.
void rank_by_playing(const Workload& workload, std::size_t count, search::Answer& answer) {
    std::vector<Seconds> times;
    while (times.size() < std::min(count, answer.plans.size()) && !interrupted()) {
        times.push_back(play::simulate_step(workload.graph, workload.cluster, answer.plans[times.size()].plan).time());
    }
    const std::vector<step::Prediction> before = answer.plans;
    for (const std::size_t place : search::ranked_again(times)) {
        answer.plans[answer.played.size()] = before[place];
        answer.played.push_back(times[place]);
    }
}

/// Other batches that divide better; where nothing fits, what would.
void look_beyond(Arguments& arguments, const Workload& workload, const search::Space& space, search::Answer& answer) {
    if (interrupted()) {
        return;
    }
    const search::Progress go_on = [](std::int64_t, std::int64_t) { return !interrupted(); };
    answer.other_batches = search::better_batches(workload.graph, workload.cluster, space, answer, go_on);
    if (answer.plans.empty()) {
        answer.remedies =
            search::remedies(ladders(arguments, workload, space,
                                     answer.nearest.empty() ? Bytes{} : answer.nearest.front().memory.total()),
                             go_on);
    }
}

/// The ranked plans with an exchange in the place of their own.
void add_exchange(const Workload& workload, const exchange::Exchange& exchange, const search::Answer& answer,
                  reports::Document& document) {
    std::vector<reports::PlanExchange> plans;
    for (const step::Prediction& plan : answer.plans) {
        const auto replicas = exchange::find_replicas(workload.graph, workload.cluster, plan);
        plans.push_back({plan, replicas ? std::optional(exchange::replica_exchange(exchange, workload.cluster,
                                                                                   *replicas, plan.plan.batch))
                                        : std::nullopt});
    }
    if (!plans.empty()) {
        reports::add_plan_exchanges(document, exchange.name, plans);
    }
}

/// Plans by their tokens a second with samples of different lengths, the equally fast as the search has them.
/// What was not looked at when the user stopped is left out.
std::vector<reports::PlanLengths> ranked_by_lengths(const LengthSettings& settings, const Workload& workload,
                                                    const std::vector<step::Prediction>& plans) {
    LengthAnswers lengths(settings, workload);
    std::vector<reports::PlanLengths> looked_at;
    std::vector<Seconds> of_a_token;
    for (const step::Prediction& plan : plans) {
        if (!looked_at.empty() && interrupted()) {
            break;
        }
        looked_at.push_back({.plan = plan, .even_rank = looked_at.size() + 1, .lengths = lengths.of(plan.plan)});
        of_a_token.push_back(Seconds::of_base(1 / looked_at.back().tokens_per_second()));
    }
    std::vector<reports::PlanLengths> ranked;
    for (const std::size_t place : search::ranked_again(of_a_token)) {
        ranked.push_back(std::move(looked_at[place]));
    }
    return ranked;
}

/// Embedding tables placed one by one, in the answer's document. Whether they fit; false without tables.
bool add_tables(const Workload& workload, const search::Space& space, plan::OptimizerKind of_rows,
                const search::Answer& answer, reports::Document& document) {
    if (tables::tables_of(workload.graph).empty()) {
        return false;
    }
    const tables::StepQuestion question{.graph = workload.graph,
                                        .cluster = workload.cluster,
                                        .devices = space.devices,
                                        .batch = space.batch,
                                        .precision = space.precision,
                                        .format = {.moments = plan::optimizer(of_rows).table}};
    const tables::StepForecast placed = tables::forecast(question);
    reports::add_placed_tables(document, {workload.model, workload.machine}, question, placed,
                               answer.plans.empty() ? nullptr : &answer.plans.front());
    return placed.placement.homeless.empty();
}

int run_plan(Arguments& arguments) {
    const Output output = read_output(arguments);
    const std::string save_to = writable_file(arguments, "--save");
    const std::string target = read_export(arguments);
    const std::vector<exchange::Exchange> exchanges = read_exchanges(arguments);
    if (exchanges.size() > 1) {
        arguments.fault("--exchange", "one exchange at a time is compared with the plans' own", "one name");
    }
    const std::optional<LengthSettings> lengths = read_length_settings(arguments);
    search::Space space;
    space.devices = arguments.required_count("--gpus", "how many GPUs to train on: --gpus 64").value_or(1);
    const auto batch = arguments.count("--batch");
    read_memory(arguments, space);
    space.top = static_cast<std::size_t>(arguments.count("--top", kMostPlans).value_or(5));
    const ObservedSettings observed = read_observed(arguments);
    const std::string observed_plan = arguments.text("--observed-plan").value_or("");
    if (observed.step && observed_plan.empty()) {
        arguments.missing("--observed-plan",
                          "the file of the plan that took this time; `dodona plan --save` writes one");
    } else if (!observed.step && !observed_plan.empty()) {
        arguments.fault("--observed-plan", "the time of its step is missing", "add --observed TIME");
    }
    const bool explains = read_explain(arguments, output);
    const std::size_t simulated = static_cast<std::size_t>(arguments.count("--simulate", kMostPlans).value_or(0));
    const auto exchange_kinds = read_exchange_kinds(arguments);
    const std::size_t shown = std::max(space.top, simulated);
    space.top = explains ? std::max(shown, search::kCompetitors) : shown;
    space.top = exchange_kinds ? std::max(space.top, kPlansToExchange) : space.top;
    space.top = lengths ? std::max(space.top, kPlansToPack) : space.top;
    space.overlap = overlap_of(arguments);
    const Workload workload = read_workload(arguments);
    space.algorithm = algorithm_of(arguments, workload.cluster);
    check_memory(arguments, workload.cluster, space);
    check_devices(arguments, workload.cluster, space.devices);
    space.precision = precision_of(arguments, workload.cluster);
    space.optimizer = optimizer_of(arguments, workload.graph);
    space.offload = offload_of(arguments, workload.cluster);
    space.batch = batch.value_or(default_batch(workload.graph, space.devices));
    check_answers(arguments, workload.graph, space.batch);
    arguments.throw_if_faults();
    space.strategies = strategies_asked_for(arguments, workload.graph, true);
    set_software(arguments, workload, space);
    const plan::Framework framework = space.framework;
    std::vector<validate::ObservedRun> runs;
    if (observed.any()) {
        const plan::Plan taken =
            observed_plan.empty() ? plan::Plan{} : plan_taken(arguments, observed_plan, workload, space);
        runs = observed_runs(observed, workload, taken);
        const step::RunKind job = step::job_kind(workload.graph, space.precision, space.batch, space.devices);
        space.framework = validate::anchored(framework, runs, job);
        space.top = std::max(space.top, search::kCompetitors);
    }
    read_space(arguments, workload.cluster, space, value_names<reports::ExchangeKind>());
    arguments.throw_if_faults();
    search::Answer answer = search_with_progress(workload, space, by_layers(arguments));
    if (observed.any()) {
        rank_as_observed(workload, framework, runs, answer);
    }
    answer.question = {.model = workload.model,
                       .machine = workload.machine,
                       .devices = space.devices,
                       .batch = space.batch,
                       .precision = space.precision,
                       .strategies = names_of(space.strategies),
                       .model_source = workload.graph.source,
                       .machine_source = workload.cluster.source,
                       .parameters = graph::count(workload.graph).parameters,
                       .settings = settings_given(arguments)};
    if (answer.layers) {
        answer.question.strategies.emplace_back(search::kByLayers);
    }
    look_beyond(arguments, workload, space, answer);
    if (!arguments.has("--framework") && !interrupted()) {
        answer.in_usual_framework = in_usual_framework(workload, space, answer);
    }
    rank_by_playing(workload, simulated, answer);
    reports::ExchangeSearch by_exchange;
    const std::vector<step::Prediction> tried = exchange_kinds ? answer.plans : std::vector<step::Prediction>{};
    if (exchange_kinds && !answer.plans.empty()) {
        by_exchange = search_exchanges(*exchange_kinds, workload, tried);
    }
    if (explains) {
        const search::Searcher again = by_layers(arguments) ? search::search_layers : nullptr;
        explain({workload.graph, workload.cluster, space, again}, answer);
    }
    std::vector<reports::PlanLengths> by_lengths;
    if (lengths && !answer.plans.empty()) {
        by_lengths = ranked_by_lengths(*lengths, workload, answer.plans);
    }
    answer.plans.resize(std::min(answer.plans.size(), shown));
    bool has_answer = !answer.plans.empty();
    if (!target.empty() && !answer.plans.empty()) {
        const step::Prediction& best = by_lengths.empty() ? answer.plans.front() : by_lengths.front().plan;
        write_text(output, exported_text(target, best, workload));
    } else {
        reports::Document document = reports::plan_document(answer, save_to);
        if (const std::string kind = arguments.text("--why-not").value_or(""); !kind.empty()) {
            const search::Space of_kind = space_of_kind(arguments, kind, workload, space);
            arguments.throw_if_faults();
            reports::add_why_not(document, answer, kind, search_with_progress(workload, of_kind, false));
        }
        if (!by_lengths.empty()) {
            reports::add_plan_lengths(document, by_lengths, shown);
        }
        if (!by_exchange.choices.empty()) {
            reports::add_exchange_search(document, by_exchange, std::max(shown, kChoicesShown));
        }
        for (const exchange::Exchange& exchange : exchanges) {
            add_exchange(workload, exchange, answer, document);
        }
        // As in `dodona tables`, rows have row-wise Adagrad where nobody says which optimizer.
        const plan::OptimizerKind of_rows =
            arguments.has("--optimizer") ? space.optimizer : plan::OptimizerKind::rowwise_adagrad;
        has_answer = add_tables(workload, space, of_rows, answer, document) || has_answer;
        write(output, document);
    }
    if (!save_to.empty()) {
        if (!by_lengths.empty()) {
            answer.plans.front() = by_lengths.front().plan;
        }
        save(answer, save_to);
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
                "  dodona plan resnet50 --machine abci --gpus 64\n"
                "  dodona plan gpt3-175b --machine selene --gpus 1024 --batch 1536 --save best.yaml\n"
                "  dodona plan gpt3-175b --machine selene --gpus 1024 --batch 1536 --export megatron -o train.sh\n"
                "  dodona plan alexnet --machine abci --gpus 64 --strategy auto\n"
                "  dodona plan gpt3-175b --machine selene --gpus 1024 --batch 1536 --explain\n"
                "  dodona plan llama-3.1-8b --machine dgx-h100 --gpus 64 --why-not tensor=8\n"
                "  dodona plan gpt --set layers=48 --set hidden=6144 --machine my-cluster.yaml --gpus 64",
            .run = run_plan};
}

}  // namespace dodona::cli
