#include "cli/goodput_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "files/quantity.hpp"
#include "reports/document/number_format.hpp"

namespace dodona::cli {

namespace {

using reliability::CheckpointSettings;
using reliability::Component;
using reliability::FailureUnit;
using reliability::PublishedFailures;

/// PCI Express base specification 3.0: 16 lanes of 8 GT/s, 128b/130b coding. Of what later GPUs have, the slowest.
constexpr BytesPerSecond kSlowestCopy = 15.75_GB_per_s;

/// arXiv:2605.09370, abstract: median time between automatic retries of jobs on 504 B200.
constexpr Seconds kRestart = 11 * 60_s;
constexpr std::string_view kRestartSource = "median between automatic retries of jobs on 504 B200, arXiv:2605.09370";

std::vector<std::string> failure_names() {
    std::vector<std::string> names;
    for (const PublishedFailures& published : reliability::published_failures()) {
        names.emplace_back(published.name);
    }
    return names;
}

std::vector<Option> work_options() {
    std::vector<Option> all;
    for (Option& option : goal_options()) {
        const std::string name = option.long_name();
        if (name == "--tokens" || name == "--samples" || name == "--epochs" || name == "--price") {
            option.group = "Run";
            all.push_back(std::move(option));
        }
    }
    all.push_back({"--power", "POWER",
                   "of one GPU with its share of the node, for the energy: 1.3kW;\n"
                   "dodona has none",
                   "Run"});
    return all;
}

std::vector<Option> checkpoint_options() {
    const std::string group = "Checkpoints";
    return {
        {"--checkpoint-every", "TIME|STEPS|epoch", "such as 30min or 500; default: the best of the closed form", group},
        {"--checkpoint-format", "NAME", join(value_names<cluster::CheckpointFormat>()) + ";\ndefault: pytorch", group},
        {"--checkpoint-holds", choices_text<reliability::CheckpointContent>(),
         "the whole state of training, or weights alone; default: training", group},
        {"--checkpoint-mode", choices_text<reliability::CheckpointMode>(),
         "whether training waits for the file or for the copy to host\n"
         "memory only; default: blocking",
         group},
        {"--checkpoint-writers", choices_text<reliability::CheckpointWriters>(),
         "every rank writes its part, or one writes all; default: sharded", group},
        {"--storage-write", "RATE", "of one node: 2GB/s; default: that of the machine's file", group},
        {"--storage-read", "RATE", "of one node; default: that of the machine's file, else as writing", group},
        {"--system-write", "RATE",
         "of all nodes together; default: that of the machine's file, else\n"
         "no limit",
         group},
        {"--system-read", "RATE", "of all nodes together; the same", group},
        {"--copy", "RATE",
         "between one GPU and host memory; default: that of the machine's\n"
         "host, else 15.75GB/s",
         group},
        {"--encode", "RATE",
         "of one process, tensors to the bytes of the format; default: as\n"
         "measured in the machine's file, else no time",
         group},
        {"--ratio", "X",
         "of formats that compress: file over tensors; default: as measured\n"
         "in the machine's file, else 1",
         group}};
}

std::vector<Option> failure_options() {
    const std::string group = "Failures";
    return {
        {"--failures", "NAME", "published rates by component: " + join(failure_names()) + "; default: llama-3", group},
        {"--mtbf", "[NAME=]TIME/gpu|node|job",
         "mean time between failures: 1826d/node of all causes together, or\n"
         "gpu=3000d/gpu of one component beside the published ones; repeat\n"
         "for several",
         group, kRepeats},
        {"--restart", "TIME",
         "from a failure to the begin of the restore: found, node replaced,\n"
         "processes started; default: 11min",
         group},
        {"--spares", "N", "spare nodes, with --repair; default: there is always one", group},
        {"--repair", "TIME", "of a node, until it is a spare", group},
        {"--runs", "N", "simulated, 2 or more; default: 200", group},
        {"--seed", "N", "of the simulation; default: 1", group}};
}

template <Enumerated Enum>
void read_choice(Arguments& arguments, const std::string& option, Enum& choice) {
    if (const auto word = arguments.word(option, value_names<Enum>())) {
        choice = *value_of<Enum>(*word);
    }
}

reliability::AskedInterval read_every(Arguments& arguments) {
    const std::string option = "--checkpoint-every";
    const auto typed = arguments.text(option);
    if (!typed) {
        return {};
    }
    if (*typed == "epoch") {
        return {.time = {}, .steps = {}, .epoch = true};
    }
    if (typed->find_first_not_of("0123456789") == std::string::npos) {
        return {.time = {}, .steps = arguments.count(option)};
    }
    return {.time = arguments.duration(option), .steps = {}};
}

/// One --mtbf as it was typed; none after a fault.
std::optional<Component> read_component(Arguments& arguments, const std::string& typed,
                                        const std::vector<Component>& known) {
    const std::size_t equals = typed.find('=');
    const std::string name = equals == std::string::npos ? "" : typed.substr(0, equals);
    const std::string rest = equals == std::string::npos ? typed : typed.substr(equals + 1);
    const std::size_t slash = rest.rfind('/');
    const auto unit = slash == std::string::npos ? std::nullopt : value_of<FailureUnit>(rest.substr(slash + 1));
    if (!unit) {
        arguments.fault("--mtbf", fmt::format("{} does not say of what", as_typed(typed)),
                        "of one GPU, one node or the whole job: 1826d/node");
        return std::nullopt;
    }
    const auto time = files::quantity_from<Dimensions{.second = 1}>(rest.substr(0, slash));
    if (const auto* fault = std::get_if<files::NotAQuantity>(&time)) {
        arguments.fault("--mtbf", fault->message, fault->help);
        return std::nullopt;
    }
    const Seconds mtbf = std::get<Seconds>(time);
    if (mtbf <= Seconds{}) {
        arguments.fault("--mtbf", fmt::format("{} is not more than nothing", as_typed(typed)));
        return std::nullopt;
    }
    if (mtbf < 1_s) {
        arguments.fault("--mtbf", fmt::format("{} is less than a second", as_typed(typed)));
        return std::nullopt;
    }
    const auto same = std::find_if(known.begin(), known.end(), [&](const Component& c) { return c.name == name; });
    const bool loses_node = same == known.end() ? *unit != FailureUnit::job : same->loses_node;
    return Component{name.empty() ? "all causes" : name, *unit, mtbf, loses_node};
}

/// Published components, those of the command line in their place or beside them.
void read_failures(Arguments& arguments, GoodputSettings& settings) {
    const PublishedFailures* published = &reliability::published_failures().front();
    if (const auto word = arguments.word("--failures", failure_names())) {
        published = &*std::find_if(reliability::published_failures().begin(), reliability::published_failures().end(),
                                   [&](const PublishedFailures& one) { return one.name == *word; });
    }
    settings.components = published->components();
    settings.failure_source = published->source;
    const std::vector<std::string> typed = arguments.all("--mtbf");
    for (const std::string& one : typed) {
        const std::optional<Component> read = read_component(arguments, one, settings.components);
        if (!read) {
            continue;
        }
        if (read->name == "all causes") {
            if (typed.size() > 1 || arguments.has("--failures")) {
                arguments.fault("--mtbf", fmt::format("{} is of all causes and stands alone", as_typed(one)),
                                "name a component to set it beside others: gpu=3000d/gpu");
            }
            settings.components = {*read};
            settings.failure_source = "the command line";
            return;
        }
        std::erase_if(settings.components, [&](const Component& known) { return known.name == read->name; });
        settings.components.push_back(*read);
    }
    settings.failure_source += typed.empty() ? "" : "; in part the command line";
}

void read_spares(Arguments& arguments, GoodputSettings& settings) {
    const std::optional<Seconds> repair = arguments.duration("--repair");
    const auto typed = arguments.text("--spares");
    const bool none = typed && *typed == "0";
    const auto nodes = typed && !none ? arguments.count("--spares") : std::optional<std::int64_t>(0);
    if (typed.has_value() != arguments.has("--repair")) {
        arguments.fault(typed ? "--spares" : "--repair", typed ? "--repair is missing" : "--spares is missing",
                        "both together: --spares 8 --repair 1d");
    }
    if (typed && repair && nodes) {
        settings.spares = reliability::Spares{*nodes, *repair};
    }
}

/// The sentences of what is assumed, as the question is completed.
class Completion {
public:
    Completion(Arguments& arguments, const GoodputSettings& settings, const Workload& workload,
               reliability::GoodputQuestion& question)
        : arguments_(arguments), settings_(settings), workload_(workload), question_(question) {}

