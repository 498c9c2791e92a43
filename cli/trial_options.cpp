#include "cli/trial_options.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/goals.hpp"
#include "cli/workload.hpp"
#include "files/study_file.hpp"
#include "questions/trials/trials.hpp"

namespace dodona::cli {

namespace {

constexpr std::int64_t kMaxNodes = 100'000;
constexpr std::int64_t kMaxDraws = 100'000;
constexpr std::size_t kMaxStopped = 10'000;  ///< trials of which early stopping is played in seconds

const char* const kWhere = "add --machine M, --cores N (of a node) or --slots N";

/// Options of other commands that a trial's prediction takes too.
std::vector<Option> training_options() {
    std::vector<Option> taken;
    for (Option& option : workload_options()) {
        const std::string name = option.long_name();
        if (name == "--precision" || name == "--optimizer" || name == "--software" || name == "--overlap") {
            taken.push_back(std::move(option));
        }
    }
    return taken;
}

std::vector<std::int64_t> sizes_of(Arguments& arguments, const std::string& name) {
    std::vector<std::int64_t> sizes = arguments.counts(name);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// --slots: one node, a core for each trial that runs at once.
TrialResources slots_only(Arguments& arguments, std::int64_t slots) {
    for (const char* other : {"--cores", "--cores-per-trial", "--gpus-per-trial", "--nodes"}) {
        if (arguments.has(other)) {
            arguments.fault(other, "--slots says already how many trials run at once", "leave one of the two out");
        }
    }
    return {.machine = arguments.text("--machine").value_or(""),
            .pool = {.nodes = 1, .node = {.cores = slots}},
            .sizes = {{.cores = 1}}};
}

/// GPUs of the machine's nodes; and whether there are so many nodes.
void take_machine(Arguments& arguments, TrialResources& resources) {
    resources.machine = taken_as(arguments, files::NameOf::cluster, resources.machine);
    const cluster::Cluster cluster = read_machine(resources.machine);
    resources.pool.node.gpus = cluster.node_size();
    const std::int64_t nodes = cluster.devices() / cluster.node_size();
    if (resources.pool.nodes > nodes) {
        arguments.fault("--nodes",
                        fmt::format("{} are more than {} has: {}", resources.pool.nodes, cluster.name, nodes));
    }
}

void check_sizes(Arguments& arguments, const TrialResources& resources) {
    for (const trials::Units& size : resources.sizes) {
        if (resources.pool.slots(size) == 0) {
            const bool by_gpus = size.gpus > 0 && resources.pool.slots({.gpus = size.gpus}) == 0;
            arguments.fault(by_gpus ? "--gpus-per-trial" : "--cores-per-trial",
                            fmt::format("a trial on {} does not fit on {} with {}", questions::trials::units_text(size),
                                        resources.pool.nodes == 1 ? "a node" : "nodes",
                                        questions::trials::units_text(resources.pool.node)),
                            by_gpus ? "as many as a node has, or whole nodes" : "no more than --cores");
        }
    }
}

trials::EarlyStopping read_stopping(Arguments& arguments, const std::string& kind) {
    trials::EarlyStopping stopping{.kind = *value_of<trials::Stopping>(kind)};
    stopping.eta = static_cast<int>(arguments.count("--eta", 1000).value_or(stopping.eta));
    stopping.rungs = static_cast<int>(arguments.count("--rungs", 20).value_or(stopping.rungs));
    stopping.draws = static_cast<int>(arguments.count("--draws", kMaxDraws).value_or(stopping.draws));
    if (stopping.eta < 2) {
        arguments.fault("--eta", "1 would stop nobody", "2 or more: one in so many goes on");
    }
    return stopping;
}

void check_draws(Arguments& arguments) {
    const auto draws = arguments.count("--draws", kMaxDraws);
    if (draws && *draws < 2) {
        arguments.fault("--draws", "one draw has no interval", "2 or more");
    }
    const bool draws_something = arguments.has("--early-stop") || arguments.has("--mtbf");
    for (const char* option : {"--eta", "--rungs"}) {
        if (arguments.has(option) && !arguments.has("--early-stop")) {
            arguments.fault(option, "it is of early stopping",
                            "add --early-stop successive-halving, asha or hyperband");
        }
    }
    if (draws && !draws_something) {
        arguments.fault("--draws", "nothing is drawn", "add --early-stop or --mtbf");
    }
    if (arguments.has("--tries") && !arguments.has("--mtbf")) {
        arguments.fault("--tries", "it is of failures", "add --mtbf 10h, of a running trial");
    }
}

/// --set: one value in the place of a parameter's.
void set_parameters(Arguments& arguments, trials::Study& study) {
    for (const std::string& typed : arguments.all("--set")) {
        const std::size_t equals = typed.find('=');
        const std::string name = typed.substr(0, equals);
        const auto found = std::find_if(study.space.begin(), study.space.end(),
                                        [&](const trials::Parameter& parameter) { return parameter.name == name; });
        if (equals == std::string::npos || equals + 1 == typed.size()) {
            arguments.fault("--set", as_typed(typed) + " is not NAME=VALUE");
        } else if (found == study.space.end()) {
            std::vector<std::string> names;
            for (const trials::Parameter& parameter : study.space) {
                names.push_back(parameter.name);
            }
            arguments.fault("--set",
                            fmt::format("the study has no parameter {}{}", as_typed(name), did_you_mean(name, names)),
                            "its parameters: " + join(names));
        } else {
            *found = {.name = name, .values = {typed.substr(equals + 1)}};
        }
    }
}

}  // namespace

std::vector<Option> trial_options() {
    const std::string nodes = "Nodes";
    const std::string trials = "Trials";
    std::vector<Option> all{
        {"-m,--machine", "M", "a built-in machine or a file: trials run on GPUs of its nodes", nodes, kOnce,
         Names::machines},
        {"--nodes", "N", "of them; 1 without it", nodes},
        {"--cores", "N", "CPU cores of a node", nodes},
        {"--slots", "N", "trials at once, whatever they run on", nodes},
        {"--gpus-per-trial", "G,...", "of several, each trial takes what makes all end soonest; 1 without it", trials},
        {"--cores-per-trial", "C,...", "the same of cores", trials},
        {"--policy", join(value_names<trials::Policy>(), "|"), "which trial starts next; the quickest without it",
         trials},
        {"--observed", "TRIALS.csv",
         "trials that have run, such as the trials.csv of `dodona trials run`:\n"
         "their times, and the others in proportion",
         trials},
        {"--sampling", join(value_names<trials::Sampling>(), "|"),
         "how trials are drawn, instead of what the study says", trials},
        {"--count", "N", "trials that are drawn", trials},
        {"--seed", "N", "of all draws; the study's, or 1", trials},
        {"--set", "NAME=VALUE", "replace a parameter of the study by one value; repeat for several", trials, kRepeats}};
    append(all, training_options());
    return all;
}

std::vector<Option> trial_prediction_options() {
    const std::string group = "Expected values";
    return {{"--early-stop", join(value_names<trials::Stopping>(), "|"), "most trials end after a share of their work",
             group},
            {"--eta", "N", "one in so many goes on; 3 without it", group},
            {"--rungs", "K", "steps on the way to a full trial; 3 without it", group},
            {"--mtbf", "TIME", "mean time between failures of a running trial: 10h", group},
            {"--tries", "N", "attempts of a trial; 3 without it", group},
            {"--draws", "N", "of the expected values; 100 without it", group},
            {"--price", "AMOUNT",
             "of a GPU and hour (2.5USD/h), of a node where trials run on cores;\n"
             "the machine's without it",
             "Cost"}};
}

trials::Study read_asked_study(Arguments& arguments) {
    const std::string file = arguments.required_text("GRID", "the file of a study: docs/files.md#study-file");
    arguments.throw_if_faults();
    trials::Study study = files::read_study(files::load_document(file, file, files::command_line()));
    if (const auto word = arguments.word("--sampling", value_names<trials::Sampling>())) {
        study.draw.sampling = *value_of<trials::Sampling>(*word);
    }
    study.draw.count = static_cast<std::size_t>(
        arguments.count("--count", trials::kMaxTrials).value_or(static_cast<std::int64_t>(study.draw.count)));
    study.draw.seed =
        static_cast<std::uint64_t>(arguments.count("--seed").value_or(static_cast<std::int64_t>(study.draw.seed)));
    set_parameters(arguments, study);
    const bool is_grid = study.draw.sampling == trials::Sampling::grid;
    const auto combinations = trials::combinations(study.space);
    if (is_grid && arguments.has("--count")) {
        arguments.fault("--count", "a grid has all trials", "add --sampling random or latin-hypercube");
    } else if (is_grid && (!combinations || *combinations > trials::kMaxTrials)) {
        arguments.fault("--sampling", combinations ? "the grid has too many trials" : "a range has no grid",
                        "random or latin-hypercube");
    } else if (!is_grid && study.draw.count == 0) {
        arguments.fault("--sampling", "how many trials?", "add --count N");
    }
    arguments.throw_if_faults();
    return study;
}

TrialResources read_trial_resources(Arguments& arguments, const trials::Study& study) {
    const auto slots = arguments.count("--slots", kMaxNodes);
    const auto cores = arguments.count("--cores", kMaxNodes);
    const std::vector<std::int64_t> gpu_sizes = sizes_of(arguments, "--gpus-per-trial");
    const std::vector<std::int64_t> core_sizes = sizes_of(arguments, "--cores-per-trial");
    TrialResources resources{.machine = arguments.text("--machine").value_or("")};
    resources.pool.nodes = arguments.count("--nodes", kMaxNodes).value_or(1);
    if (!study.model.empty() && resources.machine.empty()) {
        arguments.missing("--machine", fmt::format("the time of {} follows from it", study.model));
        arguments.throw_if_faults();
    }
    if (slots) {
        resources = slots_only(arguments, *slots);
        arguments.throw_if_faults();
        return resources;
    }
    if (resources.machine.empty() && !cores) {
        arguments.missing("what trials run on", kWhere);
    } else if (resources.machine.empty() && !gpu_sizes.empty()) {
        arguments.missing("--machine", "its nodes have the GPUs");
    }
    if (!core_sizes.empty() && !cores) {
        arguments.missing("--cores", "how many a node has: --cores 48");
    }
    arguments.throw_if_faults();
    if (!resources.machine.empty()) {
        take_machine(arguments, resources);
    }
    resources.pool.node.cores = cores.value_or(0);
    const std::int64_t usual_gpus = resources.machine.empty() ? 0 : 1;
    const std::int64_t usual_cores = cores && core_sizes.empty() && resources.machine.empty() ? 1 : 0;
    for (const std::int64_t gpus : gpu_sizes.empty() ? std::vector{usual_gpus} : gpu_sizes) {
        for (const std::int64_t of_trial : core_sizes.empty() ? std::vector{usual_cores} : core_sizes) {
            resources.sizes.push_back({.cores = of_trial, .gpus = gpus});
        }
    }
    check_sizes(arguments, resources);
    arguments.throw_if_faults();
    return resources;
}

std::optional<trials::Policy> read_policy(Arguments& arguments) {
    const auto word = arguments.word("--policy", value_names<trials::Policy>());
    return word ? value_of<trials::Policy>(*word) : std::nullopt;
}

void read_prediction_settings(Arguments& arguments, const TrialResources& resources, trials::Question& question) {
    check_draws(arguments);
    if (const auto kind = arguments.word("--early-stop", value_names<trials::Stopping>())) {
        question.stopping = read_stopping(arguments, *kind);
        if (question.trials.size() > kMaxStopped) {
            arguments.fault("--early-stop", fmt::format("it is played for up to {} trials", kMaxStopped));
        }
    }
    if (const auto mtbf = arguments.duration("--mtbf")) {
        question.failures = trials::Failures{.mtbf = *mtbf};
        question.failures->tries = static_cast<int>(arguments.count("--tries", 1000).value_or(3));
        question.failures->draws = static_cast<int>(arguments.count("--draws", kMaxDraws).value_or(100));
    }
    const auto seed = static_cast<std::uint64_t>(arguments.count("--seed").value_or(1));
    if (question.stopping) {
        question.stopping->seed = seed;
    }
    if (question.failures) {
        question.failures->seed = seed;
    }
    std::optional<cluster::Price> price = read_price(arguments);
    if (!price && !resources.machine.empty()) {
        price = read_machine(resources.machine).price;
    }
    if (price) {
        const std::int64_t units = question.pool.nodes * std::max<std::int64_t>(1, question.pool.node.gpus);
        question.rent = trials::Rent{static_cast<double>(units) * price->device, price->currency};
    }
    arguments.throw_if_faults();
}

questions::trials::Times trial_times(Arguments& arguments, const trials::Study& study,
                                     const TrialResources& resources) {
    questions::trials::Times times{.study = study,
                                   .trials = trials::draw_trials(study.space, study.draw),
                                   .sizes = resources.sizes,
                                   .observed = {},
                                   .step = step_time(arguments, study, resources.machine)};
    if (const auto table = arguments.text("--observed")) {
        times.observed = files::load_observed_trials(*table, study.space);
    }
    return times;
}

}  // namespace dodona::cli
