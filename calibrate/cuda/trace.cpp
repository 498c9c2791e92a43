#include "calibrate/cuda/trace.hpp"

#include <cupti.h>
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "calibrate/cuda/fault.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {

namespace {

constexpr std::size_t kBuffer = 1 << 20;

#if CUDART_VERSION >= 13000
using KernelRecord = CUpti_ActivityKernel10;
#else
using KernelRecord = CUpti_ActivityKernel9;
#endif

struct Kernel {
    std::string name;
    std::string grid, block;
    double seconds = 0;
};

void expect(CUptiResult answer, std::string_view doing) {
    if (answer != CUPTI_SUCCESS) {
        const char* text = nullptr;
        (void)cuptiGetResultString(answer, &text);
        throw CannotMeasure(fmt::format("{}: CUPTI says {}", doing, text == nullptr ? "nothing" : text));
    }
}

std::string readable(const char* mangled) {
    int fault = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(mangled, nullptr, nullptr, &fault),
                                                           &std::free);
    return fault == 0 && text != nullptr ? text.get() : mangled;
}

/// CUPTI hands its buffers to two plain functions: what they write to is the one thing here that outlives a call.
class Records {
public:
    static Records& of_process() {
        static Records records;
        return records;
    }
    void add(const Kernel& kernel) {
        const std::lock_guard held(mutex_);
        kernels_.push_back(kernel);
    }
    std::vector<Kernel> taken() {
        const std::lock_guard held(mutex_);
        return std::exchange(kernels_, {});
    }

private:
    std::mutex mutex_;
    std::vector<Kernel> kernels_;
};

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBuffer));
    *size = *buffer == nullptr ? 0 : kBuffer;
    *records = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
    CUpti_Activity* record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
        if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && record->kind != CUPTI_ACTIVITY_KIND_KERNEL) {
            continue;
        }
        const auto* const ran = reinterpret_cast<const KernelRecord*>(record);
        Records::of_process().add({readable(ran->name), fmt::format("{}x{}x{}", ran->gridX, ran->gridY, ran->gridZ),
                                   fmt::format("{}x{}x{}", ran->blockX, ran->blockY, ran->blockZ),
                                   1e-9 * static_cast<double>(ran->end - ran->start)});
    }
    std::free(buffer);
}

}  // namespace

void trace_kernels(const Work& work, const Stream& stream, Measurement& measured) {
    expect(cuptiActivityRegisterCallbacks(give_buffer, take_buffer), "starting to trace kernels");
    expect(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "starting to trace kernels");
    (void)Records::of_process().taken();
    work.run(stream.get());
    check(cudaDeviceSynchronize(), "running the work");
    expect(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "reading traced kernels");
    expect(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "ending to trace kernels");

    const auto kernels = Records::of_process().taken();
    measured.values["kernels"] = static_cast<double>(kernels.size());
    if (kernels.empty()) {
        return;  // a copy
    }
    const auto longest = std::max_element(kernels.begin(), kernels.end(),
                                          [](const Kernel& a, const Kernel& b) { return a.seconds < b.seconds; });
    double all = 0;
    std::vector<std::string> names;
    for (const Kernel& kernel : kernels) {
        all += kernel.seconds;
        if (std::find(names.begin(), names.end(), kernel.name) == names.end()) {
            names.push_back(kernel.name);
        }
    }
    measured.values["duration"] = all / work.executions;
    measured.values["longest"] = longest->seconds;
    measured.words["kernel"] = longest->name;
    measured.words["grid"] = longest->grid;
    measured.words["block"] = longest->block;
    measured.words["kernels"] = fmt::format("{}", fmt::join(names, "; "));
}

}  // namespace dodona::calibrate::cuda