    void rates() {
        files();
        copy();
        format();
    }

    void restart() {
        question_.restart = settings_.restart.value_or(kRestart);
        if (!settings_.restart) {
            assume("from a failure to the begin of the restore: {}, {}", reports::duration(kRestart), kRestartSource);
        }
        if (!settings_.spares) {
            assume("a spare node is always there");
        }
    }

private:
    template <class... Parts>
    void assume(fmt::format_string<Parts...> sentence, Parts&&... parts) {
        question_.assumptions.push_back(fmt::format(sentence, std::forward<Parts>(parts)...));
    }

    void files() {
        const auto& storage = workload_.cluster.storage;
        reliability::CheckpointRates& rates = question_.checkpoint.rates;
        const auto write = settings_.write ? settings_.write : storage ? storage->write : std::nullopt;
        if (!write) {
            arguments_.fault("--storage-write",
                             fmt::format("{} does not say how fast a node writes", workload_.machine),
                             "add --storage-write 2GB/s, or `write:` to the `storage:` of the machine's file; "
                             "`dodona calibrate --backend storage` measures it");
            return;
        }
        rates.node_write = *write;
        rates.node_read = settings_.read ? *settings_.read : storage ? storage->bandwidth : *write;
        if (!settings_.read && !storage) {
            assume("a node reads as fast as it writes, {}", reports::text(*write));
        }
        rates.system_write = rates.system_write || !storage ? rates.system_write : storage->system_write;
        rates.system_read = rates.system_read || !storage ? rates.system_read : storage->system_read;
        if (!rates.system_write) {
            assume("the file system is no slower than all nodes together");
        }
    }

