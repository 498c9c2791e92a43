#include "calibrate/cuda/counter_set.hpp"

#include <cupti_profiler_host.h>

#include <string_view>

#include <fmt/format.h>

#include "calibrate/cuda/counter_host.hpp"
#include "calibrate/record/exchange.hpp"

namespace dodona::calibrate::cuda {

void expect_cupti(CUptiResult answer, std::string_view doing) {
    if (answer == CUPTI_SUCCESS) {
        return;
    }
    if (answer == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
        throw CannotMeasure(
            "this user may not read the GPU's counters: run as root, or load the driver with "
            "NVreg_RestrictProfilingToAdminUsers=0; times are measured all the same");
    }
    const char* text = nullptr;
    (void)cuptiGetResultString(answer, &text);
    throw CannotMeasure(fmt::format("{}: CUPTI says {}", doing, text == nullptr ? "nothing" : text));
}

std::array<const char*, kCounters.size()> counter_names() {
    std::array<const char*, kCounters.size()> names{};
    for (std::size_t i = 0; i < kCounters.size(); ++i) {
        names[i] = kCounters[i].metric;
    }
    return names;
}

CounterHost::CounterHost(const std::string& chip) {
    CUpti_Profiler_Host_Initialize_Params params{};
    params.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
    params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    params.pChipName = chip.c_str();
    expect_cupti(cuptiProfilerHostInitialize(&params), fmt::format("planning counters of {}", chip));
    host_ = params.pHostObject;
}

CounterHost::~CounterHost() {
    CUpti_Profiler_Host_Deinitialize_Params params{};
    params.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE;
    params.pHostObject = host_;
    (void)cuptiProfilerHostDeinitialize(&params);
}

CounterPlan CounterHost::plan() const {
    auto names = counter_names();
    CUpti_Profiler_Host_ConfigAddMetrics_Params add{};
    add.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
    add.pHostObject = host_;
    add.ppMetricNames = names.data();
    add.numMetrics = names.size();
    expect_cupti(cuptiProfilerHostConfigAddMetrics(&add), "choosing counters");

    CUpti_Profiler_Host_GetConfigImageSize_Params size{};
    size.structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE;
    size.pHostObject = host_;
    expect_cupti(cuptiProfilerHostGetConfigImageSize(&size), "planning counters");

    CounterPlan plan;
    plan.image.resize(size.configImageSize);
    CUpti_Profiler_Host_GetConfigImage_Params get{};
    get.structSize = CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE;
    get.pHostObject = host_;
    get.configImageSize = plan.image.size();
    get.pConfigImage = plan.image.data();
    expect_cupti(cuptiProfilerHostGetConfigImage(&get), "planning counters");

    CUpti_Profiler_Host_GetNumOfPasses_Params passes{};
    passes.structSize = CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE;
    passes.configImageSize = plan.image.size();
    passes.pConfigImage = plan.image.data();
    expect_cupti(cuptiProfilerHostGetNumOfPasses(&passes), "planning counters");
    plan.passes = passes.numOfPasses;
    return plan;
}

std::vector<std::string> known_chips() {
    CUpti_Profiler_Host_GetSupportedChips_Params params{};
    params.structSize = CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE;
    expect_cupti(cuptiProfilerHostGetSupportedChips(&params), "asking which chips have counters");
    return {params.ppChipNames, params.ppChipNames + params.numChips};
}

CounterPlan plan_counters(const std::string& chip) { return CounterHost(chip).plan(); }

}  // namespace dodona::calibrate::cuda
