#include "cli/software.hpp"

#include <utility>
#include <vector>

#include "cli/files.hpp"
#include "plan/usual_framework.hpp"

namespace dodona::cli {

namespace {

/// As the user's, and with the machine's interference where it says nothing of it.
plan::Framework on_machine(plan::Framework framework, const cluster::Cluster& cluster) {
    add_other_source(framework, cluster);
    plan::Framework::Number& interference = framework.number(plan::FrameworkParameter::interference);
    if (interference.source.empty() && cluster.interference) {
        const double lost = cluster.interference->lost;
        interference = {.value = lost, .lo = lost, .hi = lost, .bounds = {}, .source = cluster.interference->source};
    }
    return framework;
}

}  // namespace

plan::Framework framework_of(Arguments& arguments, const Workload& workload, const plan::Strategy* strategy,
                             bool offloads) {
    const auto typed = arguments.text("--framework");
    const Location where = arguments.place("--framework");
    return on_machine(typed ? library().framework(taken_as(arguments, files::NameOf::framework, *typed),
                                                  where.source ? where : files::command_line())
                            : UsualSoftware(workload).of(strategy, offloads),
                      workload.cluster);
}

void set_software(Arguments& arguments, const Workload& workload, search::Space& space) {
    const plan::Strategy* only = space.strategies.size() == 1 ? &space.strategies.front() : nullptr;
    space.framework = framework_of(arguments, workload, only, space.offload.any());
    space.memory = memory_of(space.framework);
}

UsualSoftware::UsualSoftware(const Workload& workload) : workload_(workload), all_(library().all_frameworks()) {}

plan::Framework UsualSoftware::of(const plan::Strategy* strategy, bool offloads) const {
    const plan::Framework* usual =
        plan::usual_framework(all_, workload_.graph, strategy, workload_.cluster.device.maker(), offloads);
    return usual != nullptr ? *usual : plan::Framework{};
}

std::optional<plan::Framework> UsualSoftware::other_than(const plan::Framework& framework,
                                                         const plan::Strategy& strategy, bool offloads) const {
    if (framework.observed) {
        return {};
    }
    plan::Framework usual = of(&strategy, offloads);
    return usual.name == framework.name ? std::nullopt : std::optional(on_machine(std::move(usual), workload_.cluster));
}

void add_other_source(plan::Framework& framework, const cluster::Cluster& cluster) {
    if (!framework.fitted_to.empty() && !framework.observed) {
        framework.add(library().mechanism(plan::distance(framework, cluster.device.maker())));
    }
}

plan::MemoryProfile memory_of(const plan::Framework& framework) {
    return framework.memory.empty() ? plan::MemoryProfile{} : library().memory_profile(framework.memory);
}

}  // namespace dodona::cli
