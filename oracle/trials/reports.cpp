#include "trials/reports.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>
#include <optional>
#include <regex>

#include "base/decimal.hpp"

namespace dodona::trials {

namespace {

constexpr const char* kNumber = "([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)";

/// Letters, digits and `_` as they are, all else behind a backslash.
std::string literal(const std::string& text) {
    std::string pattern;
    for (const char c : text) {
        const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        pattern += is_word ? std::string(1, c) : std::string{'\\', c};
    }
    return pattern;
}

/// None of what is no finite number.
std::optional<double> number_in(const std::string& text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = decimal_at(text.data() + (text.starts_with('+') ? 1 : 0), end, value);
    return fault == std::errc{} && stop == end && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<double> results_in(const std::string& text, const Result& result) {
    const std::regex pattern(result.key.empty() ? result.pattern
                                                : "\"" + literal(result.key) + "\"\\s*:\\s*\"?" + kNumber);
    std::vector<double> values;
    for (std::sregex_iterator match(text.begin(), text.end(), pattern); match != std::sregex_iterator(); ++match) {
        if (const auto value = number_in((*match)[1].str())) {
            values.push_back(*value);
        }
    }
    return values;
}

bool Reports::continues(std::size_t trial, const std::vector<double>& values) {
    std::vector<double>& known = values_[trial];
    bool continues = true;
    for (std::size_t step = known.size(); step < values.size(); ++step) {
        known.push_back(sign_ * values[step]);
        continues = continues && (rule_ == StoppingRule::asha ? !is_rung(step + 1) || among_best(trial, step)
                                                              : above_median(trial, step));
    }
    return continues;
}

bool Reports::is_rung(std::size_t step) const {
    while (step > 1 && step % eta_ == 0) {
        step /= eta_;
    }
    return step == 1;
}

bool Reports::among_best(std::size_t trial, std::size_t step) const {
    std::size_t reported = 0;
    std::size_t better = 0;
    for (const std::vector<double>& others : values_) {
        reported += others.size() > step ? 1 : 0;
        better += others.size() > step && others[step] > values_[trial][step] ? 1 : 0;
    }
    return better < std::max<std::size_t>(1, reported / eta_);
}

bool Reports::above_median(std::size_t trial, std::size_t step) const {
    std::vector<double> means;
    for (std::size_t other = 0; other < values_.size(); ++other) {
        if (ended_[other] && other != trial && values_[other].size() > step) {
            const auto first = values_[other].begin();
            const auto last = first + static_cast<std::ptrdiff_t>(step + 1);
            means.push_back(std::accumulate(first, last, 0.0) / static_cast<double>(step + 1));
        }
    }
    if (means.size() < kMedianTrials) {
        return true;
    }
    std::sort(means.begin(), means.end());
    const double median = (means[(means.size() - 1) / 2] + means[means.size() / 2]) / 2;
    return *std::max_element(values_[trial].begin(), values_[trial].end()) >= median;
}

}  // namespace dodona::trials
