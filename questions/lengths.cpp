#include "questions/lengths.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "files/measured_shares.hpp"
#include "graph/sample_tokens.hpp"
#include "plan/mesh.hpp"
#include "search/batches.hpp"
#include "simulate/random_bits.hpp"
#include "step/pipeline_costs.hpp"

namespace dodona::questions {

namespace {

using lengths::Packing;

/// Parts of a step that every micro-batch adds to.
Seconds passes_of(const step::Prediction& prediction) {
    using step::TimePart;
    Seconds once;
    for (const TimePart part :
         {TimePart::gradients, TimePart::parameters, TimePart::optimizer, TimePart::offload, TimePart::input}) {
        once += prediction.time[part];
    }
    return prediction.step.value - once;
}

std::int64_t tokens_of_row(const Workload& workload) {
    const auto row = static_cast<std::int64_t>(graph::tokens_a_sample(workload.graph));
    if (row == 0) {
        fail({}, fmt::format("--lengths: {} reads no tokens", workload.subject.model), "a network with a sequence");
    }
    return row;
}

lengths::Job length_job(const Workload& workload, const plan::Plan& plan) {
    const step::CostedPlan costed = step::cost_plan(workload.graph, workload.cluster, plan);
    if (!costed.prediction.replicas.empty()) {
        fail({}, "--lengths: replicas on devices of several kinds differ in more than their samples",
             "a machine of equal devices");
    }
    const std::int64_t replicas = plan::Mesh(plan, {}).ways(costed.costs.replicas);
    return {.replicas = replicas,
            .together = std::max<std::int64_t>(1, costed.prediction.data_ranks / replicas),
            .micro_batches = costed.prediction.microbatches};
}

}  // namespace

Faults contradictions(const LengthOptions& options) {
    const auto& [file, packing, buckets] = options;
    Faults faults;
    if (file.empty()) {
        const std::string why = "it is of samples of different lengths";
        if (packing) {
            faults.push_back({"packing", why, "add --lengths FILE"});
        }
        if (!buckets.empty()) {
            faults.push_back({"buckets", why, "add --lengths FILE"});
        }
        return faults;
    }
    if (!buckets.empty() && packing && *packing != Packing::bucket) {
        faults.push_back({"buckets", "they are of --packing bucket", {}});
    }
    if (std::adjacent_find(buckets.begin(), buckets.end(), std::greater_equal<>()) != buckets.end()) {
        faults.push_back({"buckets", "each is longer than the one before", "such as 512,2048"});
    }
    return faults;
}

LengthAnswers::LengthAnswers(const LengthOptions& options, const Workload& workload)
    : options_(options),
      workload_(workload),
      row_(tokens_of_row(workload)),
      lengths_(files::load_lengths(options.file, static_cast<double>(row_))) {
    if (options.packing.value_or(Packing::pack) == Packing::pack && search::is_recurrent(workload.graph)) {
        fail({},
             fmt::format("--packing: {} is recurrent: it does not tell the samples of a row apart",
                         workload.subject.model),
             "--packing bucket, or --packing pad");
    }
}

const graph::Graph& LengthAnswers::network(std::int64_t sequence) {
    const auto found = networks_.find(sequence);
    return found != networks_.end() ? found->second
                                    : networks_.emplace(sequence, network_at(workload_, sequence)).first->second;
}

reports::TimedPlan LengthAnswers::timed(const plan::Plan& plan, std::int64_t sequence, std::int64_t samples) {
    plan::Plan even = plan;
    even.batch *= samples;
    even.microbatch *= samples;
    const step::Prediction prediction = step::cost_plan(network(sequence), workload_.cluster, even).prediction;
    if (!prediction.runs) {
        fail({}, fmt::format("--lengths: with samples of {} tokens the plan cannot run: {}", sequence,
                             text(*prediction.why_not)));
    }
    return {.length = static_cast<double>(sequence),
            .step = prediction.step.value,
            .passes = passes_of(prediction),
            .memory = prediction.most_memory};
}

reports::PackedStep LengthAnswers::packed_step(const plan::Plan& plan, Packing packing, const lengths::Job& job) {
    reports::PackedStep made{
        .packing = packing,
        .micro_batches = lengths::micro_batches({.lengths = lengths_,
                                                 .packing = packing,
                                                 .row = static_cast<double>(row_),
                                                 .samples = plan.microbatch,
                                                 .edges = {options_.buckets.begin(), options_.buckets.end()}})};
    const lengths::Distribution& drawn = made.micro_batches.drawn;
    plan::Plan varied = plan;
    varied.lengths_vary = packing != Packing::pack;
    if (packing == Packing::pack) {
        for (const std::int64_t samples : lengths::samples_in_row(drawn, row_)) {
            made.timed.insert(made.timed.begin(), timed(plan, row_ / samples, samples));
        }
    } else {
        for (const std::int64_t length : lengths::padded_lengths(drawn)) {
            made.timed.push_back(timed(varied, length, 1));
        }
    }
    std::vector<lengths::TimedLength> steps;
    for (const reports::TimedPlan& one : made.timed) {
        steps.push_back({one.length, one.step});
        made.memory = max(made.memory, one.memory);
    }
    made.step = lengths::varied_step(made.micro_batches, steps, job);
    return made;
}

reports::LengthsAnswer LengthAnswers::of(const plan::Plan& plan) {
    const reports::TimedPlan full = timed(plan, row_, 1);
    reports::LengthsAnswer answer{.file = options_.file,
                                  .lengths = lengths_,
                                  .row = full.length,
                                  .full = full.step,
                                  .full_passes = full.passes,
                                  .job = length_job(workload_, plan),
                                  .leaves_segments = plan.memory.varied_fragmentation > 0,
                                  .packings = {}};
    for (const Packing packing : lengths::kPackings) {
        if (options_.packing.value_or(packing) == packing) {
            answer.packings.push_back(packed_step(plan, packing, answer.job));
        }
    }
    std::stable_sort(answer.packings.begin(), answer.packings.end(), [](const auto& a, const auto& b) {
        return a.step.tokens_per_second() > b.step.tokens_per_second();
    });
    return answer;
}

std::function<double(std::int64_t, std::int64_t, std::int32_t)> LengthAnswers::work(
    const reports::LengthsAnswer& answer, std::uint64_t seed) {
    const reports::PackedStep& played = answer.packings.front();
    std::vector<lengths::TimedLength> passes;
    for (const reports::TimedPlan& one : played.timed) {
        passes.push_back({one.length, one.passes});
    }
    return [drawn = lengths::DrawnPasses(played.micro_batches, passes, answer.job), full = answer.full_passes, seed](
               std::int64_t replica, std::int64_t step, std::int32_t micro_batch) {
        dodona::simulate::Draws draws(dodona::simulate::random_bits(seed, static_cast<std::uint64_t>(replica),
                                                                    static_cast<std::uint64_t>(step),
                                                                    static_cast<std::uint64_t>(micro_batch)));
        return drawn.draw(draws) / full;
    };
}

}  // namespace dodona::questions
