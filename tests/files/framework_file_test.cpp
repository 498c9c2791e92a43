// Framework files, read, written and read again.
#include "files/framework_file.hpp"
#include "files/yaml_writer.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "reading.hpp"

namespace dodona::files::testing {
namespace framework_file_test {

using plan::Framework;
using plan::FrameworkParameter;

Framework read(const std::string& text) {
    return read_framework(parse_document(text, "framework.yaml"), library().mechanism_opener());
}

TEST(FrameworkFile, IsRead) {
    Framework eager = library().framework("eager");
    EXPECT_EQ(eager.name, "eager");
    EXPECT_EQ(eager.reference, "eager");
    EXPECT_EQ(eager.fitted_to, (std::vector<std::string>{"alpha", "beta"}));
    EXPECT_EQ(eager.usual_for, std::vector<std::string>{"attention"});
    EXPECT_EQ(eager.spread, 0.08);
    EXPECT_NEAR(eager[FrameworkParameter::launch], 12e-6, 1e-18);
    EXPECT_NEAR(eager.number(FrameworkParameter::launch).hi, 15e-6, 1e-18);
    ASSERT_TRUE(eager.number(FrameworkParameter::launch).bounds);
    EXPECT_NEAR(eager.number(FrameworkParameter::launch).bounds->most, 80e-6, 1e-18);
    EXPECT_EQ(eager.number(FrameworkParameter::stragglers).lo, 0.004) << "exact without lo and hi";
    EXPECT_EQ(eager[FrameworkParameter::stream], 1) << "what a file leaves out adds nothing";
    EXPECT_FALSE(eager.observed);
}

TEST(FrameworkFile, FormerNamesOfParametersAreRead) {
    const std::string head = "framework: old\nsource: s\nsummary: s\nparameters:\n";
    const Framework old = read(head + "  hidden_layers: {value: 0.5, source: s}\n  feed: {value: 2 ms, source: s}\n");
    EXPECT_EQ(old[FrameworkParameter::overlap_layers], 0.5);
    EXPECT_EQ(old[FrameworkParameter::collate], 2e-3);
}

TEST(FrameworkFile, ReadsBackAsItWasWritten) {
    for (const std::string& name : library().frameworks()) {
        const Framework before = library().framework(name);
        Framework after = read(to_yaml(before));
        after.reference = before.reference;
        ASSERT_EQ(after.numbers.size(), before.numbers.size());
        for (std::size_t i = 0; i < before.numbers.size(); ++i) {
            EXPECT_NEAR(after.numbers[i].value, before.numbers[i].value, 1e-3 * before.numbers[i].value);
            EXPECT_NEAR(after.numbers[i].lo, before.numbers[i].lo, 1e-3 * before.numbers[i].lo);
            EXPECT_NEAR(after.numbers[i].hi, before.numbers[i].hi, 1e-3 * before.numbers[i].hi);
            EXPECT_EQ(after.numbers[i].bounds.has_value(), before.numbers[i].bounds.has_value());
            EXPECT_EQ(after.numbers[i].source, before.numbers[i].source);
        }
        EXPECT_EQ(after.name, before.name);
        EXPECT_EQ(after.source, before.source);
        EXPECT_EQ(after.summary, before.summary);
        EXPECT_EQ(after.fitted_to, before.fitted_to);
        EXPECT_EQ(after.usual_for, before.usual_for);
        EXPECT_EQ(after.spread, before.spread);
    }
}

TEST(FrameworkFile, OfThisRepositoryIsWithoutFault) {
    const char* root = std::getenv("DODONA_SOURCE");
    const Library own(root == nullptr ? "." : root);
    EXPECT_FALSE(own.frameworks().empty());
    for (const std::string& name : own.frameworks()) {
        EXPECT_EQ(own.framework(name).name, name);
    }
}

/// A file that is like one of the library, which has launch, stragglers and a spread.
Framework like_eager(const std::string& more) {
    const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "like_eager.yaml";
    std::ofstream(file) << "framework: own\nsource: s\nlike: eager\n" << more;
    return library().framework(file.string());
}

TEST(FrameworkFile, HasWhatItLeavesOutFromTheOneThatItIsLike) {
    const Framework eager = library().framework("eager");
    const Framework own = like_eager("usual_offload: true\nparameters:\n  launch: {value: 9 us, source: s}\n");
    EXPECT_EQ(own.name, "own");
    EXPECT_EQ(own.like, "eager");
    EXPECT_TRUE(own.usual_offload);
    EXPECT_DOUBLE_EQ(own[FrameworkParameter::launch], 9e-6);
    EXPECT_EQ(own.number(FrameworkParameter::stragglers), eager.number(FrameworkParameter::stragglers));
    EXPECT_EQ(own.spread, eager.spread);
    EXPECT_EQ(own.fitted_to, eager.fitted_to);
    EXPECT_TRUE(own.usual_for.empty()) << "whose default it is each file says itself";
    EXPECT_DOUBLE_EQ(like_eager("spread: 0.5\n").spread, 0.5);
    EXPECT_EQ(like_eager("").numbers, eager.numbers);
    const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "like_transformers.yaml";
    std::ofstream(file) << "framework: own\nsource: s\nlike: transformers\n";
    EXPECT_EQ(Library(here() / "../..").framework(file.string()).attention_library, cluster::AttentionLibrary::cudnn);
    EXPECT_EQ(eager.attention_library, cluster::AttentionLibrary::flash_attention_2);
}

TEST(FrameworkFile, IsLikeOneThatIsComplete) {
    const std::filesystem::path first = std::filesystem::path(::testing::TempDir()) / "like_first.yaml";
    const std::filesystem::path second = std::filesystem::path(::testing::TempDir()) / "like_second.yaml";
    std::ofstream(first) << "framework: first\nsource: s\nlike: eager\n";
    std::ofstream(second) << "framework: second\nsource: s\nlike: ./like_first.yaml\n";
    try {
        static_cast<void>(library().framework(second.string()));
        FAIL() << "read";
    } catch (const InputError& error) {
        EXPECT_EQ(error.diagnostics().front().message, "./like_first.yaml is itself like eager");
        EXPECT_EQ(error.diagnostics().front().where.line, 3);
    }
}

TEST(Mechanism, SetsItsParametersInAnyFramework) {
    Framework eager = library().framework("eager");
    Framework graphs = library().framework("eager+graphs");
    EXPECT_EQ(graphs.name, "eager");
    EXPECT_EQ(graphs.label(), "eager+graphs");
    EXPECT_EQ(graphs.reference, "eager+graphs");
    EXPECT_EQ(graphs[FrameworkParameter::launch], 0);
    EXPECT_EQ(graphs.number(FrameworkParameter::stragglers), eager.number(FrameworkParameter::stragglers));
    EXPECT_EQ(graphs.spread, eager.spread);
    EXPECT_DOUBLE_EQ(graphs.between_sources, 0.06);
}

TEST(Mechanism, IsNamedByAFrameworkFileToo) {
    const std::string head =
        "framework: own\nsource: s\nspread: 0.08\nparameters:\n  launch: {value: 9 us, source: s}\n";
    const Framework own = read(head + "with: [graphs]\n");
    EXPECT_EQ(own.label(), "own+graphs");
    EXPECT_EQ(own[FrameworkParameter::launch], 0);
    EXPECT_DOUBLE_EQ(own.spread, 0.08);
    EXPECT_DOUBLE_EQ(own.between_sources, 0.06);
    const Framework again = read(to_yaml(own));
    EXPECT_EQ(again.label(), "own+graphs");
    EXPECT_DOUBLE_EQ(again.between_sources, 0.06) << "what it contains is not added twice";
}

TEST(Mechanism, ThatDoesNotExistIsNamed) {
    try {
        static_cast<void>(library().framework("eager+graph"));
        FAIL() << "read";
    } catch (const InputError& error) {
        EXPECT_NE(error.diagnostics().front().message.find("unknown mechanism \"graph\"; did you mean \"graphs\"?"),
                  std::string::npos)
            << error.what();
    }
}

TEST(Mechanism, OfThisRepositoryIsWithoutFault) {
    const char* root = std::getenv("DODONA_SOURCE");
    const Library own(root == nullptr ? "." : root);
    EXPECT_FALSE(own.mechanisms().empty());
    for (const std::string& name : own.mechanisms()) {
        EXPECT_EQ(own.mechanism(name).name, name);
    }
}

TEST(Mechanism, StandsBehindAPlus) {
    const plan::FrameworkReference both = plan::framework_reference("a/b+c/eager.yaml+graphs+fused");
    EXPECT_EQ(both.framework, "a/b+c/eager.yaml");
    EXPECT_EQ(both.mechanisms, (std::vector<std::string>{"graphs", "fused"}));
    EXPECT_TRUE(plan::framework_reference("eager").mechanisms.empty());
}

TEST(FrameworkFile, TableOfParametersIsInTheirOrder) {
    for (std::size_t i = 0; i < plan::kFrameworkParameters.size(); ++i) {
        EXPECT_EQ(static_cast<std::size_t>(plan::kFrameworkParameters[i].parameter), i);
    }
}

const std::string kPlan = "plan: p\nmesh: {data: 4}\nstrategy: data\nbatch: 8\nmicrobatch: 1\nprecision: fp16\n";

plan::Plan plan_from(const std::string& text) {
    return read_plan(parse_document(text, "plan.yaml"), library().strategy_opener(), library().framework_opener(),
                     library().mechanism_opener());
}

TEST(PlanFile, NamesItsFrameworkAndKeepsTheName) {
    EXPECT_TRUE(plan_from(kPlan).framework.name.empty());
    const plan::Plan plan = plan_from(kPlan + "framework: eager\n");
    EXPECT_EQ(plan.framework, library().framework("eager"));
    const std::string written = to_yaml(plan, "p", "data");
    EXPECT_NE(written.find("framework: eager\n"), std::string::npos) << written;
    EXPECT_EQ(plan_from(written).framework, plan.framework);
}

TEST(PlanFile, SpellsOutAFrameworkThatObservedStepsMoved) {
    plan::Plan plan = plan_from(kPlan + "framework: eager\n");
    plan.framework.number(FrameworkParameter::matmul).value = 1.4;
    plan.framework.number(FrameworkParameter::matmul).hi = 1.5;
    plan.framework.observed = Framework::Observed{.runs = 1};
    Framework after = plan_from(to_yaml(plan, "p", "data")).framework;
    EXPECT_EQ(after.name, "eager");
    EXPECT_EQ(after[FrameworkParameter::matmul], 1.4);
    EXPECT_EQ(after.number(FrameworkParameter::matmul).hi, 1.5);
    EXPECT_EQ(after.spread, plan.framework.spread);
    EXPECT_NE(to_yaml(plan_from(to_yaml(plan, "p", "data")), "p", "data").find("matmul"), std::string::npos)
        << "and again";
}

}  // namespace framework_file_test
}  // namespace dodona::files::testing
