#include "step/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "graph/sample_tokens.hpp"
#include "step/bottlenecks.hpp"
#include "step/communication.hpp"
#include "step/compose_plan.hpp"
#include "step/input_time.hpp"
#include "step/replica.hpp"
#include "step/step_sources.hpp"

namespace dodona::step {

namespace {

class Evaluation {
public:
    Evaluation(const CostedGraph& costed, const plan::Plan& plan, Detail detail, std::optional<Bytes> max_memory,
               ScheduleTimings& orders)
        : costed_(costed), plan_(plan), detail_(detail), max_memory_(max_memory), orders_(orders) {
        p_.plan = plan;
        p_.data_ranks = costed.sharded->data_ways;
        p_.microbatches = plan.batch / (p_.data_ranks * plan.microbatch);
        p_.memory_limit = within_asked(costed.memory_limit());
        p_.limits = costed.sharded->limits;
        if (const std::int64_t together = costed.graph->post_training.together; plan.microbatch % together != 0) {
            p_.limits.push_back({plan::AnswersLimit{together}});
        }
    }

    Prediction run() {
        if (const auto limit = pipeline_limit(costed_.graph->segment_count(), plan_, p_.microbatches)) {
            return refused(*limit);
        }
        if (costed_.placement.mixed() && plan_.places().copies() > 1) {
            return refused(plan::Limit{plan::ScheduleLimit{std::string(plan::name(plan_.schedule)),
                                                           "stages that hold the same part need equal devices"},
                                       plan_.pipeline_stages()});
        }
        groups_ = replica_groups(costed_, plan_);
        composed_ = compose_plan(costed_, plan_, groups_, p_.microbatches, orders_);
        compose_time();
        compose_memory();
        check_fit();
        if (detail_ != Detail::totals) {
            add_stages();
        }
        if (detail_ == Detail::full) {
            explain();
        }
        return std::move(p_);
    }

private:
    /// A pipeline that cannot be cut or scheduled: no times and no memory.
    Prediction refused(const plan::Limit& limit) {
        const plan::Limit* broken = plan::tightest_broken(p_.limits);
        p_.why_not = broken != nullptr ? *broken : limit;
        p_.limits.push_back(limit);
        p_.runs = false;
        for (const cluster::DeviceKind& kind : costed_.placement.kinds) {
            p_.devices.push_back({kind.device->name, kind.ranks});
        }
        return std::move(p_);
    }

    void compose_time() {
        const Replica& slowest = composed_.replicas[composed_.critical];
        p_.critical_stage = slowest.pipeline.critical;
        const StageWork& critical = slowest.stages[p_.critical_stage];
        const double m = static_cast<double>(slowest.microbatches_of_stage());

        TimeParts& time = p_.time;
        time[TimePart::forward] = m * critical.pass.forward.compute.value;
        time[TimePart::backward] = m * critical.pass.backward.compute.value;
        time[TimePart::recompute] = m * critical.pass.recompute.compute.value;
        time[TimePart::layer] =
            m * (critical.pass.forward.layer + critical.pass.backward.layer + critical.pass.recompute.layer).value -
            slowest.pipeline.hidden;
        time[TimePart::halo] =
            m * (critical.pass.forward.halo + critical.pass.backward.halo + critical.pass.recompute.halo).value;
        time[TimePart::bubble] = slowest.pipeline.bubble;
        time[TimePart::pipeline] = slowest.pipeline.transfers;
        const StageWork& tail = composed_.slowest_tail();
        time[TimePart::gradients] = tail.exposed.gradients;
        time[TimePart::parameters] = tail.exposed.parameters;
        time[TimePart::optimizer] = tail.update.value;
        time[TimePart::offload] =
            m * (critical.pass.copies.forward.time + critical.pass.copies.back.time) + tail.offload.exposed_update;
        time[TimePart::host] = m * (critical.pass.waits.host + critical.pass.waits.host_back);
        time[TimePart::overhead] = m * critical.pass.waits.overhead + tail.exposed.interference +
                                   plan_.framework.seconds(plan::FrameworkParameter::step);
        const Seconds compute = time.total();
        time[TimePart::input] = input_time().exposed(compute);
        const double whole = plan_.framework.observed ? plan_.framework.observed->whole : 1;
        for (Seconds& part : time.values) {
            part = whole * part;
        }
        p_.step = Estimate::exactly(time.total());
        if (detail_ != Detail::totals) {
            compose_busy(slowest, tail);
            p_.uncertainty = uncertainty(sources(compute), time.total(), plan_.framework, is_beyond_fit());
            p_.step = interval(p_.uncertainty, time.total(), plan_.framework);
        }
        const double step = p_.step.value.in(unit::second);
        p_.samples_per_second = step > 0 ? static_cast<double>(plan_.batch) / step : 0;
        compose_utilisation();
    }

