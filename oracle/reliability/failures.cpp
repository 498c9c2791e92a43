#include "reliability/failures.hpp"

#include "base/ranges.hpp"

namespace dodona::reliability {

namespace {

using Count = PublishedFailures::Count;

/// Table 5, unexpected interruptions. gpu: faulty GPU 148, HBM3 72, SRAM 19, system processor 17, silent data
/// corruption 6, thermal interface and sensor 6. host: network card 7, SSD 3, power supply 3, server chassis 2, IO
/// expansion board 2, CPU 2, system memory 2. software: bugs 54, dependencies 2. The counts add up to
/// 419; the table's percentages do not fit 148 faulty GPUs (30.1 %). The 47 planned interruptions are left out.
constexpr std::array kLlama3{
    Count{"gpu", FailureUnit::device, 268, true},       Count{"host", FailureUnit::node, 21, true},
    Count{"maintenance", FailureUnit::node, 32, true},  Count{"network", FailureUnit::node, 35, false},
    Count{"nccl-timeout", FailureUnit::node, 7, false}, Count{"software", FailureUnit::node, 56, false}};

/// Section 2.5: some 70 automatic and 35 manual restarts in two months.
constexpr std::array kOpt{Count{"automatic", FailureUnit::node, 70, true},
                          Count{"manual", FailureUnit::node, 35, true}};

constexpr std::array kPublished{
    PublishedFailures{
        "llama-3", 16'384, 2'048, 54.0 * unit::day,
        "Grattafiori et al., arXiv:2407.21783, table 5: 419 unexpected interruptions of 16,384 H100 in 54 days",
        kLlama3},
    PublishedFailures{
        "opt-175b", 992, 124, 60.0 * unit::day,
        "Zhang et al., arXiv:2205.01068, section 2.5: some 70 automatic and 35 manual restarts of 992 A100 in "
        "2 months",
        kOpt}};

}  // namespace

std::vector<Component> PublishedFailures::components() const {
    std::vector<Component> components;
    for (const Count& count : counts) {
        const std::int64_t units = count.unit == FailureUnit::device ? devices : nodes;
        components.push_back({std::string(count.component), count.unit,
                              static_cast<double>(units) / static_cast<double>(count.interruptions) * period,
                              count.loses_node});
    }
    return components;
}

std::int64_t PublishedFailures::interruptions() const {
    std::int64_t sum = 0;
    for (const Count& count : counts) {
        sum += count.interruptions;
    }
    return sum;
}

std::span<const PublishedFailures> published_failures() { return kPublished; }

double failures_per_second(const Component& component, const JobSize& job) {
    const std::int64_t units = component.unit == FailureUnit::device ? job.devices
                               : component.unit == FailureUnit::node ? job.nodes
                                                                     : 1;
    return static_cast<double>(units) / component.mtbf.in(unit::second);
}

Seconds job_mtbf(std::span<const Component> components, const JobSize& job) {
    const auto rate =
        sum_of<double>(components, [&](const Component& component) { return failures_per_second(component, job); });
    return unit::second / rate;
}

}  // namespace dodona::reliability
