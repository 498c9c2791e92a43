// The frontier program against every assignment, on thousands of small worlds.
#include "search/frontier.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace dodona::search {
namespace frontier_test {

constexpr std::size_t kAll = 1'000'000;  ///< ways to a state: none is cut

/// A number of chance for each number (splitmix64).
std::uint64_t hashed(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

/// What closing costs in a world of chance: of tensor and uses alone, in whatever order they are asked for.
Costs priced(int tensor, const std::vector<int>& uses, std::uint32_t seed) {
    std::uint64_t chance = hashed(seed) ^ static_cast<std::uint64_t>(tensor + 1);
    for (const int use : uses) {
        chance = hashed(chance ^ static_cast<std::uint64_t>(use + 1));
    }
    chance = hashed(chance);
    if (chance % 16 == 0) {
        return kForbidden;
    }
    const auto some = [&](int shift) { return static_cast<double>((chance >> shift) % 8); };
    return {Seconds::of_base(some(8)), Seconds::of_base(some(16)), Bytes::of_base(some(24))};
}

/// Up to six variables with up to four choices; tensors join neighbours, skip over them and come back.
Choices world(std::uint32_t seed) {
    std::mt19937 chance(seed);
    Choices choices;
    const int variables = 1 + static_cast<int>(chance() % 6);
    choices.tensors = 1 + static_cast<int>(chance() % 5);
    std::vector<std::vector<int>> touched(static_cast<std::size_t>(variables));
    for (int t = 0; t < choices.tensors; ++t) {
        for (int reader = 0; reader < 3; ++reader) {
            touched[chance() % touched.size()].push_back(t);
        }
    }
    for (int v = 0; v < variables; ++v) {
        std::vector<Choice>& all = choices.variables.emplace_back();
        const int count = 1 + static_cast<int>(chance() % 4);
        for (int k = 0; k < count; ++k) {
            // `shown` may be negative: what a layer lets hide behind itself.
            Choice choice{{Seconds::of_base(static_cast<double>(chance() % 12)),
                           Seconds::of_base(static_cast<double>(chance() % 12) - 3.0),
                           Bytes::of_base(static_cast<double>(chance() % 12))},
                          {}};
            for (const int tensor : touched[static_cast<std::size_t>(v)]) {
                choice.uses.push_back({tensor, static_cast<int>(chance() % 3)});
            }
            all.push_back(std::move(choice));
        }
    }
    choices.closing = [seed](int tensor, const std::vector<int>& uses) { return priced(tensor, uses, seed); };
    return choices;
}

/// Of one assignment, from the definition.
Costs costs_of(const Choices& choices, const std::vector<int>& picked) {
    Costs sum;
    std::vector<std::set<int>> said(static_cast<std::size_t>(choices.tensors));
    std::set<int> touched;
    for (std::size_t v = 0; v < picked.size(); ++v) {
        for (const Choice& choice : choices.variables[v]) {
            for (const TensorUse& use : choice.uses) {
                touched.insert(use.tensor);
            }
        }
        const Choice& choice = choices.variables[v][static_cast<std::size_t>(picked[v])];
        sum += choice.costs;
        for (const TensorUse& use : choice.uses) {
            said[static_cast<std::size_t>(use.tensor)].insert(use.use);
        }
    }
    for (const int tensor : touched) {
        const auto& uses = said[static_cast<std::size_t>(tensor)];
        sum += choices.closing(tensor, {uses.begin(), uses.end()});
    }
    return sum;
}

std::vector<Costs> all_costs(const Choices& choices) {
    std::vector<Costs> all;
    std::vector<int> picked(choices.variables.size(), 0);
    for (;;) {
        const Costs costs = costs_of(choices, picked);
        if (costs.hidden < kForbidden.hidden) {
            all.push_back(costs);
        }
        std::size_t v = 0;
        while (v < picked.size() && ++picked[v] == static_cast<int>(choices.variables[v].size())) {
            picked[v++] = 0;
        }
        if (v == picked.size()) {
            return all;
        }
    }
}

std::optional<Seconds> fastest_within(const std::vector<Costs>& all, Bytes memory) {
    std::optional<Seconds> fastest;
    for (const Costs& costs : all) {
        if (costs.memory <= memory && (!fastest || costs.time() < *fastest)) {
            fastest = costs.time();
        }
    }
    return fastest;
}

TEST(Frontier, EqualsEveryAssignmentOnThousandsOfSmallWorlds) {
    int solved = 0;
    int within = 0;
    for (std::uint32_t seed = 0; seed < 4000; ++seed) {
        const Choices choices = world(seed);
        const std::vector<Costs> all = all_costs(choices);
        for (const double limit : {1e9, 20.0, 12.0}) {
            const Bytes memory = Bytes::of_base(limit);
            const Frontier found = assign_choices(choices, {.memory = memory, .partials = kAll});
            const std::optional<Seconds> fastest = fastest_within(all, memory);
            ASSERT_TRUE(found.complete);
            ASSERT_EQ(found.assigned.empty(), !fastest.has_value()) << "world " << seed << " within " << limit;
            if (fastest) {
                ASSERT_EQ(found.assigned.front().costs.time(), *fastest) << "world " << seed << " within " << limit;
                ASSERT_EQ(costs_of(choices, found.assigned.front().choices), found.assigned.front().costs);
                ++(limit > 100 ? solved : within);
            }
        }
    }
    EXPECT_GT(solved, 3000);
    EXPECT_GT(within, 2000) << "memory has to be what decides in many worlds";
}

TEST(Frontier, ReturnsAllThatNothingDominates) {
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        const Choices choices = world(seed);
        const Frontier found = assign_choices(choices, {.partials = kAll});
        for (const Costs& costs : all_costs(choices)) {
            EXPECT_TRUE(std::any_of(found.assigned.begin(), found.assigned.end(),
                                    [&](const Assigned& way) {
                                        return way.costs.hidden <= costs.hidden && way.costs.shown <= costs.shown &&
                                               way.costs.memory <= costs.memory;
                                    }))
                << "world " << seed;
        }
    }
}

TEST(Frontier, WithoutWeighingMemoryIsAsFast) {
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        const Choices choices = world(seed);
        const Frontier weighed = assign_choices(choices, {.partials = kAll});
        const Frontier light = assign_choices(choices, {.weighs_memory = false, .partials = kAll});
        ASSERT_EQ(weighed.assigned.empty(), light.assigned.empty());
        if (!light.assigned.empty()) {
            EXPECT_EQ(light.assigned.front().costs.time(), weighed.assigned.front().costs.time()) << "world " << seed;
        }
    }
}