    void compose_busy(const Replica& slowest, const StageWork& tail) {
        const StageWork& critical = slowest.stages[p_.critical_stage];
        plan::Plan shown = plan_;
        shown.overlap = {};
        const StagePass pass = stage_pass(*critical.on, shown, critical.stage, p_.critical_stage);
        const double m = static_cast<double>(slowest.microbatches_of_stage());
        p_.busy = p_.time;
        p_.busy[TimePart::layer] = m * (pass.forward.layer + pass.backward.layer + pass.recompute.layer).value;
        p_.busy[TimePart::pipeline] = {};
        for (const Boundary& boundary : received(slowest, p_.critical_stage)) {
            p_.busy[TimePart::pipeline] += m * boundary.time;
        }
        p_.busy[TimePart::gradients] = tail.exposed.gradients_busy;
        p_.busy[TimePart::parameters] = tail.exposed.parameters_busy;
        p_.busy[TimePart::offload] =
            m * (critical.offload.forward + critical.offload.backward) + tail.offload.update_copies();
        p_.busy[TimePart::input] = input_time().busy();
        p_.busy[TimePart::bubble] = {};
        p_.busy[TimePart::host] = {};
    }

    [[nodiscard]] InputTime input_time() const { return {costed_, plan_, composed_, p_.microbatches}; }

    /// `without`: time of the step without input.
    [[nodiscard]] cost::StepTimes sources(Seconds without) const {
        cost::StepTimes sources = step_sources(composed_, plan_);
        return input_time().sources(without, sources);
    }

    void compose_utilisation() {
        const Seconds step = p_.step.value;
        if (step <= Seconds{}) {
            return;
        }
        FlopPerSecond peak;
        for (const cluster::DeviceKind& kind : costed_.placement.kinds) {
            peak += static_cast<double>(kind.ranks) * kind.device->peak(plan_.precision);
        }
        const Flop possible = peak * step;
        p_.mfu = static_cast<double>(plan_.batch) * costed_.counts.training_per_sample / possible;
        Flop executed;
        const std::vector<StageWork>& stages = composed_.replicas.front().stages;
        for (const StageWork& work : stages) {
            executed += work.pass.forward.executed + work.pass.backward.executed + work.pass.recompute.executed;
        }
        const double ranks = static_cast<double>(plan_.devices()) / static_cast<double>(stages.size());
        const std::int64_t microbatches_of_stage = p_.microbatches / plan_.places().copies();
        p_.hfu = ranks * static_cast<double>(microbatches_of_stage) * executed / possible;
    }

    /// Memory of the stage that fills its device most.
    void compose_memory() {
        const StageWork* fullest = nullptr;
        for (const Replica& replica : composed_.replicas) {
            for (std::size_t i = 0; i < replica.stages.size(); ++i) {
                const StageWork& work = replica.stages[i];
                p_.most_memory = max(p_.most_memory, work.memory.total());
                if (fullest == nullptr || fuller(work, *fullest)) {
                    fullest = &work;
                    p_.fullest_stage = i;
                }
            }
        }
        p_.memory = fullest->memory;
        p_.totals = totals(fullest->memory);
        p_.memory_limit = within_asked(fullest->on->memory_limit());
        if (costed_.placement.mixed()) {
            fullest_device_ = fullest->on->device_names();
        }
        if (plan_.offload.any()) {
            compose_host();
        }
    }

    static bool fuller(const StageWork& a, const StageWork& b) {
        return a.memory.total() / a.on->memory_limit() > b.memory.total() / b.on->memory_limit();
    }

