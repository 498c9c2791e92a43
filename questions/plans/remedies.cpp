#include "questions/plans/remedies.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/ranges.hpp"
#include "files/model_reference.hpp"
#include "graph/sample_tokens.hpp"
#include "plan/recompute.hpp"
#include "search/batches.hpp"
#include "search/space.hpp"

namespace dodona::questions::plans {

namespace {

using search::RelaxationSequence;
using search::Variation;

/// Machines tried at most, by the memory of their devices.
constexpr std::size_t kMaxMachines = 4;
constexpr std::array kShorter{2, 4, 8};
/// Ways to train adapters only, the mildest first.
constexpr std::array kAdapters{graph::Task::lora, graph::Task::qlora};

Variation variation(std::string change, const Workload& workload, const search::Space& space) {
    return {.change = std::move(change),
            .options = {},
            .without = {},
            .graph = workload.graph,
            .cluster = workload.cluster,
            .space = space};
}

Variation variation(std::string change, const Question& question) {
    return variation(std::move(change), question.workload, question.space);
}

/// In the software that is usual for it, or that was named; as it is where that cannot run it.
search::Space in_its_software(const Question& question, const Workload& workload, const search::Space& space,
                              bool named) {
    const Asked<search::Space> found = in_software(question.software, workload, space, named);
    return std::holds_alternative<search::Space>(found) ? std::get<search::Space>(found) : space;
}

RelaxationSequence all_strategies(const Question& question) {
    if (!question.names_strategies) {
        return {};
    }
    return {[&]() -> std::optional<Variation> {
        Variation result = variation("any strategy", question);
        result.space.strategies = strategies_made_for(question.workload);
        result.space.fixed.clear();
        result.space.excluded.clear();
        result.space = in_its_software(question, question.workload, result.space, false);
        result.without = {"--strategy", "--fixed", "--exclude"};
        return result;
    }};
}

/// The same software with what it has, but does not do by itself, to keep less.
RelaxationSequence leaner_software(const Question& question) {
    RelaxationSequence relaxations;
    for (const search::Software& software : question.space.software) {
        for (const std::string& mechanism : software.framework.frees_memory) {
            if (is_observed(question.space) || contains(software.framework.mechanisms, mechanism)) {
                continue;
            }
            relaxations.emplace_back(
                [&, name = software.framework.label() + "+" + mechanism]() -> std::optional<Variation> {
                    Variation result = variation(name, question);
                    SoftwareOptions options = question.software;
                    options.names = {name};
                    const Asked<search::Space> found =
                        in_software(options, question.workload, result.space, question.names_strategies);
                    if (!std::holds_alternative<search::Space>(found)) {
                        return std::nullopt;
                    }
                    result.space = std::get<search::Space>(found);
                    result.options = {{"--software", name}};
                    result.without = {"--date"};
                    return result;
                });
        }
    }
    return relaxations;
}

RelaxationSequence shorter_sequences(const Question& question) {
    RelaxationSequence relaxations;
    const auto sequence = static_cast<std::int64_t>(graph::tokens_a_sample(question.workload.graph));
    for (const std::int64_t parts : kShorter) {
        if (sequence < 256 * parts) {
            break;
        }
        relaxations.emplace_back([&, length = sequence / parts]() -> std::optional<Variation> {
            Variation result = variation(fmt::format("sequences of {}", length), question);
            try {
                result.graph = network_at(question.workload, length);
            } catch (const InputError&) {
                return std::nullopt;  // a model without that parameter
            }
            result.options = {{"--seq", std::to_string(length)}};
            return result;
        });
    }
    return relaxations;
}

/// The model with adapters in place of the training of all weights; none where it has them already.
std::optional<std::string> with_adapters(const std::string& model, graph::Task adapters) {
    files::ModelReference reference = files::model_reference(model, {});
    const auto is = [&](graph::Task task) { return contains(reference.tasks, task); };
    if (is(graph::Task::qlora) || is(adapters)) {
        return std::nullopt;
    }
    std::erase_if(reference.tasks,
                  [](graph::Task task) { return task == graph::Task::sft || task == graph::Task::lora; });
    reference.tasks.insert(reference.tasks.begin(), adapters);
    return reference.model + files::suffix_of(reference.tasks);
}

RelaxationSequence adapters(const Question& question) {
    RelaxationSequence relaxations;
    for (const graph::Task task : kAdapters) {
        const auto name = with_adapters(question.workload.subject.model, task);
        if (!name) {
            continue;
        }
        relaxations.emplace_back([&, task, name = *name]() -> std::optional<Variation> {
            Variation result = variation(std::string(enumerator_of(task).meaning), question);
            try {
                result.graph =
                    graph::build(question.workload.files.model(name, settings_of(question.workload.parameters)));
            } catch (const InputError&) {
                return std::nullopt;  // a model without layers that an adapter could stand beside
            }
            result.options = {{"MODEL", name}};
            result.without = {"--task"};
            return result;
        });
    }
    return relaxations;
}

bool names_batch(const Variation& changed) {
    return any_of(changed.options, [](const auto& option) { return option.first == "--batch"; });
}

/// The changes as a question with their options is answered: what keeps something in host memory, where this one does
/// not, in the software that is usual for it, and with this batch where another would be the default.
RelaxationSequence as_asked(const Question& question, RelaxationSequence relaxations) {
    for (auto& step : relaxations) {
        step = [&, before = std::move(step)]() -> std::optional<Variation> {
            std::optional<Variation> changed = before();
            if (!changed) {
                return changed;
            }
            if (changed->space.offload.any() && !question.space.offload.any() && !is_observed(question.space)) {
                changed->space =
                    in_its_software(question, question.workload, changed->space, question.names_strategies);
            }
            if (!question.names_batch && !names_batch(*changed) &&
                search::default_batch(changed->graph, changed->cluster, changed->space.devices) !=
                    changed->space.batch) {
                changed->options.emplace_back("--batch", std::to_string(changed->space.batch));
            }
            return changed;
        };
    }
    return relaxations;
}

/// Whether a machine can run plans of the space, as far as its devices and its host say.
bool can_run_plans(const cluster::Cluster& machine, const search::Space& space) {
    return machine.mixed.empty() && machine.devices() >= space.devices && machine.device.supports(space.precision) &&
           (machine.host || !(space.offload.any() || space.vary.offload));
}

/// One cluster of each device with at least so much memory, large enough for the job, in the order of that memory, those of
/// the maker whose devices the job is for first; with the software that is usual on it.
RelaxationSequence machines(const Question& question, Bytes least) {
    RelaxationSequence relaxations;
    std::vector<std::pair<std::string, cluster::Cluster>> found;
    for (const std::string& name : question.workload.files.clusters()) {
        cluster::Cluster machine = question.workload.files.cluster(name);
        const bool known =
            any_of(found, [&](const auto& other) { return other.second.device.name == machine.device.name; });
        if (!known && can_run_plans(machine, question.space) &&
            machine.device.memory > question.workload.cluster.device.memory && machine.device.memory >= least) {
            found.emplace_back(name, std::move(machine));
        }
    }
    const auto rank = [maker = question.workload.cluster.device.maker()](const cluster::Cluster& machine) {
        return std::pair(machine.device.maker() != maker, machine.device.memory);
    };
    stable_sort(found, [&](const auto& a, const auto& b) { return rank(a.second) < rank(b.second); });
    found.resize(std::min(found.size(), kMaxMachines));
    for (const auto& named : found) {
        relaxations.emplace_back([&, named]() -> std::optional<Variation> {
            const auto& [name, machine] = named;
            Variation result = variation(fmt::format("{} ({})", name, machine.device.name), question);
            result.cluster = machine;
            if (!is_observed(question.space)) {
                Workload there = question.workload;
                there.cluster = machine;
                result.space = in_its_software(question, there, result.space, question.names_strategies);
            }
            result.options = {{"--machine", name}};
            return result;
        });
    }
    return relaxations;
}

}  // namespace

std::vector<RelaxationSequence> relaxation_sequences(const Question& question, Bytes least) {
    std::vector<RelaxationSequence> all =
        search::usual_relaxation_sequences(question.workload.graph, question.workload.cluster, question.space);
    all.push_back(all_strategies(question));
    all.push_back(leaner_software(question));
    all.push_back(adapters(question));
    all.push_back(shorter_sequences(question));
    all.push_back(machines(question, least));
    for (RelaxationSequence& relaxations : all) {
        relaxations = as_asked(question, std::move(relaxations));
    }
    return all;
}

}  // namespace dodona::questions::plans
