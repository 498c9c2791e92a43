#include "reports/render/chrome_trace.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "reports/render/json.hpp"

namespace dodona::reports {

namespace {

double microseconds(Seconds time) { return time.in(unit::second)*1e6; }

std::string quoted(const std::string& text) { return json_line(Record(text)); }

/// One event a line; `members` are what it has beside phase and place.
class Events {
public:
    template <class... Arguments>
    void add(char phase, std::int64_t process, std::int64_t thread, fmt::format_string<Arguments...> members,
             Arguments&&... arguments) {
        auto out = std::back_inserter(text_);
        fmt::format_to(out, "{}\n{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},", text_.empty() ? "" : ",", phase, process,
                       thread);
        fmt::format_to(out, members, std::forward<Arguments>(arguments)...);
        text_ += '}';
    }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

void add_tracks(const Trace& trace, Events& events) {
    for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
        const TraceTrack& track = trace.tracks[i];
        if (i == 0 || trace.tracks[i - 1].process != track.process) {
            events.add('M', track.process, track.thread, "\"name\":\"process_name\",\"args\":{{\"name\":{}}}",
                       quoted(track.process_name));
            events.add('M', track.process, track.thread,
                       "\"name\":\"process_sort_index\",\"args\":{{\"sort_index\":{}}}", track.process);
        }
        events.add('M', track.process, track.thread, "\"name\":\"thread_name\",\"args\":{{\"name\":{}}}",
                   quoted(track.thread_name));
        events.add('M', track.process, track.thread, "\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{}}}",
                   track.thread);
    }
}

void add_arrows(const Trace& trace, Events& events) {
    for (std::size_t i = 0; i < trace.arrows.size(); ++i) {
        const TraceArrow& arrow = trace.arrows[i];
        const TraceSlice& from = trace.slices[arrow.from];
        const TraceSlice& to = trace.slices[arrow.to];
        // Viewers find the slice that a point lies in, and its end is outside of it.
        const double last = microseconds(from.start + from.duration) - std::min(1e-3, microseconds(from.duration));
        const std::string name = quoted(arrow.name);
        events.add('s', trace.tracks[from.track].process, trace.tracks[from.track].thread,
                   "\"ts\":{:.3f},\"name\":{},\"cat\":{},\"id\":{}", last, name, name, i);
        events.add('f', trace.tracks[to.track].process, trace.tracks[to.track].thread,
                   "\"ts\":{:.3f},\"bp\":\"e\",\"name\":{},\"cat\":{},\"id\":{}", microseconds(to.start), name, name,
                   i);
    }
}

}  // namespace

std::string chrome_trace(const Trace& trace) {
    Events events;
    add_tracks(trace, events);
    for (const TraceSlice& slice : trace.slices) {
        const TraceTrack& track = trace.tracks[slice.track];
        // Both ends are rounded, so that slices that touch do not overlap.
        const double start = std::round(microseconds(slice.start) * 1e3);
        const double end = std::round(microseconds(slice.start + slice.duration) * 1e3);
        events.add('X', track.process, track.thread, "\"ts\":{:.3f},\"dur\":{:.3f},\"name\":{},\"cat\":{},\"args\":{}",
                   start / 1e3, (end - start) / 1e3, quoted(slice.name), quoted(slice.category),
                   json_line(slice.details));
    }
    add_arrows(trace, events);
    for (const TraceCounter& counter : trace.counters) {
        events.add('C', counter.process, 0, "\"ts\":{:.3f},\"name\":{},\"args\":{{\"value\":{}}}",
                   microseconds(counter.at), quoted(counter.name), counter.value);
    }
    return fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[{}\n]}}\n",
                       json_line(trace.about), events.text());
}

}  // namespace dodona::reports
