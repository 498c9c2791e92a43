#include "search/frontier.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "base/ranges.hpp"

namespace dodona::search {

Costs& Costs::operator+=(const Costs& other) {
    hidden += other.hidden;
    shown += other.shown;
    memory += other.memory;
    return *this;
}

namespace {

constexpr std::int32_t kStart = -1;
constexpr int kNoUse = 0;
constexpr double kRounding = 1e-12;  ///< sums in another order differ by so little

/// Choices of all variables so far that lead to one state.
struct Partial {
    Costs costs;
    std::int32_t step = kStart;  ///< the last choice
};

struct Step {
    std::int32_t before = kStart;
    std::int32_t choice = 0;
};

/// The uses of each open tensor, as the number of the set of them (UsesByTensor), in the order of the tensors.
using Key = std::vector<int>;

struct KeyHash {
    std::size_t operator()(const Key& key) const {
        std::size_t hash = 1469598103934665603ULL;  // FNV-1a
        for (const int part : key) {
            hash = (hash ^ static_cast<std::size_t>(part)) * 1099511628211ULL;
        }
        return hash;
    }
};

struct State {
    Key key;
    std::vector<Partial> partials;
    std::size_t pruned_to = 0;  ///< partial assignments left by the last pruning
    Seconds least;              ///< lower bound of the time of a complete assignment through this state
};

/// The numbers of states by their keys: open addressing, since a frontier has millions of look-ups and no removals.
class StateNumbers {
public:
    /// The number of the state with this key; none if there is none.
    [[nodiscard]] std::optional<std::size_t> find(const Key& key, const std::vector<State>& states) const {
        const std::size_t hash = hash_of(key);
        for (std::size_t at = hash & mask(); slots_[at].hash != 0; at = (at + 1) & mask()) {
            if (slots_[at].hash == hash && states[slots_[at].state].key == key) {
                return slots_[at].state;
            }
        }
        return std::nullopt;
    }

    /// Adds the number of the last state.
    void add_last(const std::vector<State>& states) {
        if (2 * states.size() > slots_.size()) {
            const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
            for (const Slot& slot : before) {
                if (slot.hash != 0) {
                    insert(slot);
                }
            }
        }
        insert({hash_of(states.back().key), states.size() - 1});
    }

private:
    struct Slot {
        std::size_t hash = 0;  ///< 0: free
        std::size_t state = 0;
    };
    static std::size_t hash_of(const Key& key) { return std::max<std::size_t>(1, KeyHash()(key)); }
    [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
    void insert(const Slot& slot) {
        std::size_t at = slot.hash & mask();
        while (slots_[at].hash != 0) {
            at = (at + 1) & mask();
        }
        slots_[at] = slot;
    }

    std::vector<Slot> slots_ = std::vector<Slot>(64);  ///< a power of two, at most half of them taken
};

/// The states after a variable, while they are being found.
struct Next {
    std::vector<State> states;
    StateNumbers known;
    /// New states with a larger lower bound would be dropped in the end.
    Seconds cutoff = Seconds::of_base(std::numeric_limits<double>::infinity());
    std::size_t at_cutoff = 0;  ///< states when the cutoff was set
};

/// Sets of uses of one tensor, numbered; 0 is the empty set.
class UsesByTensor {
public:
    int with(int set, int use) {
        std::vector<int>& extended = extended_[static_cast<std::size_t>(set)];
        if (static_cast<std::size_t>(use) >= extended.size()) {
            extended.resize(static_cast<std::size_t>(use) + 1, kUnknown);
        }
        int& found = extended[static_cast<std::size_t>(use)];
        if (found == kUnknown) {
            std::vector<int> uses = sets_[static_cast<std::size_t>(set)];
            const auto at = std::lower_bound(uses.begin(), uses.end(), use);
            if (at == uses.end() || *at != use) {
                uses.insert(at, use);
            }
            const auto [known, first] = numbers_.try_emplace(uses, static_cast<int>(sets_.size()));
            found = known->second;
            if (first) {
                sets_.push_back(uses);
                extended_.emplace_back();  // ends `found`
            }
            return known->second;
        }
        return found;
    }
    [[nodiscard]] const std::vector<int>& uses(int set) const { return sets_[static_cast<std::size_t>(set)]; }

private:
    static constexpr int kUnknown = -1;
    std::vector<std::vector<int>> sets_{{}};
    std::map<std::vector<int>, int> numbers_{{{}, kNoUse}};
    std::vector<std::vector<int>> extended_{{}};  ///< by set and use: the set with that use
};

bool faster(const Partial& a, const Partial& b) {
    if (a.costs.time() != b.costs.time()) {
        return a.costs.time() < b.costs.time();
    }
    if (a.costs.hidden != b.costs.hidden) {
        return a.costs.hidden < b.costs.hidden;
    }
    if (a.costs.shown != b.costs.shown) {
        return a.costs.shown < b.costs.shown;
    }
    return a.costs.memory < b.costs.memory;
}

class Program {
public:
    Program(const Choices& choices, const FrontierLimits& limits)
        : choices_(choices), limits_(limits), roles_(static_cast<std::size_t>(choices.tensors)) {
        closed_.resize(roles_.size());
        find_spans();
        find_least();
    }

