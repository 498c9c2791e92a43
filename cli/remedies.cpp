#include "cli/remedies.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "cli/job_space.hpp"
#include "search/space.hpp"

namespace dodona::cli {

namespace {

using search::Ladder;
using search::Variation;

/// Machines tried at most, by the memory of their devices.
constexpr std::size_t kMostMachines = 4;
constexpr std::array kShorter{2, 4, 8};
/// Models that train adapters beside the frozen weights of the model of which they have the name.
constexpr std::array kAdapters{"-lora", "-qlora"};

Variation variation(std::string change, const Workload& workload, const search::Space& space) {
    return {.change = std::move(change),
            .options = {},
            .without = {},
            .graph = workload.graph,
            .cluster = workload.cluster,
            .space = space};
}

Ladder all_strategies(Arguments& arguments, const Workload& workload, const search::Space& space) {
    if (arguments.list("--strategy").empty()) {
        return {};
    }
    return {[&]() -> std::optional<Variation> {
        Variation result = variation("any strategy", workload, space);
        result.space.strategies = strategies_made_for(workload.graph);
        result.space.fixed.clear();
        result.space.excluded.clear();
        set_software(arguments, workload, result.space);
        result.without = {"--strategy", "--fixed", "--exclude"};
        return result;
    }};
}

Ladder shorter_sequences(Arguments& arguments, const Workload& workload, const search::Space& space) {
    Ladder ladder;
    const auto sequence = static_cast<std::int64_t>(tokens_a_sample(workload.graph));
    for (const std::int64_t parts : kShorter) {
        if (sequence < 256 * parts) {
            break;
        }
        ladder.emplace_back([&, length = sequence / parts]() -> std::optional<Variation> {
            auto parameters = model_parameters(arguments);
            parameters.emplace_back("sequence", std::to_string(length));
            Variation result = variation(fmt::format("sequences of {}", length), workload, space);
            try {
                result.graph = network_with(workload, parameters);
            } catch (const InputError&) {
                return std::nullopt;  // a model without that parameter
            }
            result.options = {{"--seq", std::to_string(length)}};
            return result;
        });
    }
    return ladder;
}

Ladder adapters(const Workload& workload, const search::Space& space) {
    Ladder ladder;
    const std::vector<std::string> models = library().models();
    for (const char* ending : kAdapters) {
        const std::string name = workload.model + ending;
        if (std::find(models.begin(), models.end(), name) == models.end()) {
            continue;
        }
        ladder.emplace_back([&workload, &space, name]() -> std::optional<Variation> {
            Variation result = variation(fmt::format("adapters only ({})", name), workload, space);
            result.graph = read_network(name, {});
            result.options = {{"MODEL", name}};
            return result;
        });
    }
    return ladder;
}

/// One cluster of each device with at least so much memory, large enough for the job, in the order of that memory.
Ladder machines(const Workload& workload, const search::Space& space, Bytes least) {
    Ladder ladder;
    std::vector<std::pair<std::string, cluster::Cluster>> found;
    for (const std::string& name : library().clusters()) {
        cluster::Cluster machine = library().cluster(name);
        const bool known = std::any_of(found.begin(), found.end(), [&](const auto& other) {
            return other.second.device.name == machine.device.name;
        });
        if (!known && machine.mixed.empty() && machine.devices() >= space.devices &&
            machine.device.memory > workload.cluster.device.memory && machine.device.memory >= least &&
            machine.device.supports(space.precision)) {
            found.emplace_back(name, std::move(machine));
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.second.device.memory < b.second.device.memory; });
    found.resize(std::min(found.size(), kMostMachines));
    for (const auto& named : found) {
        ladder.emplace_back([&workload, &space, named]() -> std::optional<Variation> {
            const auto& [name, machine] = named;
            Variation result = variation(fmt::format("{} ({})", name, machine.device.name), workload, space);
            result.cluster = machine;
            result.options = {{"--machine", name}};
            return result;
        });
    }
    return ladder;
}

}  // namespace

std::vector<Ladder> ladders(Arguments& arguments, const Workload& workload, const search::Space& space, Bytes least) {
    std::vector<Ladder> all = search::usual_ladders(workload.graph, workload.cluster, space);
    all.push_back(all_strategies(arguments, workload, space));
    all.push_back(adapters(workload, space));
    all.push_back(shorter_sequences(arguments, workload, space));
    all.push_back(machines(workload, space, least));
    return all;
}

}  // namespace dodona::cli
