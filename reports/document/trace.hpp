// A timeline before it has a format: slices on tracks, arrows between them, counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "reports/document/record.hpp"

namespace dodona::reports {

/// A thread of a process, as viewers of timelines call them: a stream of a stage. Its slices do not overlap.
struct TraceTrack {
    std::int64_t process = 0;
    std::string process_name;
    std::int64_t thread = 0;
    std::string thread_name;
};

struct TraceSlice {
    std::size_t track = 0;
    std::string name;
    std::string category;
    Seconds start;
    Seconds duration;
    Record details = no_fields();
};

/// From the end of one slice to the start of another.
struct TraceArrow {
    std::size_t from = 0;
    std::size_t to = 0;
    std::string name;
};

struct TraceCounter {
    std::int64_t process = 0;
    std::string name;
    Seconds at;
    double value = 0;
};

struct Trace {
    std::vector<TraceTrack> tracks;
    std::vector<TraceSlice> slices;
    std::vector<TraceArrow> arrows;
    std::vector<TraceCounter> counters;
    Record about = no_fields();  ///< of the whole
};

}  // namespace dodona::reports
