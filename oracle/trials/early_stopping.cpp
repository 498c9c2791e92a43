#include "trials/early_stopping.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "simulate/noise.hpp"
#include "simulate/random_bits.hpp"
#include "trials/schedule.hpp"

namespace dodona::trials {

namespace {

/// All trials, the best first.
using Order = std::vector<std::size_t>;

Order drawn_order(std::size_t trials, simulate::Draws& draws) {
    std::vector<double> worth(trials);
    std::generate(worth.begin(), worth.end(), [&] { return draws.uniform(); });
    Order order(trials);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return worth[a] > worth[b]; });
    return order;
}

/// f_k: of a trial's work, by the end of rung `k` of `rungs`; 0 before the first.
double share_at(int k, const EarlyStopping& stopping) {
    return k == 0 ? 0 : std::pow(stopping.eta, k - stopping.rungs);
}

/// What one draw adds up to.
struct Played {
    Seconds makespan;
    Seconds work;
    double finished = 0;
    std::vector<Rung> rungs;
};

void add_rung(Played& played, int bracket, double share, double trials) {
    for (Rung& rung : played.rungs) {
        if (rung.bracket == bracket && rung.share == share) {
            rung.trials += trials;
            return;
        }
    }
    played.rungs.push_back({bracket, share, trials});
}

/// One halving from rung `first` on, after what was played before.
void play_halving(const std::vector<Job>& jobs, const Pool& pool, Policy policy, const EarlyStopping& stopping,
                  const Order& order, int first, int bracket, Played& played) {
    double before = 0;
    std::size_t rung = static_cast<std::size_t>(first);
    for (const std::size_t kept : halving(order.size(), stopping.eta, stopping.rungs - first + 1)) {
        const double share = share_at(static_cast<int>(rung++), stopping);
        std::vector<std::size_t> survivors(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept));
        std::sort(survivors.begin(), survivors.end());  // in the order of submission
        std::vector<Job> pieces;
        for (const std::size_t trial : survivors) {
            pieces.push_back({(share - before) * jobs[trial].time, jobs[trial].units});
            played.work += pieces.back().time;
        }
        played.makespan += schedule(pieces, pool, policy).makespan;
        played.finished += share == 1 ? static_cast<double>(kept) : 0;
        add_rung(played, bracket, share, static_cast<double>(kept));
        before = share;
    }
}

Played play_hyperband(const std::vector<Job>& jobs, const Pool& pool, Policy policy, const EarlyStopping& stopping,
                      simulate::Draws& draws) {
    Played played;
    for (int s = stopping.rungs - 1; s >= 0; --s) {
        const double asked = std::ceil(stopping.rungs * std::pow(stopping.eta, s) / (s + 1));
        Order order = drawn_order(jobs.size(), draws);
        order.resize(std::min(jobs.size(), static_cast<std::size_t>(asked)));
        play_halving(jobs, pool, policy, stopping, order, stopping.rungs - s, s, played);
    }
    return played;
}

/// ASHA. A piece is a trial's work between two rungs.
class AsynchronousHalving {
public:
    AsynchronousHalving(const std::vector<Job>& jobs, const Pool& pool, const EarlyStopping& stopping, Order order)
        : jobs_(jobs),
          stopping_(stopping),
          scheduler_({}, pool, Policy::fifo),
          order_(std::move(order)),
          rank_(jobs.size()),
          rungs_(static_cast<std::size_t>(stopping.rungs)) {
        for (std::size_t rank = 0; rank < order_.size(); ++rank) {
            rank_[order_[rank]] = rank;
        }
    }

    Played played() {
        while (true) {
            start_all();
            if (ends_.empty()) {
                break;
            }
            now_ = ends_.top().first;
            while (!ends_.empty() && ends_.top().first == now_) {
                finish(ends_.top().second);
                ends_.pop();
            }
        }
        played_.makespan = now_;
        return std::move(played_);
    }

private:
    struct Piece {
        std::size_t trial = 0;
        std::size_t rung = 0;  ///< from 0
    };
    struct RungState {
        std::size_t ended = 0;
        std::set<std::size_t> waiting;      ///< ranks of those that ended and did not go on
        std::vector<std::size_t> promoted;  ///< ranks of those that went on, in order
    };

