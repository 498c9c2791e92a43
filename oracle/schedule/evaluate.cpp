#include "schedule/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.hpp"
#include "cost/device_time.hpp"
#include "schedule/bottlenecks.hpp"
#include "schedule/communication.hpp"
#include "schedule/offload.hpp"
#include "schedule/pipeline.hpp"
#include "schedule/stage_memory.hpp"
#include "schedule/stage_time.hpp"

namespace dodona::schedule {

namespace {

/// All that is known of one stage before stages are put together.
struct StageWork {
    Stage stage;
    StagePass pass;
    StageStates states;
    std::vector<StateTransfer> transfers;  ///< of states, tied weights included
    ExposedStates exposed;
    Seconds update;
    StageOffload offload;
    MemoryParts memory;
    [[nodiscard]] Seconds tail() const {
        return exposed.gradients + exposed.parameters + offload.exposed_update + update;
    }
};

class Evaluation {
public:
    Evaluation(const CostedGraph& costed, const plan::Plan& plan, Detail detail)
        : costed_(costed), plan_(plan), detail_(detail) {
        p_.plan = plan;
        p_.data_ranks = costed.sharded.data_ways;
        p_.microbatches = plan.batch / (p_.data_ranks * plan.microbatch);
        p_.memory_limit = costed.cluster->device.memory * (1.0 - costed.cluster->memory_reserve);
        p_.limits = costed.sharded.limits;
    }

    Prediction run() {
        const std::int64_t stages =
            plan_.strategy.pipeline ? costed_.mesh.ways(costed_.mesh.axis(*plan_.strategy.pipeline)) : 1;
        std::vector<Stage> cut = cut_stages(costed_, stages, plan_.chunks, plan_.stages);
        if (cut.empty()) {
            std::int64_t units = 0;
            for (const graph::Unit& unit : costed_.graph->units) {
                units += unit.count;
            }
            p_.limits.push_back(
                {fmt::format("pipeline <= {}: the network has {} pieces to cut into {} stages x {} chunks", units,
                             units, stages, plan_.chunks),
                 true});
            judge();
            return std::move(p_);
        }
        for (std::size_t i = 0; i < cut.size(); ++i) {
            add_stage(cut, i);
        }
        compose_time();
        compose_memory();
        judge();
        if (detail_ == Detail::full) {
            explain();
        }
        return std::move(p_);
    }

private:
    void add_stage(const std::vector<Stage>& cut, std::size_t index) {
        StageWork work;
        work.stage = cut[index];
        work.pass = stage_pass(costed_, plan_, work.stage, index);
        work.states = stage_states(costed_, plan_, work.stage, p_.microbatches);
        work.transfers = work.states.transfers;
        for (const StateTransfer& tied : tied_transfers(costed_, plan_, cut, index)) {
            work.transfers.push_back(tied);
        }
        work.exposed = exposed_states(work.transfers, work.pass, plan_, p_.microbatches, work.states.buckets);
        const double share = costed_.counts.trained > 0 ? work.states.trained / costed_.counts.trained : 0.0;
        work.update = costed_.measured
                          ? share * costed_.measured_update
                          : cost::stream_time(costed_.cluster->device, work.states.update_traffic).time.value;
        const KeptActivations kept = kept_activations(
            costed_, plan_, work.stage,
            in_flight(plan_.schedule, static_cast<std::int64_t>(index), static_cast<std::int64_t>(cut.size()),
                      p_.microbatches, static_cast<std::int64_t>(work.stage.chunks.size())));
        work.offload = stage_offload(costed_, plan_, work.states, kept, {work.pass, work.update, p_.microbatches});
        work.pass.offload = work.offload.exposed_pass;
        work.memory = stage_memory(costed_, plan_, work.stage, work.states, kept, cut.size());
        stages_.push_back(std::move(work));
    }

    void compose_time() {
        std::vector<Seconds> passes;
        for (const StageWork& work : stages_) {
            passes.push_back(work.pass.total().value);
        }
        const PipelineTime pipeline = pipeline_time(passes, p_.microbatches, plan_.chunks);
        p_.critical_stage = pipeline.critical;
        const StageWork& critical = stages_[pipeline.critical];
        const double m = static_cast<double>(p_.microbatches);

        TimeParts& time = p_.time;
        time[TimePart::forward] = m * critical.pass.forward.compute.value;
        time[TimePart::backward] = m * critical.pass.backward.compute.value;
        time[TimePart::recompute] = m * critical.pass.recompute.compute.value;
        time[TimePart::layer] =
            m * (critical.pass.forward.layer + critical.pass.backward.layer + critical.pass.recompute.layer).value;
        time[TimePart::halo] =
            m * (critical.pass.forward.halo + critical.pass.backward.halo + critical.pass.recompute.halo).value;
        time[TimePart::bubble] = pipeline.bubble;
        time[TimePart::pipeline] = transfers_between_stages(plan_.overlap.pipeline);
        const StageWork& tail = slowest_tail();
        time[TimePart::gradients] = tail.exposed.gradients;
        time[TimePart::parameters] = tail.exposed.parameters;
        time[TimePart::optimizer] = tail.update;
        time[TimePart::offload] = m * critical.pass.offload + tail.offload.exposed_update;
        const Seconds compute = time.total();
        time[TimePart::input] = exposed_input(compute);
        compose_busy(critical, tail);
        p_.step = interval(critical, time.total());
        const double step = p_.step.value.in(unit::second);
        p_.samples_per_second = step > 0 ? static_cast<double>(plan_.batch) / step : 0;
        compose_utilisation();
    }

