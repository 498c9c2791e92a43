// Trials on their nodes as a timeline and as a chart.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/document/document.hpp"
#include "reports/document/trace.hpp"
#include "trials/schedule.hpp"
#include "trials/space.hpp"

namespace dodona::reports {

/// Runs that were predicted or measured. `settings`: of each job.
struct TrialTimeline {
    std::string study;
    bool simulated = true;
    std::span<const trials::TrialRun> runs;
    std::span<const trials::Settings> settings;
};

/// A process for each node, a thread for each trial that runs there at once.
Trace trials_trace(const TrialTimeline& timeline);

/// Rows are what the threads are; without bars where there are more than fit on a page.
TimelineChart trials_chart(const TrialTimeline& timeline);

}  // namespace dodona::reports
