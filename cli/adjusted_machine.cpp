#include "cli/adjusted_machine.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/ranges.hpp"
#include "files/number.hpp"
#include "search/adjustable_parameters.hpp"

namespace dodona::cli {

cluster::Cluster adjusted_machine(Arguments& arguments, cluster::Cluster cluster) {
    for (const std::string& typed : arguments.all("--adjust")) {
        const std::size_t equals = typed.find('=');
        const std::string key = typed.substr(0, equals);
        const auto read = files::decimal_from(equals == std::string::npos ? "" : typed.substr(equals + 1));
        const double* const factor = std::get_if<double>(&read);
        const std::vector<search::AdjustableParameter> known = search::machine_parameters(cluster);
        const auto* found = found_in(known, [&](const auto& parameter) { return parameter.parameter.key == key; });
        if (found == nullptr) {
            const auto keys = mapped<std::string>(
                known, [](const search::AdjustableParameter& parameter) { return parameter.parameter.key; });
            arguments.fault("--adjust",
                            fmt::format("{} has no {}{}", cluster.name, as_typed(key), did_you_mean(key, keys)),
                            "it has " + join(keys));
        } else if (factor == nullptr || *factor < found->parameter.least || *factor > found->parameter.most) {
            arguments.fault("--adjust",
                            fmt::format("{} is not WHAT=FACTOR with a factor from {} to {}", as_typed(typed),
                                        found->parameter.least, found->parameter.most),
                            "for example bandwidth.node=2");
        } else {
            const std::string source =
                fmt::format("{}; as if its {} were {} times as much", cluster.source, found->parameter.name, *factor);
            cluster = found->adjusted({.cluster = std::move(cluster)}, *factor).cluster;
            cluster.source = source;
        }
    }
    return cluster;
}

}  // namespace dodona::cli
