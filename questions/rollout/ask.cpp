#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/ranges.hpp"
#include "cost/collective_time.hpp"
#include "generation/answer_lengths.hpp"
#include "questions/rollout/rollout.hpp"
#include "step/pipeline_costs.hpp"

namespace dodona::questions::rollout {

namespace {

constexpr std::int64_t kParts = 8;  ///< of the GPUs, of which some train

Estimate largest(const Estimate& a, const Estimate& b) {
    return {max(a.value, b.value), max(a.lo, b.lo), max(a.hi, b.hi)};
}

Bytes weights_of(const Question& question) {
    return graph::count(question.mean).parameters * training_bytes(question.space.precision).weight;
}

/// Samples of the mean length in a row of the longest.
std::int64_t samples_in_row(const Question& question) {
    const double longest = static_cast<double>(question.options.prompt) + question.lengths.most();
    std::int64_t samples = 1;
    while (2.0 * static_cast<double>(samples) * question.sample_tokens() <= longest &&
           question.batch % (2 * samples) == 0) {
        samples *= 2;
    }
    return samples;
}

/// A forward pass of all micro-batches through the pipeline: the stages' sum, and the slowest for each further one.
Seconds forward_pass(const step::CostedPlan& costed) {
    const schedule::Places places = costed.prediction.plan.places();
    std::vector<Seconds> stages(static_cast<std::size_t>(places.stages));
    for (std::size_t i = 0; i < costed.costs.positions.size(); ++i) {
        const step::PositionCost& position = costed.costs.positions[i];
        stages[static_cast<std::size_t>(places.stage(static_cast<std::int64_t>(i)))] +=
            position.forward + position.receive;
    }
    const Seconds slowest = *std::max_element(stages.begin(), stages.end());
    const auto further = static_cast<double>(costed.costs.microbatches - 1);
    return std::accumulate(stages.begin(), stages.end(), Seconds{}) + further * slowest;
}

/// The plan at the mean length, with as many samples in a row as fit; at the longest where it does not run so.
step::CostedPlan at_mean_length(const Question& question, const plan::Plan& rows, std::int64_t samples) {
    plan::Plan plan = rows;
    plan.batch *= samples;
    plan.microbatch *= samples;
    step::CostedPlan costed = step::cost_plan(question.mean, question.cluster, plan);
    return costed.prediction.runs ? costed : step::cost_plan(question.longest, question.cluster, rows);
}

/// Weights of the reference on one of so many GPUs.
Bytes reference_weights(const Question& question, std::int64_t gpus) {
    return question.reference ? weights_of(question) / static_cast<double>(gpus) : Bytes{};
}

/// Memory that stays between updates on the fullest device.
Bytes kept_states(const step::MemoryParts& parts) {
    using step::MemoryPart;
    return parts[MemoryPart::weights] + parts[MemoryPart::gradients] + parts[MemoryPart::optimizer] +
           parts[MemoryPart::communicators];
}

/// None where nothing fits.
std::optional<Training> train(const Question& question, std::int64_t gpus) {
    const std::int64_t samples = samples_in_row(question);
    const Bytes reference = reference_weights(question, gpus);
    search::Space space = question.space;
    space.devices = gpus;
    space.batch = question.batch / samples;
    space.top = 1;
    space.max_memory =
        max(Bytes{}, space.max_memory.value_or((1 - question.cluster.memory_reserve) * question.cluster.device.memory) -
                         reference);
    const search::Answer found = search::search(question.longest, question.cluster, space);
    if (found.plans.empty()) {
        return std::nullopt;
    }
    const step::Prediction& longest = found.plans.front();
    const step::CostedPlan costed = at_mean_length(question, longest.plan, samples);
    const std::int64_t updates = question.samples() / question.batch;
    const auto passes = static_cast<double>(updates * question.passes);
    return Training{.gpus = gpus,
                    .prediction = costed.prediction,
                    .memory = longest.memory.total() + reference,
                    .states = kept_states(longest.memory) + reference,
                    .updates = updates,
                    .update = static_cast<double>(updates) * costed.prediction.step,
                    .log_probabilities = costed.prediction.step.rescaled_to(passes * forward_pass(costed))};
}

/// Engines of all sizes that are looked at, on demand.
class Engines {
public:
    explicit Engines(const Question& question)
        : question_(question), tokens_(generation::drawn_lengths(question.lengths, question.samples())) {}

