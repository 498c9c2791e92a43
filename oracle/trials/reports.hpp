// Early stopping of trials that run, by their own reports.
//
// A trial's i-th report is that of its i-th step. With n trials at a step, this one included:
//
//   asha     at steps 1, eta, eta^2, ... it continues if it is among the best max(1, floor(n / eta)) so far. Trials of
//            eta^(K - 1) reports have the rungs of early_stopping.hpp; none waits here, so the first of a rung continues
//   median   at each step it stops where its best report is worse than the median, over the trials that ran to their
//            end, of their mean up to that step; once kMedianTrials did
//
// Source: Li et al., "A system for massively parallel hyperparameter tuning", MLSys 2020, algorithm 2, without waiting as
// in ray-project/ray: tune/schedulers/async_hyperband.py; Golovin et al., "Google Vizier", KDD 2017, section 3.2.2, and
// ray-project/ray: tune/schedulers/median_stopping_rule.py, for the three trials.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/enumeration.hpp"

namespace dodona::trials {

enum class Best { highest, lowest };
inline constexpr std::array kBestTable{Enumerator(Best::highest, "highest", "the more the better: an accuracy"),
                                       Enumerator(Best::lowest, "lowest", "the less the better: a loss")};
constexpr const auto& enumerators(Best /*type*/) { return kBestTable; }

/// The place of a trial's result. The last number that is found counts.
struct Result {
    std::string pattern;  ///< a regular expression with one group
    std::string key;      ///< of an object in JSON, instead of a pattern
    std::string file;     ///< in the trial's folder; empty: its log
    Best best = Best::highest;
};

/// All numbers that stand in a text, in order.
std::vector<double> results_in(const std::string& text, const Result& result);

enum class StoppingRule { asha, median };
inline constexpr std::array kStoppingRuleTable{
    Enumerator(StoppingRule::asha, "asha", "a trial continues if it is among the best of its rung so far"),
    Enumerator(StoppingRule::median, "median", "a trial stops if it is worse than the median of those that ended")};
constexpr const auto& enumerators(StoppingRule /*type*/) { return kStoppingRuleTable; }

inline constexpr std::size_t kMedianTrials = 3;

class Reports {
public:
    Reports(std::size_t trials, StoppingRule rule, std::size_t eta, Best best)
        : rule_(rule), eta_(eta), sign_(best == Best::highest ? 1 : -1), values_(trials), ended_(trials) {}

    /// Adds all reports of a trial, from its first step. Returns whether it continues.
    bool continues(std::size_t trial, const std::vector<double>& values);
    /// It ran to its end.
    void end(std::size_t trial) { ended_[trial] = true; }

private:
    [[nodiscard]] bool is_rung(std::size_t step) const;
    [[nodiscard]] bool among_best(std::size_t trial, std::size_t step) const;
    [[nodiscard]] bool above_median(std::size_t trial, std::size_t step) const;

    StoppingRule rule_;
    std::size_t eta_;
    double sign_;
    std::vector<std::vector<double>> values_;  ///< by trial and step; the more the better
    std::vector<bool> ended_;
};

}  // namespace dodona::trials