    void copy() {
        const auto& host = workload_.cluster.host;
        question_.checkpoint.rates.copy = settings_.copy ? *settings_.copy : host ? host->bandwidth : kSlowestCopy;
        if (!settings_.copy && !host) {
            assume("a GPU copies to the host at {}: 16 lanes of PCI Express 3.0", reports::text(kSlowestCopy));
        }
    }

    void format() {
        CheckpointSettings& checkpoint = question_.checkpoint;
        reliability::CheckpointRates& rates = checkpoint.rates;
        const cluster::CheckpointRate* measured = nullptr;
        if (workload_.cluster.storage) {
            for (const cluster::CheckpointRate& rate : workload_.cluster.storage->checkpoints) {
                measured = rate.format == checkpoint.format ? &rate : measured;
            }
        }
        if (rates.encode) {
            rates.decode = rates.encode;
            assume("decoding runs at the rate of encoding");
        } else if (measured != nullptr) {
            rates.encode = measured->encode;
            rates.decode = measured->decode;
        } else if (reliability::compresses(checkpoint.format)) {
            arguments_.fault("--encode", fmt::format("how fast {} compresses is not known", name(checkpoint.format)),
                             "add --encode 30MB/s; `dodona calibrate --backend storage` measures it");
        } else {
            assume("putting tensors into the format {} takes no time beside writing", name(checkpoint.format));
        }
        if (!reliability::compresses(checkpoint.format)) {
            return;
        }
        if (!arguments_.has("--ratio") && measured != nullptr) {
            checkpoint.ratio = measured->ratio;
        } else if (!arguments_.has("--ratio")) {
            assume("nothing is gained by compression");
        }
    }

    Arguments& arguments_;
    const GoodputSettings& settings_;
    const Workload& workload_;
    reliability::GoodputQuestion& question_;
};

}  // namespace

std::vector<Option> goodput_options() {
    std::vector<Option> all = work_options();
    append(all, checkpoint_options());
    append(all, failure_options());
    return all;
}

GoodputSettings read_goodput_settings(Arguments& arguments) {
    GoodputSettings settings{.goals = read_goals(arguments)};
    CheckpointSettings& checkpoint = settings.checkpoint;
    checkpoint.format = cluster::CheckpointFormat::pytorch;
    read_choice(arguments, "--checkpoint-format", checkpoint.format);
    read_choice(arguments, "--checkpoint-holds", checkpoint.content);
    read_choice(arguments, "--checkpoint-mode", checkpoint.mode);
    read_choice(arguments, "--checkpoint-writers", checkpoint.writers);
    settings.every = read_every(arguments);
    settings.write = arguments.bandwidth("--storage-write");
    settings.read = arguments.bandwidth("--storage-read");
    settings.copy = arguments.bandwidth("--copy");
    checkpoint.rates.system_write = arguments.bandwidth("--system-write");
    checkpoint.rates.system_read = arguments.bandwidth("--system-read");
    checkpoint.rates.encode = arguments.bandwidth("--encode");
    if (const auto ratio = arguments.amount("--ratio")) {
        checkpoint.ratio = *ratio;
        if (!reliability::compresses(checkpoint.format)) {
            arguments.fault("--ratio", fmt::format("{} does not compress", name(checkpoint.format)),
                            "--checkpoint-format npz-compressed does");
        }
    }
    settings.restart = arguments.duration("--restart");
    settings.power = arguments.power("--power");
    read_failures(arguments, settings);
    read_spares(arguments, settings);
    constexpr std::int64_t kMostRuns = 100'000;
    settings.runs = static_cast<int>(arguments.count("--runs", kMostRuns).value_or(200));
    if (settings.runs < 2) {
        arguments.fault("--runs", "one run has no interval", "2 or more");
    }
    settings.seed = static_cast<std::uint64_t>(arguments.count("--seed").value_or(1));
    return settings;
}

reliability::GoodputQuestion goodput_question(Arguments& arguments, const GoodputSettings& settings,
                                              Workload& workload) {
    std::vector<Workload> workloads{std::move(workload)};
    set_prices(arguments, settings.goals, workloads);
    workload = std::move(workloads.front());
    reliability::GoodputQuestion question{.checkpoint = settings.checkpoint,
                                          .every = settings.every,
                                          .components = settings.components,
                                          .failure_source = settings.failure_source,
                                          .restart = {},
                                          .spares = settings.spares,
                                          .samples = goals_of(arguments, settings.goals, workload.graph).samples,
                                          .price = workload.cluster.price,
                                          .power = settings.power,
                                          .runs = settings.runs,
                                          .seed = settings.seed};
    Completion completion(arguments, settings, workload, question);
    completion.rates();
    completion.restart();
    if (settings.every.epoch && !workload.graph.dataset.samples) {
        arguments.fault("--checkpoint-every",
                        fmt::format("the size of the data set of {} is not known", workload.graph.name),
                        "write a time or a number of steps, or add `dataset: {samples: N, source: ...}` to the model "
                        "file");
    }
    arguments.throw_if_faults();
    return question;
}

}  // namespace dodona::cli
