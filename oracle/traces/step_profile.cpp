#include "traces/step_profile.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ranges.hpp"
#include "traces/chakra_timeline.hpp"
#include "traces/kineto_timeline.hpp"

namespace dodona::traces {

namespace {

/// From the end of one step to the end of a later one.
struct StepWindow {
    Seconds start, end;
    std::int64_t steps = 1;
    Seconds fastest, slowest;
};

constexpr std::size_t kNoMark = static_cast<std::size_t>(-1);

/// The mark that a time lies in.
std::size_t mark_at(const std::vector<StepMark>& marks, Seconds time) {
    const auto after = std::upper_bound(marks.begin(), marks.end(), time,
                                        [](Seconds at, const StepMark& mark) { return at < mark.start; });
    if (after == marks.begin() || time > (after - 1)->end) {
        return kNoMark;
    }
    return static_cast<std::size_t>(after - marks.begin()) - 1;
}

/// When the device is done with each step; its mark's end where it had nothing to do.
std::vector<Seconds> ends_of_steps(const DeviceTimeline& timeline, const std::vector<StepMark>& marks) {
    std::vector<std::pair<std::int64_t, Seconds>> launches = timeline.launches;
    std::sort(launches.begin(), launches.end());
    std::vector<Seconds> ends(marks.size());
    bool any = false;
    for (const DeviceRun& run : timeline.runs) {
        const auto launch = std::lower_bound(launches.begin(), launches.end(), std::pair(run.launch, Seconds{}));
        const bool known = run.launch != 0 && launch != launches.end() && launch->first == run.launch;
        const std::size_t mark = mark_at(marks, known ? launch->second : run.start);
        if (mark != kNoMark) {
            ends[mark] = max(ends[mark], run.end);
            any = true;
        }
    }
    if (!any) {
        fail(timeline.whole, "no kernel was launched in a step that the trace marks",
             "profile with torch.profiler.schedule and call prof.step() after each step");
    }
    for (std::size_t i = 0; i < marks.size(); ++i) {
        ends[i] = ends[i] == Seconds{} ? marks[i].end : ends[i];
    }
    return ends;
}

std::vector<StepMark> sorted_marks(const DeviceTimeline& timeline) {
    std::vector<StepMark> marks = timeline.marks;
    std::sort(marks.begin(), marks.end(), [](const StepMark& a, const StepMark& b) { return a.start < b.start; });
    const auto same = [](const StepMark& a, const StepMark& b) { return b.start < a.end; };
    marks.erase(std::unique(marks.begin(), marks.end(), same), marks.end());
    return marks;
}

StepWindow marked_window(const DeviceTimeline& timeline) {
    const std::vector<StepMark> marks = sorted_marks(timeline);
    const std::vector<Seconds> ends = ends_of_steps(timeline, marks);
    if (ends.size() == 1) {
        const Seconds end = max(ends.front(), marks.front().end);
        return {marks.front().start, end, 1, end - marks.front().start, end - marks.front().start};
    }
    StepWindow window{ends.front(), ends.back(), static_cast<std::int64_t>(ends.size()) - 1, ends[1] - ends[0],
                      ends[1] - ends[0]};
    for (std::size_t i = 1; i < ends.size(); ++i) {
        window.fastest = min(window.fastest, ends[i] - ends[i - 1]);
        window.slowest = max(window.slowest, ends[i] - ends[i - 1]);
    }
    return window;
}

StepWindow window_of(const DeviceTimeline& timeline, std::optional<std::int64_t> steps) {
    if (!timeline.marks.empty()) {
        return marked_window(timeline);
    }
    if (!steps && timeline.collectives_wait) {
        fail(timeline.whole, "the trace marks no steps",
             "say how many it has with --steps N, or call prof.step() after each step when profiling");
    }
    StepWindow window{timeline.runs.front().start, timeline.runs.front().end, steps.value_or(1), {}, {}};
    for (const DeviceRun& run : timeline.runs) {
        window.start = min(window.start, run.start);
        window.end = max(window.end, run.end);
    }
    const Seconds mean = (window.end - window.start) / static_cast<double>(window.steps);
    window.fastest = window.slowest = mean;
    return window;
}

/// A run starts (+1) or ends (-1).
struct Turn {
    Seconds at;
    DeviceWork work = DeviceWork::passes;
    int change = 0;
};

using Running = std::array<std::int64_t, kDeviceWorks>;

/// Deals a time to those that run.
void deal(StepProfile& profile, const Running& running, Seconds time, bool (*among)(DeviceWork)) {
    double all = 0;
    for (const auto& row : kDeviceWorkTable) {
        all += among(row.value) ? static_cast<double>(running[index(row.value)]) : 0.0;
    }
    for (const auto& row : kDeviceWorkTable) {
        if (among(row.value)) {
            profile.of[index(row.value)].exposed += static_cast<double>(running[index(row.value)]) / all * time;
        }
    }
}

bool is_copy(DeviceWork work) { return work == DeviceWork::copies; }

bool any_of(const Running& running, bool (*among)(DeviceWork)) {
    return std::any_of(kDeviceWorkTable.begin(), kDeviceWorkTable.end(),
                       [&](const auto& row) { return among(row.value) && running[index(row.value)] > 0; });
}

void add_exposed(StepProfile& profile, std::vector<Turn> turns, const StepWindow& window) {
    std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) {
        return std::tie(a.at, a.change, a.work) < std::tie(b.at, b.change, b.work);
    });
    turns.push_back({window.end});
    Running running{};
    Seconds last = window.start;
    for (const Turn& turn : turns) {
        const Seconds time = turn.at - last;
        if (any_of(running, is_compute)) {
            deal(profile, running, time, is_compute);
        } else if (any_of(running, is_communication)) {
            deal(profile, running, time, is_communication);
        } else if (any_of(running, is_copy)) {
            deal(profile, running, time, is_copy);
        } else {
            profile.idle += time;
        }
        running[index(turn.work)] += turn.change;
        last = turn.at;
    }
}

