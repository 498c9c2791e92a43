#include "calibrate/program/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "calibrate/cases/model_cases.hpp"
#include "cli/files.hpp"
#include "cli/note.hpp"
#include "cli/workload.hpp"
#include "plan/shard.hpp"
#include "threads/operator_graph.hpp"

namespace dodona::calibrate {

using namespace cli;

namespace {

constexpr int kMaxThreads = 4096;

const std::vector<std::string> kBackEnds{"cpu", "cuda", "mpi", "storage"};

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> options;
    for (std::string word; stream >> word;) {
        options.push_back(word);
    }
    return options;
}

/// As many ranks as there are cores for, two at least. Open MPI needs one more option where the user is root.
std::vector<std::string> usual_mpirun(int threads) {
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    const int ranks = std::clamp(cores / threads, 2, 64);
    std::vector<std::string> command{"mpirun", "--oversubscribe", "-np", std::to_string(ranks)};
    if (::geteuid() == 0) {
        command.insert(command.begin() + 1, "--allow-run-as-root");
    }
    return command;
}

/// Without --backend: none where there are imports, else a GPU where a driver runs, else the CPU.
std::vector<std::string> usual_backends(const CalibrateOptions& options) {
    if (!options.imports.empty()) {
        return {};
    }
    std::error_code ignored;
    return {std::filesystem::exists("/proc/driver/nvidia/version", ignored) ? "cuda" : "cpu"};
}

void read_imports(Arguments& arguments, CalibrateOptions& options) {
    options.imports = arguments.all("--import");
    if (!options.imports.empty() && !arguments.has("--compare")) {
        const std::vector<std::string> more = arguments.all("FILE");
        options.imports.insert(options.imports.end(), more.begin(), more.end());
    }
    static const std::vector<std::string> collectives{"all-reduce", "all-gather", "reduce-scatter",
                                                      "all-to-all", "broadcast",  "send"};
    options.import_options.collective = arguments.word("--collective", collectives).value_or("");
    options.import_options.ranks = arguments.count("--ranks");
    options.import_options.ranks_per_node = arguments.count("--ranks-per-node");
    options.import_options.buffer = arguments.size("--buffer");
    options.import_options.level = arguments.text("--level").value_or("");
}

plan::Plan alone(std::int64_t microbatch, Precision precision) {
    plan::Plan plan;
    plan.strategy = read_strategy("data");
    plan.mesh = {{.name = "data", .size = 1}};
    plan.microbatch = plan.batch = microbatch;
    plan.precision = precision;
    return plan;
}

/// What `dodona threads` runs of a layer with a recurrence: products of one step, which other cases have of all.
void add_cells(const graph::Graph& graph, std::int64_t microbatch, Precision precision, std::vector<Case>& cases) {
    std::set<std::string> known;
    for (const Case& one : cases) {
        known.insert(one.key());
    }
    for (const graph::Kernel& kernel : threads::cell_kernels(graph, static_cast<double>(microbatch))) {
        Case of = product_case(kernel, graph::Direction::forward, precision);
        if (known.insert(of.key()).second) {
            cases.push_back(std::move(of));
        }
    }
}

void add_cases(const graph::Graph& graph, const plan::Plan& plan, std::vector<Case>& cases) {
    const plan::Mesh mesh(plan, {});
    const auto found = model_cases(graph, plan::shard(graph, mesh, plan.strategy, plan.microbatch), plan.precision);
    cases.insert(cases.end(), found.cases.begin(), found.cases.end());
    for (const auto& [kind, count] : found.without_case) {
        note("no benchmark runs {} as {} does ({} of its layers); fits and interpolation answer for them", kind,
             graph.name, count);
    }
}

}  // namespace

std::string CalibrateOptions::records() const { return records_of(profile); }

std::string records_of(const std::string& file) {
    const std::filesystem::path path(file);
    if (path.extension() != ".yaml" && path.extension() != ".yml") {
        return file;
    }
    return (path.parent_path() / (path.stem().string() + ".records.jsonl")).string();
}