    void compose_host() {
        Bytes most;
        for (const Replica& replica : composed_.replicas) {
            for (const StageWork& work : replica.stages) {
                most = max(most, work.offload.kept);
            }
        }
        const auto devices = static_cast<double>(std::min(plan_.devices(), costed_.cluster->node_size()));
        const StageOffload& critical = composed_.replicas[composed_.critical].stages[p_.critical_stage].offload;
        p_.host = HostUse{
            .memory = devices * most, .limit = costed_.cluster->host->memory, .in = critical.in, .out = critical.out};
    }

    [[nodiscard]] Bytes within_asked(Bytes offered) const { return max_memory_ ? min(*max_memory_, offered) : offered; }

    /// The fullest device is compared with its own memory; others may still exceed the limit asked for.
    void check_fit() {
        if (const Limit* broken = plan::tightest_broken(p_.limits)) {
            p_.why_not = *broken;
            return;
        }
        const bool pages = plan_.offload.pages;  // what has no room is on the host
        if (!pages && p_.memory.total() > p_.memory_limit) {
            p_.why_not = MemoryShortage{.place = MemoryPlace::device,
                                        .needed = p_.memory.total(),
                                        .available = p_.memory_limit,
                                        .device = fullest_device_};
        } else if (!pages && max_memory_ && p_.most_memory > *max_memory_) {
            p_.why_not =
                MemoryShortage{.place = MemoryPlace::device, .needed = p_.most_memory, .available = *max_memory_};
        } else if (p_.host && p_.host->memory > p_.host->limit) {
            p_.why_not =
                MemoryShortage{.place = MemoryPlace::host, .needed = p_.host->memory, .available = p_.host->limit};
        }
        p_.fits = !p_.why_not;
    }

    void add_stages() {
        for (std::size_t i = 0; i < composed_.replicas.front().stages.size(); ++i) {
            p_.stages.push_back(stage_prediction(i));
        }
        for_each_position(composed_.replicas.front(), [&](const StageWork& work, const VirtualStageWork& part) {
            const auto index = static_cast<std::size_t>(&part - work.virtual_stages.data());
            std::int64_t& blocks = p_.blocks.emplace_back();
            for (std::size_t u = 0; u < costed_.segments.size(); ++u) {
                blocks += costed_.segments[u].block ? work.stage.virtual_stages[index].counts[u] : 0;
            }
        });
    }

    void explain() {
        const Replica& slowest = composed_.replicas[composed_.critical];
        const StageWork& critical = slowest.stages[p_.critical_stage];
        std::vector<StateTransfer> of_states = critical.transfers;
        const std::vector<StateTransfer>& gathers = critical.states.matrix_gathers;
        of_states.insert(of_states.end(), gathers.begin(), gathers.end());
        p_.communication =
            communication_lines(*critical.on, plan_, critical.stage, received(slowest, p_.critical_stage), of_states,
                                slowest.microbatches_of_stage());
        add_devices();
        add_tokens();
        add_epoch();
        add_provenance();
        double elements = 0;
        Flop executed;
        for (const StageWork& work : slowest.stages) {
            elements += work.states.elements;
            executed += 1 / static_cast<double>(slowest.places.copies()) *
                        (work.pass.forward.executed + work.pass.backward.executed);
        }
        const plan::Atoms sharing = costed_.mesh.shard_atoms(costed_.mesh.axes(plan_.strategy.shard_axes));
        p_.bottlenecks = find_bottlenecks(
            p_,
            {.local_elements = elements,
             .whole_elements = costed_.counts.parameters,
             .shard_ways = costed_.mesh.ways(sharing),
             .kept_elsewhere = kept_elsewhere(costed_, plan_),
             .executed = executed,
             .whole_executed = static_cast<double>(plan_.microbatch * p_.data_ranks) * costed_.whole_executed},
            scaling_headroom(*costed_.graph, plan_));
        add_unknown_reading();
    }

