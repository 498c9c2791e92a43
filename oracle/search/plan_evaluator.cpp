#include "search/plan_evaluator.hpp"

#include <algorithm>
#include <cmath>

namespace dodona::search {

using plan::FrameworkParameter;
using plan::RecomputeKind;
using step::PassSeconds;

PlanEvaluator::PlanEvaluator(MeshTables& layout, const PassTable& passes, plan::Plan& plan, std::int64_t microbatches)
    : layout_(layout),
      passes_(passes),
      plan_(plan),
      microbatches_(microbatches),
      stages_(plan.strategy.pipeline ? plan.axis_size(*plan.strategy.pipeline) : 1),
      input_(layout.costed(), plan, microbatches),
      orders_(layout.orders()) {}

void PlanEvaluator::choose(const Variant& variant) {
    variant.apply(plan_);
    const bool other_cut = !chosen_ || chosen_->virtual_stages != variant.virtual_stages ||
                           chosen_->schedule != variant.schedule || chosen_->stages != variant.stages;
    const bool other_kept = other_cut || chosen_->recompute != variant.recompute ||
                            chosen_->offload.activations != variant.offload.activations;
    const bool other_states = other_cut || chosen_->shard != variant.shard;
    const bool other_memory = other_kept || other_states || chosen_->offload != variant.offload;
    const bool other_pass = other_kept || chosen_->overlap.tensor != variant.overlap.tensor ||
                            chosen_->overlap.expert != variant.overlap.expert;
    chosen_ = variant;
    if (other_pass) {
        least_of_cuts_.reset();
    }
    if (other_cut) {
        cut_stages();
    }
    if (other_kept) {
        keep_activations();
    }
    if (other_states) {
        states_.clear();
        for (const StageRun& run : cut_->runs) {
            states_.push_back(&layout_.states(run, plan_, cut_->stages, microbatches_ / places_.copies()));
        }
    }
    if (other_memory) {
        memory_.reset();
    }
}

void PlanEvaluator::cut_stages() {
    places_ = plan_.places();
    cut_ = &layout_.cut(passes_, plan_);
    runs_.clear();
    entries_.clear();
    totals_.clear();
    for (const StageRun& run : cut_->runs) {
        runs_.push_back(
            {.arriving = layout_.arriving(passes_, run, plan_),
             .held = held_by(run),
             .weight_versions = schedule::weight_versions(plan::schedule_of(plan_.schedule), stages_, microbatches_,
                                                          static_cast<std::int64_t>(run.first)),
             .kept = {}});
    }
}

std::vector<schedule::Holding> PlanEvaluator::held_by(const StageRun& run) const {
    const auto of = [&](std::size_t stage) {
        return orders_.in_flight(plan_.schedule, places_, static_cast<std::int64_t>(stage), microbatches_);
    };
    std::vector<schedule::Holding> held = of(run.first);
    // In closed form the first of equal stages holds most.
    const bool first_only = plan::schedule_of(plan_.schedule).held != nullptr;
    for (std::size_t s = run.first + 1; !first_only && s < run.first + run.size; ++s) {
        for (const schedule::Holding& other : of(s)) {
            schedule::add_holding(other, held);
        }
    }
    return held;
}

void PlanEvaluator::keep_activations() {
    for (std::size_t r = 0; r < runs_.size(); ++r) {
        runs_[r].kept =
            step::kept_activations(passes_.costed, plan_, cut_->runs[r].stage, runs_[r].held, microbatches_);
        runs_[r].kept.weight_versions = runs_[r].weight_versions;
    }
}

PlanEvaluator::ContentValues& PlanEvaluator::content(std::size_t index) {
    while (contents_.size() <= index) {
        const step::Stage stage{{step::VirtualStage{layout_.counts(contents_.size())}}};
        const step::StageBuffers buffers = step::stage_buffers(passes_.costed, plan_, stage, {}, 1);
        contents_.push_back(
            {.workspace = buffers.workspace, .message = buffers.message, .waiting = buffers.waiting, .passes = {}});
    }
    return contents_[index];
}

const PlanEvaluator::StageTimes& PlanEvaluator::pass(std::size_t index) {
    const auto kind = static_cast<std::size_t>(plan_.recompute);
    const std::size_t overlap = (plan_.overlap.tensor ? 1U : 0U) + (plan_.overlap.expert ? 2U : 0U);
    std::optional<StageTimes>& known = content(index).passes[4 * kind + overlap];
    if (!known) {
        known = make_pass(index);
    }
    return *known;
}

PlanEvaluator::StageTimes PlanEvaluator::make_pass(std::size_t index) const {
    PassSeconds forward;
    PassSeconds backward;
    PassSeconds repeated;
    const bool hides = plan_.overlap.tensor || plan_.overlap.expert;
    const auto shown = [&](const PassSeconds& pass) { return hides ? step::overlapped(pass, plan_) : pass; };
    const std::vector<std::int64_t>& counts = layout_.counts(index);
    for (std::size_t u = 0; u < counts.size(); ++u) {
        if (counts[u] == 0) {
            continue;
        }
        const PassTable::Segment& segment = passes_.segments[u];
        const auto count = static_cast<double>(counts[u]);
        forward += count * shown(segment.forward);
        backward += count * shown(segment.backward);
        switch (plan_.recompute) {
            case RecomputeKind::none: break;
            case RecomputeKind::selective: repeated += count * shown(segment.selective); break;
            case RecomputeKind::layers: repeated += count * shown(segment.named); break;
            case RecomputeKind::full:
            case RecomputeKind::every: repeated += count * shown(segment.whole); break;
        }
    }
    const step::PassWaits waits =
        step::pass_waits(forward, backward, repeated, plan_.framework, layout_.costed().mesh.devices());
    return {.forward = forward.compute,
            .backward = backward.compute + repeated.compute,
            .weights = backward.weight_gradients,
            .exchanged = {forward.exchanged, backward.exchanged + repeated.exchanged},
            .alone = {forward.total(), backward.total() + repeated.total()},
            .waits = waits};
}

step::StageOffload PlanEvaluator::offloaded(std::size_t run, const StageTimes& pass) const {
    if (!plan_.offload.any()) {
        return {};
    }
    return step::stage_offload(*layout_.costed().cluster, plan_, states_[run]->sums, runs_[run].kept,
                               step::with_waits(pass.alone, pass.waits, {}), microbatches_ / places_.copies());
}

const PlanEvaluator::MemoryNeed& PlanEvaluator::memory() {
    if (!memory_) {
        memory_ = make_memory();
    }
    return *memory_;
}

PlanEvaluator::MemoryNeed PlanEvaluator::make_memory() {
    MemoryNeed most;
    const Bytes context = layout_.costed().context();
    for (std::size_t r = 0; r < runs_.size(); ++r) {
        const StageRun& run = cut_->runs[r];
        const StateEntry& states = *states_[r];
        const ContentValues& here = content(run.content);
        const step::StageBuffers buffers{.workspace = here.workspace,
                                         .message = here.message,
                                         .waiting = here.waiting,
                                         .neighbours = cut_->stages > 1 ? 4.0 * runs_[r].arriving : Bytes{},
                                         .reduction = states.reduction,
                                         .communicators = states.communicators,
                                         .context = context,
                                         .limit = layout_.costed().memory_limit()};
        const Bytes needed = step::stage_memory(plan_, states.sums, runs_[r].kept, buffers).total();
        most.device = max(most.device, plan_.offload.pages ? min(needed, buffers.limit) : needed);
        if (!plan_.offload.any()) {
            continue;
        }
        step::StageOffload offload = offloaded(r, {});
        if (plan_.offload.pages) {
            step::add_pages(offload, *layout_.costed().cluster, plan_, states.sums, needed - buffers.limit,
                            microbatches_ / places_.copies());
            most.paging.push_back(offload.paging);
        }
        most.host = max(most.host, offload.kept);
    }
    const std::int64_t devices = std::min(plan_.devices(), layout_.costed().cluster->node_size());
    most.host = static_cast<double>(devices) * most.host;
    return most;
}

step::PassTotals PlanEvaluator::whole_pass(std::size_t run) {
    const StageTimes& stage = pass(cut_->runs[run].content);
    return step::with_waits(stage.alone, stage.waits, offloaded(run, stage).exposed.totals());
}

std::vector<step::Position<Seconds>> PlanEvaluator::positions() {
    if (entries_.empty()) {
        entries_ = layout_.positions(passes_, *cut_, plan_);
    }
    std::vector<step::Position<Seconds>> positions(entries_.size());
    const bool has_pairs = plan::overlaps_pairs(plan_.schedule);
    for (std::int64_t c = 0; c < places_.on_stage(); ++c) {
        for (std::size_t r = 0; r < cut_->runs.size(); ++r) {
            const StageRun& run = cut_->runs[r];
            const step::PassTotals whole = whole_pass(r);
            const step::PassTotals alone = pass(run.content).alone;
            const auto entry = [&](std::int64_t s, std::int64_t index) {
                return static_cast<std::size_t>(places_.position(s, index));
            };
            const auto first = static_cast<std::int64_t>(run.first);
            const StageTimes part = pass(entries_[entry(first, c)].content);
            const auto share = [&](Seconds of_part, Seconds of_stage) {
                return of_stage > Seconds{} ? of_part / of_stage : 1 / static_cast<double>(places_.on_stage());
            };
            step::Position<Seconds> position;
            position.forward = share(part.alone.forward, alone.forward) * whole.forward;
            position.back = share(part.alone.back, alone.back) * whole.back;
            const Seconds in_time = step::with_waits(alone, pass(run.content).waits, {}).back;
            position.weight_gradients = part.alone.back > Seconds{} ? (part.weights / part.alone.back) *
                                                                          share(part.alone.back, alone.back) * in_time
                                                                    : Seconds{};
            if (has_pairs) {
                const bool is_loop = places_.placement == schedule::Placement::loop;
                const std::int64_t partner = is_loop ? c : places_.on_stage() - 1 - c;
                position.hidden = hidden(part, pass(entries_[entry(first, partner)].content));
            }
            for (std::int64_t s = first; s < first + static_cast<std::int64_t>(run.size); ++s) {
                const std::size_t k = entry(s, c);
                position.receive = entries_[k].receive;
                positions[k] = position;
            }
        }
    }
    return positions;
}

/// As step::hidden_in_pair.
Seconds PlanEvaluator::hidden(const StageTimes& forward, const StageTimes& back) const {
    if (plan_.overlap.expert) {
        return {};
    }
    const double share = plan_.framework[FrameworkParameter::overlap_layers];
    const Seconds both =
        min(forward.exchanged.forward, share * back.backward) + min(back.exchanged.back, share * forward.forward);
    return (1 - plan_.framework[FrameworkParameter::interference]) * both;
}

Seconds PlanEvaluator::least_of_cuts() {
    if (least_of_cuts_) {
        return *least_of_cuts_;
    }
    const auto stages = static_cast<double>(stages_);
    const auto microbatches = static_cast<double>(microbatches_);
    const auto both = [&](std::size_t content) {
        const StageTimes& pass = this->pass(content);
        const step::PassTotals totals = step::with_waits(pass.alone, pass.waits, {});
        const bool has_pairs = plan::overlaps_pairs(plan_.schedule);
        return totals.forward + totals.back - (has_pairs ? pass.exchanged.forward + pass.exchanged.back : Seconds{});
    };
    const Seconds whole = both(layout_.whole());
    Seconds least = microbatches / stages * whole;
    if (passes_.same && places_.copies() == 1 && !plan::overlaps_pairs(plan_.schedule)) {
        least = max(least, microbatches * both(layout_.blocks((passes_.blocks + stages_ - 1) / stages_)));
    }
    if (plan_.schedule == plan::ScheduleKind::one_forward_one_backward) {
        least = max(least, whole / (1 - std::pow(1 - 1 / microbatches, stages)));
    }
    least += plan_.framework.seconds(FrameworkParameter::step);
    least_of_cuts_ = least + input_.exposed(least);
    return *least_of_cuts_;
}

/// Time of the pipeline's passes; exceeds `limit` if that of the slowest stage alone does.
PlanEvaluator::Time PlanEvaluator::passes_within(Seconds limit) {
    Seconds slowest;
    for (std::size_t r = 0; r < cut_->runs.size(); ++r) {
        const step::PassTotals whole = whole_pass(r);
        slowest = max(slowest, whole.forward + whole.back);
    }
    // Where passes run together, pipeline_bound knows by how much they are shorter.
    const std::int64_t microbatches_of_stage = microbatches_ / places_.copies();
    const Seconds alone = static_cast<double>(microbatches_of_stage) * slowest;
    if (!plan::overlaps_pairs(plan_.schedule) && alone > limit) {
        return {.least = alone};
    }
    // Copies to and from the host depend on how states are sharded; without them passes do not.
    const std::tuple key(plan_.recompute, plan_.overlap.tensor, plan_.overlap.expert, plan_.overlap.pipeline);
    const bool keeps = !plan_.offload.any();
    if (const auto known = totals_.find(key); keeps && known != totals_.end()) {
        return {.least = known->second, .within = true};
    }
    const std::vector<step::Position<Seconds>> positions = this->positions();
    const step::Pipeline<Seconds> pipeline = step::pipeline_of(positions, plan_, microbatches_);
    if (const Seconds bound = step::pipeline_bound(pipeline); bound > limit) {
        return {.least = bound};
    }
    const Seconds total = layout_.total(pipeline);
    if (keeps) {
        totals_[key] = total;
    }
    return {.least = total, .within = true};
}

PlanEvaluator::Time PlanEvaluator::step(Seconds limit) {
    const Seconds fixed = plan_.framework.seconds(FrameworkParameter::step);
    const Time passes = passes_within(limit - fixed);
    if (!passes.within || passes.least + fixed > limit) {
        return {.least = passes.least + fixed};
    }
    const double share = plan_.framework[FrameworkParameter::overlap_states];
    Seconds tail;
    for (std::size_t r = 0; r < runs_.size(); ++r) {
        const StateEntry& states = *states_[r];
        const StageTimes& pass = this->pass(cut_->runs[r].content);
        step::StateLanes<Seconds> lanes = states.lanes;
        lanes += cut_->tied[r];
        step::StageOffload offload = offloaded(r, pass);
        offload.paging = plan_.offload.pages ? memory().paging[r] : Seconds{};
        const step::PassTotals copies = offload.exposed.totals();
        const step::StateWindows<Seconds> windows{
            .forward = share * (pass.forward + pass.waits.host + copies.forward),
            .backward = share * (pass.backward + pass.waits.host_back + copies.back)};
        const step::ExposedLanes<Seconds> exposed(lanes, windows, plan_, microbatches_ / places_.copies(),
                                                  states.sums.alone);
        const Seconds back = step::with_waits(pass.alone, pass.waits, {}).back;
        const Seconds matrices = states.sums.matrices.value;
        const Seconds update = plan_.updates_on_host()
                                   ? matrices + step::host_update(*layout_.costed().cluster, plan_, states.sums).value +
                                         (1 - plan_.offload.optimizer_share) * (states.update - matrices)
                                   : states.update;
        const Seconds copies_shown =
            step::exposed_update(offload, plan_, {back, exposed.gradients, update}, states.sums.buckets);
        tail = max(tail, exposed.gradients + exposed.parameters + exposed.interference + copies_shown + update);
    }
    const Seconds step = passes.least + tail + fixed;
    return {.least = step + input_.exposed(step), .within = true};
}

}  // namespace dodona::search
