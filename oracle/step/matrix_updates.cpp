#include "step/matrix_updates.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "base/ranges.hpp"
#include "cost/device_time.hpp"
#include "cost/error_source.hpp"

namespace dodona::step {

namespace {

using cluster::Collective;
using plan::ShardLevel;

constexpr Bytes kDirection = Bytes::of_base(4);  // of one element, in fp32
constexpr double kGathers = 3;                   // ZeRO-3: the momentum before and after, and the update

Precision precision_on(const cluster::Device& device, Precision fastest, Precision of_plan) {
    if (device.supports(fastest)) {
        return fastest;
    }
    return device.supports(Precision::fp32) ? Precision::fp32 : of_plan;
}

class MatrixUpdates {
public:
    MatrixUpdates(const CostedGraph& costed, const plan::Plan& plan, plan::Atoms over, StageStates& states)
        : costed_(costed),
          plan_(plan),
          update_(*plan::optimizer(plan.optimizer).hidden),
          over_(over),
          ways_(plan.exchanged_shard() >= ShardLevel::states ? costed.mesh.ways(over) : 1),
          states_(states) {}

    void add(const std::vector<plan::Matrices>& matrices) {
        std::vector<MatrixLoad> loads;
        Estimate all;
        for (const plan::Matrices& each : matrices) {
            const Estimate one = time_of_one(each);
            loads.push_back({one.value, each.count});
            all += each.count * one;
        }
        const bool by_parts = plan_.exchanged_shard() == ShardLevel::parameters && !update_.whole;
        const Seconds slowest =
            by_parts ? all.value / static_cast<double>(ways_) : longest_share(std::move(loads), ways_);
        states_.matrices += all.rescaled_to(slowest);
        if (plan_.exchanged_shard() == ShardLevel::parameters && update_.whole && ways_ > 1) {
            gather_shards(matrices);
        }
    }

private:
    Estimate time_of_one(const plan::Matrices& each) {
        const bool gathered = update_.whole && each.split != 0;
        const plan::MatrixShape shape = gathered ? each.shape : each.local;
        const Bytes direction = gathered ? shape.elements() * kDirection : Bytes{};
        states_.matrix_workspace = max(states_.matrix_workspace, update_.workspace(shape) + direction);
        Estimate time = matrix_time(costed_, plan_, update_.kernels(shape));
        if (gathered) {
            const double mine = std::ceil(each.count / static_cast<double>(ways_));
            time += note(each.split, direction, mine).time.time;
        }
        return time;
    }

    void gather_shards(const std::vector<plan::Matrices>& matrices) {
        Bytes whole;
        for (const plan::Matrices& each : matrices) {
            whole += each.count * each.local.elements() * training_bytes(plan_.precision).weight;
        }
        states_.matrices += kGathers * note(over_, whole, kGathers).time.time;
    }

    const StateTransfer& note(plan::Atoms atoms, Bytes size, double per_step) {
        StateTransfer& gather = states_.matrix_gathers.emplace_back();
        gather.what = StateTransfer::What::matrices;
        gather.collective = Collective::all_gather;
        gather.atoms = atoms;
        gather.size = size;
        gather.per_step = per_step;
        gather.time = time_of(costed_, Collective::all_gather, atoms, size, plan_.algorithm);
        return gather;
    }

    const CostedGraph& costed_;
    const plan::Plan& plan_;
    const plan::MatrixUpdate& update_;
    plan::Atoms over_;
    std::int64_t ways_;
    StageStates& states_;
};

}  // namespace

Estimate matrix_time(const CostedGraph& costed, const plan::Plan& plan, const std::vector<graph::Kernel>& kernels) {
    const Precision fastest = plan::optimizer(plan.optimizer).hidden->precision;
    Estimate slowest;
    for (const DeviceTimes& times : costed.devices) {
        const Precision precision = precision_on(*times.device, fastest, plan.precision);
        Estimate time;
        for (const graph::Kernel& kernel : kernels) {
            const double slower = kernel.kind == graph::KernelKind::matmul ? costed.software.matmul : 1.0;
            time += slower * cost::systematic(cost::kernel_time(*times.device, kernel, precision));
        }
        slowest = time.value > slowest.value ? time : slowest;
    }
    return slowest;
}

Seconds longest_share(std::vector<MatrixLoad> loads, std::int64_t ranks) {
    stable_sort(loads, [](const MatrixLoad& a, const MatrixLoad& b) { return a.time > b.time; });
    Seconds each;  // of whole rounds, in which every rank has one
    std::priority_queue<Seconds, std::vector<Seconds>, std::greater<>> more(
        std::greater<>{}, std::vector<Seconds>(static_cast<std::size_t>(ranks)));
    Seconds most;
    const auto all = static_cast<double>(ranks);
    for (const MatrixLoad& load : loads) {
        // Ranks that have less than others take the first ones; then rounds are whole.
        const double level = load.time > Seconds{} ? std::ceil((most - more.top()) / load.time) : 0;
        const double rounds = std::max(0.0, std::floor(load.count / all) - level);
        each += rounds * load.time;
        for (double left = load.count - rounds * all; left > 0; --left) {
            const Seconds least = more.top() + load.time;
            more.pop();
            more.push(least);
            most = max(most, least);
        }
    }
    return each + most;
}

void add_matrix_updates(const CostedGraph& costed, const plan::Plan& plan, const std::vector<plan::Matrices>& matrices,
                        plan::Atoms over, StageStates& states) {
    if (!matrices.empty()) {
        MatrixUpdates(costed, plan, over, states).add(matrices);
    }
}

}  // namespace dodona::step
