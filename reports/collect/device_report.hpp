// Devices: the list of `dodona devices`, and one of them with the machines that have it (`dodona/device/1`).
#pragma once

#include <string>
#include <vector>

#include "cluster/cluster.hpp"
#include "reports/document/document.hpp"

namespace dodona::reports {

/// "fp16 312 TFLOP/s, fp32 19.5 TFLOP/s": peaks of matrix products.
std::string matrix_peaks(const cluster::Device& device);

Document device_document(const cluster::Device& device, const std::vector<cluster::Cluster>& machines);
/// What a search looks in.
std::string device_facts(const cluster::Device& device);
/// By family.
Document devices_document(const std::vector<cluster::Device>& devices);

}  // namespace dodona::reports
