#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "questions/trials/options.hpp"
#include "questions/trials/trials.hpp"

namespace dodona::questions::trials {

namespace {

using dodona::trials::Sampling;
using dodona::trials::Study;
using dodona::trials::Units;

constexpr std::size_t kMaxStopped = 10'000;  ///< trials of which early stopping is simulated in seconds

/// The sizes that a trial may take: ascending, each once.
std::vector<std::int64_t> sorted_sizes(std::vector<std::int64_t> sizes, std::int64_t otherwise) {
    if (sizes.empty()) {
        return {otherwise};
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// One value in the place of a parameter's, "NAME=VALUE".
void set_parameter(Study& study, const std::string& typed, Faults& faults) {
    const std::size_t equals = typed.find('=');
    const std::string name = typed.substr(0, equals);
    auto* found = found_in(study.space, &dodona::trials::Parameter::name, name);
    if (equals == std::string::npos || equals + 1 == typed.size()) {
        faults.push_back({"set", fmt::format("\"{}\" is not NAME=VALUE", typed), {}});
    } else if (found == nullptr) {
        const auto names = mapped<std::string>(study.space, &dodona::trials::Parameter::name);
        faults.push_back({"set", fmt::format("the study has no parameter \"{}\"{}", name, did_you_mean(name, names)),
                          "its parameters: " + join(names)});
    } else {
        *found = {.name = name, .values = {typed.substr(equals + 1)}};
    }
}

void check_draws(const Study& study, bool counts, Faults& faults) {
    const bool is_grid = study.draw.sampling == Sampling::grid;
    const auto combinations = dodona::trials::combinations(study.space);
    if (is_grid && counts) {
        faults.push_back({"count", "a grid has all trials", "add --sampling random or latin-hypercube"});
    } else if (is_grid && (!combinations || *combinations > dodona::trials::kMaxTrials)) {
        faults.push_back({"sampling", combinations ? "the grid has too many trials" : "a range has no grid",
                          "random or latin-hypercube"});
    } else if (!is_grid && study.draw.count == 0) {
        faults.push_back({"sampling", "how many trials?", "add --count N"});
    }
}

void check_size(const Resources& resources, const Units& size, Faults& faults) {
    if (resources.pool.slots(size) > 0) {
        return;
    }
    const bool by_gpus = size.gpus > 0 && resources.pool.slots({.gpus = size.gpus}) == 0;
    faults.push_back({by_gpus ? "gpus_per_trial" : "cores_per_trial",
                      fmt::format("a trial on {} does not fit on {} with {}", units_text(size),
                                  resources.pool.nodes == 1 ? "a node" : "nodes", units_text(resources.pool.node)),
                      by_gpus ? "as many as a node has, or whole nodes" : "no more than --cores"});
}

}  // namespace

Faults contradictions(const Options& options) {
    Faults faults;
    if (options.slots) {
        const auto too = [&](bool given, const char* option) {
            if (given) {
                faults.push_back(
                    {option, "--slots says already how many trials run at once", "leave one of the two out"});
            }
        };
        too(options.cores.has_value(), "cores");
        too(!options.cores_per_trial.empty(), "cores_per_trial");
        too(!options.gpus_per_trial.empty(), "gpus_per_trial");
        too(options.nodes.has_value(), "nodes");
        return faults;
    }
    if (options.machine.empty() && !options.cores) {
        faults.push_back(
            {"machine", "what trials run on is missing", "add --machine M, --cores N (of a node) or --slots N"});
    } else if (options.machine.empty() && !options.gpus_per_trial.empty()) {
        faults.push_back({"machine", {}, "its nodes have the GPUs"});
    }
    if (!options.cores_per_trial.empty() && !options.cores) {
        faults.push_back({"cores", {}, "how many a node has: --cores 48"});
    }
    return faults;
}

Faults contradictions(const PredictionOptions& options) {
    Faults faults;
    if (options.early_stop && options.eta.value_or(3) < 2) {
        faults.push_back({"eta", "1 would stop no trial", "2 or more: one in so many continues"});
    }
    if (options.draws.value_or(2) < 2) {
        faults.push_back({"draws", "one draw has no interval", "2 or more"});
    }
    for (const auto& [option, given] : {std::pair{"eta", options.eta}, std::pair{"rungs", options.rungs}}) {
        if (given && !options.early_stop) {
            faults.push_back(
                {option, "it is of early stopping", "add --early-stop successive-halving, asha or hyperband"});
        }
    }
    if (options.draws && !options.early_stop && !options.mtbf) {
        faults.push_back({"draws", "nothing is drawn", "add --early-stop or --mtbf"});
    }
    if (options.tries && !options.mtbf) {
        faults.push_back({"tries", "it is of failures", "add --mtbf 10h, of a running trial"});
    }
    return faults;
}

Faults contradictions(const RunOptions& options, const Options& shared) {
    Faults faults;
    const std::vector<std::string> names = dodona::trials::names_in(options.launch);
    std::vector<std::string> known(dodona::trials::kRunNames.begin(), dodona::trials::kRunNames.end());
    known.emplace_back(dodona::trials::kCommandName);
    for (const std::string& name : names) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            faults.push_back({"launch", fmt::format("it knows no {{{}}}{}", name, did_you_mean(name, known)),
                              "known: " + join(known)});
        }
    }
    if (options.into.empty()) {
        faults.push_back({"into", {}, "a folder for the results"});
    }
    if (!options.launch.empty() && std::find(names.begin(), names.end(), dodona::trials::kCommandName) == names.end()) {
        faults.push_back(
            {"launch", "it does not say where the trial's command stands", "such as 'ssh {node} {command}'"});
    }
    const auto hosts = static_cast<std::int64_t>(options.hosts.size());
    if (options.launch.empty() && hosts > 0) {
        faults.push_back({"hosts", "without --launch all trials run here", "add --launch 'ssh {node} {command}'"});
    }
    if (options.launch.empty() && shared.nodes.value_or(1) > 1) {
        faults.push_back({"nodes", "without --launch all trials run here", "add --launch 'srun ... sh -c {command}'"});
    }
    if (hosts > 0 && shared.nodes.value_or(hosts) != hosts) {
        faults.push_back({"nodes", fmt::format("--hosts names {}", hosts), "leave it out"});
    }
    if (options.eta && options.early_stop != dodona::trials::StoppingRule::asha) {
        faults.push_back({"eta", "it is of early stopping", "add --early-stop asha"});
    }
    if (options.eta.value_or(3) < 2) {
        faults.push_back({"eta", "1 would keep all trials", "2 or more: one in so many is kept"});
    }
    return faults;
}

Asked<Study> changed_study(Study study, const Options& options) {
    Faults faults;
    study.draw.sampling = options.sampling.value_or(study.draw.sampling);
    study.draw.count = static_cast<std::size_t>(options.count.value_or(static_cast<std::int64_t>(study.draw.count)));
    study.draw.seed = static_cast<std::uint64_t>(options.seed.value_or(static_cast<std::int64_t>(study.draw.seed)));
    for (const std::string& typed : options.set) {
        set_parameter(study, typed, faults);
    }
    check_draws(study, options.count.has_value(), faults);
    if (!study.model.empty() && options.machine.empty()) {
        faults.push_back({"machine", {}, fmt::format("the time of {} follows from it", study.model)});
    }
    return faults.empty() ? Asked<Study>(std::move(study)) : faults;
}

Asked<Resources> resources(const Options& options, const cluster::Cluster* machine) {
    if (options.slots) {  // one node, a core for each trial that runs at once
        return Resources{.machine = options.machine,
                         .pool = {.nodes = 1, .node = {.cores = *options.slots}},
                         .sizes = {{.cores = 1}}};
    }
    Faults faults;
    Resources resources{.machine = options.machine, .pool = {.nodes = options.nodes.value_or(1)}, .sizes = {}};
    if (machine != nullptr) {
        resources.pool.node.gpus = machine->node_size();
        const std::int64_t nodes = machine->devices() / machine->node_size();
        if (resources.pool.nodes > nodes) {
            faults.push_back(
                {"nodes", fmt::format("{} are more than {} has: {}", resources.pool.nodes, machine->name, nodes), {}});
        }
    }
    resources.pool.node.cores = options.cores.value_or(0);
    const bool on_cores = options.cores && options.cores_per_trial.empty() && machine == nullptr;
    for (const std::int64_t gpus : sorted_sizes(options.gpus_per_trial, machine == nullptr ? 0 : 1)) {
        for (const std::int64_t cores : sorted_sizes(options.cores_per_trial, on_cores ? 1 : 0)) {
            resources.sizes.push_back({.cores = cores, .gpus = gpus});
            check_size(resources, resources.sizes.back(), faults);
        }
    }
    return faults.empty() ? Asked<Resources>(std::move(resources)) : faults;
}

Asked<dodona::trials::Question> completed(dodona::trials::Question question, const Options& options,
                                          const PredictionOptions& of_prediction, const cluster::Cluster* machine) {
    const auto seed = static_cast<std::uint64_t>(options.seed.value_or(1));
    const int draws = static_cast<int>(of_prediction.draws.value_or(100));
    if (of_prediction.early_stop) {
        if (question.trials.size() > kMaxStopped) {
            return Faults{{"early_stop", fmt::format("it is simulated for up to {} trials", kMaxStopped), {}}};
        }
        question.stopping = {.kind = *of_prediction.early_stop,
                             .eta = static_cast<int>(of_prediction.eta.value_or(3)),
                             .rungs = static_cast<int>(of_prediction.rungs.value_or(3)),
                             .draws = draws,
                             .seed = seed};
    }
    if (of_prediction.mtbf) {
        question.failures = {.mtbf = *of_prediction.mtbf,
                             .tries = static_cast<int>(of_prediction.tries.value_or(3)),
                             .draws = draws,
                             .seed = seed};
    }
    std::optional<cluster::Price> price = machine == nullptr ? std::nullopt : machine->price;
    if (const auto& given = of_prediction.price) {
        price = cluster::Price{given->money, given->currency, ""};
    }
    if (price) {
        const std::int64_t units = question.pool.nodes * std::max<std::int64_t>(1, question.pool.node.gpus);
        question.rent = dodona::trials::Rent{static_cast<double>(units) * price->device, price->currency};
    }
    return question;
}

}  // namespace dodona::questions::trials
