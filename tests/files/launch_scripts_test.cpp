// Launch scripts and configurations as people write them are read as stands below each in launch/scripts.txt: "=> 64 GPUs"
// where they are asked about so many.
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "../cases.hpp"
#include "base/diagnostic.hpp"
#include "files/launch/launch.hpp"
#include "graph/graph.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace launch_scripts_test {

std::filesystem::path scripts() { return here() / "launch/scripts.txt"; }

/// Options on so many GPUs (0: those that it says), the size of the network, and what is not modelled or not known, one a
/// line.
std::string understood(const std::string& file, int gpus) {
    static const cases::Unpacked folder(scripts());
    const Library shelf(here() / "../..");
    try {
        const Launch launch = shelf.launch((folder.path() / file).string(), gpus, true);
        std::string text = launch.target + "\n";
        for (const auto& [option, value] : launch.options) {
            text += option + " " + value + "\n";
        }
        if (!launch.model.empty()) {
            const graph::Graph network = graph::build(shelf.model_from_text(launch.model, file, {}));
            text += fmt::format("parameters {:.0f}\n", graph::count(network).parameters);
        }
        for (const std::string& one : launch.not_modelled) {
            text += "not modelled: " + one + "\n";
        }
        for (const std::string& one : launch.unknown) {
            text += "not known: " + one + "\n";
        }
        return text;
    } catch (const InputError& error) {
        return error.diagnostics().front().message + "\n";
    }
}

class LaunchScripts : public ::testing::TestWithParam<std::string> {};

TEST_P(LaunchScripts, AreUnderstoodAsStandsBelowThem) {
    for (const cases::Expectation& expected : cases::at(scripts(), GetParam()).expected) {
        cases::expect(scripts(), GetParam(), understood(GetParam(), std::atoi(expected.under.c_str())), expected.under);
    }
}

INSTANTIATE_TEST_SUITE_P(Real, LaunchScripts, ::testing::ValuesIn(cases::names(scripts())),
                         [](const auto& test) { return cases::identifier(test.param); });

}  // namespace launch_scripts_test
}  // namespace dodona::files::testing
