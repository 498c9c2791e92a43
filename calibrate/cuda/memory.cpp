#include "calibrate/cuda/memory.hpp"

#include <utility>

#include <fmt/format.h>

#include "calibrate/cuda/fault.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {

DeviceBuffer::DeviceBuffer(Bytes size, std::string_view what) : size_(size) {
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for free memory");
    const double wanted = size.in(1_B);
    if (wanted > static_cast<double>(free)) {
        throw CannotMeasure(fmt::format("{} would need {:.3g} GB of the GPU's memory, and {:.3g} of {:.3g} GB are free",
                                        what, wanted / 1e9, static_cast<double>(free) / 1e9,
                                        static_cast<double>(total) / 1e9));
    }
    if (wanted > 0) {
        check(cudaMalloc(&memory_, static_cast<std::size_t>(wanted)), fmt::format("allocating {}", what));
    }
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), size_(std::exchange(other.size_, {})) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
}

DeviceBuffer::~DeviceBuffer() { (void)cudaFree(memory_); }

PinnedBuffer::PinnedBuffer(Bytes size) {
    check(cudaHostAlloc(&memory_, static_cast<std::size_t>(size.in(1_B)), cudaHostAllocMapped | cudaHostAllocPortable),
          "allocating page-locked memory");
}

PinnedBuffer::~PinnedBuffer() { (void)cudaFreeHost(memory_); }

Stream::Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream"); }

Stream::~Stream() { (void)cudaStreamDestroy(stream_); }

Event::Event() { check(cudaEventCreate(&event_), "making an event"); }

Event::~Event() { (void)cudaEventDestroy(event_); }

void Event::record(const Stream& stream) { check(cudaEventRecord(event_, stream.get()), "recording an event"); }

void Event::wait() { check(cudaEventSynchronize(event_), "waiting for the GPU"); }

Seconds between(const Event& begin, const Event& end) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "reading events");
    return static_cast<double>(milliseconds) * 1e-3 * 1_s;
}

}  // namespace dodona::calibrate::cuda
