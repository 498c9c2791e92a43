// Closed forms of pipeline schedules against an event-driven run of the same schedules, and their derivatives.
#include "step/pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "schedule/in_flight.hpp"
#include "schedule/play.hpp"
#include "schedule/rounds.hpp"

namespace dodona::step {
namespace pipeline_test {

struct StageTimes {
    std::vector<double> forward;
    std::vector<double> backward;
};

/// One pass of a stage: forward or backward of a micro-batch.
struct Pass {
    bool forward;
    std::size_t microbatch;
};

/// The order in which a stage runs its passes: 1F1B warms up with p - s - 1 forwards; GPipe with all.
std::vector<Pass> order_of(std::size_t stage, std::size_t stages, std::size_t microbatches, bool gpipe) {
    std::vector<Pass> order;
    const std::size_t warm_up = gpipe ? microbatches : std::min(microbatches, stages - stage - 1);
    for (std::size_t i = 0; i < warm_up; ++i) {
        order.push_back({true, i});
    }
    std::size_t next_forward = warm_up;
    for (std::size_t i = 0; i < microbatches; ++i) {
        if (next_forward < microbatches) {
            order.push_back({true, next_forward++});
        }
        order.push_back({false, i});
    }
    return order;
}

/// Plays the orders with their dependencies: a forward waits for the stage before, a backward for the stage after.
double play(const StageTimes& times, std::size_t microbatches, bool gpipe) {
    const std::size_t p = times.forward.size();
    std::vector<std::vector<double>> forward_done(p, std::vector<double>(microbatches, -1));
    std::vector<std::vector<double>> backward_done = forward_done;
    std::vector<std::vector<Pass>> orders;
    std::vector<std::size_t> next(p, 0);
    std::vector<double> free_at(p, 0);
    for (std::size_t s = 0; s < p; ++s) {
        orders.push_back(order_of(s, p, microbatches, gpipe));
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t s = 0; s < p; ++s) {
            while (next[s] < orders[s].size()) {
                const Pass pass = orders[s][next[s]];
                double ready = 0;
                if (pass.forward && s > 0) {
                    ready = forward_done[s - 1][pass.microbatch];
                } else if (!pass.forward) {
                    ready = s + 1 < p ? backward_done[s + 1][pass.microbatch] : forward_done[s][pass.microbatch];
                }
                if (ready < 0) {
                    break;
                }
                const double end = std::max(ready, free_at[s]) + (pass.forward ? times.forward[s] : times.backward[s]);
                free_at[s] = end;
                (pass.forward ? forward_done : backward_done)[s][pass.microbatch] = end;
                ++next[s];
                moved = true;
            }
        }
    }
    return *std::max_element(free_at.begin(), free_at.end());
}

std::vector<Position<Seconds>> positions_of(const StageTimes& times) {
    std::vector<Position<Seconds>> positions;
    for (std::size_t s = 0; s < times.forward.size(); ++s) {
        positions.push_back(
            {.forward = Seconds::of_base(times.forward[s]), .back = Seconds::of_base(times.backward[s])});
    }
    return positions;
}

template <class Number>
Pipeline<Number> pipeline(const std::vector<Position<Number>>& positions, std::size_t microbatches,
                          std::int64_t virtual_stages = 1) {
    return {.positions = positions,
            .stages = static_cast<std::int64_t>(positions.size()) / virtual_stages,
            .microbatches = static_cast<std::int64_t>(microbatches),
            .schedule =
                virtual_stages > 1 ? plan::ScheduleKind::interleaved : plan::ScheduleKind::one_forward_one_backward};
}

double total(const Pipeline<Seconds>& pipeline) {
    ScheduleTimings orders;
    return pipeline_total(pipeline, orders).in(unit::second);
}

double closed_form(const StageTimes& times, std::size_t microbatches, bool gpipe = false) {
    const std::vector<Position<Seconds>> positions = positions_of(times);
    Pipeline<Seconds> asked = pipeline(positions, microbatches);
    asked.schedule = gpipe ? plan::ScheduleKind::gpipe : asked.schedule;
    return total(asked);
}

TEST(Pipeline, EqualStagesTakeMicrobatchesPlusStagesLessOnePasses) {
    // 4 stages, 8 micro-batches, forward 1 s, backward 2 s: (8 + 3) * 3 = 33 s.
    const StageTimes times{{1, 1, 1, 1}, {2, 2, 2, 2}};
    EXPECT_DOUBLE_EQ(closed_form(times, 8), 33.0);
    EXPECT_DOUBLE_EQ(play(times, 8, false), 33.0);
    EXPECT_DOUBLE_EQ(play(times, 8, true), 33.0);
}

RC_GTEST_PROP(Pipeline, EqualStagesMatchAnEventDrivenRunOfBothSchedules, ()) {
    const auto stages = *rc::gen::inRange<std::size_t>(1, 9);
    const auto microbatches = *rc::gen::inRange<std::size_t>(1, 17);
    const double forward = *rc::gen::inRange(1, 9);
    const double backward = *rc::gen::inRange(1, 9);
    const StageTimes times{std::vector<double>(stages, forward), std::vector<double>(stages, backward)};
    const double expected = closed_form(times, microbatches);
    RC_ASSERT(std::abs(play(times, microbatches, false) - expected) < 1e-9 * expected);
    RC_ASSERT(std::abs(play(times, microbatches, true) - expected) < 1e-9 * expected);
    RC_ASSERT(std::abs(closed_form(times, microbatches, true) - expected) < 1e-9 * expected);
}

RC_GTEST_PROP(Pipeline, UnevenStagesAreNeverFasterThanTheSlowestAloneNorSlowerThanAllLikeIt, ()) {
    const auto stages = *rc::gen::inRange<std::size_t>(2, 7);
    const auto microbatches = *rc::gen::inRange<std::size_t>(1, 13);
    StageTimes times;
    double slowest = 0;
    for (std::size_t s = 0; s < stages; ++s) {
        times.forward.push_back(*rc::gen::inRange(1, 9));
        times.backward.push_back(2 * times.forward.back());
        slowest = std::max(slowest, times.forward.back() + times.backward.back());
    }
    const double found = closed_form(times, microbatches);
    const auto m = static_cast<double>(microbatches);
    RC_ASSERT(found >= m * slowest - 1e-9);
    // ParaDL's Table 3 charges every stage like the slowest: (m + p - 1) of its passes.
    RC_ASSERT(found <= (m + static_cast<double>(stages) - 1) * slowest + 1e-9);
    // The closed form of 1F1B is a lower bound, close even where stages differ up to eightfold; that of GPipe is exact.
    const double run = play(times, microbatches, false);
    RC_ASSERT(run >= found * (1 - 1e-9));
    RC_ASSERT(run <= 1.12 * found);
    const double all_forward_first = play(times, microbatches, true);
    RC_ASSERT(std::abs(closed_form(times, microbatches, true) - all_forward_first) < 1e-9 * all_forward_first);
}

RC_GTEST_PROP(Pipeline, StagesThatDifferByHalfArePredictedWithinThreePercent, ()) {
    const auto stages = *rc::gen::inRange<std::size_t>(2, 13);
    const auto microbatches = *rc::gen::inRange<std::size_t>(1, 65);
    StageTimes times;
    for (std::size_t s = 0; s < stages; ++s) {
        times.forward.push_back(*rc::gen::inRange(20, 30));
        times.backward.push_back(2 * times.forward.back());
    }
    const double found = closed_form(times, microbatches);
    const double run = play(times, microbatches, false);
    RC_ASSERT(run >= found * (1 - 1e-9));
    RC_ASSERT(run <= 1.03 * found);
}

std::vector<Position<Seconds>> equal(std::size_t count, double forward, double back, double receive = 0) {
    std::vector<Position<Seconds>> positions(
        count,
        {.forward = Seconds::of_base(forward), .back = Seconds::of_base(back), .receive = Seconds::of_base(receive)});
    positions.front().receive = {};
    return positions;
}

TEST(Pipeline, InterleavingDividesTheBubbleByTheVirtualStages) {
    ScheduleTimings orders;
    EXPECT_DOUBLE_EQ(pipeline_time(pipeline(equal(4, 2, 4), 8), orders).bubble.in(unit::second), 18.0);
    EXPECT_DOUBLE_EQ(pipeline_time(pipeline(equal(12, 2.0 / 3, 4.0 / 3), 8, 3), orders).bubble.in(unit::second), 6.0);
}

TEST(Pipeline, InterleavingOverUnequalPositionsIsPlayed) {
    // An embedding and a head take half as long again: longer than equal positions, shorter than all like those.
    std::vector<Position<Seconds>> positions = equal(12, 1, 2);
    const double even = total(pipeline(positions, 8, 3));
    positions.back() = {.forward = Seconds::of_base(1.5), .back = Seconds::of_base(3)};
    const double uneven = total(pipeline(positions, 8, 3));
    EXPECT_GT(uneven, even);
    EXPECT_LT(uneven, 1.5 * even);
    // Four stages do not divide six micro-batches: no order, as if equal.
    EXPECT_GT(total(pipeline(positions, 6, 3)), 6 * (1.0 + 1 + 1.5) * 3 - 1e-9);
}

TEST(Pipeline, SkipsTheSteadyStateOfManyRounds) {
    // Twenty rounds of four micro-batches take as long as the schedule that is played to its end.
    std::vector<Position<Seconds>> positions = equal(12, 1, 2, 0.1);
    positions[5] = {.forward = Seconds::of_base(1.4), .back = Seconds::of_base(2.5), .receive = Seconds::of_base(0.1)};
    positions.back().forward = Seconds::of_base(1.7);
    schedule::Durations<double> durations(12);
    for (std::int32_t k = 0; k < 12; ++k) {
        const Position<Seconds>& position = positions[static_cast<std::size_t>(k)];
        durations.of(schedule::TaskKind::forward, k) = position.forward.in(unit::second);
        durations.of(schedule::TaskKind::backward, k) = position.back.in(unit::second);
    }
    durations.forward_transfers.assign(11, 0.1);
    durations.backward_transfers.assign(11, 0.1);
    durations.blocking = true;
    schedule::Played<double> played;
    schedule::play(schedule::resolve(order_of(*schedule::find_schedule("interleaved-1f1b"), {4, 80, 3})), durations,
                   played);
    EXPECT_NEAR(total(pipeline(positions, 80, 3)), played.makespan, 1e-9 * played.makespan);
}

TEST(Pipeline, TransfersAreThoseOfParaDlsTable3) {
    // p = 4, S = 8: 2 (p + S - 2) = 20 transfers of 1 s.
    ScheduleTimings orders;
    std::vector<Position<Seconds>> positions = equal(4, 3, 6, 1);
    Pipeline<Seconds> asked = pipeline(positions, 8);
    asked.schedule = plan::ScheduleKind::gpipe;
    EXPECT_DOUBLE_EQ(pipeline_time(asked, orders).transfers.in(unit::second), 20.0);
    // 1F1B: the first stage receives half as much, and waits less for the others.
    asked.schedule = plan::ScheduleKind::one_forward_one_backward;
    EXPECT_DOUBLE_EQ(pipeline_time(asked, orders).transfers.in(unit::second), 19.0);
    // Overlapped, each delays the round trip of stage 0: of four micro-batches 6 s, two round trips less one micro-batch.
    asked.transfers_overlap = true;
    EXPECT_DOUBLE_EQ(pipeline_time(asked, orders).transfers.in(unit::second), 6 * (1 + 7.0 / 4));
    // One stage receives nothing.
    const std::vector<Position<Seconds>> alone = equal(1, 3, 6);
    EXPECT_DOUBLE_EQ(pipeline_time(pipeline(alone, 8), orders).transfers.in(unit::second), 0.0);
    // A slow boundary costs the two stages beside it: both wait for it once a micro-batch, 7 (1 + 3) after the first.
    positions[2].receive = Seconds::of_base(3);
    asked.positions = positions;
    asked.transfers_overlap = false;
    EXPECT_DOUBLE_EQ(pipeline_time(asked, orders).transfers.in(unit::second), 2 * 1 + 3 + 2 * 1 + 7 * (1 + 3.0));
}

TEST(Pipeline, SlowTransfersSetThePaceThoughTheyOverlap) {
    const std::vector<Position<Seconds>> positions = equal(4, 3, 6, 100);
    Pipeline<Seconds> asked = pipeline(positions, 64);
    asked.transfers_overlap = true;
    EXPECT_GE(total(asked), 63 * 100.0);
    // All forward first: one micro-batch there and back over three boundaries, and 63 more transfers one way.
    asked.schedule = plan::ScheduleKind::gpipe;
    EXPECT_DOUBLE_EQ(total(asked), 4 * 9 + 3 * 200 + 63 * 100.0);
}

TEST(Pipeline, BoundIsWhatEqualStagesTake) {
    const std::vector<Position<Seconds>> positions = equal(4, 1, 2);
    Pipeline<Seconds> asked = pipeline(positions, 8);
    EXPECT_DOUBLE_EQ(pipeline_bound(asked).in(unit::second), (8 + 3) * 3);
    asked.schedule = plan::schedule_from("pipedream").value();
    EXPECT_DOUBLE_EQ(pipeline_bound(asked).in(unit::second), 8 * 3) << "micro-batches of the step before fill it";
    asked.schedule = plan::schedule_from("zb-h1").value();
    EXPECT_DOUBLE_EQ(pipeline_bound(asked).in(unit::second), 8 * 3 + 3) << "gradients of weights fill the end";
    // Micro-batches enter at both ends: no stage waits for another.
    asked.schedule = plan::schedule_from("dualpipe").value();
    EXPECT_DOUBLE_EQ(pipeline_bound(asked).in(unit::second), 8 * 3);
    std::vector<Position<Seconds>> pairs = positions;
    for (Position<Seconds>& position : pairs) {
        position.hidden = Seconds::of_base(0.25);
    }
    asked.positions = pairs;
    EXPECT_DOUBLE_EQ(pipeline_bound(asked).in(unit::second), 8 * (3 - 0.25)) << "every pass in a pair";
}

/// The derivatives of a composed number are those by differences, and add up to it.
RC_GTEST_PROP(Pipeline, NumbersWithDerivativesGiveThoseOfTheTime, ()) {
    using cost::DualTime;
    using cost::ErrorSource;
    const plan::ScheduleKind kind =
        values_of(plan::kScheduleTable)[*rc::gen::inRange<std::size_t>(0, plan::kScheduleTable.size())];
    const schedule::Traits& traits = plan::schedule_of(kind).traits;
    const auto stages = *rc::gen::inRange<std::int32_t>(1, 5);
    const auto virtual_stages =
        *rc::gen::inRange(traits.virtual_stages.least, std::min(traits.virtual_stages.most, 3) + 1);
    const std::int32_t microbatches = stages * *rc::gen::inRange(1, 13);
    RC_PRE(!plan::schedule_of(kind).unmet({stages, microbatches, virtual_stages}));
    const bool overlaps = *rc::gen::arbitrary<bool>();
    const auto source = [](ErrorSource of, double time) {
        DualTime number{.value = Seconds::of_base(time), .by_source = {}};
        number.by_source[of] = Estimate::exactly(number.value);
        return number;
    };
    std::vector<Position<DualTime>> positions;
    for (std::int32_t k = 0; k < stages * virtual_stages; ++k) {
        const double forward = 1 + 0.001 * *rc::gen::inRange(0, 1000);
        const double receive = k == 0 || stages == 1 ? 0 : 0.0001 * *rc::gen::inRange(1, 1000);
        positions.push_back({.forward = source(ErrorSource::matmul, forward),
                             .back = source(ErrorSource::attention, 2.1 * forward),
                             .weight_gradients = source(ErrorSource::attention, 0.9 * forward),
                             .receive = source(ErrorSource::between_nodes, receive)});
    }
    ScheduleTimings orders;
    const auto asked_of = [&](const auto& times) {
        auto asked = pipeline(times, static_cast<std::size_t>(microbatches), virtual_stages);
        asked.schedule = kind;
        asked.transfers_overlap = overlaps;
        return asked;
    };
    const auto scaled = [&](double forward, double receive) {
        std::vector<Position<Seconds>> times;
        for (const Position<DualTime>& position : positions) {
            times.push_back({.forward = forward * position.forward.value,
                             .back = position.back.value,
                             .weight_gradients = position.weight_gradients.value,
                             .receive = receive * position.receive.value});
        }
        return pipeline_total(asked_of(times), orders).in(unit::second);
    };
    const DualTime found = pipeline_total(asked_of(positions), orders);
    const double whole = scaled(1, 1);
    RC_ASSERT(std::abs(found.value.in(unit::second)-whole) < 1e-9 * whole);
    const auto by = [&](ErrorSource of) { return found.by_source[of].value.in(unit::second); };
    RC_ASSERT(std::abs(by(ErrorSource::matmul) + by(ErrorSource::attention) + by(ErrorSource::between_nodes) - whole) <
              1e-9 * whole);
    constexpr double kSmall = 1e-7;
    const auto between = [&](double less, double more, double derivative) {
        // Where two paths are equally long, either derivative is right.
        const double slack = 1e-5 * whole;
        return std::min(less, more) - slack <= derivative && derivative <= std::max(less, more) + slack;
    };
    RC_ASSERT(between((whole - scaled(1 - kSmall, 1)) / kSmall, (scaled(1 + kSmall, 1) - whole) / kSmall,
                      by(ErrorSource::matmul)));
    RC_ASSERT(between((whole - scaled(1, 1 - kSmall)) / kSmall, (scaled(1, 1 + kSmall) - whole) / kSmall,
                      by(ErrorSource::between_nodes)));
}

TEST(Pipeline, RoundsThatAreLeftOutTakeTheirTimeFromWhatBoundsThem) {
    // Interleaved with nine rounds, of which eight are played. On the way to the end of three rounds of the busiest stage
    // are other tasks than on the critical path beside them in 29 of these 1,000 pipelines.
    using cost::DualTime;
    using cost::ErrorSource;
    std::minstd_rand random(1);  // NOLINT(cert-msc32-c, cert-msc51-cpp): the same pipelines every time
    const auto any = [&] { return 0.001 * static_cast<double>(random() % 1000); };
    ScheduleTimings orders;
    for (int drawn = 0; drawn < 1000; ++drawn) {
        std::vector<Position<DualTime>> dual(4);
        for (std::size_t k = 0; k < dual.size(); ++k) {
            const double forward = 1 + any();
            dual[k].forward.value = forward * unit::second;
            dual[k].forward.by_source[ErrorSource::matmul] = Estimate::exactly(dual[k].forward.value);
            dual[k].back.value = 2.1 * forward * unit::second;
            dual[k].receive.value = (k == 0 ? 0 : 0.1 * any()) * unit::second;
        }
        const auto total_of = [&](double longer) {
            std::vector<Position<Seconds>> times;
            for (const Position<DualTime>& each : dual) {
                times.push_back(
                    {.forward = longer * each.forward.value, .back = each.back.value, .receive = each.receive.value});
            }
            Pipeline<Seconds> asked = pipeline(times, 18, 2);
            asked.transfers_overlap = false;
            return pipeline_total(asked, orders).in(unit::second);
        };
        constexpr double kSmall = 1e-6;
        const double before = (total_of(1) - total_of(1 - kSmall)) / kSmall;
        const double after = (total_of(1 + kSmall) - total_of(1)) / kSmall;
        Pipeline<DualTime> asked = pipeline(dual, 18, 2);
        asked.transfers_overlap = false;
        const double found = pipeline_total(asked, orders).by_source[ErrorSource::matmul].value.in(unit::second);
        EXPECT_GE(found, std::min(before, after) - 1e-4) << drawn;
        EXPECT_LE(found, std::max(before, after) + 1e-4) << drawn;
    }
}

/// What a stage holds at its peak in a closed form.
std::vector<std::int64_t> held(plan::ScheduleKind kind, std::int64_t stage, std::int64_t stages,
                               std::int64_t microbatches, std::int64_t virtual_stages) {
    ScheduleTimings orders;
    const schedule::Places places = places_of(plan::schedule_of(kind), stages, virtual_stages);
    return orders.in_flight(kind, places, stage, microbatches).front().whole;
}

TEST(Pipeline, HoldsAsManyMicrobatchesAsTheScheduleStarts) {
    using plan::ScheduleKind;
    EXPECT_EQ(held(ScheduleKind::gpipe, 0, 4, 8, 1), (std::vector<std::int64_t>{8}));
    EXPECT_EQ(held(ScheduleKind::one_forward_one_backward, 0, 4, 8, 1), (std::vector<std::int64_t>{4}));
    EXPECT_EQ(held(ScheduleKind::one_forward_one_backward, 3, 4, 8, 1), (std::vector<std::int64_t>{1}));
    EXPECT_EQ(held(ScheduleKind::one_forward_one_backward, 0, 4, 2, 1), (std::vector<std::int64_t>{2}));
    // Accumulation on one stage holds one micro-batch, whatever the schedule is called.
    EXPECT_EQ(held(ScheduleKind::gpipe, 0, 1, 8, 1), (std::vector<std::int64_t>{1}));
    // Without a flush those of the next step follow at once.
    EXPECT_EQ(held(plan::schedule_from("pipedream").value(), 0, 4, 1, 1), (std::vector<std::int64_t>{4}));
}

/// Closed forms and shortened orders hold what the whole order holds.
TEST(Pipeline, HoldsWhatTheOrderOfTheScheduleHolds) {
    int compared = 0;
    for (const plan::ScheduleKind kind : values_of(plan::kScheduleTable)) {
        const schedule::Schedule& schedule = plan::schedule_of(kind);
        for (const schedule::Shape& shape :
             {schedule::Shape{4, 8, 1}, schedule::Shape{4, 32, 1}, schedule::Shape{4, 70, 1}, schedule::Shape{4, 8, 2},
              schedule::Shape{4, 32, 2}, schedule::Shape{4, 100, 2}}) {
            if (schedule.unmet(shape)) {
                continue;
            }
            const schedule::Order order = order_of(schedule, shape);
            for (std::int32_t s = 0; s < shape.stages; ++s) {
                ScheduleTimings orders;
                const schedule::Places places = places_of(schedule, shape.stages, shape.virtual_stages);
                const auto most = [](const std::vector<schedule::Holding>& all) {
                    std::int64_t sum = 0;
                    for (const schedule::Holding& holding : all) {
                        std::int64_t here =
                            std::accumulate(holding.whole.begin(), holding.whole.end(), std::int64_t{0});
                        here = std::accumulate(holding.for_weights.begin(), holding.for_weights.end(), here);
                        sum = std::max(sum, here);
                    }
                    return sum;
                };
                EXPECT_EQ(most(orders.in_flight(kind, places, s, shape.micro_batches)),
                          schedule::in_flight(order, s).peak_weights())
                    << name(kind) << " " << shape.micro_batches << " " << s;
                ++compared;
            }
        }
    }
    EXPECT_GE(compared, 100);
}

/// Random positions, of which no two are equal; gradients of weights take less than the backward pass, pairs hide less
/// than either pass.
std::vector<Position<Seconds>> any_positions(std::int64_t number) {
    std::vector<Position<Seconds>> positions;
    for (std::int64_t k = 0; k < number; ++k) {
        const auto time = [](int least) { return Seconds::of_base(*rc::gen::inRange(least, 10)); };
        positions.push_back({.forward = time(3), .back = time(4) + time(2), .weight_gradients = time(1)});
        positions.back().forward += Seconds::of_base(0.001 * static_cast<double>(k));
        positions.back().weight_gradients = 0.3 * positions.back().weight_gradients;
        positions.back().receive = k > 0 ? 0.1 * time(0) : Seconds{};
        positions.back().hidden = 0.2 * time(0);
    }
    return positions;
}

RC_GTEST_PROP(Pipeline, OfManyRoundsTakesWhatTheWholeOrderTakes, ()) {
    // Rounds left out against the whole order, for every schedule that is played, with any remainder.
    const plan::ScheduleKind kind =
        values_of(plan::kScheduleTable)[*rc::gen::inRange<std::size_t>(3, plan::kScheduleTable.size())];
    const schedule::Schedule& schedule = plan::schedule_of(kind);
    RC_PRE(schedule.traits.flushes);
    const std::int32_t p = 2 * *rc::gen::inRange(1, 4);
    const std::int32_t v = std::min(schedule.traits.virtual_stages.most, std::int32_t{2});
    const std::int32_t m = schedule::kRounds * p + *rc::gen::inRange(1, 6 * p);
    RC_PRE(!schedule.unmet({p, m, v}));
    std::vector<Position<Seconds>> positions = any_positions(p * v);
    for (std::int64_t k = 0; k < p * v; ++k) {
        const schedule::Places all = places_of(schedule, p, v);
        if (!all.sender(all.stage(k), all.index(k))) {  // such as where a V turns
            positions[static_cast<std::size_t>(k)].receive = {};
        }
    }
    Pipeline<Seconds> asked = pipeline(positions, static_cast<std::size_t>(m), v);
    asked.schedule = kind;
    asked.transfers_overlap = *rc::gen::arbitrary<bool>();
    schedule::Durations<double> durations(p * v);
    durations.blocking = !asked.transfers_overlap;
    const schedule::Places places = asked.places();
    for (std::int32_t k = 0; k < p * v; ++k) {
        const auto in_seconds = [](Seconds time) { return time.in(unit::second); };
        const Position<Seconds>& at = positions[static_cast<std::size_t>(k)];
        const Position<Seconds>& partner = positions[static_cast<std::size_t>(places.partner(k))];
        durations.of(schedule::TaskKind::forward, k) = in_seconds(at.forward);
        durations.of(schedule::TaskKind::backward, k) = in_seconds(at.back);
        durations.of(schedule::TaskKind::backward_input, k) = in_seconds(at.back - at.weight_gradients);
        durations.of(schedule::TaskKind::backward_weight, k) = in_seconds(at.weight_gradients);
        durations.pairs.push_back(in_seconds(at.forward + partner.back - at.hidden));
        if (k > 0) {
            durations.forward_transfers.push_back(in_seconds(at.receive));
            durations.backward_transfers.push_back(in_seconds(at.receive));
        }
    }
    schedule::Played<double> whole;
    schedule::play(schedule::resolve(order_of(schedule, {p, m, v})), durations, whole);
    if (schedule.traits.has_rounds) {
        RC_ASSERT(std::abs(total(asked) / whole.makespan - 1) < 1e-2);
    } else {
        // The time grows faster where another stage becomes the slowest: what is added for more rounds is a lower bound.
        RC_ASSERT(total(asked) <= whole.makespan * (1 + 1e-9));
        RC_ASSERT(total(asked) >= 0.97 * whole.makespan);
    }
    RC_ASSERT(pipeline_bound(asked).in(unit::second) <= total(asked) * (1 + 1e-9));
    // The sum over the critical path is the same time.
    std::vector<Position<cost::DualTime>> dual;
    for (const Position<Seconds>& at : positions) {
        const auto of = [](Seconds time) { return cost::DualTime{.value = time, .by_source = {}}; };
        dual.push_back({.forward = of(at.forward),
                        .back = of(at.back),
                        .weight_gradients = of(at.weight_gradients),
                        .receive = of(at.receive),
                        .hidden = of(at.hidden)});
    }
    Pipeline<cost::DualTime> again = pipeline(dual, static_cast<std::size_t>(m), v);
    again.schedule = kind;
    again.transfers_overlap = asked.transfers_overlap;
    ScheduleTimings orders;
    RC_ASSERT(std::abs(pipeline_total(again, orders).value.in(unit::second) / total(asked) - 1) < 1e-9);
}

RC_GTEST_PROP(Pipeline, ThatMicrobatchesAreDealtByNeverTakesLessWithMore, ()) {
    // Interleaving has no order for most numbers of micro-batches, and uneven positions are played.
    const std::int64_t p = *rc::gen::inRange(2, 5);
    const std::vector<Position<Seconds>> positions = any_positions(2 * p);
    ScheduleTimings orders;
    Seconds before;
    for (std::size_t m = 1; m <= static_cast<std::size_t>(4 * p); ++m) {
        const Pipeline<Seconds> asked = pipeline(positions, m, 2);
        const Seconds time = growing_total(asked, orders);
        RC_ASSERT(time >= before);
        RC_ASSERT(time >= pipeline_total(asked, orders));
        before = time;
    }
}

TEST(Pipeline, OfAMillionMicrobatchesIsPlayedInAFewRounds) {
    const std::vector<Position<Seconds>> positions = positions_of({{1, 2, 1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2, 2, 3}});
    for (const plan::ScheduleKind kind : values_of(plan::kScheduleTable)) {
        const std::int64_t v = std::min<std::int64_t>(plan::schedule_of(kind).traits.virtual_stages.most, 2);
        Pipeline<Seconds> asked = pipeline(positions, 1'000'000, v);
        asked.schedule = kind;
        // The slowest stage sets the pace, of one that two directions pass the mean of both. Where all micro-batches run
        // forward first, or passes in pairs, the slowest of several stages do.
        double slowest = 0;
        for (std::int64_t s = 0; s < asked.stages; ++s) {
            double stage = 0;
            for (std::int64_t i = 0; i < asked.places().on_stage(); ++i) {
                const auto k = static_cast<std::size_t>(asked.places().position(s, i));
                stage += (positions[k].forward + positions[k].back).in(unit::second);
            }
            slowest = std::max(slowest, stage / static_cast<double>(asked.places().copies()));
        }
        EXPECT_GE(total(asked) / 1e6, slowest * (1 - 1e-9)) << name(kind);
        EXPECT_LE(total(asked) / 1e6, 1.26 * slowest) << name(kind);
        ScheduleTimings orders;
        const auto stages = static_cast<std::int32_t>(asked.stages);
        if (const auto order = orders.of(kind, {stages, 1'000'000, static_cast<std::int32_t>(v)})) {
            EXPECT_LE(order->micro_batches, 9 * asked.stages) << name(kind);
        }
    }
}

/// F = I = 2, W = 1; pairs are 1 shorter.
std::vector<Position<Seconds>> paired(std::size_t stages) {
    std::vector<Position<Seconds>> positions = equal(stages, 2, 3);
    for (Position<Seconds>& position : positions) {
        position.weight_gradients = Seconds::of_base(1);
        position.hidden = Seconds::of_base(1);
    }
    return positions;
}

TEST(Pipeline, DualPipeHasItsAuthorsBubble) {
    // p = 8, m = 32, F = I = 2, W = 1, pairs 1 shorter: (p/2 - 1)(F&B + B - 3 W) on the stages in the middle.
    const std::vector<Position<Seconds>> positions = paired(8);
    Pipeline<Seconds> asked = pipeline(positions, 32);
    asked.schedule = plan::schedule_from("dualpipe").value();
    const schedule::Order order = schedule::order_of(plan::schedule_of(asked.schedule), {8, 32, 1});
    std::int64_t pairs = 0;
    for (const schedule::Task& task : order.stages[3]) {
        pairs += task.overlaps_next ? 1 : 0;
    }
    EXPECT_DOUBLE_EQ(total(asked), 32 * 5 - static_cast<double>(pairs) + (8 / 2 - 1) * (4 + 3 - 3 * 1.0));
    ScheduleTimings orders;
    const PipelineTime time = pipeline_time(asked, orders);
    std::int64_t pairs_of_critical = 0;
    for (const schedule::Task& task : order.stages[time.critical]) {
        pairs_of_critical += task.overlaps_next ? 1 : 0;
    }
    EXPECT_DOUBLE_EQ(time.hidden.in(unit::second), static_cast<double>(pairs_of_critical)) << "a second each";
    // The parts of the step add up: passes, less what pairs hide, and idle time.
    EXPECT_DOUBLE_EQ((32 * Seconds::of_base(5) - time.hidden + time.bubble).in(unit::second), total(asked));
}

TEST(Pipeline, OfTwoStagesInBothDirectionsHidesItsPairsToo) {
    const std::vector<Position<Seconds>> positions = paired(2);
    Pipeline<Seconds> asked = pipeline(positions, 8);
    asked.schedule = plan::schedule_from("dualpipe").value();
    ScheduleTimings orders;
    const PipelineTime time = pipeline_time(asked, orders);
    EXPECT_GT(time.hidden, Seconds{});
    EXPECT_DOUBLE_EQ((8 * Seconds::of_base(5) - time.hidden + time.bubble).in(unit::second), total(asked));
}

TEST(Pipeline, EveryMicroBatchMoreOfDualPipeHidesAPairMore) {
    // Of two micro-batches more each direction has one, which hides h_0 and h_7 on stage 0.
    std::vector<Position<Seconds>> positions = equal(8, 2, 3);
    for (std::size_t k = 0; k < positions.size(); ++k) {
        positions[k].weight_gradients = Seconds::of_base(1);
        positions[k].hidden = Seconds::of_base(0.1 + 0.05 * static_cast<double>(k));
    }
    ScheduleTimings orders;
    const auto hidden = [&](std::size_t microbatches) {
        Pipeline<Seconds> asked = pipeline(positions, microbatches);
        asked.schedule = plan::schedule_from("dualpipe").value();
        const PipelineTime time = pipeline_time(asked, orders);
        EXPECT_EQ(time.critical, 0U);
        return time.hidden.in(unit::second);
    };
    EXPECT_NEAR(hidden(640) - hidden(320), 160 * (0.1 + 0.1 + 0.05 * 7), 1e-9);
}

TEST(Pipeline, WithoutAFlushGoesOnAtThePaceOfTheSlowestStage) {
    const std::vector<Position<Seconds>> positions = positions_of({{1, 2, 1}, {2, 3, 2}});
    Pipeline<Seconds> asked = pipeline(positions, 10);
    asked.schedule = plan::schedule_from("pipedream").value();
    EXPECT_DOUBLE_EQ(total(asked), 10 * 5.0);
    ScheduleTimings orders;
    EXPECT_DOUBLE_EQ(pipeline_time(asked, orders).bubble.in(unit::second), 0);
    EXPECT_LE(pipeline_bound(asked).in(unit::second), total(asked));
}

TEST(Pipeline, PuttingOffGradientsOfWeightsTakesTheAuthorsBubble) {
    // p = 4, m = 16, F = 2, I = 2, W = 1: (p - 1)(F + I - W) less than a bubble of (p - 1)(F + I + W).
    std::vector<Position<Seconds>> positions = equal(4, 2, 3);
    for (Position<Seconds>& position : positions) {
        position.weight_gradients = Seconds::of_base(1);
    }
    Pipeline<Seconds> asked = pipeline(positions, 16);
    EXPECT_DOUBLE_EQ(total(asked), 16 * 5 + 3 * 5.0);
    asked.schedule = plan::schedule_from("zb-h1").value();
    EXPECT_DOUBLE_EQ(total(asked), 16 * 5 + 3 * (2 + 2 - 1.0));
    ScheduleTimings orders;
    EXPECT_DOUBLE_EQ(pipeline_time(asked, orders).bubble.in(unit::second), 9);
    EXPECT_LE(pipeline_bound(asked).in(unit::second), total(asked));
}

TEST(Pipeline, BreadthFirstWithOnePositionOnAStageIsGPipe) {
    const std::vector<Position<Seconds>> positions = positions_of({{1, 3, 2}, {2, 2, 5}});
    Pipeline<Seconds> asked = pipeline(positions, 7);
    asked.schedule = plan::ScheduleKind::gpipe;
    const double all_forward_first = total(asked);
    asked.schedule = plan::ScheduleKind::one_forward_one_backward;
    EXPECT_NE(total(asked), all_forward_first);
    asked.schedule = plan::ScheduleKind::breadth_first;
    EXPECT_DOUBLE_EQ(total(asked), all_forward_first);
}

TEST(Pipeline, OrdersOfTooManyTasksAreNotPlayed) {
    // 1,024 stages x 8 rounds of 1,024 micro-batches x 3 tasks: 25 million.
    const plan::ScheduleKind put_off = plan::schedule_from("zb-h1").value();
    EXPECT_EQ(too_many_tasks(put_off, {1024, 100 * 1024, 1}),
              "1024 stages have some 25 million tasks in order, of which at most 20 million are played");
    EXPECT_FALSE(too_many_tasks(put_off, {512, 100 * 512, 1})) << "6 million";
    EXPECT_FALSE(too_many_tasks(put_off, {1024, 1024, 1})) << "3 million: fewer rounds";
    EXPECT_FALSE(too_many_tasks(plan::ScheduleKind::one_forward_one_backward, {4096, 40960, 1})) << "a closed form";
    EXPECT_EQ(too_many_tasks(plan::ScheduleKind::breadth_first, {1024, 100 * 1024, 2}),
              "1024 stages have some 33 million tasks in order, of which at most 20 million are played")
        << "two tasks at two positions";
}

TEST(Pipeline, InterleavedFirstStageHoldsOnePlusAShareOfTheModel) {
    // p = 8, v = 3: p v + p - 1 = 31 passes, i.e. L (1 + 7/24) layers' worth.
    EXPECT_EQ(held(plan::ScheduleKind::interleaved, 0, 8, 64, 3), (std::vector<std::int64_t>{15, 8, 8}));
    // The last stage: (v-1) p + 1 = 17.
    EXPECT_EQ(held(plan::ScheduleKind::interleaved, 7, 8, 64, 3), (std::vector<std::int64_t>{8, 8, 1}));
}

}  // namespace pipeline_test
}  // namespace dodona::step