    /// Samples whose copy to one device alone would take much of the step, where no file says at what rate they are read.
    void add_unknown_reading() {
        const cluster::Cluster& cluster = *costed_.cluster;
        const auto& sample = costed_.graph->dataset.sample_bytes;
        if (cluster.storage || !cluster.io.empty() || !cluster.host || !sample || p_.step.value <= Seconds{}) {
            return;
        }
        const double nodes = std::ceil(static_cast<double>(plan_.devices()) / static_cast<double>(cluster.node_size()));
        const BytesPerSecond reads = static_cast<double>(plan_.batch) / nodes * *sample / p_.step.value;
        if (const double share = reads / cluster.host->bandwidth; share > row_of(BottleneckKind::input).threshold) {
            p_.bottlenecks.push_back(
                {.kind = BottleneckKind::input,
                 .share = share,
                 .text = fmt::format("each node reads {:.1f} GB of samples a second where that hides behind the step; "
                                     "the machine's file does not say at what rate it can (`io`): it is not in "
                                     "the step",
                                     reads / 1_GB_per_s)});
        }
    }

    /// A stage, with the time of its slowest replica and the memory of its fullest.
    [[nodiscard]] StagePrediction stage_prediction(std::size_t index) const {
        DeviceSet devices = 0;
        Seconds slowest;
        const StageWork* fullest = &composed_.replicas.front().stages[index];
        for (const Replica& replica : composed_.replicas) {
            const StageWork& work = replica.stages[index];
            const double m = static_cast<double>(replica.microbatches_of_stage());
            slowest = max(slowest, m * work.pass.total() + work.tail());
            fullest = fuller(work, *fullest) ? &work : fullest;
            devices |= work.on->set;
        }
        return {describe(costed_, fullest->stage), costed_.device_names(devices), totals(fullest->memory), slowest};
    }

    void add_devices() {
        for (const cluster::DeviceKind& kind : costed_.placement.kinds) {
            p_.devices.push_back({kind.device->name, kind.ranks});
        }
        if (!costed_.placement.mixed()) {
            return;
        }
        std::int64_t replicas = 0;
        for (const ReplicaGroup& group : groups_) {
            replicas += group.count;
        }
        for (std::size_t k = 0; k < groups_.size(); ++k) {
            std::vector<std::string> devices;
            for (const CostedGraph* on : groups_[k].on) {
                if (const std::string name = on->device_names(); devices.empty() || devices.back() != name) {
                    devices.push_back(name);
                }
            }
            const MicrobatchShare& dealt = composed_.dealt[k];
            const auto add = [&](std::int64_t count, std::int64_t microbatches) {
                if (count > 0) {
                    p_.replicas.push_back({devices, count, p_.data_ranks / replicas * count, microbatches,
                                           passes_of(composed_.replicas[k], plan_, microbatches)});
                }
            };
            add(dealt.with_most, dealt.most);
            add(groups_[k].count - dealt.with_most, dealt.most - 1);
        }
    }

    void add_tokens() {
        if (const auto tokens = graph::sample_tokens(*costed_.graph)) {
            p_.tokens_per_second = p_.samples_per_second * static_cast<double>(*tokens);
        }
    }

    /// A partial last batch of an epoch computes only its own samples and communicates in full.
    void add_epoch() {
        if (!costed_.graph->dataset.samples) {
            return;
        }
        const double steps = *costed_.graph->dataset.samples / static_cast<double>(plan_.batch);
        Epoch epoch{.iterations = std::ceil(steps - 1e-9), .compute = {}, .communication = {}, .total = {}};
        const auto sum = [](const TimeParts& parts, std::initializer_list<TimePart> which) {
            return sum_of<Seconds>(which, [&](const TimePart part) { return parts[part]; });
        };
        const auto compute = {TimePart::forward,   TimePart::backward, TimePart::recompute,
                              TimePart::optimizer, TimePart::host,     TimePart::overhead};
        const auto communication = {TimePart::layer,     TimePart::halo,       TimePart::pipeline,
                                    TimePart::gradients, TimePart::parameters, TimePart::offload};
        epoch.compute = steps * sum(p_.time, compute);
        epoch.communication = epoch.iterations * sum(p_.busy, communication);
        epoch.total = steps * (sum(p_.time, compute) + p_.time[TimePart::bubble]) +
                      epoch.iterations * (sum(p_.time, communication) + p_.time[TimePart::input]);
        p_.epoch = epoch;
    }

