#include "trials/prediction.hpp"

#include <utility>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::trials {

namespace {

std::vector<Choices> choices_of(const std::vector<Trial>& trials) {
    std::vector<Choices> all;
    for (const Trial& trial : trials) {
        Choices& choices = all.emplace_back();
        for (const Choice& choice : trial.choices) {
            choices.push_back({choice.time.value, choice.units});
        }
    }
    return all;
}

/// The same schedule's makespan where all trials take one end of their intervals.
Seconds at_end(const Question& question, const Prediction& answer, Seconds Estimate::*end) {
    std::vector<Job> jobs = answer.jobs;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        jobs[i].time = question.trials[i].choices[answer.chosen[i]].time.*end;
    }
    return schedule(jobs, question.pool, answer.policy).makespan;
}

void add_widths(const Question& question, const std::vector<Choices>& choices, Prediction& answer) {
    for (std::size_t c = 0; choices.front().size() > 1 && c < choices.front().size(); ++c) {
        const auto jobs = mapped<Job>(choices, [&](const Choices& of_trial) { return of_trial[c]; });
        const Schedule played = schedule(jobs, question.pool, answer.policy);
        answer.widths.push_back({answer.policy, jobs.front().units, played.makespan, played.utilisation});
    }
}

}  // namespace

Prediction predict(const Question& question) {
    check(!question.trials.empty(), "a study without trials");
    const std::vector<Choices> choices = choices_of(question.trials);
    std::optional<Molded> best;
    Prediction answer;
    for (const Policy policy : kPolicies) {
        Molded molded = mold(choices, question.pool, policy);
        answer.policies.push_back({policy, {}, molded.schedule.makespan, molded.schedule.utilisation});
        const bool is_asked = question.policy == policy;
        const bool is_better = !best || molded.schedule.makespan < best->schedule.makespan;
        if (is_asked || (!question.policy && is_better)) {
            best = std::move(molded);
            answer.policy = policy;
        }
    }
    answer.chosen = std::move(best->chosen);
    answer.jobs = std::move(best->jobs);
    answer.schedule = std::move(best->schedule);
    answer.bounds = bounds(answer.jobs, question.pool);
    answer.lower = answer.bounds.lower;
    if (choices.front().size() > 1) {  // Graham's factors are of schedules of the same sizes
        answer.lower = best->lower;
        answer.bounds.list_factor.reset();
        answer.bounds.lpt_factor.reset();
    }
    answer.makespan = {answer.schedule.makespan, at_end(question, answer, &Estimate::lo),
                       at_end(question, answer, &Estimate::hi)};
    add_widths(question, choices, answer);
    if (question.stopping) {
        answer.stopped = stop_early(answer.jobs, question.pool, answer.policy, *question.stopping);
    }
    if (question.failures) {
        answer.failing = expect_failures(answer.jobs, question.pool, answer.policy, *question.failures);
    }
    if (question.rent) {
        const Seconds rented = answer.stopped   ? answer.stopped->makespan.mean
                               : answer.failing ? answer.failing->makespan.mean
                                                : answer.schedule.makespan;
        answer.cost = rented * question.rent->pool;
    }
    return answer;
}

}  // namespace dodona::trials
