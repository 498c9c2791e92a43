// Checks for a driver and a device. It runs before anything else, because libraries crash without one
// (cuptiDeviceGetChipName without a driver ends the process).
#pragma once

namespace dodona::calibrate::cuda {

/// Throws InstrumentMissing where this machine has no NVIDIA driver, an older one than the runtime, or no device.
void require_device();

}  // namespace dodona::calibrate::cuda
