// Records of kernels as a device.
//
// Every measured kernel becomes a point of a curve: exact where it is asked for again, interpolated between. Where a
// kind of kernel has kFewestRows of them, the model of cost/kernel_fit.hpp is fitted too: it answers outside the
// points' range, and interpolation is of its residuals. The error that a curve carries is the 90th percentile over
// five folds, each predicted without its own points; a fit has its own. What no record says (a data sheet's peaks)
// comes from the device that the machine had before. Of a device that nobody described the peak of a precision is the
// fastest product measured, the bandwidth the fastest stream through memory: shares of them come out near one, which is
// all that a fit needs.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/record/record.hpp"
#include "cluster/device.hpp"

namespace dodona::calibrate {

inline constexpr std::size_t kFewestRows = 20;

struct DeviceRecords {
    std::span<const Record> records;
    std::string backend;                      ///< cpu, cuda, import: whose environment and measurements
    int threads = 0;                          ///< of a CPU: only what was measured with as many; 0: all
    const cluster::Device* before = nullptr;  ///< the data sheet; none: everything is measured
};

/// The facts that the last environment of a back end has about its device.
std::map<std::string, std::string> facts_of(std::span<const Record> records, const std::string& backend);

/// A fact that is a number, in base units; `otherwise` where there is none. Throws InputError where no device has so
/// much, or so little.
double fact_of(const std::map<std::string, std::string>& facts, const std::string& key, double otherwise,
               double most = 1e18);

/// None where no kernel was measured. Throws InputError where what was measured does not make a device (no product and
/// nothing before).
std::optional<cluster::Device> measured_device(const DeviceRecords& of);

/// What a back end is going to measure, and on what.
struct Planned {
    std::string backend;
    Environment environment;
    std::vector<Case> cases;     ///< all; general lists have precisions that a device may lack
    std::vector<Case> networks;  ///< of networks that the user named
};

/// Whether there will be a device once these cases are measured too. Throws InputError where measured_device would
/// throw whatever they take. The environment is among the records.
bool will_make_device(const DeviceRecords& of, const Planned& planned);

}  // namespace dodona::calibrate
