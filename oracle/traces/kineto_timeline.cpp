#include "traces/kineto_timeline.hpp"

#include <cmath>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "traces/json_events.hpp"

namespace dodona::traces {

namespace {

constexpr std::string_view kStepName = "ProfilerStep";
constexpr double kLargestNumber = 9e15;  // whole numbers up to here are doubles
constexpr std::size_t kMaxLaunches = 3 * DeviceTimeline::kMaxRuns;

Names timeline_fields() {
    return {"ph", "cat", "name", "ts", "dur", "args", "correlation", "device", "Collective name"};
}

bool is_launch(std::string_view name) {
    return name.find("aunch") != std::string_view::npos || name.find("emcpy") != std::string_view::npos ||
           name.find("emset") != std::string_view::npos;
}

class TimelineReader {
public:
    explicit TimelineReader(DeviceTimeline& timeline) : timeline_(timeline) {}

    void event(const Json& event) {
        const std::optional<double> start = number(member(event, "ts"));
        const std::optional<double> duration = number(member(event, "dur"));
        if (word(member(event, "ph")) != "X" || !start || !duration || !(*duration >= 0)) {
            return;
        }
        first_ = first_.value_or(*start);
        const Seconds from = (*start - *first_) * 1_us;
        place(event, from, from + *duration * 1_us);
    }

    void require_one_device() const {
        if (timeline_.runs.empty()) {
            fail(timeline_.whole, "the trace has no kernels",
                 "profile with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]");
        }
        if (devices_.size() > 1) {
            fail(timeline_.whole, fmt::format("the trace has kernels of {} devices", devices_.size()),
                 "one process for each device, and the trace of one of them");
        }
    }

private:
    void place(const Json& event, Seconds from, Seconds to) {
        static const Json none;
        const Json* found = member(event, "args");
        const Json& arguments = found == nullptr ? none : *found;
        const std::string category = word(member(event, "cat"));
        const std::string name = word(member(event, "name"));
        // Until 1.13 categories were "Kernel", "Operator", "Runtime", "Memcpy".
        if (category == "kernel" || category == "Kernel") {
            run(name, work_of_kernel(name, word(member(arguments, "Collective name"))), arguments, from, to);
        } else if (category == "gpu_memcpy" || category == "gpu_memset" || category == "Memcpy" ||
                   category == "Memset") {
            run(name, work_of_copy(name), arguments, from, to);
        } else if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime") {
            launched(name, arguments, from);
        } else if (category != "gpu_user_annotation" && name.starts_with(kStepName)) {
            timeline_.marks.push_back({from, to});
        }
    }

    void run(const std::string& name, DeviceWork work, const Json& arguments, Seconds from, Seconds to) {
        timeline_.add({from, to, launch_of(arguments), timeline_.names.number_of(name), work});
        if (const auto device = number(member(arguments, "device")); device && devices_.size() < 2) {
            devices_.insert(*device);
        }
    }

    void launched(const std::string& name, const Json& arguments, Seconds from) {
        const std::int64_t launch = launch_of(arguments);
        if (launch != 0 && is_launch(name) && timeline_.launches.size() < kMaxLaunches) {
            timeline_.launches.emplace_back(launch, from);
        }
    }

    static std::int64_t launch_of(const Json& arguments) {
        const auto read = number(member(arguments, "correlation"));
        return read && std::abs(*read) < kLargestNumber ? static_cast<std::int64_t>(*read) : 0;
    }

    DeviceTimeline& timeline_;
    std::optional<double> first_;  ///< us: what times count from
    std::set<double> devices_;     ///< no more than two
};

}  // namespace

bool is_kineto(std::string_view start) {
    return start.find("\"traceEvents\"") != std::string_view::npos ||
           (start.find("\"schemaVersion\"") != std::string_view::npos &&
            start.find("\"deviceProperties\"") != std::string_view::npos);
}

DeviceTimeline read_kineto_timeline(ByteStream& bytes) {
    DeviceTimeline timeline;
    timeline.whole = bytes.whole();
    TimelineReader reader(timeline);
    read_events(bytes.stream(), timeline.whole,
                {.array = "traceEvents",
                 .fields = timeline_fields(),
                 .members = {},
                 .element = [&](const Json& event) { reader.event(event); },
                 .member = [](const std::string& /*name*/, const Json& /*value*/) {}});
    bytes.check();
    reader.require_one_device();
    return timeline;
}

}  // namespace dodona::traces
