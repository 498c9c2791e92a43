// Kernel models fitted to measured kernels: hardware/profiles.
#pragma once

#include <string>

namespace dodona::calibrate {

struct KernelFitOptions {
    std::string rows;  ///< the folder of measured kernels: tables in gzip-compressed CSV
    std::string out;   ///< the folder of the profiles; empty: nothing is written
    std::string data;  ///< holds hardware/devices, which describe what was measured, and lab/evidence/tables
};

/// Writes one profile a device and prints the error on rows that the fit did not see, before and after.
void fit_kernels(const KernelFitOptions& options);

}  // namespace dodona::calibrate
