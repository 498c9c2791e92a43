// `dodona plan`: which parallelism fits.
#include "cli/commands.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include <fmt/format.h>

#include "base/ranges.hpp"
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
#include "cli/observed.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/question.hpp"
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
#include "reports/document/number_format.hpp"
#include "search/search.hpp"
#include "search/space.hpp"
#include "step/predict.hpp"

namespace dodona::cli {

namespace {

namespace plans = questions::plans;

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
    const files::Description& own = files::description<plans::Options>();
    append(all, question_options(own, search, false));
    all.push_back(exchange_option());
    append(all, question_options(own, "Lengths", false));
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
    append(all, question_options(own, "Observed", false));
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
    return named_from(folder, parts.framework) + concatenated(parts.mechanisms, [&](const std::string& mechanism) {
               return "+" + named_from(folder, mechanism);
           });
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
    taken.framework = questions::framework_for(space, taken.strategy);
    taken.memory = questions::memory_of(taken.framework, workload.files);
    return taken;
}

/// The plans of a strategy, or with a size or a setting; what was ruled out is allowed again.
plans::Kind kind_asked(Arguments& arguments, const std::string& kind, const plans::Question& question) {
    const Workload& workload = question.workload;
    search::Space space = question.space;
    space.fixed.clear();
    space.excluded.clear();
    space.top = 1;
    const std::vector<std::string> known = workload.files.strategies();
    const auto meant = workload.files.resolve_alias(files::NameOf::strategy, kind);
    const bool is_strategy = meant || files::is_path(kind) || contains(known, kind);
    if (is_strategy) {
        space.strategies = {read_strategy(kind)};
        space.strategies.front().considered = {};
    } else {
        space.strategies = questions::strategies_made_for(workload);
        fix_kind(arguments, "--why-not", space);
    }
    if (!questions::is_observed(space)) {
        space = in_software(arguments, question.software, workload, std::move(space), is_strategy);
    }
    return {kind, std::move(space)};
}

/// The kinds of exchanges that --vary names; none without them.
std::optional<reports::ExchangeKinds> read_exchange_kinds(Arguments& arguments) {
    reports::ExchangeKinds kinds{};
    for (const std::string& typed : arguments.list("--vary")) {
        for (const reports::ExchangeKind kind : reports::kExchangeKinds) {
            kinds[static_cast<std::size_t>(kind)] |= typed == name(kind);
        }
    }
    const bool any = std::find(kinds.begin(), kinds.end(), true) != kinds.end();
    if (any && arguments.has("--exchange")) {
        arguments.fault("--exchange", "exchanges vary with --vary", "one of both");
    }
    return any ? std::optional(kinds) : std::nullopt;
}

std::vector<exchange::Exchange> exchanges_of_kinds(const reports::ExchangeKinds& kinds) {
    std::vector<exchange::Exchange> exchanges;
    for (const std::string& name : library().exchanges()) {
        exchange::Exchange one = library().exchange(name, {});
        if (kinds[static_cast<std::size_t>(reports::kind_of(one))]) {
            exchanges.push_back(std::move(one));
        }
    }
    return exchanges;
}

/// What can be read before model and machine are known.
struct PlanRequest {
    Output output;
    plans::Options options;
    std::string save_to;                                   ///< file for the best plan; empty: none
    std::string target;                                    ///< launcher whose settings are written; empty: none
    std::vector<exchange::Exchange> exchanges;             ///< one at most
    std::optional<reports::ExchangeKinds> exchange_kinds;  ///< that vary
    questions::ObservedOptions observed;
    bool explains = false;
    std::int64_t devices = 1;
    std::optional<std::int64_t> batch;  ///< none: the default of the network
};

PlanRequest read_request(Arguments& arguments) {
    PlanRequest request{.output = read_output(arguments), .options = {}, .save_to = writable_file(arguments, "--save")};
    read_options(arguments, files::description<plans::Options>(), &request.options);
    add_faults(arguments, questions::contradictions(request.options.lengths));
    request.target = read_export(arguments, true);
    request.exchanges = read_exchanges(arguments);
    if (request.exchanges.size() > 1) {
        arguments.fault("--exchange", "one exchange at a time is compared with the plans' own", "one name");
    }
    request.devices = required_gpus(arguments, "how many GPUs to train on: --gpus 64");
    request.observed = read_observed(arguments);
    const bool names_plan = !request.options.observed_plan.empty();
    if (request.observed.step && !names_plan && !arguments.has("--from")) {
        arguments.missing("--observed-plan",
                          "the file of the plan that took this time (`dodona plan --save` writes one), or its script "
                          "as --from");
    } else if (!request.observed.step && names_plan) {
        arguments.fault("--observed-plan", "the time of its step is missing", "add --observed TIME");
    }
    request.batch = arguments.count("--batch");
    check_words_of_space(arguments);
    request.explains = read_explain(arguments, request.output);
    request.exchange_kinds = read_exchange_kinds(arguments);
    return request;
}

/// The steps of --observed; none without it.
std::vector<validate::ObservedRun> read_observed_steps(Arguments& arguments, const PlanRequest& request,
                                                       const questions::OnePlan* current,
                                                       const plans::Question& question) {
    if (!request.observed.any()) {
        return {};
    }
    const std::string& file = request.options.observed_plan;
    const plan::Plan taken = !file.empty()        ? plan_taken(arguments, file, question.workload, question.space)
                             : current != nullptr ? current->plan
                                                  : plan::Plan{};
    questions::ObservedRuns observed = questions::observed_runs(request.observed, question.workload, taken);
    print_notes(observed.notes);
    return std::move(observed.runs);
}

/// `current`: null: there is none.
plans::Question read_question(Arguments& arguments, const PlanRequest& request, Workload workload,
                              const questions::OnePlan* current) {
    const plans::Options& options = request.options;
    plans::Question question{.workload = std::move(workload),
                             .space = {},
                             .names_strategies = names_strategies(arguments),
                             .names_batch = arguments.has("--batch"),
                             .settings = settings_given(arguments),
                             .shown = static_cast<std::size_t>(std::max(options.top, options.simulated)),
                             .simulated = static_cast<std::size_t>(options.simulated),
                             .explains = request.explains,
                             .save_to = request.save_to,
                             .exchange_kinds = request.exchange_kinds,
                             .lengths = options.lengths};
    const auto& [graph, cluster] = std::tie(question.workload.graph, question.workload.cluster);
    question.software = read_software(arguments, question.workload);
    question.space = job_space(arguments, question.workload, question.software, SpaceOf::plans);
    search::Space& space = question.space;
    space.devices = request.devices;
    check_devices(arguments, cluster, space.devices);
    space.batch = request.batch.value_or(default_batch(graph, cluster, space.devices));
    check_answers(arguments, graph, space.batch);
    arguments.throw_if_faults();
    const std::vector<std::string> strategies = arguments.list("--strategy");
    question.by_layers = std::find(strategies.begin(), strategies.end(), search::kByLayers) != strategies.end();
    question.observed = {.software = space.software,
                         .runs = read_observed_steps(arguments, request, current, question)};
    if (!question.observed.runs.empty()) {
        space.software =
            questions::moved_to_observed(std::move(space.software), question.observed.runs,
                                         step::job_kind(graph, space.precision, space.batch, space.devices));
    }
    if (request.exchange_kinds) {
        question.exchanges = exchanges_of_kinds(*request.exchange_kinds);
    }
    space.top = std::max(plans::plans_to_rank(question), request.target.empty() ? 0 : kPlansToExport);
    if (request.target.empty()) {
        if (!options.why_not.empty()) {
            question.why_not = kind_asked(arguments, options.why_not, question);
        }
        if (!request.exchanges.empty()) {
            question.exchange = request.exchanges.front();
        }
        // As in `dodona tables`, rows have row-wise Adagrad without --optimizer.
        question.table_optimizer =
            arguments.has("--optimizer") ? space.optimizer : plan::OptimizerKind::rowwise_adagrad;
    }
    arguments.throw_if_faults();
    return question;
}

/// Meshes that a search has seen, on a terminal.
class MeshProgress {
public:
    bool operator()(std::int64_t seen, std::int64_t all) {
        line_.show(seen, all);
        seen_ = seen;
        all_ = all;
        return !interrupted();
    }
    void clear() { line_.clear(); }
    /// Clears the line, and says where the search was stopped.
    void end() {
        line_.clear();
        if (interrupted() && seen_ < all_) {
            note("stopped; this is the best of {} of {} meshes", reports::whole(seen_), reports::whole(all_));
        }
    }

private:
    ProgressLine line_{"meshes"};
    std::int64_t seen_ = 0;
    std::int64_t all_ = 0;
};

/// With progress on a terminal and Ctrl-C.
plans::Answer with_progress(const plans::Question& question) {
    listen_for_interrupt();
    MeshProgress meshes;
    ProgressLine changes("changes");
    plans::Answer answer = plans::ask(question, {.meshes = std::ref(meshes),
                                                 .changes =
                                                     [&](std::int64_t done, std::int64_t all) {
                                                         meshes.clear();
                                                         changes.show(done, all);
                                                         return !interrupted();
                                                     },
                                                 .continues = [] { return !interrupted(); }});
    changes.clear();
    meshes.end();
    if (answer.found.explanation && !answer.found.explanation->complete) {
        note("stopped; ? marks what was not looked at");
    }
    return answer;
}

/// The plans by their rank.
std::span<const step::Prediction> plans_to_export(const plans::Answer& found) {
    return found.by_lengths.empty() ? std::span<const step::Prediction>(found.found.plans)
                                    : std::span<const step::Prediction>(found.best(), 1);
}

/// The script's plan next to the plans that were found.
plans::CurrentRun current_run(const Arguments& arguments, const plans::Question& question,
                              const questions::OnePlan& current, std::optional<Seconds> observed,
                              const plans::Answer& found) {
    const Workload& workload = current.workload;
    const std::string file = arguments.all("--from").front();
    plans::CurrentRun run{.file = file, .launcher = library().launch(file, current.plan.devices(), false).target};
    run.predicted = step::predict(workload.graph, workload.cluster, current.plan);
    run.observed = observed;
    run.now = run.predicted;
    if (const auto& runs = question.observed.runs; !runs.empty()) {
        plan::Plan now = current.plan;
        now.framework = questions::anchored(now.framework, runs, workload, now);
        run.now = step::predict(workload.graph, workload.cluster, now);
    }
    run.changed = changed_settings(run.launcher, run.now, found.found.plans, workload);
    return run;
}

/// The plan of the script of --from as it is, and its job for the search where that was not typed.
std::optional<questions::OnePlan> take_current_run(Arguments& arguments) {
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
    questions::OnePlan current = read_asked_plan(asked);
    if (arguments.has("--rollout")) {
        take_rollout(arguments, asked);
    }
    for (const char* name :
         {"--gpus", "--batch", "--precision", "--gradient-precision", "--optimizer", "--offload", "--software"}) {
        for (const std::string& value : asked.all(name)) {
            arguments.give(name, value);
        }
    }
    return current;
}

int run_plan(Arguments& arguments) {
    std::optional<questions::OnePlan> current = take_current_run(arguments);
    if (arguments.has("--rollout")) {
        return run_rollout(arguments, current ? std::move(current->workload) : read_workload(arguments));
    }
    const PlanRequest request = read_request(arguments);
    const plans::Question question = read_question(
        arguments, request, current ? current->workload : read_workload(arguments), current ? &*current : nullptr);
    plans::Answer answer = with_progress(question);
    bool has_answer = answer.best() != nullptr;
    std::optional<Exported> exported;
    if (!request.target.empty() && has_answer) {
        exported = exported_best(request.target, plans_to_export(answer), question.workload);
        write_text(request.output, exported->text);
    } else {
        if (current) {
            answer.current = current_run(arguments, question, *current, request.observed.step, answer);
        }
        has_answer = !answer.found.plans.empty() || (answer.tables && answer.tables->fit());
        write(request.output, plans::document(answer));
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
            .answer = files::description<plans::Answer>,
            .other_answer = files::description<questions::rollout::Answer>};
}

}  // namespace dodona::cli
