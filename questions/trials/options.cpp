#include "questions/trials/options.hpp"

#include "files/description_keys.hpp"

namespace dodona::files {

namespace {

constexpr double kMaxNodes = 100'000;
constexpr double kMaxDraws = 100'000;
constexpr Range kNodes{.least = 1, .most = kMaxNodes};

Key counted(Key key) {
    key.value_text = key.value_text.empty() ? "N" : key.value_text;
    return key;
}

}  // namespace

template <>
const Description& description<questions::trials::Options>() {
    using questions::trials::Options;
    const std::string_view nodes = "Nodes";
    const std::string_view trials = "Trials";
    static const Description described{
        .noun = "options of trials",
        .summary = "What trials run on, and how they are drawn and scheduled.",
        .keys =
            {counted(optional<&Options::nodes>("nodes", "of them; 1 without it", {.range = kNodes, .group = nodes})),
             counted(optional<&Options::cores>("cores", "CPU cores of a node", {.range = kNodes, .group = nodes})),
             counted(
                 optional<&Options::slots>("slots", "trials at once, on any nodes", {.range = kNodes, .group = nodes})),
             optional<&Options::gpus_per_trial>("gpus_per_trial",
                                                "of several, each trial takes what makes all end soonest; 1 without it",
                                                {.value_text = "G,...", .group = trials}),
             optional<&Options::cores_per_trial>("cores_per_trial", "the same of cores",
                                                 {.value_text = "C,...", .group = trials}),
             optional<&Options::policy>("policy", "which trial starts next; the fastest without it", {.group = trials}),
             optional<&Options::observed>("observed",
                                          "trials that have run, such as the trials.csv of `dodona trials run`: their "
                                          "times, and the others in proportion",
                                          {.value_text = "TRIALS.csv", .group = trials}),
             optional<&Options::sampling>("sampling", "how trials are drawn, instead of what the study says",
                                          {.group = trials}),
             counted(optional<&Options::count>(
                 "count", "trials that are drawn",
                 {.range = {.least = 1, .most = dodona::trials::kMaxTrials}, .group = trials})),
             counted(optional<&Options::seed>("seed", "of all draws; the study's, or 1",
                                              {.range = at_least(1), .group = trials})),
             optional<&Options::set>("set", "replace a parameter of the study by one value; repeat for several",
                                     {.value_text = "NAME=VALUE", .group = trials, .repeats = true})},
        .defaults = default_of<Options>};
    return described;
}

template <>
const Description& description<questions::trials::PredictionOptions>() {
    using questions::trials::PredictionOptions;
    const std::string_view expected = "Expected values";
    static const Description described{
        .noun = "options of a prediction of trials",
        .summary = "Early stopping, failures and rent.",
        .keys = {optional<&PredictionOptions::early_stop>("early_stop", "most trials end after a share of their work",
                                                          {.group = expected}),
                 counted(optional<&PredictionOptions::eta>("eta", "one in so many continues; 3 without it",
                                                           {.range = {.least = 1, .most = 1000}, .group = expected})),
                 optional<&PredictionOptions::rungs>(
                     "rungs", "steps up to a full trial; 3 without it",
                     {.range = {.least = 1, .most = 20}, .value_text = "K", .group = expected}),
                 optional<&PredictionOptions::mtbf>("mtbf", "mean time between failures of a running trial: 10h",
                                                    {.value_text = "TIME", .group = expected}),
                 counted(optional<&PredictionOptions::tries>("tries", "attempts of a trial; 3 without it",
                                                             {.range = {.least = 1, .most = 1000}, .group = expected})),
                 counted(optional<&PredictionOptions::draws>(
                     "draws", "of the expected values; 100 without it",
                     {.range = {.least = 1, .most = kMaxDraws}, .group = expected})),
                 optional_as<&PredictionOptions::price>(optional_type<Rate>(rate_type()), "price",
                                                        "of a GPU and hour (2.5USD/h), of a node where trials run "
                                                        "on cores; the machine's without it",
                                                        {.value_text = "AMOUNT", .group = "Cost"})},
        .defaults = default_of<PredictionOptions>};
    return described;
}

template <>
const Description& description<questions::trials::RunOptions>() {
    using questions::trials::RunOptions;
    const std::string_view run = "Run";
    static const Description described{
        .noun = "options of a run of trials",
        .summary = "Where trials run, and which are ended early.",
        .keys = {optional<&RunOptions::into>(
                     "into",
                     "for the journal, trials.csv and a folder of each trial; a run that was stopped continues there",
                     {.value_text = "FOLDER", .group = run}),
                 optional<&RunOptions::hosts>("hosts", "names of nodes, for --launch",
                                              {.value_text = "A,B,...", .group = run}),
                 optional<&RunOptions::launch>("launch",
                                               "starts a trial's command elsewhere: 'ssh {node} {command}', or 'srun "
                                               "-N1 -n1 -c{cores} --exclusive sh -c {command}'",
                                               {.value_text = "COMMAND", .group = run}),
                 counted(optional<&RunOptions::tries>("tries", "attempts of a trial that fails; 2 without it",
                                                      {.range = {.least = 1, .most = 1000}, .group = run})),
                 optional<&RunOptions::early_stop>(
                     "early_stop", "end trials that are worse than others, by what they report: `result:` of the study",
                     {.group = run}),
                 counted(optional<&RunOptions::eta>("eta", "asha keeps one in so many; 3 without it",
                                                    {.range = {.least = 1, .most = 1000}, .group = run}))},
        .defaults = default_of<RunOptions>};
    return described;
}

}  // namespace dodona::files
