// Every file of bad/KIND.txt is told what is wrong with it as it stands below it.
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "../cases.hpp"
#include "files/run_table.hpp"
#include "reading.hpp"

namespace dodona::files::testing {
namespace golden_errors_test {

namespace fs = std::filesystem;

struct Bad {
    std::string kind;
    std::string file;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.kind << '/' << bad.file; }

fs::path cases_of(const std::string& kind) { return here() / "bad" / (kind + ".txt"); }

std::vector<Bad> all_bad() {
    std::vector<Bad> all;
    std::error_code fault;
    for (const auto& kind : fs::directory_iterator(here() / "bad", fault)) {
        for (const cases::Case& one : cases::read(kind.path())) {
            all.push_back({kind.path().stem().string(), one.name});
        }
    }
    std::sort(all.begin(), all.end(),
              [](const Bad& a, const Bad& b) { return std::pair(a.kind, a.file) < std::pair(b.kind, b.file); });
    return all;
}

/// The folder in which all are files, bad/KIND/FILE.
const fs::path& folder() {
    static const cases::Unpacked unpacked;
    if (fs::is_empty(unpacked.path())) {
        for (const auto& kind : fs::directory_iterator(here() / "bad")) {
            unpacked.put(kind.path(), fs::path("bad") / kind.path().stem());
        }
    }
    return unpacked.path();
}

void read(const std::string& kind, const fs::path& path, const std::string& shown) {
    if (kind == "runs") {
        static_cast<void>(read_runs(read_csv(cases::content(path), shown)));
    } else {
        read_as(kind, load_document(path, shown, command_line()));
    }
}

class GoldenErrors : public ::testing::TestWithParam<Bad> {};

TEST_P(GoldenErrors, TellWhatIsWrongAndWhere) {
    const auto& [kind, file] = GetParam();
    const std::string shown = fmt::format("bad/{}/{}", kind, file);
    std::string told = fault_of([&, &kind = kind] { read(kind, folder() / shown, shown); });
    for (const std::string& machine : {here().string() + "/", folder().string() + "/"}) {
        for (std::size_t at = told.find(machine); at != std::string::npos; at = told.find(machine)) {
            told.erase(at, machine.size());
        }
    }
    EXPECT_NE(told, "") << "nothing is wrong with " << kind << '/' << file;
    cases::expect(cases_of(kind), file, told);
}

INSTANTIATE_TEST_SUITE_P(Bad, GoldenErrors, ::testing::ValuesIn(all_bad()),
                         [](const auto& test) { return cases::identifier(test.param.kind + "_" + test.param.file); });

TEST(GoldenErrorFiles, CoverEveryKindOfFile) {
    const std::vector<Bad> all = all_bad();
    EXPECT_GE(all.size(), 200U);
    for (const std::string kind : {"model", "cluster", "device", "strategy", "plan", "runs"}) {
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Bad& bad) { return bad.kind == kind; })) << kind;
    }
}

}  // namespace golden_errors_test
}  // namespace dodona::files::testing