    /// Doubts about the device's curves that kernels in the plan's precision may be timed with.
    [[nodiscard]] std::string doubts_of(const cluster::Device& device) const {
        std::vector<std::string> all;
        for (const cluster::KernelCurve& curve : device.curves) {
            const bool any_precision =
                curve.kind == graph::KernelKind::stream || curve.kind == graph::KernelKind::gather;
            if (!curve.doubt.empty() && (any_precision || curve.precision == plan_.precision)) {
                const std::string pass = curve.direction ? fmt::format(" {}", name(*curve.direction)) : "";
                all.push_back(fmt::format("{}{}: {}", name(curve.kind), pass, curve.doubt));
            }
        }
        return join(all, ", ");
    }

    void add_provenance() {
        for (const DeviceTimes& times : costed_.devices) {
            p_.provenance.push_back(times.source);
            if (std::string doubts = doubts_of(*times.device); !times.measured && !doubts.empty()) {
                p_.provenance.push_back(
                    {.of = SourceLine::Of::doubtful_kernels, .name = times.device->name, .source = std::move(doubts)});
            }
        }
        std::optional<Evidence> worst;
        const auto take = [&](Evidence evidence) { worst = worst ? std::max(*worst, evidence) : evidence; };
        for (const SegmentCost& segment : costed_.segments) {
            for (const TimedTransfer& transfer : segment.transfers) {
                take(transfer.time.evidence);
            }
        }
        for (const StateTransfer& transfer :
             composed_.replicas[composed_.critical].stages[p_.critical_stage].transfers) {
            take(transfer.time.evidence);
        }
        const cluster::Cluster& cluster = *costed_.cluster;
        if (worst) {
            p_.provenance.push_back(
                {.of = SourceLine::Of::communication, .worst = *worst, .name = cluster.name, .source = cluster.source});
        }
        if (p_.host) {
            p_.provenance.push_back({.of = SourceLine::Of::host, .name = cluster.name, .source = cluster.host->source});
        }
        if (const plan::Framework& framework = plan_.framework; !framework.name.empty()) {
            p_.provenance.push_back(
                {.of = SourceLine::Of::framework, .name = framework.label(), .source = framework.source});
            if (framework.is_foreign_to(cluster.device.maker()) && !framework.observed) {
                p_.provenance.push_back({.of = SourceLine::Of::other_maker,
                                         .name = std::string(cluster::maker_word(cluster.device.family)),
                                         .source = join(names_of(framework.fitted_on))});
            }
            if (is_beyond_fit()) {
                p_.provenance.push_back({.of = SourceLine::Of::beyond_fit, .name = framework.name, .source = {}});
            }
        }
        p_.provenance.push_back(
            {.of = SourceLine::Of::model, .name = costed_.graph->name, .source = costed_.graph->source});
        add_compared_samples();
    }

    [[nodiscard]] bool is_beyond_fit() const { return plan_.is_beyond_fit(costed_.cluster->fast_domain()); }

    /// A loss over all pairs of a micro-batch is another one where the batch is cut otherwise.
    void add_compared_samples() {
        for (const graph::Layer& layer : costed_.graph->layers) {
            const auto& saved = layer.nest.saved;
            const bool compares = any_of(saved, [](const graph::Saved& one) { return one.whole_batch; });
            if (compares && p_.microbatches > 1) {
                p_.provenance.push_back(
                    {.of = SourceLine::Of::compared,
                     .name = layer.name,
                     .source = fmt::format("{} of the batch's {}", plan_.batch / p_.microbatches, plan_.batch)});
            }
        }
    }

    const CostedGraph& costed_;
    const plan::Plan& plan_;
    Detail detail_;
    std::optional<Bytes> max_memory_;
    ScheduleTimings& orders_;
    Prediction p_;
    std::vector<ReplicaGroup> groups_;
    ComposedStep composed_;
    std::optional<std::string> fullest_device_;  ///< where devices differ
};

}  // namespace

Prediction evaluate(const CostedGraph& costed, const plan::Plan& plan, Detail detail, std::optional<Bytes> max_memory) {
    ScheduleTimings orders;
    return evaluate(costed, plan, detail, max_memory, orders);
}

Prediction evaluate(const CostedGraph& costed, const plan::Plan& plan, Detail detail, std::optional<Bytes> max_memory,
                    ScheduleTimings& orders) {
    return Evaluation(costed, plan, detail, max_memory, orders).run();
}

}  // namespace dodona::step
