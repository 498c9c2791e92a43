// Early stopping: most trials end after a share of their work, the best go on. What that costs, as expected values.
//
// Rung k of K has the share f_k = eta^(k - K) of a trial's work, k = 1 ... K. A trial goes on where it stopped.
//
//   successive halving   of n trials the best n_k+1 = floor(n_k / eta) go on, once all of a rung have ended
//   asha                 the same without waiting: a trial goes on as soon as it is among the best 1/eta of those that
//                        have ended its rung; while none is, a new one begins
//   hyperband            brackets s = K-1 ... 0 one after another, each a successive halving of ceil(K eta^s / (s + 1))
//                        trials whose first rung is K - s; no more trials than there are
//
// Which trials are the best is not known before they run: every order is as likely. Expected work of one halving:
//
//   sum over k of n_k / n * sum over trials of t_i (f_k - f_k-1)        f_0 = 0
//
// and the makespan is the mean of schedules played with drawn orders. Not modelled: what the kept trials are worth,
// checkpoints between rungs.
// Source: Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", AISTATS 2016;
// Li et al., "A system for massively parallel hyperparameter tuning", MLSys 2020, algorithm 2 (ASHA); Li et al.,
// "Hyperband", JMLR 18 (2018), algorithm 1.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"
#include "trials/mean_time.hpp"
#include "trials/pool.hpp"
#include "trials/scheduler.hpp"

namespace dodona::trials {

enum class Stopping { successive_halving, asha, hyperband };
inline constexpr std::array kStoppingTable{
    Enumerator(Stopping::successive_halving, "successive-halving", "the best of each rung go on, once all have ended"),
    Enumerator(Stopping::asha, "asha", "a trial goes on as soon as it is among the best of its rung"),
    Enumerator(Stopping::hyperband, "hyperband", "several successive halvings, from many short to few long trials")};
constexpr const auto& enumerators(Stopping /*type*/) { return kStoppingTable; }
constexpr std::string_view name(Stopping stopping) { return name_of(stopping); }

struct EarlyStopping {
    Stopping kind = Stopping::successive_halving;
    int eta = 3;      ///< at least 2
    int rungs = 3;    ///< K, at least 1
    int draws = 100;  ///< of orders, at least 2
    std::uint64_t seed = 1;
};

/// Trials that run at a rung of a bracket; for ASHA the mean over draws.
struct Rung {
    int bracket = 0;   ///< s of Hyperband; 0 for the others
    double share = 0;  ///< of a trial's work, done at its end
    double trials = 0;
};

struct StoppedTrials {
    std::vector<Rung> rungs;
    Seconds work;         ///< mean time of all trials, added up, each once however many units it takes
    MeanTime makespan;    ///< over draws
    double finished = 0;  ///< mean number of trials that run to their end
};

/// Trials of a bracket by rung, from its first: n_k.
std::vector<std::size_t> halving(std::size_t trials, int eta, int rungs);

StoppedTrials stop_early(const std::vector<Job>& jobs, const Pool& pool, Policy policy, const EarlyStopping& stopping);

}  // namespace dodona::trials