    Frontier run() {
        states_ = {{.key = {}, .partials = {Partial{}}, .pruned_to = 1, .least = least_.front().time()}};
        for (std::size_t v = 0; v < choices_.variables.size(); ++v) {
            check(!choices_.variables[v].empty(), "a variable has a choice");
            choose(v);
        }
        Frontier frontier{.assigned = {}, .complete = complete_, .states = visited_};
        if (!states_.empty()) {
            for (const Partial& partial : states_.front().partials) {
                frontier.assigned.push_back({partial.costs, path_to(partial)});
            }
        }
        return frontier;
    }

private:
    /// For each variable the tensors that are open before and after it.
    void find_spans() {
        constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
        const std::size_t tensors = roles_.size();
        std::vector<std::size_t> first(tensors, kNever);
        std::vector<std::size_t> last(tensors, 0);
        for (std::size_t v = 0; v < choices_.variables.size(); ++v) {
            for (const Choice& choice : choices_.variables[v]) {
                for (const TensorUse& use : choice.uses) {
                    const auto t = static_cast<std::size_t>(use.tensor);
                    first[t] = std::min(first[t], v);
                    last[t] = std::max(last[t], v);
                }
            }
        }
        open_.resize(choices_.variables.size() + 1);
        closes_.resize(choices_.variables.size());
        for (std::size_t t = 0; t < tensors; ++t) {
            if (first[t] == kNever) {
                continue;
            }
            for (std::size_t v = first[t] + 1; v <= last[t]; ++v) {
                open_[v].push_back(static_cast<int>(t));
            }
            closes_[last[t]].push_back(static_cast<int>(t));
        }
    }

    /// For each variable a lower bound of what it and all later ones cost.
    void find_least() {
        least_.resize(choices_.variables.size() + 1);
        for (std::size_t v = choices_.variables.size(); v-- > 0;) {
            Costs least = choices_.variables[v].front().costs;
            for (const Choice& choice : choices_.variables[v]) {
                least = {min(least.hidden, choice.costs.hidden), min(least.shown, choice.costs.shown),
                         min(least.memory, choice.costs.memory)};
            }
            least_[v] = least_[v + 1] + least;
        }
    }

    [[nodiscard]] bool exceeds_limits(const Costs& costs, std::size_t next) const {
        const Costs at_least = costs + least_[next];
        return at_least.time() > (1 + kRounding) * limits_.time || at_least.memory > (1 + kRounding) * limits_.memory ||
               costs.hidden == kForbidden.hidden;
    }

    /// Of the frontier, fewer once much of the work is done: a search ends.
    [[nodiscard]] std::size_t most_states() const {
        constexpr std::int64_t kMuch = 40'000'000;
        constexpr std::size_t kFew = 200;
        return work_ < kMuch ? limits_.states : std::min(limits_.states, kFew);
    }

