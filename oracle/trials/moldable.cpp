#include "trials/moldable.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::trials {

namespace {

/// Share of the pool times time: what a choice costs the others.
Seconds work(const Job& job, const Pool& pool) {
    return job.time / static_cast<double>(std::max<std::int64_t>(1, pool.slots(job.units)));
}

/// The choice of least work that takes no longer than `deadline`; of equals the shortest.
std::optional<std::size_t> cheapest(const Choices& choices, const Pool& pool, Seconds deadline) {
    std::optional<std::size_t> best;
    const auto key = [&](std::size_t c) { return std::pair(work(choices[c], pool), choices[c].time); };
    for (std::size_t c = 0; c < choices.size(); ++c) {
        if (pool.slots(choices[c].units) > 0 && choices[c].time <= deadline && (!best || key(c) < key(*best))) {
            best = c;
        }
    }
    return best;
}

/// The times that some choice takes, without repetition: all, or kMaxDeadlines of them with the longest.
std::vector<Seconds> deadlines(const std::vector<Choices>& trials, const Pool& pool) {
    std::vector<Seconds> all;
    for (const Choices& choices : trials) {
        for (const Job& choice : choices) {
            if (pool.slots(choice.units) > 0) {
                all.push_back(choice.time);
            }
        }
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (all.size() <= kMaxDeadlines) {
        return all;
    }
    std::vector<Seconds> some;
    for (std::size_t i = 1; i <= kMaxDeadlines; ++i) {
        some.push_back(all[i * all.size() / kMaxDeadlines - 1]);
    }
    return some;
}

/// The least that a trial takes of something, over its choices.
template <class Amount>
Seconds least(const Choices& choices, const Pool& pool, const Amount& amount) {
    Seconds least = Seconds::of_base(std::numeric_limits<double>::infinity());
    for (const Job& choice : choices) {
        least = pool.slots(choice.units) > 0 ? min(least, amount(choice)) : least;
    }
    return least;
}

Seconds lower_bound(const std::vector<Choices>& trials, const Pool& pool) {
    Seconds cores;
    Seconds gpus;
    Seconds longest;
    for (const Choices& choices : trials) {
        cores += least(choices, pool, [&](const Job& job) { return core_time(job, pool); });
        gpus += least(choices, pool, [&](const Job& job) { return gpu_time(job, pool); });
        longest = max(longest, least(choices, pool, [](const Job& job) { return job.time; }));
    }
    return max(longest, max(cores, gpus));
}

/// Which choice each trial takes; empty: some trial has none.
using Chosen = std::vector<std::size_t>;

Chosen within(const std::vector<Choices>& trials, const Pool& pool, Seconds deadline) {
    Chosen chosen;
    for (const Choices& choices : trials) {
        const std::optional<std::size_t> choice = cheapest(choices, pool, deadline);
        if (!choice) {
            return {};
        }
        chosen.push_back(*choice);
    }
    return chosen;
}

Chosen all_on(const std::vector<Choices>& trials, const Units& units) {
    Chosen chosen;
    for (const Choices& choices : trials) {
        const auto of_size = find_if(choices, [&](const Job& choice) { return choice.units == units; });
        if (of_size == choices.end()) {
            return {};
        }
        chosen.push_back(static_cast<std::size_t>(of_size - choices.begin()));
    }
    return chosen;
}

/// What is tried, without repetition.
std::set<Chosen> candidates(const std::vector<Choices>& trials, const Pool& pool) {
    std::set<Chosen> all;
    for (const Seconds deadline : deadlines(trials, pool)) {
        all.insert(within(trials, pool, deadline));
    }
    for (const Job& choice : trials.front()) {
        if (pool.slots(choice.units) > 0) {
            all.insert(all_on(trials, choice.units));
        }
    }
    all.erase(Chosen{});
    return all;
}

}  // namespace

Molded mold(const std::vector<Choices>& trials, const Pool& pool, Policy policy) {
    std::optional<Molded> best;
    for (const Chosen& chosen : candidates(trials, pool)) {
        Molded molded{.chosen = chosen, .jobs = {}, .schedule = {}};
        for (std::size_t trial = 0; trial < trials.size(); ++trial) {
            molded.jobs.push_back(trials[trial][chosen[trial]]);
        }
        molded.schedule = schedule(molded.jobs, pool, policy);
        if (!best || molded.schedule.makespan < best->schedule.makespan) {
            best = std::move(molded);
        }
    }
    check(best.has_value(), "a trial fits on no node in any of its choices");
    best->lower = lower_bound(trials, pool);
    return std::move(*best);
}

}  // namespace dodona::trials