    [[nodiscard]] Seconds transfers_between_stages(bool overlapped) const {
        std::vector<Seconds> boundaries;
        for (const StageWork& work : stages_) {
            boundaries.push_back(work.pass.boundary);
        }
        return pipeline_transfers(boundaries, p_.microbatches, plan_.chunks, overlapped);
    }

    /// After the last backward pass every stage reduces, updates and gathers; the slowest ends the step.
    [[nodiscard]] const StageWork& slowest_tail() const {
        return *std::max_element(stages_.begin(), stages_.end(),
                                 [](const StageWork& a, const StageWork& b) { return a.tail() < b.tail(); });
    }

    void compose_busy(const StageWork& critical, const StageWork& tail) {
        plan::Plan shown = plan_;
        shown.overlap = {};
        const StagePass pass = stage_pass(costed_, shown, critical.stage, p_.critical_stage);
        const double m = static_cast<double>(p_.microbatches);
        p_.busy = p_.time;
        p_.busy[TimePart::layer] = m * (pass.forward.layer + pass.backward.layer + pass.recompute.layer).value;
        p_.busy[TimePart::pipeline] = transfers_between_stages(false);
        p_.busy[TimePart::gradients] = tail.exposed.gradients_busy;
        p_.busy[TimePart::parameters] = tail.exposed.parameters_busy;
        p_.busy[TimePart::offload] = m * (critical.offload.forward + critical.offload.backward) + tail.offload.update;
        p_.busy[TimePart::input] = input_time();
        p_.busy[TimePart::bubble] = {};
    }

    /// Every node reads its share of the batch.
    [[nodiscard]] Seconds input_time() const {
        const auto& storage = costed_.cluster->storage;
        const auto& bytes = costed_.graph->dataset.sample_bytes;
        if (!storage || !bytes) {
            return {};
        }
        const double nodes =
            std::ceil(static_cast<double>(plan_.devices()) / static_cast<double>(costed_.cluster->node_size()));
        return static_cast<double>(plan_.batch) / nodes * *bytes / storage->bandwidth;
    }

    [[nodiscard]] Seconds exposed_input(Seconds step) const {
        const Seconds reading = input_time();
        const bool prefetch = costed_.cluster->storage && costed_.cluster->storage->prefetch;
        return prefetch ? max(Seconds{}, reading - step) : reading;
    }

    /// Kernels and collectives carry intervals; the rest of the step moves in proportion with them.
    [[nodiscard]] Estimate interval(const StageWork& critical, Seconds step) const {
        Estimate parts = critical.pass.total();
        for (const StateTransfer& transfer : critical.transfers) {
            parts += transfer.per_step / static_cast<double>(p_.microbatches) * transfer.time.time;
        }
        return parts.rescaled_to(step);
    }

    void compose_utilisation() {
        const Seconds step = p_.step.value;
        if (step <= Seconds{}) {
            return;
        }
        const FlopPerSecond peak = costed_.cluster->device.peak(plan_.precision);
        const Flop possible = static_cast<double>(plan_.devices()) * peak * step;
        p_.mfu = static_cast<double>(plan_.batch) * costed_.counts.training_per_sample / possible;
        Flop executed;
        for (const StageWork& work : stages_) {
            executed += work.pass.forward.executed + work.pass.backward.executed + work.pass.recompute.executed;
        }
        const double ranks = static_cast<double>(plan_.devices()) / static_cast<double>(stages_.size());
        p_.hfu = ranks * static_cast<double>(p_.microbatches) * executed / possible;
    }

    void compose_memory() {
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            if (stages_[i].memory.total() > stages_[p_.fullest_stage].memory.total()) {
                p_.fullest_stage = i;
            }
        }
        p_.memory = stages_[p_.fullest_stage].memory;
        if (plan_.offload.any()) {
            compose_host();
        }
    }

    void compose_host() {
        Bytes most;
        for (const StageWork& work : stages_) {
            most = max(most, work.offload.kept);
        }
        const auto devices = static_cast<double>(std::min(plan_.devices(), costed_.cluster->node_size()));
        const StageOffload& critical = stages_[p_.critical_stage].offload;
        p_.host = HostUse{
            .memory = devices * most, .limit = costed_.cluster->host->memory, .in = critical.in, .out = critical.out};
    }

