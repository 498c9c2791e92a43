#include "reports/collect/simulation_trace.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace dodona::reports {

namespace {

using play::Stream;
using play::Work;

/// Numbers of threads as profilers of PyTorch on CUDA show them: streams of kernels, then of communication.
struct StreamTrack {
    Stream stream;
    std::int64_t thread;
    const char* name;
};
constexpr std::array kStreamTracks{StreamTrack{Stream::compute, 7, "compute"},
                                   StreamTrack{Stream::receive_forward, 21, "pipeline: activations"},
                                   StreamTrack{Stream::receive_backward, 22, "pipeline: gradients"}};
static_assert(kStreamTracks.size() == play::kStreams);

constexpr std::size_t kNoSlice = std::numeric_limits<std::size_t>::max();

class TraceOfStep {
public:
    TraceOfStep(const Subject& subject, const play::SimulatedStep& step) : step_(step) {
        trace_.about = {{"simulated", true}, {"model", subject.model}, {"machine", subject.machine}};
        for (std::int32_t stage = 0; stage < step.steps.stages; ++stage) {
            for (const StreamTrack& track : kStreamTracks) {
                trace_.tracks.push_back({stage, process_name(stage), track.thread, track.name});
            }
        }
    }

    Trace made() {
        add_slices();
        add_arrows();
        add_in_flight();
        add_memory();
        return std::move(trace_);
    }

private:
    [[nodiscard]] std::string process_name(std::int32_t stage) const {
        const auto& stages = step_.prediction.stages;
        const auto s = static_cast<std::size_t>(stage);
        return fmt::format("stage {}", stage + 1) + (s < stages.size() ? ": " + stages[s].layers : "");
    }

    [[nodiscard]] std::string slice_name(const play::StepTask& task) const {
        std::string name(play::name(task.work));
        if (task.micro_batch >= 0) {
            name += fmt::format(" {}", task.micro_batch + 1);
        }
        if (task.position >= step_.steps.stages) {
            name += fmt::format(", virtual stage {}", task.position / step_.steps.stages + 1);
        }
        return name;
    }

    void add_slices() {
        slice_of_.assign(step_.steps.tasks.size(), kNoSlice);
        std::vector<Seconds> free(static_cast<std::size_t>(step_.steps.stages));
        for (std::size_t i = 0; i < step_.steps.tasks.size(); ++i) {
            const play::StepTask& task = step_.steps.tasks[i];
            const Seconds start = step_.timeline.start[i];
            const Seconds end = step_.timeline.end[i];
            if (end <= start) {
                continue;
            }
            const std::size_t track =
                static_cast<std::size_t>(task.stage) * play::kStreams + static_cast<std::size_t>(task.stream);
            if (task.stream == Stream::compute) {
                Seconds& from = free[static_cast<std::size_t>(task.stage)];
                if (start > from) {
                    trace_.slices.push_back({track, "idle", "idle", from, start - from});
                }
                from = end;
            }
            TraceSlice slice{track, slice_name(task), std::string(play::name(task.work)), start, end - start};
            if (task.micro_batch >= 0) {
                slice.details = {{"microbatch", task.micro_batch + 1}, {"position", task.position + 1}};
            }
            slice_of_[i] = trace_.slices.size();
            trace_.slices.push_back(std::move(slice));
        }
    }

    void add_arrows() {
        for (std::size_t i = 0; i < step_.steps.tasks.size(); ++i) {
            const simulate::TaskId sender = step_.steps.tasks[i].sender;
            if (sender == simulate::kNoTask || slice_of_[i] == kNoSlice) {
                continue;
            }
            if (const std::size_t from = slice_of_[simulate::index(sender)]; from != kNoSlice) {
                trace_.arrows.push_back({from, slice_of_[i], "pipeline send/recv"});
            }
        }
    }

    /// Micro-batches of which a stage holds activations, each virtual stage counted.
    void add_in_flight() {
        std::vector<double> held(static_cast<std::size_t>(step_.steps.stages));
        for (std::size_t i = 0; i < step_.steps.tasks.size(); ++i) {
            const play::StepTask& task = step_.steps.tasks[i];
            const bool begins = task.work == Work::forward;
            if (begins || task.frees) {
                double& now = held[static_cast<std::size_t>(task.stage)];
                now += begins ? 1 : -1;
                trace_.counters.push_back({task.stage, "micro-batches in flight",
                                           begins ? step_.timeline.start[i] : step_.timeline.end[i], now});
            }
        }
    }

    void add_memory() {
        for (std::size_t stage = 0; stage < step_.costs.memory.size(); ++stage) {
            trace_.counters.push_back({static_cast<std::int64_t>(stage), "allocated bytes", Seconds{},
                                       bytes(step_.costs.memory[stage].always)});
        }
        play::visit_memory(step_.steps, step_.timeline, step_.costs,
                           [this](std::int32_t stage, Seconds at, Bytes allocated) {
                               trace_.counters.push_back({stage, "allocated bytes", at, bytes(allocated)});
                           });
    }

    static double bytes(Bytes size) { return std::round(size.in(unit::byte)); }

    const play::SimulatedStep& step_;
    Trace trace_;
    std::vector<std::size_t> slice_of_;  ///< of each task
};

}  // namespace

Trace simulation_trace(const Subject& subject, const play::SimulatedStep& step) {
    return TraceOfStep(subject, step).made();
}

}  // namespace dodona::reports
