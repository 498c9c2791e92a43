#include "trials/schedule.hpp"

#include <algorithm>
#include <queue>

namespace dodona::trials {

namespace {

struct End {
    Seconds time;
    std::size_t run = 0;
};
/// Earlier ends first, then earlier starts.
struct IsLater {
    bool operator()(const End& a, const End& b) const { return a.time != b.time ? a.time > b.time : a.run > b.run; }
};

bool all_alike(const std::vector<Job>& jobs) {
    return std::all_of(jobs.begin(), jobs.end(), [&](const Job& job) { return job.units == jobs.front().units; });
}

}  // namespace

double utilisation(const std::vector<TrialRun>& runs, const std::vector<Job>& jobs, const Pool& pool, Seconds end) {
    if (end <= Seconds{}) {
        return 0;
    }
    Seconds cores;
    Seconds gpus;
    for (const TrialRun& run : runs) {
        const Job ran{run.end - run.start, jobs[run.job].units};
        cores += core_time(ran, pool);
        gpus += gpu_time(ran, pool);
    }
    return max(cores, gpus) / end;
}

Schedule schedule(const std::vector<Job>& jobs, const Pool& pool, Policy policy) {
    return schedule(
        jobs, pool, policy, [&](std::size_t job, int /*attempt*/) { return Attempt{jobs[job].time}; }, 1);
}

Schedule schedule(const std::vector<Job>& jobs, const Pool& pool, Policy policy, const Attempts& attempts, int tries) {
    Schedule result;
    Scheduler scheduler(jobs, pool, policy);
    std::priority_queue<End, std::vector<End>, IsLater> ends;
    std::vector<int> attempts_of(jobs.size());
    Seconds now;
    while (true) {
        for (const Start& start : scheduler.start(now)) {
            const Attempt attempt = attempts(start.job, attempts_of[start.job]++);
            ends.push({now + attempt.time, result.runs.size()});
            result.runs.push_back({start.job, start.place, now, now + attempt.time, attempt.fails});
        }
        if (ends.empty()) {
            break;
        }
        now = ends.top().time;
        while (!ends.empty() && ends.top().time == now) {
            const TrialRun& ended = result.runs[ends.top().run];
            ends.pop();
            scheduler.end(ended.job);
            if (ended.failed && attempts_of[ended.job] < tries) {
                scheduler.resubmit(ended.job);
            } else if (ended.failed) {
                result.gave_up.push_back(ended.job);
            }
        }
    }
    result.makespan = now;
    result.utilisation = utilisation(result.runs, jobs, pool, now);
    return result;
}

Bounds bounds(const std::vector<Job>& jobs, const Pool& pool) {
    Bounds result;
    if (jobs.empty()) {
        return result;
    }
    Seconds longest;
    Seconds sum;
    Seconds cores;
    Seconds gpus;
    for (const Job& job : jobs) {
        longest = max(longest, job.time);
        sum += job.time;
        cores += core_time(job, pool);
        gpus += gpu_time(job, pool);
    }
    if (!all_alike(jobs)) {
        result.lower = max(longest, max(cores, gpus));
        return result;
    }
    result.slots = pool.slots(jobs.front().units);
    const auto m = static_cast<double>(*result.slots);
    result.lower = max(longest, sum / m);
    result.list_factor = 2 - 1 / m;
    result.lpt_factor = 4.0 / 3 - 1 / (3 * m);
    return result;
}

}  // namespace dodona::trials
