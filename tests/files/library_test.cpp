// Built-in files and paths.
#include "files/library.hpp"

#include "reading.hpp"

namespace dodona::files::testing {
namespace library_test {

TEST(Library, ListsItsFilesByName) {
    EXPECT_EQ(library().models(), (std::vector<std::string>{"tiny-cnn", "wide-cnn"}));
    EXPECT_EQ(library().clusters(), (std::vector<std::string>{"kinds", "pair"}));
    EXPECT_EQ(library().devices(), std::vector<std::string>{"plain"});
    EXPECT_EQ(library().strategies(), (std::vector<std::string>{"data", "tensor"}));
    EXPECT_TRUE(Library("/no/such/directory").models().empty());
}

TEST(Library, TellsPathsFromNames) {
    EXPECT_TRUE(is_path("./resnet50"));
    EXPECT_TRUE(is_path("mine.yaml"));
    EXPECT_TRUE(is_path("config.json"));
    EXPECT_FALSE(is_path("llama-3.1-8b"));
}

TEST(Library, OpensPathsAndFollowsThemFromTheirFile) {
    const std::string path = (here() / "library/hardware/clusters/pair.yaml").string();
    EXPECT_EQ(library().cluster(path).name, "pair");
}

TEST(Library, SuggestsABuiltIn) {
    EXPECT_EQ(fault_of([] { static_cast<void>(library().model("tinycnn")); }),
              "command line: error: unknown model \"tinycnn\"; did you mean \"tiny-cnn\"?\n"
              "  help: built in: tiny-cnn, wide-cnn; a file of your own is given by its path: ./tinycnn.yaml\n");
    EXPECT_EQ(fault_of([] { static_cast<void>(library().plan("none.yaml")); }),
              "command line: error: there is no file none.yaml\n");
}

TEST(Library, OfThisRepositoryIsWithoutFault) {
    const char* root = std::getenv("DODONA_SOURCE");
    const Library own(root == nullptr ? "." : root);
    for (const std::string& name : own.models()) {
        EXPECT_EQ(own.model(name).name, name);
    }
    for (const std::string& name : own.clusters()) {
        EXPECT_EQ(own.cluster(name).name, name);
    }
    for (const std::string& name : own.devices()) {
        EXPECT_EQ(own.device(name).name, name);
    }
    for (const std::string& name : own.strategies()) {
        EXPECT_EQ(own.strategy(name).name, name);
    }
}

}  // namespace library_test
}  // namespace dodona::files::testing
