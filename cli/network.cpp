#include "cli/network.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

#include "base/decimal.hpp"

namespace dodona::cli {

namespace {

const std::array<std::string, 2> kNetworks{"tabulated", "flows"};

/// "node0/link1=0.5".
void read_degraded(Arguments& arguments, const std::string& typed, std::vector<play::DegradedPart>& parts) {
    const std::size_t equals = typed.rfind('=');
    double factor = -1;
    if (equals != std::string::npos && equals > 0) {
        const char* end = typed.data() + typed.size();
        const auto read = decimal_at(typed.data() + equals + 1, end, factor);
        factor = read.ec == std::errc() && read.ptr == end ? factor : -1;
    }
    if (!(factor > 0 && factor <= 1)) {
        arguments.fault("--degrade",
                        fmt::format("{} is not PART=FACTOR with a factor from above 0 to 1", as_typed(typed)),
                        "for example node0/link1=0.5; --kill for links that are dead");
        return;
    }
    parts.emplace_back(typed.substr(0, equals), factor);
}

}  // namespace

std::vector<Option> network_options() {
    return {{.names = "--network",
             .value = "tabulated|flows",
             .description = "flows: sends between stages and exchanges of gradients and weights share\n"
                            "the links of the machine (default: tabulated, each takes the time of its table)",
             .group = "Simulation"},
            {.names = "--degrade",
             .value = "PART=FACTOR",
             .description = "with flows: leave this share of the links at a part of the network, such as\n"
                            "node0/link1=0.5 or rank3=0.9",
             .group = "Simulation",
             .repeats = true},
            {.names = "--kill",
             .value = "PART",
             .description = "with flows: the links at this part are dead, and routes lead round them",
             .group = "Simulation",
             .repeats = true},
            {.names = "--jobs",
             .value = "N",
             .description = "with flows: N jobs like this one at the same time, whose nodes take turns",
             .group = "Simulation"}};
}

Network read_network(Arguments& arguments) {
    Network network{.flows = arguments.word("--network", kNetworks).value_or("tabulated") == "flows"};
    for (const std::string& typed : arguments.all("--degrade")) {
        read_degraded(arguments, typed, network.conditions.degraded);
    }
    for (const std::string& part : arguments.all("--kill")) {
        network.conditions.degraded.emplace_back(part, 0);
    }
    network.conditions.jobs = arguments.count("--jobs").value_or(1);
    for (const char* option : {"--degrade", "--kill", "--jobs"}) {
        if (arguments.has(option) && !network.flows) {
            arguments.fault(option, "tabulated transfers have no links", "--network flows");
        }
    }
    return network;
}

}  // namespace dodona::cli
