#include "calibrate/cuda/counters.hpp"

#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cuda_runtime_api.h>

#include <string>

#include <fmt/format.h>

#include "calibrate/cuda/counter_host.hpp"
#include "calibrate/cuda/fault.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {

namespace {

std::string chip_name() {
    CUpti_Device_GetChipName_Params params{};
    params.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE;
    expect_cupti(cuptiDeviceGetChipName(&params), "asking for the chip's name");
    return params.pChipName;
}

/// The context that the runtime made, without linking the driver's library.
CUcontext current_context() {
    using GetContext = CUresult(CUcontext*);
    void* entry = nullptr;
    cudaDriverEntryPointQueryResult found{};
    constexpr unsigned kSince = 4000;  // cuCtxGetCurrent has been there since CUDA 4
    check(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, kSince, cudaEnableDefault, &found),
          "asking for the driver's context");
    CUcontext context = nullptr;
    if (entry == nullptr || reinterpret_cast<GetContext*>(entry)(&context) != CUDA_SUCCESS || context == nullptr) {
        throw CannotMeasure("the driver shows no context to count in");
    }
    return context;
}

/// Counting of one range, in one pass.
class RangeProfiler {
public:
    RangeProfiler() {
        CUpti_RangeProfiler_Enable_Params params{};
        params.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE;
        params.ctx = current_context();
        expect_cupti(cuptiRangeProfilerEnable(&params), "starting to count");
        profiler_ = params.pRangeProfilerObject;
    }
    RangeProfiler(const RangeProfiler&) = delete;
    RangeProfiler& operator=(const RangeProfiler&) = delete;
    ~RangeProfiler() {
        CUpti_RangeProfiler_Disable_Params params{};
        params.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE;
        params.pRangeProfilerObject = profiler_;
        (void)cuptiRangeProfilerDisable(&params);
    }

    void configure(const CounterPlan& plan);
    void begin();
    void end();
    [[nodiscard]] std::array<double, kCounters.size()> values(const CounterHost& host);

private:
    CUpti_RangeProfiler_Object* profiler_ = nullptr;
    std::vector<std::uint8_t> image_;
    std::vector<std::uint8_t> counted_;
};

void RangeProfiler::configure(const CounterPlan& plan) {
    image_ = plan.image;
    auto names = counter_names();
    CUpti_RangeProfiler_GetCounterDataSize_Params size{};
    size.structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE;
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    expect_cupti(cuptiRangeProfilerGetCounterDataSize(&size), "making room for counters");
    counted_.assign(size.counterDataSize, 0);

    CUpti_RangeProfiler_CounterDataImage_Initialize_Params clear{};
    clear.structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE;
    clear.pRangeProfilerObject = profiler_;
    clear.counterDataSize = counted_.size();
    clear.pCounterData = counted_.data();
    expect_cupti(cuptiRangeProfilerCounterDataImageInitialize(&clear), "making room for counters");

    CUpti_RangeProfiler_SetConfig_Params set{};
    set.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE;
    set.pRangeProfilerObject = profiler_;
    set.configSize = image_.size();
    set.pConfig = image_.data();
    set.counterDataImageSize = counted_.size();
    set.pCounterDataImage = counted_.data();
    set.range = CUPTI_UserRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = 1;
    set.numNestingLevels = 1;
    set.minNestingLevel = 1;
    set.passIndex = 0;
    set.targetNestingLevel = 1;
    expect_cupti(cuptiRangeProfilerSetConfig(&set), "choosing counters");
}

void RangeProfiler::begin() {
    CUpti_RangeProfiler_Start_Params start{};
    start.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE;
    start.pRangeProfilerObject = profiler_;
    expect_cupti(cuptiRangeProfilerStart(&start), "starting to count");
    CUpti_RangeProfiler_PushRange_Params push{};
    push.structSize = CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE;
    push.pRangeProfilerObject = profiler_;
    push.pRangeName = "work";
    expect_cupti(cuptiRangeProfilerPushRange(&push), "starting to count");
}

void RangeProfiler::end() {
    CUpti_RangeProfiler_PopRange_Params pop{};
    pop.structSize = CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE;
    pop.pRangeProfilerObject = profiler_;
    expect_cupti(cuptiRangeProfilerPopRange(&pop), "ending to count");
    CUpti_RangeProfiler_Stop_Params stop{};
    stop.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE;
    stop.pRangeProfilerObject = profiler_;
    expect_cupti(cuptiRangeProfilerStop(&stop), "ending to count");
    if (stop.isAllPassSubmitted == 0) {
        throw CannotMeasure("the counters would need more than one pass on this chip");
    }
}

std::array<double, kCounters.size()> RangeProfiler::values(const CounterHost& host) {
    CUpti_RangeProfiler_DecodeData_Params decode{};
    decode.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE;
    decode.pRangeProfilerObject = profiler_;
    expect_cupti(cuptiRangeProfilerDecodeData(&decode), "reading counters");
    CUpti_RangeProfiler_GetCounterDataInfo_Params info{};
    info.structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE;
    info.pCounterDataImage = counted_.data();
    info.counterDataImageSize = counted_.size();
    expect_cupti(cuptiRangeProfilerGetCounterDataInfo(&info), "reading counters");
    if (info.numTotalRanges != 1 || decode.numOfRangeDropped != 0) {
        throw CannotMeasure(fmt::format("CUPTI counted {} ranges and dropped {}, not one and none", info.numTotalRanges,
                                        decode.numOfRangeDropped));
    }
    auto names = counter_names();
    std::array<double, kCounters.size()> values{};
    CUpti_Profiler_Host_EvaluateToGpuValues_Params evaluate{};
    evaluate.structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE;
    evaluate.pHostObject = host.get();
    evaluate.pCounterDataImage = counted_.data();
    evaluate.counterDataImageSize = counted_.size();
    evaluate.rangeIndex = 0;
    evaluate.ppMetricNames = names.data();
    evaluate.numMetrics = names.size();
    evaluate.pMetricValues = values.data();
    expect_cupti(cuptiProfilerHostEvaluateToGpuValues(&evaluate), "reading counters");
    return values;
}

}  // namespace

void count_events(const Work& work, const Stream& stream, Measurement& measured) {
    CUpti_Profiler_Initialize_Params start{};
    start.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE;
    expect_cupti(cuptiProfilerInitialize(&start), "starting CUPTI's profiler");
    const CounterHost host(chip_name());
    const CounterPlan plan = host.plan();
    if (plan.passes != 1) {
        throw CannotMeasure(fmt::format("the counters would need {} passes on this chip", plan.passes));
    }
    RangeProfiler profiler;
    profiler.configure(plan);
    profiler.begin();
    work.run(stream.get());
    check(cudaDeviceSynchronize(), "running the work");
    profiler.end();
    const auto values = profiler.values(host);
    for (std::size_t i = 0; i < kCounters.size(); ++i) {
        const bool ratio = std::string_view(kCounters[i].value).ends_with("percent");
        measured.values[kCounters[i].value] = ratio ? values[i] : values[i] / work.executions;
    }
}

}  // namespace dodona::calibrate::cuda
