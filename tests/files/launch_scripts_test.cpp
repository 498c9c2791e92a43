// Launch scripts as people write them are read as the .txt beside each says. DODONA_ACCEPT=1 rewrites them.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "files/launch/launch.hpp"
#include "graph/graph.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace launch_scripts_test {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
}

std::vector<std::string> scripts() {
    std::vector<std::string> names;
    for (const auto& file : fs::directory_iterator(here() / "launch/scripts")) {
        if (file.path().extension() == ".slurm") {
            names.push_back(file.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// Options, the size of the network, and what is not modelled or not known, one a line.
std::string understood(const std::string& name) {
    const Library shelf(here() / "../..");
    const std::string file = name + ".slurm";
    try {
        const Launch launch = shelf.launch((here() / "launch/scripts" / file).string(), 0, true);
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

TEST_P(LaunchScripts, AreUnderstoodAsThePageBesideThemSays) {
    const std::string told = understood(GetParam());
    const fs::path golden = here() / "launch/scripts" / (GetParam() + ".txt");
    const char* accept = std::getenv("DODONA_ACCEPT");
    if (accept != nullptr && std::string(accept) == "1") {
        std::ofstream(golden, std::ios::binary) << told;
    }
    EXPECT_EQ(told, content(golden)) << "DODONA_ACCEPT=1 rewrites " << golden;
}

INSTANTIATE_TEST_SUITE_P(Real, LaunchScripts, ::testing::ValuesIn(scripts()), [](const auto& test) {
    std::string name = test.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

}  // namespace launch_scripts_test
}  // namespace dodona::files::testing
