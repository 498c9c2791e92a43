#include "lab/evidence/fits/rows.hpp"

namespace dodona::calibrate {

namespace {

Precision precision_of(const std::string& dtype) { return dtype == "fp8" ? Precision::fp8 : Precision::bf16; }

}  // namespace

Series linear_rows(const MeasuredTable& table, const std::string& gpu, const std::string& dtype,
                   const std::string& device) {
    Series series{.device = device, .kind = graph::KernelKind::matmul, .precision = precision_of(dtype)};
    series.casts_input = series.precision == Precision::fp8;
    series.source = "gemm_bf16_fp8 of ai-dynamo/aiconfigurator, " + gpu;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        if (table.text(row, "gpu") != gpu || table.text(row, "dtype") != dtype) {
            continue;
        }
        const graph::Kernel kernel =
            graph::matmul(table.number(row, "m"), table.number(row, "n"), table.number(row, "k"));
        add(series, table.text(row, "id"), kernel, table.number(row, "time_us") * 1_us);
        if (series.conditions.empty()) {
            const std::string& notes = table.text(row, "notes");
            series.conditions = table.text(row, "device_string") + ", " + notes.substr(0, notes.find(';'));
        }
    }
    return series;
}

}  // namespace dodona::calibrate
