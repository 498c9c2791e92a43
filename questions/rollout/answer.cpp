#include "files/description_keys.hpp"
#include "questions/described.hpp"
#include "questions/rollout/rollout.hpp"
#include "reports/collect/plan_summary.hpp"

namespace dodona::files {

using questions::computed;
using questions::rollout::Answer;
using questions::rollout::Generation;
using questions::rollout::NoSplit;
using questions::rollout::Options;
using questions::rollout::Question;
using questions::rollout::Split;
using questions::rollout::Training;
using step::Prediction;

namespace {

const KeyOptions kOneOrMore{.range = at_least(1)};

const Description& rollout_inputs() {
    static const Description described{
        .keys = {
            required<&Question::subject, &reports::Subject::model>("model", ""),
            required<&Question::subject, &reports::Subject::machine>("machine", ""),
            computed(
                "gpus", "of training and generation", [](const Question& of) { return of.space.devices; }, kOneOrMore),
            required<&Question::options, &Options::prompts>("prompts", "of a step", kOneOrMore),
            required<&Question::options, &Options::samples>("samples", "answers to a prompt", kOneOrMore),
            required<&Question::options, &Options::prompt>("prompt_tokens", "", kOneOrMore),
            computed("answer_tokens", "on average", [](const Question& of) { return of.lengths.mean(); },
                     {.range = kPositive}),
            computed("longest_answer_tokens", "", [](const Question& of) { return of.lengths.most(); },
                     {.range = kPositive}),
            required<&Question::batch>("batch", "samples of an update", kOneOrMore),
            required<&Question::passes>("passes", "of log-probabilities, of each sample", {.range = kNotNegative}),
            computed("precision", "", [](const Question& of) { return std::string(name(of.space.precision)); }),
            required<&Question::options, &Options::sequences>("sequences", "decoded together by an engine at most",
                                                              kOneOrMore),
            required<&Question::options, &Options::memory>("memory_percent",
                                                           "of a GPU, for an engine's weights and cache",
                                                           {.range = {.least = 1, .most = 100}})}};
    return described;
}

}  // namespace

template <>
const Description& description<Generation>() {
    static const Description described{
        .keys = {required<&Generation::gpus>("gpus", "", kOneOrMore),
                 required<&Generation::tensor>("tensor", "GPUs of an engine", kOneOrMore),
                 required<&Generation::engines>("engines", "", kOneOrMore),
                 required<&Generation::weights>("weights", "on one GPU"),
                 required<&Generation::cache>("cache", "room for keys and values on one GPU"),
                 required<&Generation::room>("sequences_in_cache", "of the mean length, with their prompts",
                                             {.range = kNotNegative}),
                 computed("sequences_most", "decoded together",
                          [](const Generation& of) { return of.generated.slowest.most; }, {.range = kNotNegative}),
                 computed("sequences_mean", "of a step of the slowest engine",
                          [](const Generation& of) { return of.generated.slowest.mean; }, {.range = kNotNegative}),
                 computed("time", "of the slowest engine",
                          [](const Generation& of) { return of.generated.slowest.time.value; }),
                 computed("time_lo", "of the 90 % interval",
                          [](const Generation& of) { return of.generated.slowest.time.lo; }),
                 computed("time_hi", "of the 90 % interval",
                          [](const Generation& of) { return of.generated.slowest.time.hi; }),
                 computed("prefill", "of it", [](const Generation& of) { return of.generated.slowest.prefill.value; }),
                 computed("nine_tenths", "until so many of its answers have ended",
                          [](const Generation& of) { return of.generated.slowest.nine_tenths; }),
                 computed("mean", "of the engines", [](const Generation& of) { return of.generated.mean; })}};
    return described;
}

template <>
const Description& description<Training>() {
    static const Description described{
        .keys = {required<&Training::gpus>("gpus", "", kOneOrMore),
                 computed("plan", "", [](const Training& of) { return reports::whole_plan(of.prediction); }),
                 required<&Training::updates>("updates", "", kOneOrMore),
                 required<&Training::update, &Estimate::value>("update", "all of them"),
                 required<&Training::log_probabilities, &Estimate::value>("log_probabilities", ""),
                 required<&Training::memory>("memory", "of the fullest GPU, with samples of the longest"),
                 required<&Training::states>("states", "of it, between updates"),
                 required<&Training::prediction, &Prediction::memory_limit>("memory_limit", "")}};
    return described;
}

template <>
const Description& description<Split>() {
    static const Description described{
        .keys = {required<&Split::placement>("placement", ""), required<&Split::step, &Estimate::value>("step", ""),
                 required<&Split::step, &Estimate::lo>("step_lo", "of the 90 % interval"),
                 required<&Split::step, &Estimate::hi>("step_hi", "of the 90 % interval"),
                 required<&Split::tokens_per_second>("tokens_per_s_per_gpu", "of samples, over all GPUs",
                                                     {.range = kNotNegative}),
                 required<&Split::generation>("generation", ""), required<&Split::training>("training", ""),
                 required<&Split::transfer>("transfer", "of weights to the engines"),
                 required<&Split::copies>("copies", "of the training's states to the host and back"),
                 required<&Split::training_waits>("training_waits", "GPUs that train, for answers"),
                 required<&Split::generation_waits>("generation_waits", "GPUs that generate, for weights")}};
    return described;
}

template <>
const Description& description<NoSplit>() {
    static const Description described{
        .keys = {required<&NoSplit::training>("training_gpus", "", kOneOrMore),
                 required<&NoSplit::generation>("generation_gpus", "0: all do both", {.range = kNotNegative}),
                 required<&NoSplit::why>("why", "")}};
    return described;
}

template <>
const Description& description<Answer>() {
    static const Description described{
        .noun = "rollout",
        .summary = "SI base units, the unit in the key. A step: generation of all samples, and the updates with them.",
        .keys = {required_as<&Answer::question>(record_type(rollout_inputs), "inputs", ""),
                 required<&Answer::splits>("splits", "the fastest first", {.rows = true}),
                 required<&Answer::left_out>("left_out", "divisions on which nothing trains or generates")}};
    return described;
}

}  // namespace dodona::files
