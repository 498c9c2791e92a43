#include "lab/evidence/fits/rows.hpp"

#include <fmt/format.h>

#include "calibrate/machine/measured_kernel.hpp"
#include "calibrate/measure/journal.hpp"

namespace dodona::calibrate {

namespace {

/// "NVIDIA H200, 2026-11-27, cuBLASLt 13.1.0, driver 580.159.04, 700 W"
std::string conditions_of(const Environment& environment, const std::string& date) {
    const auto fact = [&](const char* key) {
        const auto found = environment.facts.find(key);
        return found == environment.facts.end() ? std::string("not known") : found->second;
    };
    return fmt::format("{}, {}, cuBLASLt {}, driver {}, {} W", fact("device"), date.substr(0, 10), fact("cublaslt"),
                       fact("driver"), fact("power_limit"));
}

}  // namespace

Series recorded_products(const std::vector<std::string>& paths, Precision precision, const std::string& device) {
    Series series{.device = device, .kind = graph::KernelKind::matmul, .precision = precision};
    series.source = "dodona calibrate";
    for (const std::string& path : paths) {
        const std::vector<Record> records = read_records(path);
        for (const Record& record : records) {
            if (const auto* environment = std::get_if<Environment>(&record.what)) {
                series.conditions += (series.conditions.empty() ? "" : "; ") + conditions_of(*environment, record.date);
            }
        }
        for (const Measurement& measurement : latest(records)) {
            for (const MeasuredKernel& one : measured_kernels(measurement)) {
                if (one.kernel.kind == series.kind && one.precision == precision) {
                    add(series, measurement.of.key(), one.kernel, one.time);
                }
            }
        }
    }
    return series;
}

}  // namespace dodona::calibrate
