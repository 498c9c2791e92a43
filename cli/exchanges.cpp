// `dodona exchanges`: the ways for replicas to agree that come with dodona, or one of them in detail.
#include "cli/commands.hpp"

#include <algorithm>

#include "cli/files.hpp"
#include "cli/listing.hpp"
#include "reports/collect/exchange_report.hpp"
#include "reports/collect/exchange_rules_report.hpp"

namespace dodona::cli {

namespace {

constexpr std::int64_t kMaxDelayWorkers = 65536;

exchange::Exchange read_one_exchange(const std::string& name) { return library().exchange(name, {}); }

constexpr const char* kDelays = "Delays on equal workers";

std::vector<Option> exchanges_command_options() {
    std::vector<Option> all{
        {"--size", "SIZE", "what these exchanges add to a step that exchanges so much, such as 491MiB", kDelays},
        {"--link", "RATE", "of a worker: 10Gb/s", kDelays},
        {"--latency", "TIME", "of a message; 0 without it", kDelays},
        {"--compute", "TIME", "of a step: 450ms", kDelays},
        {"--workers", "N,...", "2,4,8,16,32,64 without it", kDelays},
        {"--reduction", "RATE", "at which gradients are added; 10GiB/s without it", kDelays},
        {"--update", "RATE", "at which weights are updated; 2GiB/s without it", kDelays}};
    append(all, output_options());
    return all;
}

exchange::DelayQuestion read_delay_question(Arguments& arguments) {
    exchange::DelayQuestion question{.size = arguments.size("--size").value_or(Bytes{})};
    const auto needed = [&](const char* option, const char* help) {
        if (!arguments.has(option)) {
            arguments.missing(option, help);
        }
    };
    needed("--link", "the bandwidth of a worker: --link 10Gb/s");
    needed("--compute", "the compute of a step: --compute 450ms");
    question.link = {arguments.duration("--latency").value_or(Seconds{}),
                     arguments.bandwidth("--link").value_or(1_GB_per_s)};
    question.compute = arguments.duration("--compute").value_or(1_s);
    question.reduction = arguments.bandwidth("--reduction").value_or(question.reduction);
    question.update = arguments.bandwidth("--update").value_or(question.update);
    question.workers = arguments.counts("--workers");
    if (question.workers.empty()) {
        question.workers = {2, 4, 8, 16, 32, 64};
    }
    for (const std::int64_t workers : question.workers) {
        if (workers < 2 || workers > kMaxDelayWorkers) {
            arguments.fault("--workers", fmt::format("{} workers", workers),
                            fmt::format("2 to {} workers exchange something", kMaxDelayWorkers));
        }
    }
    return question;
}

/// Those that the words name, if all of them are names; else those that have all words.
std::vector<exchange::Exchange> exchanges_asked_for(const std::vector<std::string>& words) {
    const std::vector<std::string> known = library().exchanges();
    const bool are_names = !words.empty() && std::all_of(words.begin(), words.end(), [&](const std::string& word) {
        return names_one(files::NameOf::exchange, word, known);
    });
    std::vector<exchange::Exchange> exchanges;
    for (const std::string& name : are_names ? words : known) {
        exchange::Exchange one = read_one_exchange(name);
        if (are_names || has_words(words, reports::exchange_facts(one), [](SizeOf) { return 0.0; })) {
            exchanges.push_back(std::move(one));
        }
    }
    if (exchanges.empty()) {
        nothing_found("exchanges", words);
    }
    return exchanges;
}

int run_delays(Arguments& arguments) {
    const Output output = read_output(arguments);
    const exchange::DelayQuestion question = read_delay_question(arguments);
    arguments.throw_if_faults();
    const std::vector<exchange::Exchange> exchanges = exchanges_asked_for(arguments.all("WORDS"));
    write(output, reports::delays_document(question, exchange::delays(exchanges, question),
                                           exchange::crossovers(exchanges, question)));
    return kAnswered;
}

int run_exchanges(Arguments& arguments) {
    if (arguments.has("--size")) {
        return run_delays(arguments);
    }
    for (const char* option : {"--link", "--latency", "--compute", "--workers", "--reduction", "--update"}) {
        if (arguments.has(option)) {
            arguments.fault(option, "it is of a size that is exchanged", "add --size 491MiB");
        }
    }
    return run_listing<exchange::Exchange>(arguments, {.kind = files::NameOf::exchange,
                                                       .plural = "exchanges",
                                                       .names = library().exchanges(),
                                                       .read = read_one_exchange,
                                                       .one = reports::exchange_document,
                                                       .all = reports::exchanges_document,
                                                       .facts = reports::exchange_facts});
}

}  // namespace

Command exchanges_command() {
    return {.name = "exchanges",
            .summary = "how replicas can agree: the exchanges that come with dodona, or one of them",
            .positionals = listing_positionals(Names::exchanges),
            .options = exchanges_command_options(),
            .examples =
                "Examples:\n  dodona exchanges\n  dodona exchanges d-psgd\n  dodona exchanges asynchronous\n"
                "  dodona exchanges --size 491MiB --link 10Gb/s --compute 450ms --workers 2,8,64",
            .run = run_exchanges};
}

}  // namespace dodona::cli