TEST(Frontier, ABoundOnTimeLosesNothingFaster) {
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        const Choices choices = world(seed);
        const Frontier free = assign_choices(choices, {.partials = kAll});
        if (free.assigned.empty()) {
            continue;
        }
        const Seconds best = free.assigned.front().costs.time();
        const Frontier bounded = assign_choices(choices, {.time = best, .partials = kAll});
        ASSERT_FALSE(bounded.assigned.empty()) << "world " << seed;
        EXPECT_EQ(bounded.assigned.front().costs.time(), best);
        EXPECT_LE(bounded.states, free.states);
        EXPECT_TRUE(assign_choices(choices, {.time = best - Seconds::of_base(0.5), .partials = kAll}).assigned.empty());
    }
}

TEST(Frontier, SaysWhenItWasCut) {
    int cut = 0;
    for (std::uint32_t seed = 0; seed < 500; ++seed) {
        const Choices choices = world(seed);
        const Frontier whole = assign_choices(choices, {.partials = kAll});
        const Frontier narrow = assign_choices(choices, {.states = 2, .partials = 1});
        cut += narrow.complete ? 0 : 1;
        if (narrow.complete && !whole.assigned.empty()) {
            EXPECT_EQ(narrow.assigned.front().costs.time(), whole.assigned.front().costs.time());
        }
    }
    EXPECT_GT(cut, 100);
}

}  // namespace frontier_test
}  // namespace dodona::search
