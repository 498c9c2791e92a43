#include "files/exchange_file.hpp"

#include <string>
#include <vector>

#include "files/description_keys.hpp"
#include "files/read_description.hpp"

namespace dodona::files {

namespace {

using exchange::Compression;
using exchange::CompressionKind;
using exchange::Endpoints;
using exchange::Exchange;
using exchange::Outer;
using exchange::Pattern;
using exchange::Scheduling;
using exchange::Sent;

/// Exchanges in which one worker can go on without the others.
bool may_be_asynchronous(Pattern pattern) {
    return pattern == Pattern::servers || pattern == Pattern::tree || pattern == Pattern::ring ||
           pattern == Pattern::torus || pattern == Pattern::gossip || pattern == Pattern::master;
}

/// Keys that do not go together.
void check_exchange(Fields& fields, Exchange& exchange, const Reading& /*reading*/) {
    const auto fault = [&fields](const char* key, const std::string& message, const char* help) {
        const Value value = fields.find(key);
        (value ? value : fields.mapping()).error(message, help);
    };
    const std::string pattern(name(exchange.pattern));
    if (exchange.scheduling != Scheduling::synchronous && !may_be_asynchronous(exchange.pattern)) {
        fault("scheduling", "in " + pattern + " all workers wait for one another",
              "scheduling: synchronous, or a pattern of servers or neighbours");
    }
    if (exchange.period > 1 && exchange.sends == Sent::gradients) {
        fault("period", "gradients of single steps that are not exchanged would be lost",
              "sends: weights, or sends: increments");
    }
    if (exchange.outer != Outer::none && exchange.sends == Sent::gradients) {
        fault("outer", "it is about weights, and gradients travel", "sends: weights, or sends: increments");
    } else if (exchange.outer == Outer::elastic && exchange.pattern != Pattern::master &&
               exchange.pattern != Pattern::tree) {
        fault("outer", "weights move towards those of a master, and " + pattern + " has none",
              "pattern: master, or pattern: tree");
    }
    const bool is_sparse = exchange.compression.kind == CompressionKind::top_k;
    if (is_sparse && (exchange.pattern != Pattern::all_reduce || exchange.sends != Sent::gradients)) {
        fault("compression", "the sum of sparse gradients is an all-reduce of gradients",
              "pattern: all-reduce and sends: gradients");
    }
}

/// What is said of a number of cores that is looked for.
void check_endpoints(Fields& fields, Endpoints& endpoints, const Reading& /*reading*/) {
    if (const Value most = fields.find("most"); most && endpoints.cores) {
        most.error("`cores` says how many endpoints there are", "one of the two");
    }
}

Condition only_of(std::string_view key, std::vector<std::string_view> values) { return {key, std::move(values)}; }

}  // namespace

template <>
const Description& description<Compression>() {
    static const Description described{
        .noun = "compression",
        .summary = "What is left of a buffer before it is sent.",
        .keys = {required<&Compression::kind>("kind", "How.", {.help = "top-k, int8, fp8, int4 or 1-bit"}),
                 optional<&Compression::density>("density", "Elements kept, over all.",
                                                 {.range = kPositiveShare, .only = only_of("kind", {"top-k"})}),
                 optional<&Compression::scheme>("scheme", "How sparse gradients are summed.",
                                                {.only = only_of("kind", {"top-k"})}),
                 optional<&Compression::selection>("selection", "How the largest elements are found.",
                                                   {.only = only_of("kind", {"top-k"})}),
                 optional<&Compression::passes>("passes", "Steps of the search for the threshold.",
                                                {.range = at_least(1), .only = only_of("kind", {"top-k"})}),
                 optional<&Compression::block>(
                     "block", "Elements that share a scale.",
                     {.range = at_least(1), .only = only_of("kind", {"int8", "fp8", "int4", "1-bit"})}),
                 optional<&Compression::error_feedback>("error_feedback",
                                                        "What was not sent is kept and added to the next gradient.")},
        .single_value = "kind",
        .one_line = true,
        .defaults = default_of<Compression>};
    return described;
}

template <>
const Description& description<Endpoints>() {
    static const Description described{
        .noun = "endpoints",
        .summary =
            "Cores of each worker that only send and receive; the others compute, for longer. A device has as many "
            "cores as multiprocessors in its file.",
        .keys = {required<&Endpoints::rate>("rate", "What one sends while it receives as much.",
                                            {.range = kPositive, .help = "as measured: 3 GB/s"}),
                 optional<&Endpoints::cores>("cores", "How many.",
                                             {.range = at_least(1), .default_text = "those of the shortest step"}),
                 optional<&Endpoints::most>("most", "How many are tried at most.", {.range = at_least(1)})},
        .one_line = true,
        .check = checked<Endpoints, check_endpoints>,
        .where = place_of<&Endpoints::where>,
        .defaults = default_of<Endpoints>};
    return described;
}

template <>
const Description& description<Exchange>() {
    static const Description described{
        .noun = "exchange",
        .summary =
            "How replicas agree: who exchanges what with whom, and when. Costs follow from the machine; how many more "
            "steps a network then needs is not predicted.",
        .keys =
            {file_name<&Exchange::name>("exchange"),
             file_source<&Exchange::source>(),
             optional<&Exchange::summary>("summary", "One line for lists."),
             required<&Exchange::pattern>("pattern", "Who exchanges with whom.",
                                          {.help = "all-reduce, servers, ring, torus, gossip, master ..."}),
             optional<&Exchange::algorithm>("algorithm", "Of collectives.", {.default_text = "the machine's choice"}),
             optional<&Exchange::servers>("servers", "Servers on nodes of their own, each with the links of a node.",
                                          {.range = at_least(1),
                                           .default_text = "a part of the weights on each worker; of a master one",
                                           .only = only_of("pattern", {"servers", "master"})}),
             optional<&Exchange::rows>("rows", "Rows of workers on the torus; they divide the workers.",
                                       {.range = at_least(1),
                                        .default_text = "as many as make it as square as can be",
                                        .only = only_of("pattern", {"torus"})}),
             optional<&Exchange::probability>("probability", "Of an exchange after a step.",
                                              {.range = kPositiveShare, .only = only_of("pattern", {"gossip"})}),
             optional<&Exchange::scheduling>("scheduling", "Who waits for whom."),
             optional<&Exchange::bound>("bound", "Steps that a worker may be ahead of the slowest.",
                                        {.range = at_least(0), .only = only_of("scheduling", {"bounded"})}),
             optional<&Exchange::period>("period", "Steps from one exchange to the next.", {.range = at_least(1)}),
             optional<&Exchange::best_worker>("best_worker",
                                              "Steps after which all continue with the weights of the worker with the "
                                              "best accuracy: the first worker "
                                              "hears from all, and sends the weights to one after the other.",
                                              {.range = at_least(1),
                                               .default_text = "never",
                                               .only = only_of("pattern", {"ring", "torus", "gossip", "master"})}),
             optional<&Exchange::outer>("outer", "What becomes of the weights in an exchange."),
             optional<&Exchange::moving_rate>(
                 "moving_rate", "How far all workers together move the master; each moves by this over their number.",
                 {.range = kPositiveShare, .only = only_of("outer", {"elastic"})}),
             optional<&Exchange::sends>("sends", "What travels."),
             optional<&Exchange::order>("order",
                                        "Which message of a step goes first, and what the next step waits for."),
             optional<&Exchange::overlap>("overlap", "`false`: compute stops while replicas exchange."),
             optional<&Exchange::bucket>("bucket", "Gradients that are joined to one message; 0 B: none are.",
                                         {.range = kNotNegative}),
             optional<&Exchange::chunk>("chunk", "What is sent between two looks at newer messages.",
                                        {.range = kPositive, .only = only_of("order", {"newest-first"})}),
             optional<&Exchange::compression>("compression", "What is left of a buffer before it is sent.",
                                              {.default_text = "nothing is compressed"}),
             optional<&Exchange::endpoints>("endpoints", "Cores that only send and receive.",
                                            {.default_text = "communication takes no cores",
                                             .only = only_of("pattern", {"all-reduce", "sharded-update"})})},
        .file_kind = "exchange",
        .check = checked<Exchange, check_exchange>,
        .where = place_of<&Exchange::where>,
        .defaults = default_of<Exchange>};
    return described;
}

Exchange read_exchange(Document document) { return read_file<Exchange>(std::move(document)); }

}  // namespace dodona::files
