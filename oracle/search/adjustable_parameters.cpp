#include "search/adjustable_parameters.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "cost/moved_tables.hpp"
#include "step/validate.hpp"

namespace dodona::search {

namespace {

using cluster::Cluster;
using cluster::Device;
using cluster::Level;
using plan::FrameworkParameter;

/// Derivatives are taken over one per cent in both directions.
constexpr double kNear = 1.01;

struct FrameworkLabel {
    FrameworkParameter parameter;
    std::string_view name;
    bool more_is_better = false;
};

constexpr std::array kFrameworkLabels{
    FrameworkLabel{FrameworkParameter::matmul, "time of matrix products"},
    FrameworkLabel{FrameworkParameter::convolution, "time of convolutions"},
    FrameworkLabel{FrameworkParameter::attention, "time of attention"},
    FrameworkLabel{FrameworkParameter::recurrent, "time of recurrent cells"},
    FrameworkLabel{FrameworkParameter::recurrent_overhead, "time of the software for a cell"},
    FrameworkLabel{FrameworkParameter::stream, "time of element-wise passes"},
    FrameworkLabel{FrameworkParameter::gather, "time of table look-ups"},
    FrameworkLabel{FrameworkParameter::cast, "bytes of casts"},
    FrameworkLabel{FrameworkParameter::channels_last, "passes to relayout"},
    FrameworkLabel{FrameworkParameter::window_reuse, "workspace for windows", true},
    FrameworkLabel{FrameworkParameter::im2col_samples, "samples of a matrix of windows", true},
    FrameworkLabel{FrameworkParameter::optimizer, "time of the update"},
    FrameworkLabel{FrameworkParameter::collective, "time of all collectives"},
    FrameworkLabel{FrameworkParameter::launch, "host time of a launch"},
    FrameworkLabel{FrameworkParameter::overlap_states, "overlap of gradients, parameters", true},
    FrameworkLabel{FrameworkParameter::overlap_layers, "overlap of TP/CP/EP communication", true},
    FrameworkLabel{FrameworkParameter::interference, "interference of overlapped work"},
    FrameworkLabel{FrameworkParameter::stragglers, "stragglers"},
    FrameworkLabel{FrameworkParameter::step, "fixed time of a step"},
    FrameworkLabel{FrameworkParameter::input, "time to decode a sample"},
    FrameworkLabel{FrameworkParameter::collate, "time to hand over a sample"},
    FrameworkLabel{FrameworkParameter::rank_launches, "launches of a collective for a rank"},
    FrameworkLabel{FrameworkParameter::message, "time of a message between stages"},
    FrameworkLabel{FrameworkParameter::dispatch_width, "bytes sent to experts"},
    FrameworkLabel{FrameworkParameter::node_dispatch, "copies of a token that cross the network"},
    FrameworkLabel{FrameworkParameter::reduction_width, "bytes of a reduced gradient"},
    FrameworkLabel{FrameworkParameter::whole_reduction, "gradients reduced whole"},
    FrameworkLabel{FrameworkParameter::host_update, "time of the update on the host"},
    FrameworkLabel{FrameworkParameter::unpadded_rows, "rows that are not padded"},
    FrameworkLabel{FrameworkParameter::unaligned_gemm_fallback, "rows that leave the matrix units"},
    FrameworkLabel{FrameworkParameter::element_instructions, "instructions of element-wise passes"},
    FrameworkLabel{FrameworkParameter::autocast, "casts to 16 bits"},
    FrameworkLabel{FrameworkParameter::unfused_norms, "norms run operator by operator"},
    FrameworkLabel{FrameworkParameter::unfused_passes, "rotary embeddings, gates run operator by operator"},
    FrameworkLabel{FrameworkParameter::unfused_softmax, "softmax of attention run operator by operator"},
};
static_assert(kFrameworkLabels.size() == plan::kFrameworkParameters.size());

AdjustableParameter parameter(std::string key, std::string name, Amount now, bool more_is_better,
                              std::function<void(Conditions&, double)> change) {
    return {.parameter = {.key = std::move(key),
                          .name = std::move(name),
                          .now = now,
                          .least = 1 / kFarthest,
                          .most = kFarthest,
                          .more_is_better = more_is_better},
            .below = 1 / kNear,
            .above = kNear,
            .adjusted = [change = std::move(change)](const Conditions& was, double factor) {
                Conditions is = was;
                change(is, factor);
                return is;
            }};
}

/// As `parameter`, for parameters that measured tables depend on.
AdjustableParameter table_parameter(std::string key, std::string name, Amount now, bool more_is_better,
                                    std::function<void(Cluster&, double)> change) {
    return parameter(std::move(key), std::move(name), now, more_is_better,
                     [change = std::move(change)](Conditions& conditions, double factor) {
                         const Cluster was = conditions.cluster;
                         change(conditions.cluster, factor);
                         conditions.cluster = cost::moved_tables(was, conditions.cluster);
                     });
}

void each_device(Cluster& cluster, const std::function<void(Device&)>& change) {
    change(cluster.device);
    for (cluster::DeviceRange& range : cluster.mixed) {
        change(range.device);
    }
}

/// Levels that a job of so many ranks may cross, grouped by cable.
std::vector<std::vector<std::size_t>> cables(const Cluster& cluster, std::int64_t ranks) {
    std::vector<std::vector<std::size_t>> found;
    for (std::size_t i = 0; i < cluster.levels.size(); ++i) {
        if (ranks <= (i == 0 ? 1 : cluster.domain_size(i - 1))) {
            break;
        }
        const bool alike = i > 0 && cluster.levels[i].bandwidth == cluster.levels[i - 1].bandwidth &&
                           (i > cluster.node_level) == (i - 1 > cluster.node_level);
        if (!found.empty() && alike) {
            found.back().push_back(i);
        } else {
            found.push_back({i});
        }
    }
    return found;
}

Seconds least_latency(const Level& level) { return level.timing(0).start + level.timing(0).step; }

void scale_latency(Level& level, double factor) {
    level.latency *= factor;
    if (level.link) {
        for (cluster::Protocol& protocol : level.link->protocols) {
            protocol.timing.start *= factor;
            protocol.timing.step *= factor;
        }
    }
    if (level.in_network) {
        level.in_network->latency *= factor;
    }
}

void scale_bandwidth(Level& level, double factor) {
    level.bandwidth *= factor;
    if (level.link) {
        level.link->bandwidth *= factor;
    }
    if (level.in_network) {
        level.in_network->bandwidth *= factor;
    }
}

void add_links(std::vector<AdjustableParameter>& all, const Cluster& cluster, std::int64_t ranks) {
    for (const bool bandwidth : {true, false}) {
        for (const std::vector<std::size_t>& levels : cables(cluster, ranks)) {
            std::string names;
            Seconds latency;
            for (const std::size_t level : levels) {
                names += (names.empty() ? "" : ", ") + cluster.levels[level].name;
                latency = max(latency, least_latency(cluster.levels[level]));
            }
            const std::string key = cluster.levels[levels.front()].name;
            const auto scale = bandwidth ? scale_bandwidth : scale_latency;
            const auto change = [levels, scale](Cluster& is, double factor) {
                for (const std::size_t level : levels) {
                    scale(is.levels[level], factor);
                }
            };
            if (bandwidth) {
                all.push_back(table_parameter("bandwidth." + key, fmt::format("bandwidth ({})", names),
                                              cluster.levels[levels.front()].bandwidth, true, change));
            } else if (latency > Seconds{}) {
                all.push_back(
                    table_parameter("latency." + key, fmt::format("latency ({})", names), latency, false, change));
            }
        }
    }
}

void scale_peak(Device& device, double factor) {
    for (auto* rates : {&device.matrix, &device.achieved}) {
        for (auto& [precision, rate] : *rates) {
            rate *= factor;
        }
    }
    device.vector *= factor;
}

void scale_start(Device& device, double factor) {
    device.launch *= factor;
    for (cluster::KernelFit& fit : device.profile.fits) {
        fit.start *= factor;
    }
}

AdjustableParameter device_parameter(std::string key, std::string name, Amount now, bool more_is_better,
                                     void (*scale)(Device&, double)) {
    return table_parameter(std::move(key), std::move(name), now, more_is_better, [scale](Cluster& is, double factor) {
        each_device(is, [&](Device& device) { scale(device, factor); });
    });
}

void add_measured_samples(std::vector<AdjustableParameter>& all, const Cluster& cluster, const graph::Graph& graph) {
    const auto samples = std::find_if(cluster.measured_samples.begin(), cluster.measured_samples.end(),
                                      [&](const auto& measured) { return measured.model == graph.name; });
    if (samples == cluster.measured_samples.end()) {
        return;
    }
    all.push_back(parameter("measured_sample", "measured time of a sample", samples->forward_backward, false,
                            [name = graph.name](Conditions& is, double factor) {
                                for (cluster::MeasuredSamples& measured : is.cluster.measured_samples) {
                                    if (measured.model == name) {
                                        measured.forward_backward *= factor;
                                        measured.update *= factor;
                                    }
                                }
                            }));
}

void add_devices(std::vector<AdjustableParameter>& all, const Device& device, Precision precision) {
    all.push_back(device_parameter("peak", "device peak", device.peak(precision), true, scale_peak));
    all.push_back(device_parameter("memory_bandwidth", "memory bandwidth", device.memory_bandwidth, true,
                                   [](Device& is, double factor) { is.memory_bandwidth *= factor; }));
    if (device.launch > Seconds{}) {
        all.push_back(
            device_parameter("kernel_start", "kernel start on the device", device.launch, false, scale_start));
    }
}

void add_memory(std::vector<AdjustableParameter>& all, const Conditions& conditions) {
    const Cluster& cluster = conditions.cluster;
    const Bytes memory = conditions.max_memory ? min(*conditions.max_memory, cluster.device.memory)
                                               : (1 - cluster.memory_reserve) * cluster.device.memory;
    all.push_back(parameter("memory", "device memory", memory, true, [](Conditions& is, double factor) {
        each_device(is.cluster, [&](Device& device) { device.memory *= factor; });
        if (is.max_memory) {
            *is.max_memory *= factor;
        }
    }));
    all.back().by_steps = true;
}

void add_capacities(std::vector<AdjustableParameter>& all, const Conditions& conditions, const graph::Graph& graph) {
    const Cluster& cluster = conditions.cluster;
    add_memory(all, conditions);
    if (cluster.host && conditions.offloads) {
        all.push_back(parameter("host_memory", "host memory", cluster.host->memory, true,
                                [](Conditions& is, double factor) { is.cluster.host->memory *= factor; }));
        all.back().by_steps = true;
        all.push_back(parameter("host_bandwidth", "host link", cluster.host->bandwidth, true,
                                [](Conditions& is, double factor) { is.cluster.host->bandwidth *= factor; }));
        all.push_back(parameter("host_memory_bandwidth", "bandwidth of host memory",
                                cluster.host->memory_bandwidth.value_or(cluster::kUsualHostMemory), true,
                                [](Conditions& is, double factor) {
                                    BytesPerSecond& bandwidth = is.cluster.host->memory_bandwidth.emplace(
                                        is.cluster.host->memory_bandwidth.value_or(cluster::kUsualHostMemory));
                                    bandwidth *= factor;
                                }));
    }
    if (cluster.staging) {
        all.push_back(table_parameter("staging_bandwidth", "staging through hosts", cluster.staging->bandwidth, true,
                                      [](Cluster& is, double factor) { is.staging->bandwidth *= factor; }));
    }
    if (cluster.storage && graph.dataset.sample_bytes) {
        all.push_back(parameter("storage_bandwidth", "storage bandwidth", cluster.storage->bandwidth, true,
                                [](Conditions& is, double factor) { is.cluster.storage->bandwidth *= factor; }));
    }
}

void add_framework(std::vector<AdjustableParameter>& all, const plan::Framework& framework) {
    for (const FrameworkLabel& label : kFrameworkLabels) {
        const plan::FrameworkParameterKind& kind =
            plan::kFrameworkParameters[static_cast<std::size_t>(label.parameter)];
        const double value = framework[label.parameter];
        if (value <= 0) {
            continue;
        }
        const Amount now = kind.is_time ? Amount(framework.seconds(label.parameter)) : Amount(value);
        AdjustableParameter one =
            parameter("framework." + std::string(kind.word), std::string(label.name), now, label.more_is_better,
                      [parameter = label.parameter](Conditions& is, double factor) {
                          is.software.try_emplace(parameter, 1).first->second *= factor;
                      });
        one.parameter.kind = ParameterKind::software;
        one.parameter.least = std::clamp(kind.least / value, 1 / kFarthest, 1.0);
        one.parameter.most = std::clamp(kind.most / value, 1.0, kFarthest);
        one.below = std::max(one.below, one.parameter.least);
        one.above = std::min(one.above, one.parameter.most);
        all.push_back(std::move(one));
    }
}

/// Derivatives are taken over one micro-batch of every data rank; with an interleaved schedule over as many as there
/// are stages.
AdjustableParameter batch_parameter(const Conditions& conditions, const plan::Plan& plan) {
    const bool interleaved = plan.schedule == plan::ScheduleKind::interleaved && plan.strategy.pipeline;
    const std::int64_t whole =
        plan.microbatch * step::data_ranks(plan) * (interleaved ? plan.axis_size(*plan.strategy.pipeline) : 1);
    const auto batch = static_cast<double>(conditions.batch);
    AdjustableParameter one =
        parameter("batch", "global batch", conditions.batch, true, [](Conditions& is, double factor) {
            is.batch = static_cast<std::int64_t>(factor * static_cast<double>(is.batch) + 0.5);
        });
    one.parameter.kind = ParameterKind::job;
    one.above = 1 + static_cast<double>(whole) / batch;
    one.below = conditions.batch > whole ? 1 - static_cast<double>(whole) / batch : 1;
    one.by_doublings = true;
    return one;
}

}  // namespace

plan::Framework Conditions::adjusted(plan::Framework framework) const {
    for (const auto& [parameter, factor] : software) {
        plan::Framework::Number& number = framework.number(parameter);
        number.value *= factor;
        number.lo *= factor;
        number.hi *= factor;
    }
    return framework;
}

std::vector<AdjustableParameter> adjustable_parameters(const Conditions& conditions, const graph::Graph& graph,
                                                       const plan::Plan& plan) {
    std::vector<AdjustableParameter> all;
    add_links(all, conditions.cluster, plan.devices());
    add_measured_samples(all, conditions.cluster, graph);
    add_devices(all, conditions.cluster.device, plan.precision);
    add_capacities(all, conditions, graph);
    add_framework(all, plan.framework);
    all.push_back(batch_parameter(conditions, plan));
    return all;
}

std::vector<AdjustableParameter> machine_parameters(const Cluster& cluster) {
    const auto& peaks = cluster.device.matrix;
    std::vector<AdjustableParameter> all;
    add_links(all, cluster, cluster.devices());
    add_devices(all, cluster.device, peaks.empty() ? Precision::fp32 : peaks.begin()->first);
    add_memory(all, {.cluster = cluster});
    return all;
}

}  // namespace dodona::search
