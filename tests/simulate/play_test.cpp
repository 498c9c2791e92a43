// Tasks on resources: by hand, and random graphs against a reference that counts ticks.
#include "simulate/play.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "base/diagnostic.hpp"
#include "simulate/critical_path.hpp"

namespace dodona::simulate {
namespace play_test {

double start(const Timeline& timeline, TaskId task) { return timeline.start[index(task)].in(unit::second); }
double end(const Timeline& timeline, TaskId task) { return timeline.end[index(task)].in(unit::second); }
Seconds s(double seconds) { return Seconds::of_base(seconds); }

TEST(Play, TasksOfOneStreamRunOneAfterTheOtherAndWaitForThoseOfOthers) {
    TaskGraphBuilder builder;
    const ResourceId compute = builder.add_resource({.name = "compute"});
    const ResourceId copy = builder.add_resource({.name = "copy"});
    const TaskId a = builder.add({.duration = 3_s, .resource = compute});
    const TaskId b = builder.add({.duration = 2_s, .resource = copy}, {a});
    const TaskId c = builder.add({.duration = 4_s, .resource = compute});
    const TaskId d = builder.add({.duration = 1_s, .resource = compute}, {b});
    const TaskGraph graph = std::move(builder).build();
    ASSERT_TRUE(graph.has_fixed_order);
    for (const Timeline& timeline : {play(graph), play_events(graph)}) {
        EXPECT_EQ(start(timeline, b), 3);
        EXPECT_EQ(start(timeline, c), 3);
        EXPECT_EQ(start(timeline, d), 7);
        EXPECT_EQ(timeline.makespan, 8_s);
        EXPECT_EQ(timeline.busy[index(compute)], 8_s);
        EXPECT_EQ(timeline.busy[index(copy)], 2_s);
    }
}

TEST(Play, AStreamKeepsItsOrderEvenIfALaterTaskIsReadyEarlier) {
    TaskGraphBuilder builder;
    const ResourceId stream = builder.add_resource({.name = "stream"});
    const ResourceId fifo = builder.add_resource({.name = "fifo", .discipline = Discipline::fifo});
    const TaskId late = builder.add({.duration = 5_s});
    const TaskId first = builder.add({.duration = 1_s, .resource = stream}, {late});
    const TaskId second = builder.add({.duration = 1_s, .resource = stream});
    const TaskId third = builder.add({.duration = 1_s, .resource = fifo}, {late});
    const TaskId fourth = builder.add({.duration = 1_s, .resource = fifo});
    const Timeline timeline = play(std::move(builder).build());
    EXPECT_EQ(start(timeline, first), 5);
    EXPECT_EQ(start(timeline, second), 6);
    EXPECT_EQ(start(timeline, third), 5);
    EXPECT_EQ(start(timeline, fourth), 0);
}

TEST(Play, TheHighestPriorityGoesFirstAndWaitsForNoMoreThanAChunk) {
    // The low task of 10 s starts at 0. The high one, ready at 3.5 s, takes over at 4 s with chunks of 2 s.
    for (const auto& [chunk, begins] : {std::pair{0.0, 10.0}, std::pair{2.0, 4.0}, std::pair{3.0, 6.0}}) {
        TaskGraphBuilder builder;
        const KindId low_kind = builder.add_kind("low");
        const KindId high_kind = builder.add_kind("high");
        const ResourceId stream =
            builder.add_resource({.name = "stream", .discipline = Discipline::priority, .chunk = s(chunk)});
        const TaskId delay = builder.add({.duration = 3.5_s});
        const TaskId low = builder.add({.duration = 10_s, .resource = stream, .kind = low_kind});
        const TaskId high =
            builder.add({.duration = 2_s, .resource = stream, .kind = high_kind, .priority = 1}, {delay});
        const TaskGraph graph = std::move(builder).build();
        const Timeline timeline = play(graph);
        EXPECT_EQ(start(timeline, high), begins);
        EXPECT_EQ(end(timeline, high), begins + 2);
        EXPECT_EQ(start(timeline, low), 0);
        EXPECT_EQ(end(timeline, low), chunk > 0 ? 12 : 10);
        EXPECT_EQ(timeline.makespan, 12_s);
        EXPECT_EQ(timeline.busy[index(stream)], 12_s);
        EXPECT_EQ(timeline.time_of_kind[index(low_kind)], 10_s);
        const CriticalPath path = critical_path(graph, timeline);
        EXPECT_EQ(path.length, 12_s);
        EXPECT_EQ(path.stretches.size(), chunk > 0 ? 3U : 2U);
        EXPECT_EQ(path.time_of_kind[index(high_kind)], 2_s);
    }
}

TEST(Play, AnInterruptedTaskGoesOnBeforeItsEquals) {
    TaskGraphBuilder builder;
    const ResourceId stream =
        builder.add_resource({.name = "stream", .discipline = Discipline::priority, .chunk = 1_s});
    const TaskId blocker = builder.add({.duration = 2_s, .resource = stream, .priority = 5});
    const TaskId first = builder.add({.duration = 4_s, .resource = stream});
    const TaskId second = builder.add({.duration = 4_s, .resource = stream});
    const TaskId delay = builder.add({.duration = 3_s});
    const TaskId high = builder.add({.duration = 1_s, .resource = stream, .priority = 1}, {delay});
    const Timeline timeline = play(std::move(builder).build());
    EXPECT_EQ(end(timeline, blocker), 2);
    EXPECT_EQ(start(timeline, first), 2);
    EXPECT_EQ(start(timeline, high), 3);
    EXPECT_EQ(end(timeline, first), 7);
    EXPECT_EQ(start(timeline, second), 7);
}

TEST(Play, ATaskThatHasJustBegunTakesAChunkFirst) {
    // When the first task ends at 1 s, the stream takes the low one; the high one is ready at the same time, but only
    // after a task of no duration elsewhere.
    TaskGraphBuilder builder;
    const ResourceId stream =
        builder.add_resource({.name = "stream", .discipline = Discipline::priority, .chunk = 2_s});
    const ResourceId elsewhere = builder.add_resource({.name = "elsewhere", .discipline = Discipline::fifo});
    const TaskId first = builder.add({.duration = 1_s, .resource = stream, .priority = 5});
    const TaskId low = builder.add({.duration = 10_s, .resource = stream});
    const TaskId between = builder.add({.resource = elsewhere}, {first});
    const TaskId high = builder.add({.duration = 1_s, .resource = stream, .priority = 1}, {between});
    const Timeline timeline = play(std::move(builder).build());
    EXPECT_EQ(start(timeline, low), 1);
    EXPECT_EQ(start(timeline, high), 3);
    EXPECT_EQ(timeline.stretches.size(), 1U);
}

TEST(Play, ATaskThatHoldsItsResourceDoesNotGiveWay) {
    TaskGraphBuilder builder;
    const ResourceId stream =
        builder.add_resource({.name = "stream", .discipline = Discipline::priority, .chunk = 1_s});
    const TaskId first = builder.add({.duration = 3_s, .resource = stream});
    const TaskId last = builder.add({.duration = 4_s}, {first});
    builder.hold(first, last);
    const TaskId delay = builder.add({.duration = 0.5_s});
    const TaskId high = builder.add({.duration = 1_s, .resource = stream, .priority = 1}, {delay});
    const Timeline timeline = play(std::move(builder).build());
    EXPECT_EQ(end(timeline, first), 3);
    EXPECT_EQ(start(timeline, high), 7);
}

TEST(Play, AHeldResourceMayBeSlowedDown) {
    TaskGraphBuilder builder;
    const ResourceId stream = builder.add_resource({.name = "stream"});
    const ResourceId other = builder.add_resource({.name = "other"});
    builder.slow({.slowed = stream, .busy = other, .factor = 0.5});
    const TaskId first = builder.add({.duration = 1_s, .resource = stream});
    const TaskId last = builder.add({.duration = 4_s}, {first});
    builder.hold(first, last);
    const TaskId next = builder.add({.duration = 2_s, .resource = stream});
    const TaskId delay = builder.add({.duration = 2_s});
    builder.add({.duration = 5_s, .resource = other}, {delay});
    // The other is busy from 2 s to 7 s: the next one has 1 s of its work done then.
    const Timeline timeline = play(std::move(builder).build());
    EXPECT_EQ(end(timeline, first), 1);
    EXPECT_EQ(end(timeline, last), 5);
    EXPECT_EQ(end(timeline, next), 8);
}

TEST(Play, OfADependencyAndAResourceThatEndTogetherTheDependencyIsTheCause) {
    TaskGraphBuilder builder;
    const ResourceId stream = builder.add_resource({.name = "stream"});
    builder.add({.duration = 2_s, .resource = stream});
    const TaskId dependency = builder.add({.duration = 2_s});
    const TaskId task = builder.add({.duration = 1_s, .resource = stream}, {dependency});
    const TaskGraph graph = std::move(builder).build();
    for (const Timeline& timeline : {play(graph), play_events(graph)}) {
        EXPECT_EQ(timeline.cause[index(task)], static_cast<Cause>(dependency));
    }
}

TEST(Play, TasksShareAResourceBeyondItsCapacity) {
    // Capacity 2: two tasks at full speed. Four tasks of 1, 1, 2 and 2 s run at half speed until 2 s, when two are done;
    // the others have 1 s left and end at 3 s.
    TaskGraphBuilder builder;
    const ResourceId disk = builder.add_resource({.name = "disk", .discipline = Discipline::shared, .capacity = 2});
    std::vector<TaskId> tasks;
    for (const double duration : {1, 1, 2, 2}) {
        tasks.push_back(builder.add({.duration = s(duration), .resource = disk}));
    }
    const Timeline timeline = play(std::move(builder).build());
    EXPECT_DOUBLE_EQ(end(timeline, tasks[0]), 2);
    EXPECT_DOUBLE_EQ(end(timeline, tasks[1]), 2);
    EXPECT_DOUBLE_EQ(end(timeline, tasks[2]), 3);
    EXPECT_DOUBLE_EQ(end(timeline, tasks[3]), 3);
    EXPECT_DOUBLE_EQ(timeline.busy[index(disk)].in(unit::second), 3);
}

TEST(Play, AResourceIsSlowWhileAnotherIsBusy) {
    // Communication from 1 s to 4 s; compute of 5 s at 1 / 1.25 meanwhile: 1 s + 2.4 s of work are done at 4 s, 1.6 s
    // are left.
    TaskGraphBuilder builder;
    const ResourceId compute = builder.add_resource({.name = "compute"});
    const ResourceId communication = builder.add_resource({.name = "communication"});
    builder.slow({.slowed = compute, .busy = communication, .factor = 1 / 1.25});
    const TaskId work = builder.add({.duration = 5_s, .resource = compute});
    const TaskId delay = builder.add({.duration = 1_s});
    const TaskId transfer = builder.add({.duration = 3_s, .resource = communication}, {delay});
    const TaskGraph graph = std::move(builder).build();
    const Timeline timeline = play(graph);
    EXPECT_DOUBLE_EQ(end(timeline, transfer), 4);
    EXPECT_DOUBLE_EQ(end(timeline, work), 5.6);
}

TEST(Play, SlowDownsByTwoResourcesMultiply) {
    TaskGraphBuilder builder;
    const ResourceId compute = builder.add_resource({.name = "compute"});
    for (int i = 0; i < 2; ++i) {
        const ResourceId other = builder.add_resource({.name = "other"});
        builder.slow({.slowed = compute, .busy = other, .factor = 0.5});
        builder.add({.duration = 100_s, .resource = other});
    }
    const TaskId work = builder.add({.duration = 5_s, .resource = compute});
    EXPECT_DOUBLE_EQ(end(play(std::move(builder).build()), work), 20);
}

TEST(Play, AHeldResourceTakesNothingUntilTheLastTaskEnds) {
    for (const Discipline discipline : {Discipline::in_order, Discipline::fifo, Discipline::priority}) {
        TaskGraphBuilder builder;
        const ResourceId stream = builder.add_resource({.name = "stream", .discipline = discipline});
        const ResourceId compute = builder.add_resource({.name = "compute"});
        builder.slow({.slowed = compute, .busy = stream, .factor = 0.5});
        const TaskId first = builder.add({.duration = 1_s, .resource = stream});
        const TaskId middle = builder.add({.duration = 4_s}, {first});
        const TaskId last = builder.add({.duration = 1_s}, {middle});
        builder.hold(first, last);
        const TaskId next = builder.add({.duration = 1_s, .resource = stream});
        const TaskId work = builder.add({.duration = 10_s, .resource = compute});
        const TaskGraph graph = std::move(builder).build();
        const Timeline timeline = play(graph);
        EXPECT_EQ(start(timeline, next), 6);
        EXPECT_EQ(timeline.busy[index(stream)], 7_s);
        EXPECT_EQ(end(timeline, work), 7 + 6.5);
        EXPECT_EQ(critical_path(graph, timeline).length, 13.5_s);
    }
}

TEST(Play, AResourceStartsLate) {
    for (const Discipline discipline : {Discipline::in_order, Discipline::fifo, Discipline::shared}) {
        TaskGraphBuilder builder;
        const ResourceId late = builder.add_resource({.name = "late", .discipline = discipline, .start = 2_s});
        const TaskId task = builder.add({.duration = 1_s, .resource = late});
        const TaskId other = builder.add({.duration = 1_s});
        const TaskGraph graph = std::move(builder).build();
        const Timeline timeline = play(graph);
        EXPECT_EQ(start(timeline, task), 2);
        EXPECT_EQ(start(timeline, other), 0);
        EXPECT_EQ(critical_path(graph, timeline).length, 1_s);
        EXPECT_EQ(play(graph, nullptr, {.resource_starts = std::vector{5_s}}).makespan, 6_s);
    }
}

TEST(Play, NoTasksTakeNoTime) { EXPECT_EQ(play(TaskGraphBuilder().build()).makespan, 0_s); }

std::string message(const std::function<void()>& work) {
    try {
        work();
    } catch (const InputError& error) {
        return error.diagnostics().front().message;
    }
    return "no error";
}

TEST(Play, TasksThatWaitForOneAnotherAreNamed) {
    TaskGraphBuilder builder;
    const ResourceId stream = builder.add_resource({.name = "stream"});
    const TaskId a = builder.add({.duration = 1_s, .resource = stream});
    const TaskId b = builder.add({.duration = 1_s, .resource = stream});
    const TaskId c = builder.add({.duration = 1_s}, {b});
    builder.depend(a, c);
    EXPECT_EQ(
        message([&] { std::move(builder).build(); }),
        "tasks that wait for one another can never start: task 0 waits for task 2, that for task 1, that for task 0");
}

TEST(Play, OfALongCycleTheFirstTasksAreNamed) {
    TaskGraphBuilder builder;
    for (std::uint32_t i = 0; i < 20; ++i) {
        builder.add({.duration = 1_s});
    }
    for (std::uint32_t i = 0; i < 20; ++i) {
        builder.depend(TaskId{i}, TaskId{i < 10 ? (i + 1) % 10 : 0});
    }
    EXPECT_EQ(
        message([&] { std::move(builder).build(); }),
        "tasks that wait for one another can never start: task 0 waits for task 1, that for task 2, that for "
        "task 3, that for task 4, that for task 5, that for task 6, that for task 7, that for task 8, …, that for "
        "task 0");
}

TEST(Play, AChainOfAMillionTasksMayBeAddedFromItsEnd) {
    constexpr std::uint32_t kTasks = 1'000'000;
    TaskGraphBuilder builder;
    for (std::uint32_t i = 0; i < kTasks; ++i) {
        builder.add({.duration = 1_s});
    }
    for (std::uint32_t i = 1; i < kTasks; ++i) {
        builder.depend(TaskId{i - 1}, TaskId{i});
    }
    const Timeline timeline = play(std::move(builder).build());
    EXPECT_EQ(timeline.end.front(), kTasks * 1_s);
    EXPECT_EQ(timeline.end.back(), 1_s);
}

TEST(Play, TasksThatHoldResourcesCrosswiseAreAnError) {
    TaskGraphBuilder builder;
    std::vector<TaskId> firsts;
    const auto fifo = [&](const char* name) {
        return builder.add_resource({.name = name, .discipline = Discipline::fifo});
    };
    const std::vector<ResourceId> streams{fifo("one"), fifo("two")};
    for (int i = 0; i < 2; ++i) {
        const TaskId first = builder.add({.duration = 1_s, .resource = streams[i]});
        const TaskId inner = builder.add({.duration = 1_s, .resource = streams[1 - i]}, {first});
        const TaskId last = builder.add({}, {inner});
        builder.hold(first, last);
    }
    const TaskGraph graph = std::move(builder).build();
    EXPECT_EQ(message([&] { play(graph); }),
              "4 of 6 tasks can never start: tasks that hold resources wait for one another");
}

TEST(Play, StreamsInOrderThatAreHeldCrosswiseAreFoundBeforePlaying) {
    TaskGraphBuilder builder;
    const std::vector<ResourceId> streams{builder.add_resource({.name = "one"}), builder.add_resource({.name = "two"})};
    for (int i = 0; i < 2; ++i) {
        builder.add({.duration = 1_s, .resource = streams[i]});
    }
    for (std::uint32_t i = 0; i < 2; ++i) {
        const TaskId inner = builder.add({.duration = 1_s, .resource = streams[1 - i]}, {TaskId{i}});
        builder.hold(TaskId{i}, builder.add({}, {inner}));
    }
    EXPECT_EQ(
        message([&] { std::move(builder).build(); }),
        "tasks that wait for one another can never start: task 2 waits for task 5, that for task 4, that for task 3, "
        "that for task 2");
}

TEST(Play, WhatCannotBePlayedIsAnError) {
    const auto with = [](const std::function<void(TaskGraphBuilder&)>& add) {
        return message([&] {
            TaskGraphBuilder builder;
            add(builder);
            std::move(builder).build();
        });
    };
    EXPECT_EQ(with([](TaskGraphBuilder& builder) { builder.add({.duration = s(-1)}); }),
              "task 0: its duration is -1 s");
    EXPECT_EQ(with([](TaskGraphBuilder& builder) {
                  const ResourceId a = builder.add_resource({.name = "gpu 0"});
                  builder.slow({.slowed = a, .busy = a, .factor = 0});
              }),
              "gpu 0: slowed down to 0 of its speed");
    EXPECT_EQ(with([](TaskGraphBuilder& builder) {
                  const TaskId a = builder.add({});
                  builder.hold(a, builder.add({}));
              }),
              "tasks 0 to 1: they cannot hold a resource");
}

// A reference by ticks of 1 s: no events, no heaps.

struct Scene {
    TaskGraph graph;
    std::vector<std::vector<std::size_t>> after;  ///< of each task
};

struct Reference {
    std::vector<double> start, end;
};

class Ticks {
public:
    explicit Ticks(const Scene& scene)
        : scene_(scene),
          graph_(scene.graph),
          left_(graph_.size()),
          ready_(graph_.size(), -1),
          running_(graph_.resources.size(), graph_.size()),
          stretch_(graph_.size()),
          result_{std::vector<double>(graph_.size(), -1), std::vector<double>(graph_.size(), -1)} {
        for (std::size_t i = 0; i < graph_.size(); ++i) {
            left_[i] = graph_.durations[i].in(unit::second);
        }
    }