    void judge() {
        if (const Limit* broken = plan::tightest_broken(p_.limits)) {
            p_.why_not = broken->text;
            return;
        }
        p_.fits = p_.memory.total() <= p_.memory_limit;
        if (!p_.fits) {
            p_.why_not = fmt::format("out of memory: {:.1f} GiB of {:.1f} GiB", p_.memory.total().in(1_GiB),
                                     p_.memory_limit.in(1_GiB));
        } else if (p_.host && p_.host->memory > p_.host->limit) {
            p_.fits = false;
            p_.why_not = fmt::format("out of host memory: {:.1f} GiB of {:.1f} GiB on a node",
                                     p_.host->memory.in(1_GiB), p_.host->limit.in(1_GiB));
        }
    }

    void explain() {
        for (const StageWork& work : stages_) {
            const double m = static_cast<double>(p_.microbatches);
            p_.stages.push_back({describe(costed_, work.stage), costed_.cluster->device.name, work.memory.total(),
                                 m * work.pass.total().value + work.tail()});
        }
        const StageWork& critical = stages_[p_.critical_stage];
        p_.communication = communication_lines(costed_, plan_, critical.stage, critical.pass, critical.transfers,
                                               p_.microbatches, stages_.size());
        add_tokens();
        add_epoch();
        add_provenance();
        double elements = 0;
        Flop executed;
        for (const StageWork& work : stages_) {
            elements += work.states.elements;
            executed += work.pass.forward.executed + work.pass.backward.executed;
        }
        p_.bottlenecks = find_bottlenecks(
            p_, {.local_elements = elements,
                 .whole_elements = costed_.counts.parameters,
                 .executed = executed,
                 .whole_executed = static_cast<double>(plan_.microbatch * p_.data_ranks) * costed_.whole_executed});
    }

    void add_tokens() {
        for (const graph::Vertex v : costed_.graph->order) {
            const graph::Nest& nest = costed_.graph->layer(v).nest;
            const auto sequence = nest.result.find("sequence");
            if (nest.inputs.empty() && nest.result.element == graph::Element::index && sequence) {
                p_.tokens_per_second =
                    p_.samples_per_second * static_cast<double>(nest.result.dimensions[*sequence].extent);
                return;
            }
        }
    }

    /// The last batch of an epoch may be partial: it computes only its own samples and communicates in full.
    void add_epoch() {
        if (!costed_.graph->dataset.samples) {
            return;
        }
        const double steps = *costed_.graph->dataset.samples / static_cast<double>(plan_.batch);
        Epoch epoch{.iterations = std::ceil(steps - 1e-9), .compute = {}, .communication = {}, .total = {}};
        const auto sum = [](const TimeParts& parts, std::initializer_list<TimePart> which) {
            Seconds total;
            for (const TimePart part : which) {
                total += parts[part];
            }
            return total;
        };
        const auto compute = {TimePart::forward, TimePart::backward, TimePart::recompute, TimePart::optimizer};
        const auto communication = {TimePart::layer,     TimePart::halo,       TimePart::pipeline,
                                    TimePart::gradients, TimePart::parameters, TimePart::offload};
        epoch.compute = steps * sum(p_.time, compute);
        epoch.communication = epoch.iterations * sum(p_.busy, communication);
        epoch.total = steps * (sum(p_.time, compute) + p_.time[TimePart::bubble]) +
                      epoch.iterations * (sum(p_.time, communication) + p_.time[TimePart::input]);
        p_.epoch = epoch;
    }

    void add_provenance() {
        p_.provenance.push_back(costed_.evidence);
        Evidence worst = Evidence::measured;
        bool any = false;
        for (const UnitCost& unit : costed_.units) {
            for (const TimedTransfer& transfer : unit.transfers) {
                worst = std::max(worst, transfer.time.evidence);
                any = true;
            }
        }
        for (const StateTransfer& transfer : stages_[p_.critical_stage].transfers) {
            worst = std::max(worst, transfer.time.evidence);
            any = true;
        }
        if (any) {
            p_.provenance.push_back(fmt::format("communication: {} of {} ({})", name(worst), costed_.cluster->name,
                                                costed_.cluster->source));
        }
        if (p_.host) {
            p_.provenance.push_back(
                fmt::format("host memory and its link: {}{}", costed_.cluster->name,
                            costed_.cluster->host->source.empty() ? "" : " (" + costed_.cluster->host->source + ")"));
        }
        p_.provenance.push_back(fmt::format("model: {} ({})", costed_.graph->name, costed_.graph->source));
    }

    const CostedGraph& costed_;
    const plan::Plan& plan_;
    Detail detail_;
    Prediction p_;
    std::vector<StageWork> stages_;
};

}  // namespace

Prediction evaluate(const CostedGraph& costed, const plan::Plan& plan, Detail detail) {
    return Evaluation(costed, plan, detail).run();
}

}  // namespace dodona::schedule
