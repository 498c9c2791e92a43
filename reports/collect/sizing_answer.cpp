#include "reports/collect/sizing_answer.hpp"

namespace dodona::reports {

namespace {

/// Cost of one sample on a machine; GPU seconds where there is no price.
double cost_of_sample(const SizedMachine& machine) {
    const search::Attempt& answer = *machine.sizing.answer();
    const double price = machine.price ? machine.price->device.in(unit::money / unit::hour) : 1;
    return price * static_cast<double>(answer.devices) / answer.plan->samples_per_second;
}

bool better(const SizedMachine& a, const SizedMachine& b, search::Find find) {
    const search::Attempt& mine = *a.sizing.answer();
    const search::Attempt& its = *b.sizing.answer();
    switch (find) {
        case search::Find::fewest: return mine.devices < its.devices;
        case search::Find::fastest: return mine.plan->samples_per_second > its.plan->samples_per_second;
        case search::Find::cheapest: return cost_of_sample(a) < cost_of_sample(b);
    }
    return false;
}

}  // namespace

std::optional<std::size_t> best_machine(const std::vector<SizedMachine>& machines, search::Find find) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < machines.size(); ++i) {
        if (machines[i].sizing.found && (!best || better(machines[i], machines[*best], find))) {
            best = i;
        }
    }
    return best;
}

}  // namespace dodona::reports