    Reference run() {
        while (std::count(result_.end.begin(), result_.end.end(), -1) > 0) {
            end_tasks();
            for (std::size_t r = 0; r < graph_.resources.size(); ++r) {
                take_next(r);
            }
            for (std::size_t i = 0; i < graph_.size(); ++i) {
                if (is_running(i)) {
                    --left_[i];
                    ++stretch_[i];
                }
            }
            ++now_;
        }
        return result_;
    }

private:
    bool is_running(std::size_t i) const {
        const ResourceId r = graph_.resource_of[i];
        return r == kNoResource ? result_.start[i] >= 0 && result_.end[i] < 0 : running_[index(r)] == i;
    }

    void end_tasks() {
        for (bool again = true; again;) {
            again = false;
            for (std::size_t i = 0; i < graph_.size(); ++i) {
                if (is_running(i) && left_[i] == 0) {
                    result_.end[i] = now_;
                    if (graph_.resource_of[i] != kNoResource) {
                        running_[index(graph_.resource_of[i])] = graph_.size();
                    }
                    again = true;
                }
                const auto ended = [&](std::size_t j) { return result_.end[j] >= 0; };
                if (ready_[i] < 0 && std::all_of(scene_.after[i].begin(), scene_.after[i].end(), ended)) {
                    ready_[i] = now_;
                    if (graph_.resource_of[i] == kNoResource) {
                        result_.start[i] = now_;
                    }
                    again = true;
                }
            }
        }
    }

