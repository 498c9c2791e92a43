// Rows of the measured tables as series of kernels. One function a table; what a column means is said there.
#pragma once

#include <string>
#include <vector>

#include "calibrate/file/measured_table.hpp"
#include "calibrate/fit/series.hpp"

namespace dodona::calibrate {

/// gemm_bf16_fp8: y[m,n] = x[m,k] W[k,n], of one `gpu` and `dtype`.
Series linear_rows(const MeasuredTable& table, const std::string& gpu, const std::string& dtype,
                   const std::string& device);

/// deepbench_train_kernels of one `device` and precision.
struct DeepBench {
    const MeasuredTable& table;
    std::string gpu;         ///< NV_V100
    std::string arithmetic;  ///< the column `precision`
    std::string device;      ///< device file
    Precision precision = Precision::fp32;
};
Series deepbench_products(const DeepBench& rows);
Series deepbench_convolutions(const DeepBench& rows, graph::Direction direction);
Series deepbench_recurrences(const DeepBench& rows);

/// transformer_operators_a100_gh200 of one `gpu`.
struct Operators {
    const MeasuredTable& table;
    std::string gpu;     ///< "A100-SXM4-80GB"
    std::string device;  ///< device file
};
Series operator_products(const Operators& rows);
Series operator_attention(const Operators& rows, graph::Direction direction);
Series operator_streams(const Operators& rows);
Series operator_gathers(const Operators& rows);

/// tables/kernels/attention_b200.csv: causal attention in the library that trains. `peak`: what its shares are of.
Series training_attention(const MeasuredTable& table, graph::Direction direction, const std::string& device,
                          FlopPerSecond peak);

/// tables/kernels/attention_hopper.csv: cuDNN's attention, alone and in training steps.
Series hopper_attention(const MeasuredTable& table, graph::Direction direction, const std::string& device);

/// Products of files of records of `dodona calibrate`, all directions together: of one chip, whatever memory it has.
Series recorded_products(const std::vector<std::string>& paths, Precision precision, const std::string& device);

/// aceso_v100_operators, tensor-parallel degree 1 (no collective inside).
Series aceso_products(const MeasuredTable& table, const std::string& device);
Series aceso_streams(const MeasuredTable& table, const std::string& device);

}  // namespace dodona::calibrate
