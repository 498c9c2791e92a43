// Buffers, streams and events on the GPU, each with one owner.
#pragma once

#include <string_view>

#include <cuda_runtime_api.h>

#include "base/quantity.hpp"

namespace dodona::calibrate::cuda {

/// Memory of the current device. Never managed memory: asking for more of that than there is can hang a GPU.
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    /// Throws CannotMeasure, with both figures, where less than `size` is free. `what`: "the weights".
    DeviceBuffer(Bytes size, std::string_view what);
    DeviceBuffer(DeviceBuffer&& other) noexcept;
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    ~DeviceBuffer();

    [[nodiscard]] void* get() const { return memory_; }
    [[nodiscard]] Bytes size() const { return size_; }

private:
    void* memory_ = nullptr;
    Bytes size_;
};

/// Page-locked memory of the host that the device sees as well.
class PinnedBuffer {
public:
    explicit PinnedBuffer(Bytes size);
    PinnedBuffer(const PinnedBuffer&) = delete;
    PinnedBuffer& operator=(const PinnedBuffer&) = delete;
    ~PinnedBuffer();

    [[nodiscard]] void* get() const { return memory_; }

private:
    void* memory_ = nullptr;
};

class Stream {
public:
    Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream();

    [[nodiscard]] cudaStream_t get() const { return stream_; }

private:
    cudaStream_t stream_ = nullptr;
};

class Event {
public:
    Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event();

    void record(const Stream& stream);
    void wait();
    [[nodiscard]] cudaEvent_t get() const { return event_; }

private:
    cudaEvent_t event_ = nullptr;
};

/// From one event to another, both reached. Resolution about half a microsecond (cudaEventElapsedTime).
Seconds between(const Event& begin, const Event& end);

}  // namespace dodona::calibrate::cuda