    /// The best trial that may go on from the highest rung where one may; else a new one.
    [[nodiscard]] const Piece* next() {
        for (std::size_t rung = rungs_.size() - 1; rung-- > 0;) {
            const RungState& state = rungs_[rung];
            if (state.waiting.empty()) {
                continue;
            }
            const std::size_t best = *state.waiting.begin();
            const auto better = std::lower_bound(state.promoted.begin(), state.promoted.end(), best);
            const auto place = static_cast<std::size_t>(better - state.promoted.begin());
            if (place < state.ended / static_cast<std::size_t>(stopping_.eta)) {
                next_ = {order_[best], rung + 1};
                return &next_;
            }
        }
        next_ = {begun_, 0};
        return begun_ < jobs_.size() ? &next_ : nullptr;
    }

    void start_all() {
        for (const Piece* piece = next(); piece != nullptr && scheduler_.has_room(jobs_[piece->trial].units);
             piece = next()) {
            start(*piece);
        }
    }

    void start(const Piece& piece) {
        if (piece.rung == 0) {
            ++begun_;
        } else {
            RungState& below = rungs_[piece.rung - 1];
            const std::size_t rank = rank_[piece.trial];
            below.waiting.erase(rank);
            below.promoted.insert(std::lower_bound(below.promoted.begin(), below.promoted.end(), rank), rank);
        }
        const double share = share_at(static_cast<int>(piece.rung) + 1, stopping_);
        const double before = piece.rung == 0 ? 0 : share_at(static_cast<int>(piece.rung), stopping_);
        const Seconds time = (share - before) * jobs_[piece.trial].time;
        const std::size_t job = scheduler_.add({time, jobs_[piece.trial].units});
        scheduler_.start(now_);
        pieces_.push_back(piece);
        ends_.push({now_ + time, job});
        played_.work += time;
        add_rung(played_, 0, share, 1);
    }

    void finish(std::size_t job) {
        scheduler_.end(job);
        const Piece& piece = pieces_[job];
        ++rungs_[piece.rung].ended;
        rungs_[piece.rung].waiting.insert(rank_[piece.trial]);
        played_.finished += piece.rung + 1 == rungs_.size() ? 1 : 0;
    }

    const std::vector<Job>& jobs_;
    const EarlyStopping& stopping_;
    Scheduler scheduler_;
    Order order_;
    std::vector<std::size_t> rank_;  ///< of each trial: 0 is the best
    std::vector<RungState> rungs_;
    std::vector<Piece> pieces_;  ///< by number of the scheduler's job
    using End = std::pair<Seconds, std::size_t>;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
    std::size_t begun_ = 0;
    Piece next_;
    Seconds now_;
    Played played_;
};

Played play_once(const std::vector<Job>& jobs, const Pool& pool, Policy policy, const EarlyStopping& stopping,
                 int number) {
    simulate::Draws draws(simulate::random_bits(stopping.seed, static_cast<std::uint64_t>(number)));
    if (stopping.kind == Stopping::hyperband) {
        return play_hyperband(jobs, pool, policy, stopping, draws);
    }
    Order order = drawn_order(jobs.size(), draws);
    if (stopping.kind == Stopping::asha) {
        return AsynchronousHalving(jobs, pool, stopping, std::move(order)).played();
    }
    Played played;
    play_halving(jobs, pool, policy, stopping, order, 1, 0, played);
    return played;
}

}  // namespace

std::vector<std::size_t> halving(std::size_t trials, int eta, int rungs) {
    std::vector<std::size_t> kept;
    for (std::size_t left = trials; rungs > 0 && left > 0; --rungs) {
        kept.push_back(left);
        left /= static_cast<std::size_t>(eta);
    }
    return kept;
}

StoppedTrials stop_early(const std::vector<Job>& jobs, const Pool& pool, Policy policy, const EarlyStopping& stopping) {
    StoppedTrials result;
    const auto draws = static_cast<double>(stopping.draws);
    std::vector<Seconds> makespans;
    Played all;
    for (int i = 0; i < stopping.draws; ++i) {
        const Played played = play_once(jobs, pool, policy, stopping, i);
        makespans.push_back(played.makespan);
        all.work += played.work;
        all.finished += played.finished;
        for (const Rung& rung : played.rungs) {
            add_rung(all, rung.bracket, rung.share, rung.trials);
        }
    }
    result.makespan = mean_time(makespans);
    result.work = all.work / draws;
    result.finished = all.finished / draws;
    result.rungs = std::move(all.rungs);
    for (Rung& rung : result.rungs) {
        rung.trials /= draws;
    }
    std::stable_sort(result.rungs.begin(), result.rungs.end(), [](const Rung& a, const Rung& b) {
        return std::pair(-a.bracket, a.share) < std::pair(-b.bracket, b.share);
    });
    return result;
}

}  // namespace dodona::trials