    /// The fastest generation on so many GPUs, `taken` of each of which the training keeps; none where no engine fits.
    std::optional<Generation> generate(std::int64_t gpus, Bytes taken) {
        const std::int64_t node = question_.cluster.node_size();
        std::optional<Generation> best;
        for (std::int64_t tensor = 1; tensor <= gpus && (tensor <= node || !best); tensor *= 2) {
            const bool asked = question_.options.tensor == 0 || question_.options.tensor == tensor;
            if (!asked || gpus % tensor != 0) {
                continue;
            }
            const auto found = by(tensor, gpus, taken);
            if (found && (!best || found->generated.slowest.time.value < best->generated.slowest.time.value)) {
                best = found;
            }
        }
        return best;
    }

private:
    const std::optional<generation::Engine>& engine(std::int64_t tensor) {
        const auto known = engines_.find(tensor);
        return known != engines_.end()
                   ? known->second
                   : engines_
                         .emplace(tensor, generation::Engine::of(question_.engine, question_.cluster,
                                                                 {.strategy = question_.engine_strategy,
                                                                  .precision = question_.space.precision,
                                                                  .tensor = tensor,
                                                                  .sequences = question_.options.sequences}))
                         .first->second;
    }

    std::optional<Generation> by(std::int64_t tensor, std::int64_t gpus, Bytes taken) {
        const std::optional<generation::Engine>& of = engine(tensor);
        if (!of) {
            return std::nullopt;
        }
        const Bytes device = question_.cluster.device.memory;
        const double share = static_cast<double>(question_.options.memory) / 100;
        const Bytes room = min(share * device, (1 - question_.space.reserve) * device - taken) - of->weights();
        if (room <= Bytes{}) {
            return std::nullopt;
        }
        // No more engines than prompts.
        const std::int64_t engines = std::min(gpus / tensor, question_.options.prompts);
        const auto generated = generation::generate_on(engines, *of,
                                                       {.tokens = tokens_,
                                                        .samples = question_.options.samples,
                                                        .prompt = static_cast<double>(question_.options.prompt)},
                                                       {.cache = room, .sequences = question_.options.sequences});
        if (!generated) {
            return std::nullopt;
        }
        const Bytes sequence = of->cache(question_.sample_tokens());
        return Generation{.gpus = gpus,
                          .tensor = tensor,
                          .engines = engines,
                          .weights = of->weights(),
                          .cache = room,
                          .room = sequence > Bytes{} ? room / sequence : 0,
                          .generated = *generated};
    }