    /// Whether `a` goes before `b`.
    bool goes_before(std::size_t a, std::size_t b, Discipline discipline) const {
        if (discipline == Discipline::in_order) {
            return a < b;
        }
        const auto key = [&](std::size_t i) {
            const int priority = discipline == Discipline::priority ? -graph_.priorities[i] : 0;
            return std::tuple(priority, stretch_[i] > 0 ? -1 : ready_[i], i);
        };
        return key(a) < key(b);
    }

    void take_next(std::size_t r) {
        const Resource& resource = graph_.resources[r];
        std::size_t best = graph_.size();
        for (std::size_t i = 0; i < graph_.size(); ++i) {
            const bool waits = index(graph_.resource_of[i]) == r && result_.end[i] < 0 && running_[r] != i &&
                               (ready_[i] >= 0 || resource.discipline == Discipline::in_order);
            if (waits && (best == graph_.size() || goes_before(i, best, resource.discipline))) {
                best = i;
            }
        }
        if (best == graph_.size() || ready_[best] < 0) {
            return;
        }
        const std::size_t at_hand = running_[r];
        if (at_hand < graph_.size()) {
            const double chunk = resource.discipline == Discipline::priority ? resource.chunk.in(unit::second) : 0;
            const bool at_boundary = chunk > 0 && taken_ > 0 && std::fmod(work_in_stretch(at_hand), chunk) == 0;
            if (!at_boundary || graph_.priorities[best] <= graph_.priorities[at_hand]) {
                return;
            }
        }
        running_[r] = best;
        begun_.resize(graph_.size());
        begun_[best] = stretch_[best];
        taken_ = 1;
        if (result_.start[best] < 0) {
            result_.start[best] = now_;
        }
    }

