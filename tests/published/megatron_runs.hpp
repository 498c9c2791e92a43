// Step times of Megatron-LM on Selene (A100 80 GB, fp16, sequence 2048), as published.
#pragma once

#include <array>
#include <cstdint>

#include "plan/plan.hpp"

namespace dodona::published {

struct MegatronRun {
    const char* id;  ///< in the project's table of measurements
    const char* model;
    std::int64_t tensor, pipeline, virtual_stages, data;
    bool sequence;  ///< sequence parallelism
    plan::RecomputeKind recompute;
    std::int64_t batch, microbatch;
    bool overlap_gradients;
    double step;  ///< seconds
};

inline constexpr plan::RecomputeKind kFullRecompute = plan::RecomputeKind::full;
inline constexpr plan::RecomputeKind kSelectiveRecompute = plan::RecomputeKind::selective;

/// Korthikanti et al., arXiv:2205.05198, Table 5, as transcribed in calculon-ai/calculon: calculon/llm/validation.py
/// (seqsel_tab5): each network with full, then with selective recomputation and sequence parallelism.
inline constexpr std::array<MegatronRun, 8> kKorthikanti{{
    {"MEGA-0055", "megatron-22b", 8, 1, 1, 1, false, kFullRecompute, 4, 4, false, 1.42},
    {"MEGA-0056", "megatron-22b", 8, 1, 1, 1, true, kSelectiveRecompute, 4, 4, false, 1.1},
    {"MEGA-0057", "gpt3-175b", 8, 8, 3, 1, false, kFullRecompute, 64, 1, false, 18.13},
    {"MEGA-0058", "gpt3-175b", 8, 8, 3, 1, true, kSelectiveRecompute, 64, 1, false, 13.75},
    {"MEGA-0059", "turing-530b", 8, 35, 3, 1, false, kFullRecompute, 280, 1, false, 49.05},
    {"MEGA-0060", "turing-530b", 8, 35, 3, 1, true, kSelectiveRecompute, 280, 1, false, 37.83},
    {"MEGA-0061", "megatron-1t", 8, 64, 1, 1, false, kFullRecompute, 512, 1, false, 94.42},
    {"MEGA-0062", "megatron-1t", 8, 64, 1, 1, true, kSelectiveRecompute, 512, 1, false, 71.49},
}};

/// Narayanan et al., SC 2021 (arXiv:2104.04473), Table 1: layouts from NVIDIA/Megatron-LM:
/// examples/academic_paper_scripts/sc21/run_table_1.sh, step times from the hardware TFLOP/s of
/// images/cases_april2021.png by the paper's formula 96 B s l h^2 (1 + s/6h + V/16lh). Gradients are reduced behind
/// backward where the script says DDP-impl=torch.
inline constexpr std::array<MegatronRun, 10> kSc21{{
    {"MEGA-0001", "megatron-1.7b", 1, 1, 1, 32, false, kFullRecompute, 512, 16, true, 3.52802},
    {"MEGA-0002", "megatron-3.6b", 2, 1, 1, 32, false, kFullRecompute, 512, 16, true, 3.69741},
    {"MEGA-0003", "megatron-7.5b", 4, 1, 1, 32, false, kFullRecompute, 512, 16, true, 3.69633},
    {"MEGA-0004", "megatron-18b", 8, 1, 1, 32, false, kFullRecompute, 1024, 8, true, 9.3993},
    {"MEGA-0005", "megatron-39b", 8, 2, 1, 32, false, kFullRecompute, 1536, 4, false, 14.4535},
    {"MEGA-0006", "megatron-76b", 8, 4, 3, 32, false, kFullRecompute, 1792, 2, false, 16.0578},
    {"MEGA-0007", "megatron-145b", 8, 8, 2, 24, false, kFullRecompute, 2304, 2, false, 24.8174},
    {"MEGA-0008", "megatron-310b", 8, 16, 2, 15, false, kFullRecompute, 2160, 1, false, 37.6143},
    {"MEGA-0009", "megatron-530b", 8, 35, 3, 9, false, kFullRecompute, 2520, 1, false, 54.085},
    {"MEGA-0010", "megatron-1t", 8, 64, 1, 6, false, kFullRecompute, 3072, 1, false, 102.63},
}};

}  // namespace dodona::published
