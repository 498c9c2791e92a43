// Trials on their nodes as a timeline and as a chart.
#pragma once

#include <span>
#include <string>

#include "reports/document/document.hpp"
#include "reports/document/trace.hpp"
#include "trials/schedule.hpp"
#include "trials/space.hpp"

namespace dodona::questions::trials {

/// Runs that were predicted or measured. `settings`: of each job.
struct Timeline {
    std::string study;
    bool simulated = true;
    std::span<const dodona::trials::TrialRun> runs;
    std::span<const dodona::trials::Settings> settings;
};

/// A process for each node, a thread for each trial that runs there at once.
reports::Trace trace(const Timeline& timeline);

/// Rows are what the threads are; without bars where there are more than fit on a page.
reports::TimelineChart chart(const Timeline& timeline);

}  // namespace dodona::questions::trials
