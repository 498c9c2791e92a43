#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "questions/goodput/goodput.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::questions::goodput {

namespace {

using reliability::CheckpointRates;
using reliability::CheckpointSettings;
using reliability::Component;
using reliability::GoodputQuestion;
using reliability::PublishedFailures;

/// PCI Express base specification 3.0: 16 lanes of 8 GT/s, 128b/130b coding. Of what later GPUs have, the slowest.
constexpr BytesPerSecond kSlowestCopy = 15.75_GB_per_s;

/// arXiv:2605.09370, abstract: median time between automatic retries of jobs on 504 B200.
constexpr Seconds kRestart = 11 * 60_s;
constexpr std::string_view kRestartSource = "median between automatic retries of jobs on 504 B200, arXiv:2605.09370";

constexpr std::string_view kAllCauses = "all causes";

/// Published components, and those of the options in their place or in addition.
void set_failures(const Options& options, GoodputQuestion& question) {
    const auto all = reliability::published_failures();
    const auto* named = found_in(all, &PublishedFailures::name, options.failures);
    const PublishedFailures& published = named == nullptr ? all.front() : *named;
    question.components = published.components();
    question.failure_source = published.source;
    for (const ComponentMtbf& typed : options.mtbf) {
        if (typed.name.empty()) {
            question.components = {
                {std::string(kAllCauses), typed.rate.unit, typed.rate.mtbf, typed.rate.unit != FailureUnit::job}};
            question.failure_source = "the command line";
            return;
        }
        const auto* same = found_in(question.components, &Component::name, typed.name);
        const bool loses_node = same == nullptr ? typed.rate.unit != FailureUnit::job : same->loses_node;
        std::erase_if(question.components, [&](const Component& known) { return known.name == typed.name; });
        question.components.push_back({typed.name, typed.rate.unit, typed.rate.mtbf, loses_node});
    }
    question.failure_source += options.mtbf.empty() ? "" : "; in part the command line";
}

/// The rates of checkpoints, and the sentences of what is assumed.
class Completion {
public:
    Completion(const Options& options, const OnePlan& one, GoodputQuestion& question, Faults& faults)
        : options_(options), one_(one), question_(question), faults_(faults) {}

    void rates() {
        files();
        copy();
        format();
    }

    void restart() {
        question_.restart = options_.restart.value_or(kRestart);
        if (!options_.restart) {
            assume("from a failure to the begin of the restore: {}, {}", reports::duration(kRestart), kRestartSource);
        }
        if (!question_.spares) {
            assume("a spare node is always there");
        }
    }

private:
    template <class... Parts>
    void assume(fmt::format_string<Parts...> sentence, Parts&&... parts) {
        question_.assumptions.push_back(fmt::format(sentence, std::forward<Parts>(parts)...));
    }

    void files() {
        const auto& storage = one_.workload.cluster.storage;
        CheckpointRates& rates = question_.checkpoint.rates;
        const auto write = options_.storage_write ? options_.storage_write : storage ? storage->write : std::nullopt;
        if (!write) {
            faults_.push_back({"storage_write",
                               fmt::format("{} does not say how fast a node writes", one_.workload.subject.machine),
                               "add --storage-write 2GB/s, or `write:` to the `storage:` of the machine's file; "
                               "`dodona calibrate --backend storage` measures it"});
            return;
        }
        rates.node_write = *write;
        rates.node_read = options_.storage_read ? *options_.storage_read : storage ? storage->bandwidth : *write;
        if (!options_.storage_read && !storage) {
            assume("a node reads as fast as it writes, {}", reports::text(*write));
        }
        rates.system_write = rates.system_write || !storage ? rates.system_write : storage->system_write;
        rates.system_read = rates.system_read || !storage ? rates.system_read : storage->system_read;
        if (!rates.system_write) {
            assume("the file system is no slower than all nodes together");
        }
    }

    void copy() {
        const auto& host = one_.workload.cluster.host;
        question_.checkpoint.rates.copy = options_.copy ? *options_.copy : host ? host->bandwidth : kSlowestCopy;
        if (!options_.copy && !host) {
            assume("a GPU copies to the host at {}: 16 lanes of PCI Express 3.0", reports::text(kSlowestCopy));
        }
    }

