// Which software a plan is predicted in: that of --framework, else what is usual for the network, the strategy and the
// maker of the device.
#pragma once

#include <optional>
#include <vector>

#include "cli/workload.hpp"
#include "search/search.hpp"

namespace dodona::cli {

/// --framework, or the usual one for the network under a strategy, with or without something in host memory; where it
/// says nothing of interference, with the machine's. `strategy`: null for several.
plan::Framework framework_of(Arguments& arguments, const Workload& workload, const plan::Strategy* strategy,
                             bool offloads);
/// The same for a space: that of its strategy, if it has one only.
void set_software(Arguments& arguments, const Workload& workload, search::Space& space);
/// What such software keeps in device memory beside the network's own tensors.
plan::MemoryProfile memory_of(const plan::Framework& framework);

/// What is usual for the strategies of one question: the files of frameworks are read once.
class UsualSoftware {
public:
    explicit UsualSoftware(const Workload& workload);
    /// The framework that is usual for a strategy, if that is another than this one; none for one that was adjusted to
    /// observed steps.
    [[nodiscard]] std::optional<plan::Framework> other_than(const plan::Framework& framework,
                                                            const plan::Strategy& strategy, bool offloads) const;
    /// The built-in framework that is usual; else the neutral one. `strategy`: null for several.
    [[nodiscard]] plan::Framework of(const plan::Strategy* strategy, bool offloads) const;

private:
    const Workload& workload_;
    std::vector<plan::Framework> all_;
};

/// The user's runs are of another source than those that a built-in framework was fitted to, and perhaps on devices of
/// another maker; observed ones are not.
void add_other_source(plan::Framework& framework, const cluster::Cluster& cluster);

}  // namespace dodona::cli