    void choose(std::size_t v) {
        Next next;
        std::vector<int> used(roles_.size(), kNoUse);  // by tensor: its set of uses
        Key key;
        for (const State& state : states_) {
            for (std::size_t k = 0; k < choices_.variables[v].size(); ++k) {
                const Choice& choice = choices_.variables[v][k];
                if (choice.peak > limits_.peak || too_slow(state.least + extra(v, choice), next)) {
                    continue;
                }
                for (std::size_t i = 0; i < open_[v].size(); ++i) {
                    used[static_cast<std::size_t>(open_[v][i])] = state.key[i];
                }
                for (const TensorUse& use : choice.uses) {
                    int& so_far = used[static_cast<std::size_t>(use.tensor)];
                    so_far = roles_[static_cast<std::size_t>(use.tensor)].with(so_far, use.use);
                }
                Costs added = choice.costs;
                for (const int tensor : closes_[v]) {
                    added += closing(tensor, used[static_cast<std::size_t>(tensor)]);
                }
                key.clear();
                append(key, open_[v + 1], [&](const int tensor) { return used[static_cast<std::size_t>(tensor)]; });
                for (const TensorUse& use : choice.uses) {
                    used[static_cast<std::size_t>(use.tensor)] = kNoUse;
                }
                extend(state, static_cast<std::int32_t>(k), added, v + 1, key, next);
            }
        }
        for (State& state : next.states) {
            prune(state);
        }
        drop_slow_states(next.states);
        states_ = std::move(next.states);
        visited_ += static_cast<std::int64_t>(states_.size());
        note_steps();
    }

    /// Lower bound of how much longer this choice takes than the fastest ones.
    [[nodiscard]] Seconds extra(std::size_t v, const Choice& choice) const {
        const Costs rest = choice.costs + least_[v + 1];
        return min(rest.hidden - least_[v].hidden, rest.shown - least_[v].shown);
    }

    /// Whether a choice with this lower bound can be skipped before the state that it leads to is known.
    bool too_slow(Seconds least, const Next& next) {
        const bool cut = !limits_.weighs_memory && least > next.cutoff;
        complete_ = complete_ && !cut;
        return cut || least > (1 + kRounding) * limits_.time;
    }

    void extend(const State& from, std::int32_t choice, const Costs& added, std::size_t next_variable, const Key& key,
                Next& next) {
        State* to = nullptr;
        work_ += static_cast<std::int64_t>(from.partials.size() + key.size());
        for (const Partial& partial : from.partials) {
            const Costs costs = partial.costs + added;
            if (exceeds_limits(costs, next_variable)) {
                continue;
            }
            const Seconds least = (costs + least_[next_variable]).time();
            if (to == nullptr) {
                to = state_of(key, least, next);
            }
            if (to == nullptr) {
                continue;
            }
            to->least = min(to->least, least);
            to->partials.push_back({costs, static_cast<std::int32_t>(pending_.size())});
            pending_.push_back({partial.step, choice});
        }
        if (to != nullptr && to->partials.size() > 2 * to->pruned_to + 64) {
            prune(*to);
        }
        if (next.states.size() > 2 * most_states() && next.states.size() > 2 * next.at_cutoff) {
            set_cutoff(next);
        }
    }

    /// The state of this key; null where it would be new and too slow to be kept.
    State* state_of(const Key& key, Seconds least, Next& next) {
        if (const auto found = next.known.find(key, next.states)) {
            return &next.states[*found];
        }
        if (least > next.cutoff) {
            complete_ = false;
            return nullptr;
        }
        next.states.push_back({.key = key, .partials = {}, .pruned_to = 0, .least = least});
        next.known.add_last(next.states);
        return &next.states.back();
    }

    void set_cutoff(Next& next) const {
        auto times = mapped<Seconds>(next.states, &State::least);
        const auto last = times.begin() + static_cast<std::ptrdiff_t>(most_states());
        std::nth_element(times.begin(), last, times.end());
        next.cutoff = *last;
        next.at_cutoff = next.states.size();
    }