    void format() {
        CheckpointSettings& checkpoint = question_.checkpoint;
        CheckpointRates& rates = checkpoint.rates;
        const cluster::CheckpointRate* measured = nullptr;
        if (one_.workload.cluster.storage) {
            for (const cluster::CheckpointRate& rate : one_.workload.cluster.storage->checkpoints) {
                measured = rate.format == checkpoint.format ? &rate : measured;
            }
        }
        if (rates.encode) {
            rates.decode = rates.encode;
            assume("decoding runs at the rate of encoding");
        } else if (measured != nullptr) {
            rates.encode = measured->encode;
            rates.decode = measured->decode;
        } else if (reliability::compresses(checkpoint.format) || options_.ratio) {
            faults_.push_back({"encode", fmt::format("how fast {} compresses is not known", name(checkpoint.format)),
                               "add --encode 30MB/s; `dodona calibrate --backend storage` measures it"});
        } else {
            assume("putting tensors into the format {} takes no time beside writing", name(checkpoint.format));
        }
        if (!reliability::compresses(checkpoint.format)) {
            return;
        }
        if (!options_.ratio && measured != nullptr) {
            checkpoint.ratio = measured->ratio;
        } else if (!options_.ratio) {
            assume("nothing is gained by compression");
        }
    }

    const Options& options_;
    const OnePlan& one_;
    GoodputQuestion& question_;
    Faults& faults_;
};

}  // namespace

Faults contradictions(const Options& options) {
    Faults faults = questions::contradictions(options.goals);
    if (options.ratio && !reliability::may_compress(options.format)) {
        faults.push_back({"ratio", fmt::format("{} does not compress", name(options.format)),
                          "--checkpoint-format npz-compressed does, hdf5 may"});
    }
    const auto all = std::find_if(options.mtbf.begin(), options.mtbf.end(),
                                  [](const ComponentMtbf& one) { return one.name.empty() && !one.rate.text.empty(); });
    if (all != options.mtbf.end() && (options.mtbf.size() > 1 || options.failures)) {
        faults.push_back({"mtbf", fmt::format("\"{}\" is of all causes and stands alone", all->rate.text),
                          "name a component to set it beside others: gpu=3000d/gpu"});
    }
    if (options.spares.has_value() != options.repair.has_value()) {
        faults.push_back({options.spares ? "spares" : "repair",
                          options.spares ? "--repair is missing" : "--spares is missing",
                          "both together: --spares 8 --repair 1d"});
    }
    if (options.runs < 2) {
        faults.push_back({"runs", "one run has no interval", "2 or more"});
    }
    return faults;
}

Asked<Question> question(OnePlan one, const Options& options) {
    Faults faults = contradictions(options);
    std::vector<NamedMachine> machines =
        priced({{one.workload.subject.machine, std::move(one.workload.cluster)}}, options.goals, faults);
    one.workload.cluster = std::move(machines.front().cluster);
    GoodputQuestion asked{.checkpoint = {.format = options.format,
                                         .content = options.holds,
                                         .mode = options.mode,
                                         .writers = options.writers,
                                         .ratio = options.ratio.value_or(1),
                                         .rates = {}},
                          .every = options.every,
                          .components = {},
                          .failure_source = {},
                          .restart = {},
                          .spares = options.spares && options.repair
                                        ? std::optional(reliability::Spares{*options.spares, *options.repair})
                                        : std::nullopt,
                          .samples = goals_of(options.goals, one.workload.graph, faults).samples,
                          .price = one.workload.cluster.price,
                          .power = options.power,
                          .runs = static_cast<int>(options.runs),
                          .seed = static_cast<std::uint64_t>(options.seed)};
    asked.checkpoint.rates.system_write = options.system_write;
    asked.checkpoint.rates.system_read = options.system_read;
    asked.checkpoint.rates.encode = options.encode;
    set_failures(options, asked);
    Completion completion(options, one, asked, faults);
    completion.rates();
    completion.restart();
    if (options.every.epoch && !one.workload.graph.dataset.samples) {
        faults.push_back(
            {"checkpoint_every", fmt::format("the size of the data set of {} is not known", one.workload.graph.name),
             "write a time or a number of steps, or add `dataset: {samples: N, source: ...}` to the model file"});
    }
    if (!faults.empty()) {
        return faults;
    }
    return Question{std::move(one), std::move(asked)};
}

Asked<Goodput> ask(const Question& question, const step::Prediction& prediction) {
    const Workload& workload = question.one.workload;
    Goodput answer = reliability::goodput(workload.graph, workload.cluster, prediction, question.goodput);
    const Seconds shortest = reliability::shortest_interval(answer.conditions);
    if (answer.chosen().rule == reliability::IntervalRule::asked && answer.chosen().interval < shortest) {
        return Faults{
            {"checkpoint_every",
             fmt::format("{} is less than a checkpoint takes in the background, {}",
                         reports::text(answer.chosen().interval), reports::text(answer.conditions.background)),
             fmt::format("{:.0f} steps or more", std::ceil(shortest / prediction.step.value))}};
    }
    return answer;
}

}  // namespace dodona::questions::goodput
