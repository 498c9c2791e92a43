#include "cli/chakra.hpp"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "base/whole_file.hpp"
#include "cli/interrupt.hpp"
#include "play/step_communication.hpp"
#include "reports/collect/execution_trace.hpp"
#include "reports/render/chakra.hpp"

namespace dodona::cli {

namespace {

/// Nodes of all files together: some 120 bytes each.
constexpr std::int64_t kMaxTraceNodes = 50'000'000;

void make_folder(const std::string& folder) {
    std::error_code fault;
    std::filesystem::create_directory(folder, fault);
    if (fault) {
        fail({}, fmt::format("--chakra: {} cannot be made: {}", as_typed(folder), fault.message()));
    }
}

}  // namespace

std::vector<Option> chakra_options() {
    return {{"--chakra", "DIR",
             "execution traces for ASTRA-sim and its like (MLCommons Chakra): step.RANK.et for\n"
             "each rank, and groups.json",
             "Simulation"},
            {"--chakra-ranks", "N", "traces of the first N ranks only", "Simulation"}};
}

ChakraTraces read_chakra(Arguments& arguments) {
    ChakraTraces asked{.folder = arguments.text("--chakra").value_or(""), .ranks = arguments.count("--chakra-ranks")};
    const std::filesystem::path folder(asked.folder);
    const std::filesystem::path above =
        folder.has_filename() ? folder.parent_path() : folder.parent_path().parent_path();
    std::error_code ignored;
    if (asked.ranks && asked.folder.empty()) {
        arguments.fault("--chakra-ranks", "there are no traces to limit", "--chakra DIR writes them");
    } else if (!above.empty() && !std::filesystem::is_directory(above, ignored)) {
        arguments.fault("--chakra", fmt::format("there is no folder {}", as_typed(above.string())), "make it first");
    } else if (std::filesystem::exists(folder, ignored) && !std::filesystem::is_directory(folder, ignored)) {
        arguments.fault("--chakra", fmt::format("{} is no folder", as_typed(asked.folder)), "name a folder");
    }
    return asked;
}

bool write_chakra(const ChakraTraces& asked, const Workload& workload, const play::SimulatedStep& step) {
    const std::int64_t all = step.prediction.plan.devices();
    if (asked.ranks && *asked.ranks > all) {
        fail({}, fmt::format("--chakra-ranks: {} ranks, but the plan has {}", *asked.ranks, all), "fewer ranks");
    }
    const std::int64_t ranks = asked.ranks.value_or(all);
    const reports::ExecutionTrace trace(
        step, play::step_communication(workload.graph, workload.cluster, step.prediction.plan));
    if (trace.nodes(ranks) > kMaxTraceNodes) {
        fail({},
             fmt::format("--chakra: {} ranks have {} nodes together, more than {}", ranks, trace.nodes(ranks),
                         kMaxTraceNodes),
             "fewer ranks (--chakra-ranks) or a smaller batch");
    }
    make_folder(asked.folder);
    const std::filesystem::path folder(asked.folder);
    write_whole((folder / "groups.json").string(), reports::chakra_groups(trace.groups(ranks)));
    listen_for_interrupt();
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        if (interrupted()) {
            return false;
        }
        write_whole((folder / fmt::format("step.{}.et", rank)).string(),
                    reports::chakra_trace(rank, trace.of_rank(rank),
                                          {{"model", workload.subject.model}, {"machine", workload.subject.machine}}));
    }
    return true;
}

}  // namespace dodona::cli