    double work_in_stretch(std::size_t i) const {
        const double work = stretch_[i] - begun_[i];
        return work > 0 ? work : 0.5;  // no boundary before the first chunk
    }

    const Scene& scene_;
    const TaskGraph& graph_;
    std::vector<double> left_, ready_;
    std::vector<std::size_t> running_;
    std::vector<double> stretch_;  ///< work done
    std::vector<double> begun_;    ///< work done before the stretch at hand
    int taken_ = 0;
    double now_ = 0;
    Reference result_;
};

/// `forwards`: tasks depend on tasks added before them, otherwise on tasks added after; `in_order`: all resources are in order.
Scene random_scene(bool forwards, bool in_order) {
    TaskGraphBuilder builder;
    const auto resources = *rc::gen::inRange<std::size_t>(1, 5);
    for (std::size_t r = 0; r < resources; ++r) {
        const Discipline discipline =
            in_order ? Discipline::in_order
                     : *rc::gen::element(Discipline::in_order, Discipline::fifo, Discipline::priority);
        builder.add_resource({.name = "resource", .discipline = discipline, .chunk = s(*rc::gen::inRange(0, 4))});
    }
    Scene scene;
    const auto tasks = *rc::gen::inRange<std::size_t>(1, 40);
    for (std::size_t i = 0; i < tasks; ++i) {
        const auto resource = *rc::gen::inRange<std::size_t>(0, resources + 1);
        const bool has_none = resource == resources;
        builder.add({.duration = s(*rc::gen::inRange(has_none ? 0 : 1, 8)),
                     .resource = has_none ? kNoResource : id_at<ResourceId>(resource),
                     .priority = *rc::gen::inRange(0, 3)});
    }
    scene.after.resize(tasks);
    for (std::size_t i = 0; i < tasks; ++i) {
        for (auto n = *rc::gen::inRange(0, 3); n > 0; --n) {
            const auto other = *rc::gen::inRange<std::size_t>(0, tasks);
            if (forwards ? other < i : other > i) {
                scene.after[i].push_back(other);
                builder.depend(id_at<TaskId>(i), id_at<TaskId>(other));
            }
        }
    }
    scene.graph = std::move(builder).build();
    return scene;
}

void expect_reference(const Scene& scene, const Timeline& timeline) {
    const Reference reference = Ticks(scene).run();
    for (std::size_t i = 0; i < scene.graph.size(); ++i) {
        RC_ASSERT(timeline.start[i].in(unit::second) == reference.start[i]);
        RC_ASSERT(timeline.end[i].in(unit::second) == reference.end[i]);
    }
}

void expect_path_laws(const Scene& scene, const Timeline& timeline) {
    const CriticalPath path = critical_path(scene.graph, timeline);
    Seconds sum;
    Seconds by_kind;
    for (const Seconds duration : scene.graph.durations) {
        sum += duration;
    }
    for (const Seconds time : timeline.time_of_kind) {
        by_kind += time;
    }
    RC_ASSERT(path.length == timeline.makespan);
    RC_ASSERT(timeline.makespan <= sum);
    RC_ASSERT(by_kind == sum);
    RC_ASSERT(path.stretches.front().start == 0_s);
    for (std::size_t i = 1; i < path.stretches.size(); ++i) {
        RC_ASSERT(path.stretches[i].start == path.stretches[i - 1].end);
    }
}

RC_GTEST_PROP(Play, RandomTasksRunAsCountedByTicks, ()) {
    const Scene scene = random_scene(true, false);
    const Timeline timeline = play(scene.graph);
    expect_reference(scene, timeline);
    expect_path_laws(scene, timeline);
}

RC_GTEST_PROP(Play, RandomTasksOfFixedOrderRunAsCountedByTicksOnBothWays, ()) {
    const Scene scene = random_scene(true, true);
    RC_ASSERT(scene.graph.has_fixed_order);
    for (const Timeline& timeline : {play(scene.graph), play_events(scene.graph)}) {
        expect_reference(scene, timeline);
        expect_path_laws(scene, timeline);
    }
}

RC_GTEST_PROP(Play, TasksAddedBeforeThoseThatTheyDependOnAreRefusedOrRunAsCounted, ()) {
    // A circle through a stream is refused; without one, both ways agree with the count.
    std::optional<Scene> scene;
    try {
        scene = random_scene(false, true);
    } catch (const InputError&) {
        RC_DISCARD("tasks wait for one another");
    }
    for (const Timeline& timeline : {play(scene->graph), play_events(scene->graph)}) {
        expect_reference(*scene, timeline);
        expect_path_laws(*scene, timeline);
    }
}

}  // namespace play_test
}  // namespace dodona::simulate