    /// Keeps the partial assignments that no other dominates; of too many the best (thin).
    void prune(State& state) {
        if (state.partials.size() == 1) {
            state.pruned_to = 1;
            return;
        }
        sort(state.partials);
        std::vector<Partial>& kept = kept_;
        kept.clear();
        for (const Partial& partial : state.partials) {
            const bool dominated = std::any_of(kept.begin(), kept.end(), [&](const Partial& other) {
                return other.costs.hidden <= partial.costs.hidden && other.costs.shown <= partial.costs.shown &&
                       (!limits_.weighs_memory || other.costs.memory <= partial.costs.memory);
            });
            if (!dominated) {
                kept.push_back(partial);
            }
        }
        if (kept.size() > limits_.partials) {
            complete_ = false;
            thin(kept);
        }
        state.partials.assign(kept.begin(), kept.end());
        state.pruned_to = state.partials.size();
    }

    /// The fastest first, equal ones as they were. std::stable_sort allocates for each of millions of short lists.
    static void sort(std::vector<Partial>& partials) {
        constexpr std::size_t kShort = 24;
        if (partials.size() > kShort) {
            std::stable_sort(partials.begin(), partials.end(), faster);
            return;
        }
        for (auto next = partials.begin(); next != partials.end(); ++next) {
            std::rotate(std::upper_bound(partials.begin(), next, *next, faster), next, next + 1);
        }
    }

    /// Half of those kept are the fastest; the other half are, of the rest, those that need least memory.
    void thin(std::vector<Partial>& partials) const {
        const std::size_t half = (limits_.partials + 1) / 2;
        const auto middle = partials.begin() + static_cast<std::ptrdiff_t>(half);
        if (limits_.weighs_memory) {
            std::stable_sort(middle, partials.end(),
                             [](const Partial& a, const Partial& b) { return a.costs.memory < b.costs.memory; });
        }
        partials.resize(limits_.partials);
        std::stable_sort(partials.begin(), partials.end(), faster);
    }

    void drop_slow_states(std::vector<State>& states) {
        if (states.size() <= most_states()) {
            return;
        }
        complete_ = false;
        stable_sort(states, [](const State& a, const State& b) { return a.least < b.least; });
        states.resize(most_states());
    }

    /// Remembers of the choices made for this variable only those that a kept partial assignment ends with.
    void note_steps() {
        for (State& state : states_) {
            for (Partial& partial : state.partials) {
                steps_.push_back(pending_[static_cast<std::size_t>(partial.step)]);
                partial.step = static_cast<std::int32_t>(steps_.size() - 1);
            }
        }
        pending_.clear();
    }

    const Costs& closing(int tensor, int set) {
        std::vector<std::optional<Costs>>& known = closed_[static_cast<std::size_t>(tensor)];
        if (static_cast<std::size_t>(set) >= known.size()) {
            known.resize(static_cast<std::size_t>(set) + 1);
        }
        std::optional<Costs>& costs = known[static_cast<std::size_t>(set)];
        if (!costs) {
            costs = choices_.closing(tensor, roles_[static_cast<std::size_t>(tensor)].uses(set));
        }
        return *costs;
    }

    [[nodiscard]] std::vector<int> path_to(const Partial& partial) const {
        std::vector<int> path;
        for (std::int32_t at = partial.step; at != kStart; at = steps_[static_cast<std::size_t>(at)].before) {
            path.push_back(steps_[static_cast<std::size_t>(at)].choice);
        }
        std::reverse(path.begin(), path.end());
        return path;
    }

    const Choices& choices_;
    const FrontierLimits& limits_;
    std::vector<UsesByTensor> roles_;                        ///< by tensor
    std::vector<std::vector<std::optional<Costs>>> closed_;  ///< by tensor and set of uses
    std::vector<std::vector<int>> open_;                     ///< before each variable
    std::vector<std::vector<int>> closes_;                   ///< with each variable
    std::vector<Costs> least_;                               ///< by variable: lower bound of it and all later ones
    std::vector<State> states_;
    std::vector<Partial> kept_;  ///< of one pruning
    std::vector<Step> pending_;  ///< of this variable
    std::vector<Step> steps_;
    bool complete_ = true;
    std::int64_t visited_ = 0;
    std::int64_t work_ = 0;  ///< partial assignments that were extended, and tensors of their states
};

}  // namespace

Frontier assign_choices(const Choices& choices, const FrontierLimits& limits) { return Program(choices, limits).run(); }

}  // namespace dodona::search
