#include "reports/text/goals.hpp"

#include <fmt/format.h>

#include "reports/figures.hpp"

namespace dodona::reports {

namespace {

/// "10.3 % too long", or "22.1 times too long": how far `value` is beyond `limit`.
std::string too(std::string_view what, double value, double limit) {
    const double ratio = value / limit;
    return ratio < 2 ? fmt::format("{} too {}", percent(ratio - 1), what)
                     : fmt::format("{} times too {}", figure(ratio), what);
}

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

std::string rate_words(const step::Prediction& prediction) {
    return prediction.tokens_per_second ? figure(*prediction.tokens_per_second) + " tokens/s"
                                        : figure(prediction.samples_per_second) + " samples/s";
}

double samples_of_a_million(const step::Prediction& prediction) {
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

std::string run_words(const search::TrainingRun& run, const std::optional<cluster::Price>& price) {
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
        case search::Goal::fits: return why_not_text(attempt);
        case search::Goal::throughput:
            return fmt::format("{}, {}", rate_words(*attempt.plan),
                               too("slow", *goals.samples_per_second, attempt.plan->samples_per_second));
        case search::Goal::deadline:
            return fmt::format("{}, {}", duration(attempt.run->time.value),
                               too("long", attempt.run->time.value / *goals.deadline, 1));
        case search::Goal::budget:
            return fmt::format("{}, {}", text(*attempt.run->money, price ? price->currency : ""),
                               too("dear", *attempt.run->money / *goals.budget, 1));
    }
    return {};
}

std::string unit_cost_words(const step::Prediction& prediction, const std::optional<cluster::Price>& price) {
    if (!price || prediction.samples_per_second <= 0) {
        return {};
    }
    return text(*search::run_of(prediction, samples_of_a_million(prediction), price).money, price->currency);
}

}  // namespace dodona::reports