void add_longest(StepProfile& profile, const std::map<std::pair<DeviceWork, std::uint32_t>, Seconds>& by_name,
                 const KernelNames& names) {
    for (const auto& [key, busy] : by_name) {
        WorkUse& use = profile.of[index(key.first)];
        if (busy > use.longest_busy) {
            use.longest = names[key.second];
            use.longest_busy = busy;
        }
    }
}

void divide(StepProfile& profile) {
    const double share = 1 / static_cast<double>(profile.steps);
    for (WorkUse& use : profile.of) {
        use.busy *= share;
        use.exposed *= share;
        use.calls *= share;
        use.longest_busy *= share;
    }
    profile.idle *= share;
}

DeviceTimeline load_timeline(const std::string& path) {
    ByteStream bytes(path, path);
    return is_kineto(bytes.start()) ? read_kineto_timeline(bytes) : read_chakra_timeline(bytes);
}

}  // namespace

Seconds StepProfile::exposed_communication() const {
    return sum_of<Seconds>(kDeviceWorkTable, [&](const auto& row) {
        return is_communication(row.value) ? of[index(row.value)].exposed : Seconds{};
    });
}

StepProfile step_profile(const DeviceTimeline& timeline, std::optional<std::int64_t> steps) {
    const StepWindow window = window_of(timeline, steps);
    if (!(window.end > window.start)) {
        fail(timeline.whole, "the steps of the trace take no time", "profile at least two whole steps");
    }
    StepProfile profile{.steps = window.steps,
                        .step = (window.end - window.start) / static_cast<double>(window.steps),
                        .fastest = window.fastest,
                        .slowest = window.slowest,
                        .collectives_wait = timeline.collectives_wait};
    std::vector<Turn> turns;
    std::map<std::pair<DeviceWork, std::uint32_t>, Seconds> by_name;
    for (const DeviceRun& run : timeline.runs) {
        const Seconds start = max(run.start, window.start);
        const Seconds end = min(run.end, window.end);
        if (start >= end) {
            continue;
        }
        turns.push_back({start, run.work, 1});
        turns.push_back({end, run.work, -1});
        WorkUse& use = profile.of[index(run.work)];
        use.busy += end - start;
        use.calls += run.end <= window.end ? 1 : 0;
        by_name[{run.work, run.name}] += end - start;
    }
    add_exposed(profile, std::move(turns), window);
    add_longest(profile, by_name, timeline.names);
    divide(profile);
    return profile;
}

bool is_trace(std::string_view start) { return is_kineto(start) || is_chakra(start); }

StepProfile load_step_profile(const std::string& path, std::optional<std::int64_t> steps) {
    return step_profile(load_timeline(path), steps);
}

}  // namespace dodona::traces
