// How often a job is interrupted, by component.
//
//   rate of a job = sum over components of (how many the job has) / (mean time between failures of one)
//
// Failures of all components are independent and exponential: those of a machine in use, not of one that is being
// brought up. Published rates scale with devices or nodes as they were on the machine that they are from; that software
// fails as often for each node as it did there is an assumption.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enumeration.hpp"
#include "base/quantity.hpp"

namespace dodona::reliability {

/// What a mean time between failures is of one of.
enum class FailureUnit { device, node, job };
inline constexpr std::array kFailureUnitTable{Enumerator(FailureUnit::device, "gpu", "of one GPU"),
                                              Enumerator(FailureUnit::node, "node", "of one node"),
                                              Enumerator(FailureUnit::job, "job", "of the whole job")};
constexpr const auto& enumerators(FailureUnit /*type*/) { return kFailureUnitTable; }
constexpr std::string_view name(FailureUnit unit) { return name_of(unit); }

struct Component {
    std::string name;
    FailureUnit unit = FailureUnit::node;
    Seconds mtbf;             ///< mean time between failures of one unit
    bool loses_node = false;  ///< the node leaves the job to be repaired; otherwise the job restarts where it was
};

/// Interruptions that an operator has published.
struct PublishedFailures {
    std::string_view name;  ///< "llama-3"
    std::int64_t devices = 0;
    std::int64_t nodes = 0;
    Seconds period;
    std::string_view source;
    struct Count {
        std::string_view component;
        FailureUnit unit;
        std::int64_t interruptions;
        bool loses_node;
    };
    std::span<const Count> counts;

    [[nodiscard]] std::vector<Component> components() const;
    [[nodiscard]] std::int64_t interruptions() const;
};

/// The first is the default.
std::span<const PublishedFailures> published_failures();

/// The size of a job as failures see it.
struct JobSize {
    std::int64_t devices = 1;
    std::int64_t nodes = 1;
};

/// Interruptions of a job by this component, in one second.
double failures_per_second(const Component& component, const JobSize& job);

/// Mean time between interruptions of the job. There is at least one component.
Seconds job_mtbf(std::span<const Component> components, const JobSize& job);

}  // namespace dodona::reliability
