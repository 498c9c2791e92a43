#include <algorithm>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "graph/sample_tokens.hpp"
#include "questions/size/size.hpp"
#include "search/batches.hpp"

namespace dodona::questions::size {

namespace {

constexpr std::size_t kMaxCounts = 10'000;

/// `clips`: of several machines the smaller ones end a range where they end.
std::vector<std::int64_t> counts_on(const cluster::Cluster& cluster, const DeviceCounts& asked, bool clips,
                                    Faults& faults) {
    if (!asked.least && asked.listed.empty()) {
        return search::usual_counts(cluster);
    }
    std::int64_t most = asked.listed.empty() ? asked.most.value_or(*asked.least) : asked.listed.back();
    if (asked.least && clips && *asked.least <= cluster.devices()) {
        most = std::min(most, cluster.devices());
    }
    check_devices(cluster, most, faults);
    if (most > cluster.devices() || !asked.least) {
        return asked.listed;
    }
    std::vector<std::int64_t> counts = asked.step ? stepped_counts(*asked.least, most, *asked.step)
                                                  : search::counts_between(cluster, *asked.least, most);
    if (counts.size() > kMaxCounts) {
        faults.push_back({"gpus", fmt::format("{} numbers are too many", counts.size()),
                          fmt::format("{} at most, or list them: 1024,2048,4096", kMaxCounts)});
    }
    return counts;
}

/// A budget without another goal buys time: the fewest GPUs within it would be the slowest.
search::Find found_by(const Options& options, const std::vector<NamedMachine>& machines, Faults& faults) {
    using search::Find;
    const GoalOptions& goals = options.goals;
    const bool several = machines.size() > 1;
    const bool priced = std::all_of(machines.begin(), machines.end(),
                                    [](const NamedMachine& machine) { return machine.cluster.price; });
    if (options.find == Find::cheapest && several && !priced) {
        faults.push_back({"find", "cheapest of machines of which not all have prices",
                          "add --price M=2.5USD/h for each, of one GPU; dodona has none"});
    }
    const bool buys_time = goals.budget && !goals.deadline && !goals.tokens_per_second && !goals.samples_per_second;
    return options.find.value_or(buys_time ? Find::fastest : priced && several ? Find::cheapest : Find::fewest);
}

/// Cost of one sample on a machine; GPU seconds where there is no price.
double cost_of_sample(const SizedMachine& machine) {
    const search::Attempt& answer = *machine.sizing.answer();
    const double price = machine.price ? machine.price->device.in(unit::money / unit::hour) : 1;
    return price * static_cast<double>(answer.devices) / answer.plan->samples_per_second;
}

bool better(const SizedMachine& a, const SizedMachine& b, search::Find find) {
    const search::Attempt& mine = *a.sizing.answer();
    const search::Attempt& its = *b.sizing.answer();
    switch (find) {
        case search::Find::fewest: return mine.devices < its.devices;
        case search::Find::fastest: return mine.plan->samples_per_second > its.plan->samples_per_second;
        case search::Find::cheapest: return cost_of_sample(a) < cost_of_sample(b);
    }
    return false;
}

}  // namespace

std::optional<std::size_t> best_machine(const std::vector<SizedMachine>& machines, search::Find find) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < machines.size(); ++i) {
        if (machines[i].sizing.found && (!best || better(machines[i], machines[*best], find))) {
            best = i;
        }
    }
    return best;
}

Asked<Question> question(Job job, const Options& options) {
    Faults faults = contradictions(options.goals);
    job.machines = priced(std::move(job.machines), options.goals, faults);
    const search::Find find = found_by(options, job.machines, faults);
    std::vector<std::vector<std::int64_t>> counts;
    for (const NamedMachine& machine : job.machines) {
        counts.push_back(counts_on(machine.cluster, options.counts, job.machines.size() > 1, faults));
    }
    search::Goals goals = goals_of(options.goals, job.graph, faults);
    if (!faults.empty()) {
        return faults;
    }
    return Question{std::move(job), goals, find, std::move(counts), options.batch};
}

Answer ask(const Question& question, const Progress& progress) {
    const Job& job = question.job;
    Answer answer{.inputs = {.model = job.model,
                             .model_source = job.graph.source,
                             .goals = question.goals,
                             .settings = job.settings},
                  .parameters = graph::count(job.graph).parameters,
                  .find = question.find,
                  .machines = {},
                  .best = {}};
    if (const double tokens = graph::tokens_a_sample(job.graph); tokens > 0) {
        answer.inputs.tokens_a_sample = tokens;
    }
    for (std::size_t i = 0; i < job.machines.size(); ++i) {
        const NamedMachine& machine = job.machines[i];
        const search::SizingQuestion sized{.space = job.spaces[i],
                                           .counts = question.counts[i],
                                           .batch =
                                               [&](std::int64_t n) {
                                                   return question.batch
                                                              ? search::nearest_dividing_batch(*question.batch, n)
                                                              : search::default_batch(job.graph, machine.cluster, n);
                                               },
                                           .goals = question.goals,
                                           .find = question.find};
        answer.machines.push_back(
            {.machine = machine.name,
             .source = machine.cluster.source,
             .precision = job.spaces[i].precision,
             .price = machine.cluster.price,
             .sizing = search::size(job.graph, machine.cluster, sized, [&](std::int64_t seen, std::int64_t all) {
                 return progress(machine.name, seen, all);
             })});
    }
    answer.best = best_machine(answer.machines, answer.find);
    return answer;
}

std::vector<Searched> searched(const SizedMachine& machine) {
    return mapped<Searched>(machine.sizing.attempts, [&](const search::Attempt& attempt) {
        return Searched{machine.machine, &attempt == machine.sizing.answer(), attempt, machine.price};
    });
}

}  // namespace dodona::questions::size
