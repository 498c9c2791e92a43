#include "calibrate/cuda/interference.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "calibrate/cuda/benchmarks.hpp"
#include "calibrate/cuda/fault.hpp"

namespace dodona::calibrate::cuda {

namespace {

constexpr Seconds kLength = 0.02_s;  // of what is measured
constexpr int kMax = 200;            // executions: a stream takes about a thousand launches before the host waits
constexpr double kCover = 3;         // the other one lasts that much longer: it is there from begin to end

Case load_case(const std::string& resource) {
    if (resource == "copy") {
        return {"copy", {{"bytes", 64.0 * 0x1p20}, {"from", "pinned"}, {"to", "device"}}};
    }
    if (resource == "memory") {
        return {"stream", {{"bytes", 256.0 * 0x1p20}, {"pattern", "copy"}}};
    }
    if (resource == "collective") {
        int devices = 0;
        check(cudaGetDeviceCount(&devices), "counting devices");
        return {"collective",
                {{"collective", "all-reduce"}, {"bytes", 64.0 * 0x1p20}, {"ranks", static_cast<double>(devices)}}};
    }
    throw CannotMeasure(fmt::format("{} is no load beside a GPU's kernel; known: copy, memory, collective", resource));
}

/// One of the two, on a stream of its own.
struct Side {
    Work work;
    const Stream* stream;
    Event begin, end;

    Side(Work of, const Stream* on) : work(std::move(of)), stream(on) {}

    void enqueue(int times) {
        begin.record(*stream);
        for (int i = 0; i < times; ++i) {
            work.run(stream->get());
        }
        end.record(*stream);
    }
    [[nodiscard]] Seconds each(int times) const {
        return between(begin, end) / static_cast<double>(times * work.executions);
    }
};

int times_for(Seconds each, Seconds length) { return std::clamp(static_cast<int>(length / max(each, 1_us)), 1, kMax); }

Seconds alone(Side& side) {
    side.enqueue(1);
    side.end.wait();
    const int times = times_for(side.each(1), kLength);
    side.enqueue(times);
    side.end.wait();
    return side.each(times);
}

/// `measured` while `cover` runs from before it to after it.
Seconds beside(Side& measured, Seconds alone_each, Side& cover, Seconds cover_each) {
    const int times = times_for(alone_each, kLength);
    const Seconds length = alone_each * static_cast<double>(times * measured.work.executions);
    cover.enqueue(std::clamp(static_cast<int>(kCover * length / max(cover_each, 1_us)), 2, kMax));
    cover.begin.wait();
    measured.enqueue(times);
    measured.end.wait();
    cover.end.wait();
    return measured.each(times);
}

}  // namespace

Work prepare_interference(const Case& asked, BenchmarkContext& context) {
    const std::string kernel = asked.word("kernel", "matmul");
    if (kernel == "interference" || kernel == "collective" || kernel == "send") {
        throw CannotMeasure(fmt::format("the kernel beside a load is one of a single GPU, not {}", kernel));
    }
    Case of_kernel{kernel, asked.parameters};
    const auto second = std::make_shared<Stream>();
    const auto load = std::make_shared<Side>(prepare(load_case(asked.word("resource", "copy")), context), second.get());
    const auto main = std::make_shared<Side>(prepare(of_kernel, context), &context.stream);
    check(cudaDeviceSynchronize(), "preparing the case");
    const Seconds kernel_alone = alone(*main);
    const Seconds load_alone = alone(*load);
    const Seconds kernel_beside = beside(*main, kernel_alone, *load, load_alone);
    const Seconds load_beside = beside(*load, load_alone, *main, kernel_alone);

    Work work;
    work.run = [main](cudaStream_t stream) { main->work.run(stream); };
    work.timed = [=] {
        (void)second;
        return beside(*main, kernel_alone, *load, load_alone);
    };
    work.error = main->work.error;
    work.tolerance = main->work.tolerance;
    work.words = main->work.words;
    work.values = {{"alone", kernel_alone.in(1_s)},
                   {"beside", kernel_beside.in(1_s)},
                   {"slow_down", kernel_beside / kernel_alone},
                   {"load_alone", load_alone.in(1_s)},
                   {"load_beside", load_beside.in(1_s)},
                   {"load_slow_down", load_beside / load_alone}};
    return work;
}

}  // namespace dodona::calibrate::cuda
