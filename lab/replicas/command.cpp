#include "lab/replicas/command.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "calibrate/mpi/world.hpp"
#include "cli/arguments.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/output.hpp"
#include "lab/replicas/prediction.hpp"

namespace dodona::calibrate {

using namespace cli;

namespace {

constexpr const char* kNetwork = "Network";
constexpr const char* kTime = "Time";
constexpr std::int64_t kMaxWidth = 1 << 16;
constexpr std::int64_t kMaxSteps = 10'000'000;

std::vector<Option> training_options() {
    std::vector<Option> all{{"--widths", "N,...",
                             "features: inputs, hidden layers, classes; 64,64,10 without it,\n"
                             "two of them are a softmax regression",
                             kNetwork},
                            {"--samples", "N", "of a worker in a step; 16", kNetwork},
                            {"--steps", "N", "of each worker; 100", kNetwork},
                            {"--rate", "R", "learning rate; 0.1", kNetwork},
                            {"--seed", "N", "of weights and data; 1", kNetwork},
                            {"--apart", "", "each worker begins with weights of its own", kNetwork},
                            {"--exact-sums", "",
                             "round gradients so that their sum is exact in every order:\n"
                             "synchronous exchanges of gradients then end with the same bits",
                             kNetwork},
                            {"--distances", "", "tell distances to the mean after each step", kNetwork},
                            {"--period", "N", "steps between exchanges, not the file's", kTime},
                            {"--per-node", "N", "workers that share a node; without it those of a host", kTime},
                            {"--compute", "TIME", "that a step takes: sleep for the rest", kTime},
                            {"--together", "",
                             "all workers begin a step at once, as predictions have it,\n"
                             "not each when it has what it needs",
                             kTime},
                            {"--slow", "F", "compute of the first worker over others'", kTime},
                            {"--link", "RATE",
                             "of each worker's host: says what the step was predicted to take;\n"
                             "needs --compute",
                             kTime},
                            {"--latency", "TIME", "of a message; 0 without it", kTime}};
    append(all, output_options());
    return all;
}

std::vector<int> read_widths(Arguments& arguments, std::vector<int> widths) {
    const std::vector<std::int64_t> typed = arguments.counts("--widths");
    if (typed.empty()) {
        return widths;
    }
    if (typed.size() < 2 || *std::max_element(typed.begin(), typed.end()) > kMaxWidth) {
        arguments.fault("--widths", "a network has inputs and classes, and at most 65536 features a layer",
                        "such as --widths 64,64,10");
    }
    return {typed.begin(), typed.end()};
}

/// What --link and --compute say.
void read_times(Arguments& arguments, TrainingSettings& settings) {
    settings.compute = arguments.duration("--compute");
    settings.slow = arguments.ratio("--slow", 1).value_or(1);
    if (const auto link = arguments.bandwidth("--link")) {
        settings.link = {arguments.duration("--latency").value_or(Seconds{}), *link};
        if (!settings.compute) {
            arguments.missing("--compute", "predictions are of a stated compute: --compute 50ms");
        }
    }
}

TrainingSettings read_settings(Arguments& arguments) {
    TrainingSettings settings;
    const std::string name = arguments.required_text("EXCHANGE", "`dodona exchanges` lists them");
    settings.widths = read_widths(arguments, settings.widths);
    settings.batch = static_cast<int>(arguments.count("--samples", kMaxWidth).value_or(settings.batch));
    settings.steps = arguments.count("--steps", kMaxSteps).value_or(settings.steps);
    settings.rate = arguments.ratio("--rate", 0).value_or(settings.rate);
    settings.seed = static_cast<std::uint64_t>(arguments.count("--seed").value_or(1));
    settings.per_node = arguments.count("--per-node").value_or(0);
    settings.apart = arguments.has("--apart");
    settings.exact_sums = arguments.has("--exact-sums");
    settings.distances = arguments.has("--distances");
    settings.together = arguments.has("--together");
    read_times(arguments, settings);
    const auto period = arguments.count("--period");
    arguments.throw_if_faults();
    settings.exchange = library().exchange(name);
    settings.exchange.period = period.value_or(settings.exchange.period);
    check_runs(settings.exchange);
    return settings;
}

/// Workers of a node: as asked for, else those of a host, which all have as many.
std::size_t workers_a_node(const TrainingSettings& settings, const World& world, std::size_t workers) {
    std::size_t per_node = settings.per_node > 0 ? static_cast<std::size_t>(settings.per_node) : workers;
    for (const Host& host : world.hosts()) {
        const bool has_workers = static_cast<std::size_t>(host.ranks.front()) < workers;
        per_node = settings.per_node > 0 || !has_workers ? per_node : std::min(per_node, host.ranks.size());
    }
    if (workers % per_node != 0) {
        fail({}, fmt::format("{} workers are no whole number of nodes of {}", workers, per_node),
             "give --per-node a divisor");
    }
    if (settings.link && (per_node > 1 || world.hosts().size() < static_cast<std::size_t>(world.size()))) {
        fail({}, "predictions are of workers that are alone on their hosts", "one rank a host, or no --link");
    }
    return per_node;
}

std::size_t workers_of(const TrainingSettings& settings, const World& world) {
    const std::size_t servers = servers_of(settings.exchange);
    const auto ranks = static_cast<std::size_t>(world.size());
    if (ranks < servers + 2) {
        fail({},
             fmt::format("{} needs two workers and {} ranks for servers; there are {} ranks", settings.exchange.name,
                         servers, ranks),
             fmt::format("mpirun -n {} dodona-exchange {}", servers + 2, settings.exchange.name));
    }
    return ranks - servers;
}

Outcome run_on_all(const TrainingSettings& settings) {
    const World world;
    const std::size_t workers = workers_of(settings, world);
    const std::size_t per_node = workers_a_node(settings, world, workers);
    Messenger messenger(MPI_COMM_WORLD);
    Worker worker(settings, static_cast<std::size_t>(world.rank()));
    const bool feedback = settings.exchange.compression.error_feedback;
    Residual residual(worker.elements(), feedback);
    Residual owned(worker.elements(), feedback);
    Party party{.exchange = settings.exchange,
                .messenger = messenger,
                .replica = worker.replica,
                .residual = residual,
                .owned = owned,
                .workers = workers,
                .servers = servers_of(settings.exchange),
                .per_node = per_node,
                .seed = settings.seed};
    const double first_loss = worker.held_out_loss();
    std::optional<exchange::ExchangeCost> predicted;
    if (settings.link && world.rank() == 0) {
        predicted = predicted_cost(settings, workers);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const Course course = settings.exchange.scheduling == exchange::Scheduling::synchronous
                              ? train_synchronously(settings, party, worker)
                              : train_asynchronously(settings, party, worker);
    Outcome outcome = gathered_outcome(settings, party, worker, course, first_loss);
    outcome.predicted = predicted;
    return outcome;
}

int run_exchange(Arguments& arguments) {
    const Output output = read_output(arguments);
    const TrainingSettings settings = read_settings(arguments);
    const Outcome outcome = run_on_all(settings);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        write(output, outcome_document(settings, outcome));
    }
    return kAnswered;
}

}  // namespace

Command exchange_command() {
    return {.program = "mpirun -n N",
            .name = "dodona-exchange",
            .summary = "trains a small network on all ranks under an exchange, with real messages",
            .positionals = {{.name = "EXCHANGE",
                             .description = "one of `dodona exchanges`, or a file",
                             .completes = Names::exchanges}},
            .options = training_options(),
            .examples =
                "Examples:\n  mpirun -n 4 dodona-exchange d-psgd\n"
                "  mpirun -n 5 dodona-exchange parameter-server --widths 256,256,10 --steps 500",
            .run = run_exchange};
}

}  // namespace dodona::calibrate
