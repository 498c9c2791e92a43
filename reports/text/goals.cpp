#include "reports/text/goals.hpp"

#include <fmt/format.h>

#include "reports/figures.hpp"

namespace dodona::reports {

namespace {

/// "10.3 %": how far `value` is beyond `limit`.
std::string beyond(double value, double limit) { return percent(value / limit - 1); }

double counted_samples(const BackwardQuestion& question, double samples) {
    return question.tokens_a_sample > 0 ? samples * question.tokens_a_sample : samples;
}

std::string_view unit_words(const BackwardQuestion& question) {
    return question.tokens_a_sample > 0 ? "tokens" : "samples";
}

}  // namespace

std::string work_words(const BackwardQuestion& question, double samples) {
    return fmt::format("{} {}", large(counted_samples(question, samples)), unit_words(question));
}

std::string rate_words(const BackwardQuestion& question, double samples_per_second) {
    return fmt::format("{} {}/s", figure(counted_samples(question, samples_per_second)), unit_words(question));
}

std::string rate_words(const schedule::Prediction& prediction) {
    return prediction.tokens_per_second ? figure(*prediction.tokens_per_second) + " tokens/s"
                                        : figure(prediction.samples_per_second) + " samples/s";
}

double samples_of_a_million(const schedule::Prediction& prediction) {
    constexpr double kMillion = 1e6;
    return prediction.tokens_per_second ? kMillion * prediction.samples_per_second / *prediction.tokens_per_second
                                        : kMillion;
}

std::string goal_words(const BackwardQuestion& question, const std::optional<cluster::Price>& price) {
    const search::Goals& goals = question.goals;
    std::string words;
    if (goals.samples) {
        words = work_words(question, *goals.samples);
    }
    if (goals.deadline) {
        words += " in " + duration(*goals.deadline);
    }
    if (goals.budget) {
        words += " for " + text(*goals.budget, price ? price->currency : "");
    }
    if (goals.samples_per_second) {
        words += (words.empty() ? "" : " at ") + rate_words(question, *goals.samples_per_second);
    }
    return words;
}

std::string run_words(const search::Run& run, const std::optional<cluster::Price>& price) {
    std::string words = duration(run.time.value);
    if (run.time.lo < run.time.hi) {
        words += fmt::format(" ({:.0f} % interval {})", 100 * kIntervalLevel, durations(run.time));
    }
    words += fmt::format(", {} GPU-hours", large(run.device_time.in(unit::hour)));
    if (run.money && price) {
        words += ", " + text(*run.money, price->currency);
    }
    return words;
}

std::string missed_words(const search::Attempt& attempt, const std::optional<cluster::Price>& price) {
    if (!attempt.missed) {
        return {};
    }
    const search::Goals& goals = attempt.goals;
    switch (*attempt.missed) {
        case search::Goal::fits: return attempt.why_not;
        case search::Goal::throughput:
            return fmt::format("{}, {} too slow", rate_words(*attempt.plan),
                               percent(1 - attempt.plan->samples_per_second / *goals.samples_per_second));
        case search::Goal::deadline:
            return fmt::format("{}, {} too long", duration(attempt.run->time.value),
                               beyond(attempt.run->time.value.in(unit::second), goals.deadline->in(unit::second)));
        case search::Goal::budget:
            return fmt::format("{}, {} too dear", text(*attempt.run->money, price ? price->currency : ""),
                               beyond(attempt.run->money->in(unit::money), goals.budget->in(unit::money)));
    }
    return {};
}

std::string unit_cost_words(const schedule::Prediction& prediction, const std::optional<cluster::Price>& price) {
    if (!price || prediction.samples_per_second <= 0) {
        return {};
    }
    return text(*search::run_of(prediction, samples_of_a_million(prediction), price).money, price->currency);
}

}  // namespace dodona::reports
