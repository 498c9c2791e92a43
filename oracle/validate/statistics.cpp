#include "validate/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "base/ranges.hpp"

namespace dodona::validate {

namespace {

using Results = std::span<const RunResult* const>;

std::optional<double> mean(const std::vector<double>& values) {
    if (values.empty()) {
        return std::nullopt;
    }
    auto sum = sum_of<double>(values, [](const double value) { return value; });
    return sum / static_cast<double>(values.size());
}

/// The q-th quantile, linear between the order statistics (Hyndman and Fan, The American Statistician 50 (1996) 361,
/// definition 7).
std::optional<double> quantile(std::vector<double> values, double q) {
    if (values.empty()) {
        return std::nullopt;
    }
    std::sort(values.begin(), values.end());
    const double place = q * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(place));
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

/// Of the runs of one kind.
template <class Wanted>
Share share_of(Results results, Wanted is_wanted) {
    auto sizes = mapped_where<double>(
        results, [&](const RunResult* result) { return result->error && is_wanted(*result); },
        [](const RunResult* result) { return std::abs(*result->error); });
    return {.rows = static_cast<std::int64_t>(sizes.size()), .mape = mean(sizes)};
}

FitCounts fit_counts(Results results) {
    FitCounts counts;
    for (const RunResult* result : results) {
        if (result->fits && result->ran) {
            std::int64_t& count = *result->ran ? (*result->fits ? counts.ran_fits : counts.ran_not)
                                               : (*result->fits ? counts.oom_fits : counts.oom_not);
            ++count;
        }
    }
    return counts;
}

/// Timed runs of one job, by group and job.
using Jobs = std::map<std::pair<std::string, std::string>, std::vector<const RunResult*>>;

Jobs jobs_of(Results results) {
    Jobs jobs;
    for (const RunResult* result : results) {
        if (result->error) {
            jobs[{result->group, result->job}].push_back(result);
        }
    }
    return jobs;
}

/// Pairs of one job with different plans and different measured times; predictions that are equal count half.
std::optional<double> pair_accuracy(const Jobs& jobs) {
    std::vector<double> right;
    for (const auto& [job, runs] : jobs) {
        for (std::size_t i = 0; i < runs.size(); ++i) {
            for (std::size_t j = i + 1; j < runs.size(); ++j) {
                const RunResult& a = *runs[i];
                const RunResult& b = *runs[j];
                if (a.layout == b.layout || *a.measured == *b.measured) {
                    continue;
                }
                const bool is_tie = a.predicted->value == b.predicted->value;
                const bool is_right = (a.predicted->value < b.predicted->value) == (*a.measured < *b.measured);
                right.push_back(is_tie ? 0.5 : is_right ? 1 : 0);
            }
        }
    }
    return mean(right);
}

/// Over jobs of which two plans or more were measured.
std::optional<double> top1_regret(const Jobs& jobs) {
    std::vector<double> regrets;
    for (const auto& [job, runs] : jobs) {
        std::set<std::string> layouts;
        const RunResult* chosen = runs.front();
        Seconds best = *runs.front()->measured;
        for (const RunResult* run : runs) {
            layouts.insert(run->layout);
            chosen = run->predicted->value < chosen->predicted->value ? run : chosen;
            best = std::min(best, *run->measured);
        }
        if (layouts.size() > 1) {
            regrets.push_back(*chosen->measured / best - 1);
        }
    }
    return mean(regrets);
}

}  // namespace

Statistics statistics(const std::string& group, Results results) {
    Statistics all{.group = group};
    std::vector<double> errors;
    std::vector<double> sizes;
    std::vector<double> inside;
    std::vector<double> memory;
    std::vector<double> compute;
    std::vector<double> communication;
    for (const RunResult* result : results) {
        (result->refusal.empty() ? all.rows : all.skipped) += 1;
        if (result->error) {
            errors.push_back(*result->error);
            sizes.push_back(std::abs(*result->error));
            inside.push_back(
                result->predicted->lo <= *result->measured && *result->measured <= result->predicted->hi ? 1 : 0);
        }
        if (result->predicted_memory && result->measured_memory) {
            memory.push_back(std::abs(*result->predicted_memory / *result->measured_memory - 1));
        }
        if (result->predicted && result->measured_compute) {
            compute.push_back(std::abs(result->compute() / *result->measured_compute - 1));
        }
        if (result->predicted && result->measured_communication) {
            communication.push_back(std::abs(result->communication() / *result->measured_communication - 1));
        }
    }
    const Jobs jobs = jobs_of(results);
    all.mape = mean(sizes);
    all.median_ape = quantile(sizes, 0.5);
    all.bias = mean(errors);
    all.p90 = quantile(sizes, 0.9);
    all.coverage = mean(inside);
    all.pair_accuracy = pair_accuracy(jobs);
    all.top1_regret = top1_regret(jobs);
    all.memory_mape = mean(memory);
    all.compute_mape = mean(compute);
    all.communication_mape = mean(communication);
    all.fit = fit_counts(results);
    all.stated = share_of(results, [](const RunResult& result) { return !result.assumed; });
    all.assumed = share_of(results, [](const RunResult& result) { return result.assumed; });
    return all;
}

}  // namespace dodona::validate
