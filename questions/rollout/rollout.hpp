// Post-training whose samples a step generates: how GPUs are divided between training and generation.
//
//   together     all GPUs generate, then train; the engines read weights that are gathered from the training's shards
//   in turn      some generate while the others wait, then the others train
//   one behind   some generate the next samples while the others train on the last ones: weights are one step old
//
//   together, in turn   step = generation + transfer + log-probabilities + updates (+ copies of states to the host and back)
//   one behind          step = max(generation, log-probabilities + updates) + transfer
//
// Generation: generation/generate.hpp, by as many engines as the GPUs hold. Updates: the plan that the search finds for
// the longest samples, at their mean length, rows of the longest filled with as many as a power of two allows. A pass of
// log-probabilities is the forward pass of that plan. Together, weights and states of the training stay on the device
// next to the cache, within what --reserve leaves, or go to the host and back where that takes less. Transfer: an all-gather of the weights in 16 bits
// over all GPUs, which a pipelined broadcast takes as well.
// Not modelled: rewards and critics, loading of weights by the engines, answers that train while others are generated.
// Sources: Sheng et al., arXiv:2409.19256, section 5 (together, with weights gathered again); Hu et al., arXiv:2405.11143 (apart);
// volcengine/verl: docs/advance/one_step_off.md (one behind).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generation/generate.hpp"
#include "lengths/distribution.hpp"
#include "questions/question.hpp"
#include "search/search.hpp"

namespace dodona::questions::rollout {

/// The words of --rollout. A count of 0 is not said.
struct Options {
    std::int64_t prompts = 0;    ///< of a step
    std::int64_t samples = 0;    ///< answers to each
    std::int64_t prompt = 0;     ///< tokens; 512
    std::int64_t tokens = 0;     ///< of an answer, on average
    std::int64_t longest = 0;    ///< tokens of the longest answer; all are as long without it
    std::int64_t gpus = 0;       ///< that generate; without it all divisions are looked at
    std::int64_t tensor = 0;     ///< GPUs of an engine; the fastest without it
    std::int64_t sequences = 0;  ///< decoded together by an engine at most; 1024
    std::int64_t memory = 0;     ///< percent of a GPU's memory for an engine's weights and cache; 92
};

/// Source: volcengine/verl: verl/trainer/config/data/legacy_data.yaml, max_prompt_length.
inline constexpr std::int64_t kPromptTokens = 512;
/// Source: volcengine/verl: verl/trainer/config/rollout/rollout.yaml, max_num_seqs.
inline constexpr std::int64_t kSequences = 1024;
/// Source: vllm-project/vllm: vllm/config/cache.py, gpu_memory_utilization of 0.92.
inline constexpr std::int64_t kMemoryPercent = 92;

inline constexpr std::int64_t kMaxTokens = 100'000'000;  ///< of an answer

struct Job {
    Workload workload;  ///< as it is trained: the policy, and what is kept next to it
    Options options;
    std::int64_t gpus = 1;              ///< of training and generation
    std::optional<std::int64_t> batch;  ///< samples of an update; none: all of a step
    std::string lengths;                ///< file of those of answers; empty: as the options say
};

Faults contradictions(const Job& job);
/// With the defaults of what was not said.
Options completed(Options options);
/// The job's workload with the policy alone, with samples of the longest: what plans of the training are searched for.
Workload training_of(const Job& job);

struct Question {
    reports::Subject subject;
    graph::Graph longest;  ///< the policy alone, with samples of the longest
    graph::Graph mean;     ///< ... of the mean length
    generation::EngineNetworks engine;
    plan::Strategy engine_strategy;
    cluster::Cluster cluster;
    search::Space space;            ///< of the training; its devices are all of the job
    Options options;                ///< complete but for `gpus` and `tensor`
    lengths::Distribution lengths;  ///< of answers
    std::int64_t batch = 1;         ///< samples of an update; divides those of a step
    std::int64_t passes = 0;        ///< of log-probabilities
    bool reference = false;         ///< keeps weights of its own

    [[nodiscard]] std::int64_t samples() const { return options.prompts * options.samples; }
    [[nodiscard]] double sample_tokens() const { return static_cast<double>(options.prompt) + lengths.mean(); }
};

/// `job`: without contradictions, its options complete. `space`: of its training.
Question question(const Job& job, search::Space space);

enum class Placement { together, in_turn, one_behind };
inline constexpr std::array kPlacementTable{
    Enumerator(Placement::together, "together", "all GPUs generate, then train"),
    Enumerator(Placement::in_turn, "in turn", "some GPUs generate, then the others train"),
    Enumerator(Placement::one_behind, "one behind", "some GPUs generate while the others train on the samples before")};
constexpr const auto& enumerators(Placement /*type*/) { return kPlacementTable; }

struct Generation {
    std::int64_t gpus = 1;
    std::int64_t tensor = 1;  ///< GPUs of an engine
    std::int64_t engines = 1;
    Bytes weights;    ///< on one GPU
    Bytes cache;      ///< room for keys and values on one GPU
    double room = 0;  ///< sequences of the mean length that it holds
    generation::GeneratedByAll generated;
};

struct Training {
    std::int64_t gpus = 1;
    step::Prediction prediction;  ///< of an update, with samples of the mean length
    Bytes memory;                 ///< with samples of the longest, and the weights of the reference
    Bytes states;                 ///< of it, what stays between updates
    std::int64_t updates = 1;
    Estimate update;  ///< all of them
    Estimate log_probabilities;
    [[nodiscard]] Estimate time() const { return update + log_probabilities; }
};

/// One division of the GPUs.
struct Split {
    Placement placement = Placement::together;
    Generation generation;
    Training training;
    Seconds transfer;  ///< of weights to the engines
    Seconds copies;    ///< of the training's states to the host and back
    Estimate step;
    Seconds training_waits;        ///< GPUs that train, for answers
    Seconds generation_waits;      ///< GPUs that generate, for weights
    double tokens_per_second = 0;  ///< of samples, on one GPU of all
};

/// A number of GPUs that nothing trains or generates on.
struct NoSplit {
    std::int64_t training = 0;
    std::int64_t generation = 0;
    std::string why;
};

struct Answer {
    Question question;
    std::vector<Split> splits;  ///< the fastest first; of those in turn that one alone
    std::vector<NoSplit> left_out;

    /// The fastest of a placement; null: none.
    [[nodiscard]] const Split* best(Placement placement) const;
};

/// Numbers of GPUs that train and leave some for generation: whole nodes, or GPUs of one node.
std::vector<std::int64_t> training_counts(std::int64_t gpus, std::int64_t node);

Answer ask(Question question, const search::Progress& progress = {});

reports::Document document(const Answer& answer);

}  // namespace dodona::questions::rollout