    const Question& question_;
    std::vector<double> tokens_;
    std::map<std::int64_t, std::optional<generation::Engine>> engines_;
};

Seconds transfer(const Question& question) {
    const std::int64_t gpus = question.space.devices;
    return gpus == 1 ? Seconds{}
                     : cost::collective_time(question.cluster, {.collective = cluster::Collective::all_gather,
                                                                .group = {{{1, gpus}}},
                                                                .size = weights_of(question),
                                                                .ranks = gpus})
                           .time.value;
}

Split made(const Question& question, Placement placement, const Generation& generation, Training training,
           Seconds copies) {
    Split split{.placement = placement,
                .generation = generation,
                .training = std::move(training),
                .transfer = transfer(question),
                .copies = copies,
                .step = {}};
    const Estimate generates = split.generation.generated.slowest.time;
    const Estimate trains = split.training.time();
    const bool at_once = placement == Placement::one_behind;
    split.step =
        (at_once ? largest(generates, trains) : generates + trains) + Estimate::exactly(split.transfer + copies);
    if (placement != Placement::together) {
        const Seconds both = at_once ? max(generates.value, trains.value) : generates.value + trains.value;
        split.training_waits = both - trains.value;
        split.generation_waits = both - generates.value;
    }
    split.tokens_per_second = static_cast<double>(question.samples()) * question.sample_tokens() /
                              split.step.value.in(unit::second) / static_cast<double>(question.space.devices);
    return split;
}

/// With the states on the device, or on the host while answers are generated; none where neither fits.
std::optional<Split> made_together(const Question& question, const Training& training, Engines& engines) {
    const Bytes states = training.states;
    std::optional<Split> best;
    for (const bool moves : {false, true}) {
        if (moves && !question.cluster.host) {
            break;
        }
        const Seconds copies = moves ? 2 * states / question.cluster.host->bandwidth : Seconds{};
        const auto generation = engines.generate(training.gpus, moves ? Bytes{} : states);
        if (generation) {
            Split split = made(question, Placement::together, *generation, training, copies);
            if (!best || split.step.value < best->step.value) {
                best = std::move(split);
            }
        }
    }
    return best;
}

void add_apart(const Question& question, const Training& training, const Generation& generation, Answer& answer) {
    Split in_turn = made(question, Placement::in_turn, generation, training, {});
    auto* known = found_in(answer.splits, &Split::placement, Placement::in_turn);
    if (known == nullptr) {
        answer.splits.push_back(std::move(in_turn));
    } else if (in_turn.step.value < known->step.value) {
        *known = std::move(in_turn);
    }
    answer.splits.push_back(made(question, Placement::one_behind, generation, training, {}));
}

}  // namespace

const Split* Answer::best(Placement placement) const { return found_in(splits, &Split::placement, placement); }

std::vector<std::int64_t> training_counts(std::int64_t gpus, std::int64_t node) {
    const std::int64_t unit = gpus > node && gpus % node == 0 ? node : 1;
    const std::int64_t units = gpus / unit;
    std::set<std::int64_t> counts;
    for (std::int64_t part = 1; part < kParts; ++part) {
        counts.insert(units * part / kParts * unit);
    }
    for (std::int64_t power = 1; power < units; power *= 2) {
        counts.insert(power * unit);
    }
    counts.erase(0);
    return {counts.begin(), counts.end()};
}

Answer ask(Question question, const search::Progress& progress) {
    const std::int64_t gpus = question.space.devices;
    const std::int64_t generating = question.options.gpus;
    std::vector<std::int64_t> counts = generating > 0 ? std::vector<std::int64_t>{gpus - generating}
                                                      : training_counts(gpus, question.cluster.node_size());
    if (generating == 0) {
        counts.push_back(gpus);
    }
    Answer answer{.question = std::move(question), .splits = {}, .left_out = {}};
    const Question& asked = answer.question;
    Engines engines(asked);
    std::int64_t seen = 0;
    for (const std::int64_t training_gpus : counts) {
        if (progress && !progress(seen++, static_cast<std::int64_t>(counts.size()))) {
            break;
        }
        const std::int64_t rest = gpus - training_gpus;
        const auto training = train(asked, training_gpus);
        if (!training) {
            answer.left_out.push_back({training_gpus, rest, "no plan of the training fits"});
        } else if (rest == 0) {
            if (auto split = made_together(asked, *training, engines)) {
                answer.splits.push_back(std::move(*split));
            } else {
                answer.left_out.push_back({training_gpus, rest, "no engine fits next to the training's states"});
            }
        } else if (const auto generation = engines.generate(rest, {})) {
            add_apart(asked, *training, *generation, answer);
        } else {
            answer.left_out.push_back({training_gpus, rest, "no engine fits"});
        }
    }
    stable_sort(answer.splits, [](const Split& a, const Split& b) { return a.step.value < b.step.value; });
    return answer;
}

}  // namespace dodona::questions::rollout
