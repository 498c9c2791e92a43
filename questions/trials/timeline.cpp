#include "questions/trials/timeline.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

namespace dodona::questions::trials {

namespace {

using namespace reports;
using namespace dodona::trials;

/// More rows are nothing for a page; a trace has them all.
constexpr std::size_t kMaxTrialRows = 48;

using Lane = std::pair<std::int64_t, std::int64_t>;  ///< node and lane

/// The lanes in order, each with its row.
std::map<Lane, std::size_t> rows_of(std::span<const TrialRun> runs) {
    std::map<Lane, std::size_t> rows;
    for (const TrialRun& run : runs) {
        rows.emplace(Lane{run.place.node, run.place.lane}, 0);
    }
    std::size_t row = 0;
    for (auto& entry : rows) {
        entry.second = row++;
    }
    return rows;
}

std::string run_name(const TrialRun& run) {
    return fmt::format("trial {}{}", run.job + 1, run.failed ? ", failed" : "");
}

}  // namespace

Trace trace(const Timeline& timeline) {
    Trace trace;
    trace.about = {{"simulated", timeline.simulated}, {"study", timeline.study}};
    const std::map<Lane, std::size_t> rows = rows_of(timeline.runs);
    for (const auto& [lane, row] : rows) {
        trace.tracks.push_back(
            {lane.first, fmt::format("node {}", lane.first + 1), lane.second, fmt::format("slot {}", lane.second + 1)});
    }
    for (const TrialRun& run : timeline.runs) {
        TraceSlice slice{rows.at({run.place.node, run.place.lane}), run_name(run), run.failed ? "failed" : "trial",
                         run.start, run.end - run.start};
        for (const auto& [name, value] : timeline.settings[run.job]) {
            slice.details[name] = value;
        }
        trace.slices.push_back(std::move(slice));
    }
    return trace;
}

TimelineChart chart(const Timeline& timeline) {
    TimelineChart chart{.title = "slots over time", .end = {}, .name = "trials"};
    const std::map<Lane, std::size_t> rows = rows_of(timeline.runs);
    if (rows.size() > kMaxTrialRows) {
        return chart;
    }
    const bool many_nodes = !rows.empty() && rows.rbegin()->first.first > 0;
    for (const auto& entry : rows) {
        const auto [node, lane] = entry.first;
        chart.rows.push_back(many_nodes ? fmt::format("{}.{}", node + 1, lane + 1) : fmt::format("{}", lane + 1));
    }
    std::vector<std::size_t> bars_of(rows.size());
    for (const TrialRun& run : timeline.runs) {
        const std::size_t row = rows.at({run.place.node, run.place.lane});
        const char* const shade = bars_of[row]++ % 2 == 0 ? "trial" : "next trial";
        chart.bars.push_back({row, run.failed ? "failed" : shade, run_name(run), run.start, run.end - run.start});
        chart.end = max(chart.end, run.end);
    }
    return chart;
}

}  // namespace dodona::questions::trials