std::vector<Option> calibrate_options() {
    const std::string what = "What";
    const std::string known = "Existing description";
    const std::string networks = "Networks";
    const std::string logs = "Logs";
    return {
        {"--backend", "cpu,cuda,mpi,storage",
         "what to measure with; default: cuda where an NVIDIA driver\nruns, else cpu; none when --import is given",
         what},
        {"--quick", "", "good for a first plan, in about a minute: fewer shapes, shorter samples", what},
        {"--again", "", "measure anew what the records have already", what},
        {"--threads", "N", "cores of a CPU that one rank has; default: all, with mpi one", what},
        {"--directory", "DIR", "where storage is measured; default: here", what},
        {"--mpirun", "WORDS",
         "how ranks are started: \"mpirun -np 8 --hostfile hosts\";\ndefault: one rank for each core of this host",
         what},
        {"--program", "WORDS",
         "a back end of your own beside or instead: reads a case a line,\nanswers each with a record "
         "(docs/files.md); a framework's kernels",
         what},
        {"--seed", "N", "of the order and the data; default: 1", what},
        {"-m,--machine", "M",
         "its current description: a built-in machine or a file; what is\nnot measured stays as it says", known},
        {"--device", "D", "instead: its device alone, built in or a file", known},
        {"--nodes", "N", "of a topology file: joined by its adapters", known},
        {"--adapter", "GBITS", "Gb/s of one network adapter, where the file does not say", known},
        {"--name", "NAME", "of the machine; default: that of the file", known},
        {"--model", "FILE", "measure exactly the kernels of this network (built in, or a\nfile); repeat for several",
         networks, kRepeats},
        {"--micro-batch", "N,N,...", "samples that its kernels work on at once", networks, kOnce, Names::none,
         "--microbatch"},
        {"--plan", "FILE", "its kernels as this plan shards them; repeat for several", networks, kRepeats},
        {"--set", "NAME=VALUE", "replace a parameter of the model files", networks, kRepeats},
        {"--seq", "S", "sequence length: --set sequence=S", networks},
        {"--image", "N", "image edge: --set image=N", networks},
        {"--precision", "fp32|tf32|fp16|bf16|fp8", "of their products; default: fp32", networks},
        {"--import", "LOG",
         "take what others measured: nccl-tests, rccl-tests, OSU,\nPyTorch traces, nvbandwidth, "
         "nvidia-smi topo -m, NCCL's\n"
         "topology, ibstat, lspci, topology.conf of Slurm; repeat for several",
         logs, kRepeats},
        {"--collective", "NAME", "that a log does not name", logs},
        {"--ranks", "N", "of a log that does not say", logs},
        {"--ranks-per-node", "N", "likewise", logs},
        {"--buffer", "SIZE", "of one copy of nvbandwidth, where the file does not say", logs},
        {"--level", "NAME", "of links that a log's messages crossed", logs},
        {"--compare", "",
         "say what differs between two calibrations, A and B, or between OLD and\nwhat is measured now", "Comparison"},
    };
}

CalibrateOptions read_calibrate_options(Arguments& arguments) {
    CalibrateOptions options;
    options.profile = writable_file(arguments, "--output");
    if (options.profile.empty()) {
        arguments.missing("--output", "the machine file to write: -o my-machine.yaml");
    } else if (records_of(options.profile) == options.profile) {
        arguments.fault("--output", fmt::format("{} is no machine file", as_typed(options.profile)), "end it in .yaml");
    }
    read_imports(arguments, options);
    for (const std::string& typed : arguments.list("--backend")) {
        if (std::find(kBackEnds.begin(), kBackEnds.end(), typed) == kBackEnds.end()) {
            arguments.fault("--backend", fmt::format("{} is not one of {}{}", as_typed(typed), join(kBackEnds),
                                                     did_you_mean(typed, kBackEnds)));
        }
        options.backends.push_back(typed);
    }
    options.backends_named = !options.backends.empty();
    if (options.backends.empty()) {
        options.backends = usual_backends(options);
    }
    options.machine = arguments.text("--machine").value_or("");
    options.device = arguments.text("--device").value_or("");
    if (!options.machine.empty() && !options.device.empty()) {
        arguments.fault("--device", "the machine has its device", "give --machine or --device, not both");
    }
    options.levels.device = options.device;
    options.levels.nodes = arguments.count("--nodes").value_or(1);
    if (const auto gigabits = arguments.amount("--adapter")) {
        options.levels.adapter_bandwidth = *gigabits / 8 * 1_GB_per_s;
    }
    options.name = arguments.text("--name").value_or(std::filesystem::path(options.profile).stem().string());
    options.quick = arguments.has("--quick");
    options.again = arguments.has("--again");
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const bool ranks = std::find(options.backends.begin(), options.backends.end(), "mpi") != options.backends.end();
    options.threads = static_cast<int>(arguments.count("--threads", kMaxThreads).value_or(ranks ? 1 : cores));
    options.directory = arguments.text("--directory").value_or(".");
    std::error_code ignored;
    if (!std::filesystem::is_directory(options.directory, ignored)) {
        arguments.fault("--directory", fmt::format("there is no folder {}", as_typed(options.directory)),
                        "make it first");
    }
    options.mpirun = words_of(arguments.text("--mpirun").value_or(""));
    if (options.mpirun.empty()) {
        options.mpirun = usual_mpirun(options.threads);
    }
    options.program = words_of(arguments.text("--program").value_or(""));
    if (!options.program.empty()) {
        if (!options.backends_named) {
            options.backends.clear();
        }
        options.backends.emplace_back("program");
    }
    options.seed = static_cast<std::uint64_t>(arguments.count("--seed").value_or(1));
    return options;
}

std::vector<Case> asked_model_cases(Arguments& arguments) {
    const std::vector<std::string> models = arguments.all("--model");
    const std::vector<std::string> plans = arguments.all("--plan");
    const std::vector<std::int64_t> microbatches = arguments.counts("--micro-batch");
    const auto parameters = model_parameters(arguments);
    const auto precision = precision_from(arguments.word("--precision", choices_of(kPrecisions)).value_or("fp32"));
    if (models.empty() && (!plans.empty() || !microbatches.empty())) {
        arguments.missing("--model", "the network whose kernels are asked for");
    }
    if (!models.empty() && plans.empty() && microbatches.empty()) {
        arguments.missing("--micro-batch",
                          "how many samples its kernels work on at once: --micro-batch 8; or a plan: --plan FILE");
    }
    arguments.throw_if_faults();
    std::vector<Case> cases;
    for (const std::string& model : models) {
        const graph::Graph graph = read_network(model, parameters);
        for (const std::int64_t microbatch : microbatches) {
            add_cases(graph, alone(microbatch, *precision), cases);
            add_cells(graph, microbatch, *precision, cases);
        }
        for (const std::string& plan : plans) {
            add_cases(graph, library().plan(plan), cases);
        }
    }
    return cases;
}

}  // namespace dodona::calibrate
